// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/sweep.h"

#include <algorithm>
#include <cmath>

#include "roofbeam/base/format.h"
#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/measure/runner.h"
#include "roofbeam/measure/shapes.h"
#include "roofbeam/measure/suite.h"

namespace roofbeam {
namespace {

constexpr double kSmallest = 4 * 1024;
constexpr double kGrowth = 1.4142135623730951;  // two sizes an octave
constexpr double kTolerance = 0.1;
constexpr double kNear = 1.5;  // sizes within this factor are neighbours

// A point needs no interval: it is the shape that counts.
Plan point_plan() {
  Plan plan;
  plan.method = Method::best;
  plan.restarts = 2;
  plan.warm_up = Seconds(0.002);
  plan.batch = Seconds(0.004);
  plan.stopping = {10, 100000, Seconds(0.006), 0.01};
  return plan;
}

}  // namespace

bool on_plateau(const std::vector<SweepPoint>& sweep, Bytes size, double rate) {
  int near = 0;
  for (const SweepPoint& point : sweep) {
    const double factor = point.footprint / size;
    if (factor > kNear || factor < 1 / kNear) continue;
    ++near;
    if (std::abs(point.rate.value() / rate - 1) > kTolerance) return false;
  }
  return near > 0;
}

void sweep_sizes(const Backends& backends, const Device& device, DeviceProfile& profile,
                 const StopToken& stop) {
  Problem problem{find_kernel("read"), {}, DataType::f32, Operands::random, 1};
  const std::vector<Way> ways = ways_to_compute(backends, device, problem);
  const auto largest = footprint_each(device.box, "dram", 1, Effort::quick);
  if (ways.empty() || !largest) return;
  const Placement one = placement_of(device.box, 1);
  NoProgress quiet;
  for (double size = kSmallest; size <= largest->value() && !stop.requested(); size *= kGrowth) {
    problem.shape = shape_over(*problem.spec, problem.dtype, Bytes(size), 1);
    auto window = probe_window(ways.front(), device, problem, one, stop);
    if (!window) continue;
    problem.shape = *window;
    auto measured = measure(*ways.front().backend, device, problem, ways.front().variant, one,
                            point_plan(), stop, quiet);
    if (!measured) continue;
    const Bytes bytes = problem.spec->work(measured->executed, problem.dtype).bytes();
    profile.sweep.push_back({Bytes(size), bytes / measured->time.value});
  }
  for (const char* memory : {"l1", "l2", "l3"}) {
    const std::string name = format("bandwidth.{}.read.core", memory);
    const auto ceiling = profile.ceilings.find(name);
    const auto size = footprint_each(device.box, memory, 1, Effort::quick);
    if (ceiling == profile.ceilings.end() || !size) continue;
    if (on_plateau(profile.sweep, *size, ceiling->second.burst.value)) continue;
    profile.warnings.push_back(
        {"no_plateau",
         format("arrays a little smaller or larger than {} read at other rates than {}: that "
                "memory is not as large as the system says, or is shared with others",
                show_binary(*size), name)});
  }
}

}  // namespace roofbeam
