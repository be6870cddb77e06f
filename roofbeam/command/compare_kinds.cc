// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/compare_kinds.h"

#include <algorithm>
#include <utility>

#include "roofbeam/answer/matmul_answer.h"
#include "roofbeam/answer/points_answer.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

Result<Compared> machine_of(const Json& json, const std::string& path) {
  auto profile = profile_from(json, path);
  if (!profile) return fail(profile.error());
  std::vector<std::string> names;
  for (const DeviceProfile& device : profile->devices) names.push_back(device.name);
  return Compared{{path, "machine", join(names, ", ")}, figures_of(*profile), nullptr};
}

// The values of one fact over all points, each once.
template <class Fact>
std::string fact_of(const MatmulAnswer& answer, Fact fact) {
  std::vector<std::string> values;
  for (const MatmulPoint& point : answer.points) {
    const std::string value = fact(point);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return join(values, ", ");
}

Result<Compared> matmul_of(const Json& json, const std::string& path) {
  auto answer = matmul_answer_from(json, path);
  if (!answer) return fail(answer.error());
  Compared loaded{{path, "matmul", answer->device.name}, {}, nullptr};
  std::vector<std::string> doubts;
  if (answer->state.standing != Standing::usable) {
    for (const Warning& warning : answer->state.warnings) doubts.push_back(warning.text);
  }
  for (const MatmulPoint& point : answer->points) {
    std::string name = format("{} x {} x {} {}", point.m, point.n, point.k, point.dtype);
    for (int again = 2; loaded.set.find(name) != nullptr; ++again) {
      name = format("{} x {} x {} {} #{}", point.m, point.n, point.k, point.dtype, again);
    }
    if (!(point.rate.low > FlopRate(0))) {
      return usage_error("a rate that is not above 0", path + ": points");
    }
    loaded.set.figures.push_back({name, "flop_per_s", bare(point.rate), join(doubts, "; ")});
  }
  auto& conditions = loaded.set.conditions;
  conditions["device"] = answer->device.name;
  conditions["library"] = fact_of(*answer, [](const MatmulPoint& p) { return p.library; });
  conditions["threads"] =
      fact_of(*answer, [](const MatmulPoint& p) { return std::to_string(p.threads); });
  conditions["operands"] = fact_of(*answer, [](const MatmulPoint& p) {
    return std::string(p.constant ? "constant" : "random");
  });
  conditions["bound by"] =
      fact_of(*answer, [](const MatmulPoint& p) { return std::string(name(p.bound_by)); });
  return loaded;
}

// What a point is compared by: a rate, since another run may have done more of it at once; its time
// where it has neither flops nor bytes.
Figure figure_of(const Point& point, std::string name, std::string doubt) {
  if (const auto rate = point.rate()) return {std::move(name), "flop_per_s", bare(*rate), doubt};
  if (const auto rate = point.byte_rate()) {
    return {std::move(name), "bytes_per_s", bare(*rate), doubt};
  }
  return {std::move(name), "s", bare(*point.time), doubt};
}

Result<Compared> points_of(const Json& json, const std::string& path, const char* command) {
  auto answer = points_answer_from(json, command, path);
  if (!answer) return fail(answer.error());
  Compared compared{{path, command, answer->device.name}, {}, nullptr};
  for (const Point& point : answer->points) {
    if (!point.time || !(point.time->low > Seconds(0))) continue;
    std::vector<std::string> doubts;
    if (point.verdict && point.verdict->standing != Standing::usable) {
      for (const Warning& warning : point.verdict->warnings) doubts.push_back(warning.text);
    }
    const std::string label = trim(format("{} {} {}", point.name, point.dtype, point.memory));
    std::string name = label;
    for (int again = 2; compared.set.find(name) != nullptr; ++again) {
      name = format("{} #{}", label, again);
    }
    compared.set.figures.push_back(figure_of(point, std::move(name), join(doubts, "; ")));
  }
  compared.set.conditions["device"] = answer->device.name;
  compared.set.conditions["threads"] = std::to_string(answer->threads);
  return compared;
}

Result<Compared> roofline_of(const Json& json, const std::string& path) {
  return points_of(json, path, "roofline");
}
Result<Compared> place_of(const Json& json, const std::string& path) {
  return points_of(json, path, "place");
}
Result<Compared> tour_of(const Json& json, const std::string& path) {
  return points_of(json, path, "tour");
}

}  // namespace

const std::vector<ComparedKind>& compared_kinds() {
  static const std::vector<ComparedKind> kinds = {
      {"roofbeam.machine", "a profile", machine_of},
      {"roofbeam.matmul", "a result of matmul", matmul_of},
      {"roofbeam.roofline", "a result of roofline", roofline_of},
      {"roofbeam.place", "a result of place", place_of},
      {"roofbeam.tour", "a result of the tour", tour_of},
  };
  return kinds;
}

}  // namespace roofbeam
