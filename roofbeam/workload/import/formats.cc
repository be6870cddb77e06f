// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/workload/import/formats.h"

#include <algorithm>

#include "roofbeam/base/format.h"

namespace roofbeam {

std::string place_of(const std::string& where, std::int64_t line) {
  return format("{}:{}", where, line);
}

Result<std::vector<Line>> lines_of(std::string_view text, const std::string& where) {
  if (text.size() > kLongestImport) {
    return usage_error(format("longer than the {} this may have",
                              show_binary(Bytes(static_cast<double>(kLongestImport)))),
                       where);
  }
  std::vector<Line> lines;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({number, line});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void set_flops(Operation& operation, const std::map<std::string, double>& by_type,
               std::vector<std::string>& remarks) {
  double sum = 0, most = 0;
  for (const auto& [type, flops] : by_type) {
    sum += flops;
    if (flops > most) operation.dtype = type;
    most = std::max(most, flops);
  }
  operation.flops = Flops(sum);
  if (sum <= 0 || most >= 0.99 * sum) return;
  remarks.push_back(
      format("{}: {} of its flops are in {} and the rest in other types; all of them "
             "are placed as {}",
             operation.name, show_percent(most / sum),
             operation.dtype.empty() ? "an unknown type" : operation.dtype,
             operation.dtype.empty() ? "of that" : operation.dtype));
}

void set_traffic(Operation& operation, double read, double written) {
  if (read > 0 || written > 0) operation.traffic = {{kCounted, Bytes(read), Bytes(written)}};
}

}  // namespace roofbeam
