// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __AVXVNNI__
#include <immintrin.h>

#include "roofbeam/backend/cpu/isa_body.h"

namespace roofbeam {
namespace {

struct Fours {
  using Vector = __m256i;
  static constexpr int kLanes = 8;

  static Vector load(const void* from) {
    return _mm256_loadu_si256(static_cast<const Vector*>(from));
  }
  static void store(void* to, Vector value) {
    _mm256_storeu_si256(static_cast<Vector*>(to), value);
  }
  static Vector dot(Vector sum, Vector x, Vector y) { return _mm256_dpbusd_avx_epi32(sum, x, y); }
};

constexpr ChainRow kChains[] = {dot_row<Fours, 12>(DataType::int8, 4)};

}  // namespace

IsaTable isa_avxvnni() {
  return table_of(kChains);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_avxvnni() {
  return {};
}

}  // namespace roofbeam

#endif
