// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __AVX512FP16__
#include <immintrin.h>

#include "roofbeam/backend/cpu/isa_body.h"

namespace roofbeam {
namespace {

struct F16 {
  using Vector = __m512h;
  static constexpr int kLanes = 32;
  static constexpr bool kIntoSum = true;

  static Vector load(const void* from) { return _mm512_loadu_ph(from); }
  static void store(void* to, Vector value) { _mm512_storeu_ph(to, value); }
  static Vector fma(Vector x, Vector y, Vector z) { return _mm512_fmadd_ph(x, y, z); }
};

constexpr ChainRow kChains[] = {fma_row<F16, 12>(DataType::f16)};

}  // namespace

IsaTable isa_avx512fp16() {
  return table_of(kChains);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_avx512fp16() {
  return {};
}

}  // namespace roofbeam

#endif
