// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
#include <arm_neon.h>

#include "roofbeam/backend/cpu/isa_body.h"

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

constexpr ChainRow kChains[] = {dot_row<Pairs, 20>(DataType::bf16, 2)};

}  // namespace

IsaTable isa_neonbf16() {
  return table_of(kChains);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_neonbf16() {
  return {};
}

}  // namespace roofbeam

#endif
