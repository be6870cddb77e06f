// SPDX-License-Identifier: Apache-2.0
// The library's front door for code of one's own: a region that its owner counts and times is
// placed under the ceilings of the machine it ran on. examples/region.cc uses all of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "roofbeam/base/result.h"
#include "roofbeam/base/units.h"
#include "roofbeam/command/session.h"
#include "roofbeam/verdict/verdict.h"

namespace roofbeam {

// Fewer times give no interval worth the name.
constexpr int kLeastTimes = 5;

// What the owner of a region knows of it. All amounts are of one execution, and counted by what the
// work needs: a multiply-add is 2 flops, bytes are those of each array read and each array written,
// not what caches make of them.
struct Region {
  std::string name = "region";
  Flops flops;
  Bytes bytes;  // read and written
  // What it holds at once. Where that fits in the last-level cache, DRAM is no bound. Absent: as
  // much as `bytes`, right for work that touches everything once.
  std::optional<Bytes> footprint = std::nullopt;
  std::string dtype = "f32";  // of the arithmetic: f32 or bf16, as far as ceilings are measured
  std::vector<Seconds> times = {};  // of one execution each, at least kLeastTimes
};

// Times `work`: a round that is not counted, then `rounds` counted ones, each the mean of as many
// executions as last 10 ms together. Anything `work` throws passes through.
std::vector<Seconds> time_region(const std::function<void()>& work, int rounds = kLeastTimes);

// Which ceiling holds the region back, how far it is from there, and what would change it. The
// region's time is the median of its times, its interval where the median of as many others would
// fall 19 times in 20. Ceilings are those of ceilings_of (session.h): options.profile, else the
// saved ones, else measured now, which takes some seconds. `options.threads` is how many threads
// the region itself ran on; 0 means every usable core. Where the region is faster than the ceilings
// on record they are measured once more; where that does not help the verdict's standing is
// invalid.
//
// The verdict also carries what is to be said of the ceilings: warnings fell_back,
// ceiling_degraded, profile_of_another_machine, and a standing of at least degraded for the second.
// Nothing is known of what else went on while the region ran.
//
// Errors: amounts that are negative or not finite, or all 0; too few times or one that is not above
// 0; a data type without a ceiling; whatever opening the device or measuring it fails with.
Result<Verdict> judge_region(const Region& region, const DeviceOptions& options,
                             const Caller& caller);
// The same for callers that never stop it and do not care for progress.
Result<Verdict> judge_region(const Region& region, const DeviceOptions& options = {});

}  // namespace roofbeam
