// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __AVX512VNNI__
#include <immintrin.h>

#include "roofbeam/backend/cpu/isa_body.h"

namespace roofbeam {
namespace {

struct Fours {
  using Vector = __m512i;
  static constexpr int kLanes = 16;

  static Vector load(const void* from) { return _mm512_loadu_si512(from); }
  static void store(void* to, Vector value) { _mm512_storeu_si512(to, value); }
  static Vector dot(Vector sum, Vector x, Vector y) { return _mm512_dpbusd_epi32(sum, x, y); }
};

constexpr ChainRow kChains[] = {dot_row<Fours, 12>(DataType::int8, 4)};

}  // namespace

IsaTable isa_avx512vnni() {
  return table_of(kChains);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_avx512vnni() {
  return {};
}

}  // namespace roofbeam

#endif
