// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/cli/commands/options.h"

#include <cstdlib>

#include "roofbeam/base/format.h"

namespace roofbeam {

Result<std::vector<double>> numbers(const Given& given, std::string_view key,
                                    std::vector<double> fallback,
                                    Result<double> (*read)(std::string_view)) {
  if (!given.has(key)) return fallback;
  std::vector<double> values;
  for (const std::string& part : split(given.text(key), ',')) {
    auto value = read(part);
    if (!value) {
      Error error = value.error();
      error.where = format("-{}", key);
      return fail(error);
    }
    values.push_back(*value);
  }
  return values;
}

Result<DeviceOptions> device_options(const Given& given) {
  auto threads = given.integer("threads", 0);
  if (!threads) return fail(threads.error());
  if (given.has("threads") && (*threads < 1 || *threads > 1'000'000)) {
    return usage_error(format("{} is no number of threads", *threads), "--threads", "1 or more");
  }
  const char* variable = std::getenv("ROOFBEAM_PROFILE");
  return DeviceOptions{given.text("device"), static_cast<int>(*threads),
                       given.text("profile", variable == nullptr ? "" : variable)};
}

const std::vector<OptionRow>& device_option_rows() {
  static const std::vector<OptionRow> rows = {
      {"--device", "D", "cpu, or fake:FILE for a fake machine (cpu)"},
      {"--threads", "N", "workers (every core this process may use)"},
      {"--profile", "FILE", "ceilings from this file (ROOFBEAM_PROFILE, else saved ones)"},
  };
  return rows;
}

std::vector<OptionRow> with_device(std::vector<OptionRow> own) {
  own.insert(own.end(), device_option_rows().begin(), device_option_rows().end());
  return own;
}

}  // namespace roofbeam
