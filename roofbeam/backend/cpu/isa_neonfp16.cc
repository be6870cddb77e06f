// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __ARM_FEATURE_FP16_VECTOR_ARITHMETIC
#include <arm_neon.h>

#include "roofbeam/backend/cpu/isa_body.h"

namespace roofbeam {
namespace {

struct F16 {
  using Vector = float16x8_t;
  static constexpr int kLanes = 8;
  static constexpr bool kIntoSum = true;

  static Vector load(const void* from) { return vld1q_f16(static_cast<const float16_t*>(from)); }
  static void store(void* to, Vector value) { vst1q_f16(static_cast<float16_t*>(to), value); }
  static Vector fma(Vector x, Vector y, Vector z) { return vfmaq_f16(z, x, y); }
};

constexpr ChainRow kChains[] = {fma_row<F16, 20>(DataType::f16)};

}  // namespace

IsaTable isa_neonfp16() {
  return table_of(kChains);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_neonfp16() {
  return {};
}

}  // namespace roofbeam

#endif
