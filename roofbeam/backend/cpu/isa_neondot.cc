// SPDX-License-Identifier: Apache-2.0
// Both factors are signed here: r0 above 127 counts as negative, in either half alike.
#include "roofbeam/backend/cpu/isa.h"

#ifdef __ARM_FEATURE_DOTPROD
#include <arm_neon.h>

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"

namespace roofbeam {
namespace {

struct Fours {
  using Vector = int32x4_t;
  static constexpr int kLanes = 4;

  static Vector load(const void* from) { return vld1q_s32(static_cast<const std::int32_t*>(from)); }
  static void store(void* to, Vector value) { vst1q_s32(static_cast<std::int32_t*>(to), value); }
  static Vector dot(Vector sum, Vector x, Vector y) {
    return vdotq_s32(sum, vreinterpretq_s8_s32(x), vreinterpretq_s8_s32(y));
  }
};

constexpr ChainRow kChains[] = {dot_row<Fours, 20>(DataType::int8, 4)};

}  // namespace

IsaTable isa_neondot() {
  return table_of(kChains);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_neondot() {
  return {};
}

}  // namespace roofbeam

#endif
