// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/stats/estimate.h"

#include <array>
#include <cstdint>
#include <limits>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"best", "median", "predicted", "fit",
                                                    "datasheet"};

}  // namespace

std::string_view name(Method method) {
  return kNames.at(static_cast<std::size_t>(method));
}

std::optional<Method> method_from(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Method>(i);
  }
  return std::nullopt;
}

Json to_json(const Estimate<double>& estimate) {
  return Json::object({{"value", estimate.value},
                       {"low", estimate.low},
                       {"high", estimate.high},
                       {"samples", estimate.samples},
                       {"method", name(estimate.method)}});
}

Estimate<double> estimate_from(JsonReader& parent, std::string_view key) {
  if (!parent.has(key)) {
    parent.reject(key, "missing; expected an estimate");
    return {};
  }
  JsonReader reader(parent.value(key), parent.path_of(key));
  const std::int64_t samples = reader.integer("samples");
  if (samples < 0 || samples > std::numeric_limits<int>::max()) {
    reader.reject("samples", format("{} is no number of samples", samples));
  }
  Estimate<double> estimate{reader.number("value"), reader.number("low"), reader.number("high"),
                            static_cast<int>(samples), Method::predicted};
  const std::string method = reader.text("method");
  if (auto known = method_from(method)) {
    estimate.method = *known;
  } else {
    reader.reject("method", format("\"{}\" is no method", method));
  }
  if (!(estimate.low <= estimate.value && estimate.value <= estimate.high)) {
    reader.reject("value", "not between low and high");
  }
  if (const Error* error = reader.error())
    parent.reject(key, error->what + " (" + error->where + ")");
  return estimate;
}

}  // namespace roofbeam
