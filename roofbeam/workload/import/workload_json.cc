// SPDX-License-Identifier: Apache-2.0
// A workload JSON: what programs with roofbeam/region.h write, and any other of that schema.
#include <cmath>

#include "roofbeam/base/format.h"
#include "roofbeam/workload/import/formats.h"

namespace roofbeam {

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && text[first] == '{';
}

Result<Imported> read_workload_json(std::string_view text, const std::string& where) {
  auto json = parse_json(text, where);
  if (!json) return fail(json.error());
  auto workload = workload_from(*json, where);
  if (!workload) return fail(workload.error());
  Imported imported;
  for (const Operation& operation : workload->operations) {
    if (operation.count < 1) {
      return usage_error(format("{} is no number of executions", operation.count),
                         format("{}: operations: count", where), "1 or more");
    }
    imported.rows.push_back({operation, {}, std::nullopt, 0});
  }
  if (imported.rows.empty()) return imported;
  // A time belongs to the workload as a whole: only where that is one operation it is its own.
  Observed& only = imported.rows.front();
  const double count = static_cast<double>(only.operation.count);
  if (imported.rows.size() == 1) {
    for (Seconds time : workload->times) only.times.push_back(time / count);
    if (workload->observed) only.time = scale(*workload->observed, 1 / count);
  } else if (workload->observed || !workload->times.empty()) {
    imported.remarks.push_back(
        "the time in this file is of all its operations together, so none of them has one of its "
        "own");
  }
  for (const Wait& wait : workload->waits) {
    imported.remarks.push_back(format("it waits {} for {}, which is in no operation",
                                      show(wait.time.value), name(wait.cause)));
  }
  return imported;
}

}  // namespace roofbeam
