// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
#include <arm_neon.h>

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"
#include "roofbeam/backend/cpu/isa_gemv.h"

namespace roofbeam {
namespace {

struct Pairs {
  using Vector = float32x4_t;
  static constexpr int kLanes = 4;

  static Vector load(const void* from) { return vld1q_f32(static_cast<const float*>(from)); }
  static void store(void* to, Vector value) { vst1q_f32(static_cast<float*>(to), value); }
  static Vector dot(Vector sum, Vector x, Vector y) {
    return vbfdotq_f32(sum, vreinterpretq_bf16_f32(x), vreinterpretq_bf16_f32(y));
  }
};

struct Gemv {
  using Element = std::uint16_t;
  using Part = bfloat16x8_t;
  using Sum = float32x4_t;
  using Result = float;
  static constexpr int kElements = 8;
  static constexpr int kRows = 8;
  static constexpr int kRowSums = 8;
  static constexpr int kTileRows = 4;
  static constexpr int kTileVectors = 4;

  static Part load(const Element* from) { return vreinterpretq_bf16_u16(vld1q_u16(from)); }
  static Sum add(Sum x, Sum y) { return vaddq_f32(x, y); }
  static Sum none() { return vdupq_n_f32(0); }
  static Sum dot(Sum sum, Part w, Part x) { return vbfdotq_f32(sum, w, x); }
  static Result total(Sum sum) { return vaddvq_f32(sum); }
  static void put_totals(const Sum* sums, Result* to, bool add) {
    const Sum all = vpaddq_f32(vpaddq_f32(sums[0], sums[1]), vpaddq_f32(sums[2], sums[3]));
    vst1q_f32(to, add ? vaddq_f32(all, vld1q_f32(to)) : all);
  }
};

constexpr ChainRow kChains[] = {dot_row<Pairs, 20>(DataType::bf16, 2)};
constexpr GemvRow kGemvs[] = {{DataType::bf16, gemv_block<Gemv>}};

}  // namespace

IsaTable isa_neonbf16() {
  return table_of(kChains, kGemvs);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_neonbf16() {
  return {};
}

}  // namespace roofbeam

#endif
