// SPDX-License-Identifier: Apache-2.0
// The one vocabulary of causes: what a workload can be held back by (`bound_by`), wait for, or idle
// on.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace roofbeam {

enum class Cause {
  compute,
  bandwidth,
  latency,
  launch,
  transfer,
  sync,
  communication,
  data_loading,
  host,
  allocator,
  queue,
  serial,
  contention,
  coherency,
  variation,
  capacity,
  power,
  quota,
  none_reached,  // under half of every roof: latency, dependency, issue
  cannot_tell,
  other,
};

std::string_view name(Cause cause);
std::string_view sentence(Cause cause);  // what it means, for people
std::optional<Cause> cause_from(std::string_view name);
const std::vector<Cause>& all_causes();

}  // namespace roofbeam
