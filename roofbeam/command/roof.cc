// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/roof.h"

#include <set>
#include <utility>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"

namespace roofbeam {
namespace {

void note_ceiling(RoofFound& found, const Found& used, bool counts) {
  found.used.push_back(used);
  if (!counts) return;
  if (!used.fell_back.empty()) found.warnings.push_back({"fell_back", used.fell_back});
  if (used.ceiling.standing == Standing::degraded) {
    found.warnings.push_back({"ceiling_degraded", used.name + ": " + used.ceiling.reason});
  }
}

// Units that multiply matrices in this type and that no probe of ours reaches yet.
constexpr std::pair<DataType, const char*> kUnprobed[] = {{DataType::bf16, "amx_bf16"},
                                                          {DataType::bf16, "bf16"},
                                                          {DataType::int8, "amx_int8"},
                                                          {DataType::int8, "i8mm"}};

}  // namespace

Result<RoofFound> roof_of(const DeviceProfile& profile, const Operation& operation, int threads) {
  auto arithmetic = arithmetic_ceiling(profile, operation.dtype, threads);
  if (!arithmetic) return fail(arithmetic.error());
  RoofFound found;
  found.roof.arithmetic_ceiling = arithmetic->name;
  found.roof.arithmetic = as<FlopRate>(arithmetic->ceiling.burst);
  note_ceiling(found, *arithmetic, true);
  found.from_cache = operation.footprint <= profile.last_level_cache;
  auto memory = read_ceiling(profile, kRoofMemory, threads);
  if (!memory && !found.from_cache) return fail(memory.error());
  if (!memory) return found;
  found.drawn = {{kRoofMemory, memory->name, as<ByteRate>(memory->ceiling.burst)}};
  if (!found.from_cache) found.roof.memories = found.drawn;
  note_ceiling(found, *memory, !found.from_cache);  // else it is only in the picture
  return found;
}

void drop_unused_memories(RoofFound& found, const Breakdown& judged) {
  const std::set<std::string> left = ceilings_in(judged);
  std::erase_if(found.roof.memories,
                [&](const Roof::Memory& memory) { return left.count(memory.ceiling) == 0; });
}

std::optional<std::string> beside_the_ridge(const Operation& operation, const Roof& roof) {
  if (roof.memories.empty()) return std::nullopt;
  const auto at = intensity(operation, roof.memories.front().memory);
  if (!at) return std::nullopt;
  const Intensity corner = ridge(roof, roof.memories.front());
  return format("{} lies {} the ridge at {}: {} is what counts", show(*at),
                *at >= corner ? "right of" : "left of", show(corner),
                *at >= corner ? "arithmetic" : "memory bandwidth");
}

void allow_for_unprobed_units(Verdict& verdict, const Box& box, DataType dtype) {
  for (const auto& [type, feature] : kUnprobed) {
    if (type != dtype || !box.has(feature)) continue;
    verdict.warnings.push_back(
        {"unprobed_units", format("this CPU multiplies matrices in {} by {}, which is not probed "
                                  "yet: its true ceiling may lie higher",
                                  name(dtype), feature)});
    if (verdict.standing == Standing::invalid) {
      verdict.standing = Standing::degraded;
      std::erase_if(verdict.warnings, [](const Warning& w) { return w.code == "above_ceiling"; });
    }
    return;
  }
}

}  // namespace roofbeam
