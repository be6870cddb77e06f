// SPDX-License-Identifier: Apache-2.0
// `likwid-perfctr -O`: tables of a group, or of each marked region and group, one after another:
//   TABLE,Group 1 Metric,MEM_DP,17        TABLE,Region step,Group 1 Metric,MEM_DP,17
//   Metric,HWThread 0,HWThread 1          (… Metric STAT: Metric,Sum,Min,Max,Avg)
// Rates are of a hardware thread and its own run time; volumes stand at one thread of each socket.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "roofbeam/base/format.h"
#include "roofbeam/workload/import/formats.h"

namespace roofbeam {
namespace {

// A region (or the whole run) as one group of events saw it.
struct Group {
  std::string region;
  std::string name;                                    // MEM_DP
  std::map<std::string, std::vector<double>> metrics;  // of each thread
  std::map<std::string, std::vector<double>> stats;    // Sum, Min, Max, Avg
  std::vector<double> calls;                           // of the region, of each thread

  double sum(const std::string& metric) const {
    double total = 0;
    if (const auto found = metrics.find(metric); found != metrics.end()) {
      for (double value : found->second) total += value;
    } else if (const auto all = stats.find(metric + " STAT"); all != stats.end()) {
      total = all->second.empty() ? 0 : all->second.front();
    }
    return total;
  }
  bool has(const std::string& metric) const {
    return metrics.count(metric) + stats.count(metric + " STAT") > 0;
  }
};

enum class Table { none, metric, stat, region };

struct State {
  std::vector<Group> groups;
  Table table = Table::none;
  std::vector<double> calls;  // stands before the region's first group
  std::string region;
};

bool is_kind(std::string_view field, std::string_view end) {
  return field.starts_with("Group ") && field.ends_with(end);
}

// A line that begins a table.
Status begin_table(const std::vector<std::string>& fields, const std::string& place, State& state) {
  const bool marked = fields.size() > 1 && fields[1].starts_with("Region ");
  const std::size_t at = marked ? 2 : 1;
  if (fields.size() < at + 2) {
    return usage_error("a TABLE without a group", place, "TABLE,Group 1 Metric,MEM_DP,17");
  }
  const std::string region = marked ? fields[1].substr(7) : "";
  state.table = Table::none;
  const std::string& kind = fields[at];
  if (is_kind(kind, " Metric") || is_kind(kind, " Metric STAT")) {
    state.table = kind.ends_with("STAT") ? Table::stat : Table::metric;
  } else if (is_kind(kind, " Raw") && marked) {
    state.table = Table::region;  // "Region Info" stands before the events
  }
  const bool same = !state.groups.empty() && state.groups.back().region == region &&
                    state.groups.back().name == fields[at + 1] &&
                    !(state.table == Table::metric && !state.groups.back().metrics.empty());
  if (!same) {
    state.groups.push_back({region, fields[at + 1], {}, {}, {}});
    if (state.groups.size() > kMostRows) return usage_error("too many tables", place);
  }
  return {};
}

// The numbers of a row; what is none ("-", "nil", "nan") counts as 0, as for threads that a
// socket's counters do not belong to.
std::vector<double> numbers_of(const std::vector<std::string>& fields, std::size_t columns) {
  std::vector<double> numbers;
  for (std::size_t i = 1; i < fields.size() && numbers.size() < columns; ++i) {
    const double value = parse_real(fields[i]).value_or(0);
    numbers.push_back(value > 0 ? value : 0);
  }
  return numbers;
}

Result<std::vector<Group>> groups_in(std::string_view text, const std::string& where) {
  auto lines = lines_of(text, where);
  if (!lines) return fail(lines.error());
  State state;
  std::size_t columns = 0;
  for (const Line& line : *lines) {
    const std::vector<std::string> fields = split(line.text, ',');
    if (fields[0] == "TABLE") {
      auto done = begin_table(fields, place_of(where, line.number), state);
      if (!done) return fail(done.error());
      columns = 0;
      continue;
    }
    if (fields[0] == "STRUCT") state.table = Table::none;
    if (state.table == Table::none || fields.size() < 2) continue;
    if (columns == 0) {  // the line of names
      while (columns + 1 < fields.size() && !fields[columns + 1].empty()) ++columns;
      if (columns == 0) state.table = Table::none;
      continue;
    }
    Group& group = state.groups.back();
    if (state.table == Table::region) {
      if (fields[0] == "call count") group.calls = numbers_of(fields, columns);
    } else {
      auto& into = state.table == Table::metric ? group.metrics : group.stats;
      into[fields[0]] = numbers_of(fields, columns);
    }
  }
  return state.groups;
}

constexpr std::array kTimes = {"Runtime (RDTSC) [s]", "RDTSC Runtime [s]"};
struct FlopMetric {
  const char* name;
  const char* dtype;
};
constexpr std::array kFlops = {
    FlopMetric{"DP [MFLOP/s]", "f64"},      FlopMetric{"SP [MFLOP/s]", "f32"},
    FlopMetric{"HP [MFLOP/s]", "f16"},      FlopMetric{"DP MFLOP/s", "f64"},
    FlopMetric{"SP MFLOP/s", "f32"},        FlopMetric{"DP (FP) [MFLOP/s]", "f64"},
    FlopMetric{"SP (FP) [MFLOP/s]", "f32"}, FlopMetric{"HP (FP) [MFLOP/s]", "f16"}};
constexpr std::array kRead = {"Memory read data volume [GBytes]",
                              "Memory load data volume [GBytes]"};
constexpr std::array kWritten = {"Memory write data volume [GBytes]",
                                 "Memory evict data volume [GBytes]",
                                 "Memory writeback data volume [GBytes]"};
constexpr const char* kBoth = "Memory data volume [GBytes]";

template <std::size_t N>
double first_sum(const Group& group, const std::array<const char*, N>& names) {
  for (const char* name : names) {
    if (group.has(name)) return group.sum(name);
  }
  return 0;
}

// The longest of the threads' times.
double runtime_of(const Group& group) {
  for (const char* name : kTimes) {
    if (const auto all = group.metrics.find(name); all != group.metrics.end()) {
      return *std::max_element(all->second.begin(), all->second.end());
    }
    const auto stat = group.stats.find(std::string(name) + " STAT");
    if (stat != group.stats.end() && stat->second.size() >= 3) return stat->second[2];
  }
  return 0;
}

// Rate times time of each thread; from the sums where the threads are not told apart.
double flops_of(const Group& group, const std::string& metric) {
  const auto rates = group.metrics.find(metric);
  if (rates == group.metrics.end()) return group.sum(metric) * 1e6 * runtime_of(group);
  const auto times = group.metrics.find(kTimes[0]);
  double flops = 0;
  for (std::size_t i = 0; i < rates->second.size(); ++i) {
    const bool own = times != group.metrics.end() && i < times->second.size();
    flops += rates->second[i] * 1e6 * (own ? times->second[i] : runtime_of(group));
  }
  return flops;
}

int threads_of(const Group& group) {
  std::size_t threads = 0;
  for (const auto& [name, values] : group.metrics) threads = std::max(threads, values.size());
  return static_cast<int>(threads);
}

void read_group(const Group& group, Imported& imported) {
  Observed observed;
  Operation& operation = observed.operation;
  operation.name = group.region.empty() ? group.name : group.region;
  std::map<std::string, double> by_type;
  for (const FlopMetric& row : kFlops) {
    if (group.has(row.name)) by_type[row.dtype] += flops_of(group, row.name);
  }
  const double calls =
      group.calls.empty()
          ? 1
          : std::max(1.0, *std::max_element(group.calls.begin(), group.calls.end()));
  for (auto& [type, flops] : by_type) flops /= calls;
  set_flops(operation, by_type, imported.remarks);
  double read = first_sum(group, kRead), written = first_sum(group, kWritten);
  if (read <= 0 && written <= 0 && group.has(kBoth)) {
    read = group.sum(kBoth);
    imported.remarks.push_back(format(
        "{}: what was read and written is not told apart; it counts as read", operation.name));
  }
  set_traffic(operation, read * 1e9 / calls, written * 1e9 / calls);
  const double seconds = runtime_of(group) / calls;
  if (seconds > 0 && std::isfinite(seconds)) observed.times = {Seconds(seconds)};
  observed.threads = threads_of(group);
  if (calls > 1) {
    imported.remarks.push_back(
        format("{}: its mean over {} calls", operation.name, show_number(calls)));
  }
  const bool finite = std::isfinite(operation.flops.value()) && std::isfinite(read + written);
  if (!finite || (operation.flops == Flops(0) && operation.traffic.empty())) {
    imported.remarks.push_back(format("{} of the group {} holds neither flops nor memory volume",
                                      operation.name, group.name));
    return;
  }
  imported.rows.push_back(std::move(observed));
}

}  // namespace

bool looks_like_likwid(std::string_view text) {
  return text.starts_with("TABLE,") || text.find("\nTABLE,") != std::string_view::npos;
}

Result<Imported> read_likwid(std::string_view text, const std::string& where) {
  auto groups = groups_in(text, where);
  if (!groups) return fail(groups.error());
  Imported imported;
  for (const Group& group : *groups) {
    if (!group.metrics.empty() || !group.stats.empty()) read_group(group, imported);
  }
  const bool bytes = std::any_of(imported.rows.begin(), imported.rows.end(),
                                 [](const Observed& r) { return !r.operation.traffic.empty(); });
  if (bytes) {
    imported.remarks.push_back(
        "bytes are those at the memory controllers of whole sockets, and of "
        "every process that ran meanwhile");
  }
  return imported;
}

}  // namespace roofbeam
