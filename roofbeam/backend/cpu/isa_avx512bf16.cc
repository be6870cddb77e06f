// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __AVX512BF16__
#include <immintrin.h>

#include "roofbeam/backend/cpu/isa_body.h"

namespace roofbeam {
namespace {

struct Pairs {
  using Vector = __m512;
  static constexpr int kLanes = 16;

  static Vector load(const void* from) { return _mm512_loadu_ps(from); }
  static void store(void* to, Vector value) { _mm512_storeu_ps(to, value); }
  static Vector dot(Vector sum, Vector x, Vector y) {
    return _mm512_dpbf16_ps(sum, (__m512bh)x, (__m512bh)y);
  }
};

constexpr ChainRow kChains[] = {dot_row<Pairs, 12>(DataType::bf16, 2)};

}  // namespace

IsaTable isa_avx512bf16() {
  return table_of(kChains);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_avx512bf16() {
  return {};
}

}  // namespace roofbeam

#endif
