// SPDX-License-Identifier: Apache-2.0
// Both factors are signed here: r0 above 127 counts as negative, in either half alike.
#include "roofbeam/backend/cpu/isa.h"

#ifdef __ARM_FEATURE_DOTPROD
#include <arm_neon.h>

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"
#include "roofbeam/backend/cpu/isa_gemv.h"

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

struct Gemv {
  using Element = std::uint8_t;
  using Part = int8x16_t;
  using Sum = int32x4_t;
  using Result = std::int32_t;
  static constexpr int kElements = 16;
  static constexpr int kRows = 8;
  static constexpr int kRowSums = 8;
  static constexpr int kTileRows = 4;
  static constexpr int kTileVectors = 4;

  static Part load(const Element* from) { return vreinterpretq_s8_u8(vld1q_u8(from)); }
  static Sum add(Sum x, Sum y) { return vaddq_s32(x, y); }
  static Sum none() { return vdupq_n_s32(0); }
  static Sum dot(Sum sum, Part w, Part x) { return vdotq_s32(sum, w, x); }
  static Result total(Sum sum) { return vaddvq_s32(sum); }
  static void put_totals(const Sum* sums, Result* to, bool add) {
    const Sum all = vpaddq_s32(vpaddq_s32(sums[0], sums[1]), vpaddq_s32(sums[2], sums[3]));
    vst1q_s32(to, add ? vaddq_s32(all, vld1q_s32(to)) : all);
  }
};

constexpr ChainRow kChains[] = {dot_row<Fours, 20>(DataType::int8, 4)};
constexpr GemvRow kGemvs[] = {{DataType::int8, gemv_block<Gemv>}};

}  // namespace

IsaTable isa_neondot() {
  return table_of(kChains, kGemvs);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_neondot() {
  return {};
}

}  // namespace roofbeam

#endif
