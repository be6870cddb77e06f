// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __AVXVNNI__
#include <immintrin.h>

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"
#include "roofbeam/backend/cpu/isa_gemv.h"
#include "roofbeam/backend/cpu/isa_lanes.h"

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

struct Gemv {
  using Element = std::uint8_t;
  using Part = __m256i;
  using Sum = __m256i;
  using Result = std::int32_t;
  static constexpr int kElements = 32;
  static constexpr int kRows = 4;
  static constexpr int kRowSums = 4;
  static constexpr int kTileRows = 2;
  static constexpr int kTileVectors = 4;

  static Part load(const Element* from) {
    return _mm256_loadu_si256(reinterpret_cast<const Part*>(from));
  }
  static Sum add(Sum x, Sum y) { return _mm256_add_epi32(x, y); }
  static Sum none() { return _mm256_setzero_si256(); }
  static Sum dot(Sum sum, Part w, Part x) { return _mm256_dpbusd_avx_epi32(sum, x, w); }
  static Result total(Sum sum) { return sum_of(sum); }
  static void put_totals(const Sum* sums, Result* to, bool add) {
    put_sums(*reinterpret_cast<const Sum(*)[4]>(sums), to, add);
  }
};

constexpr ChainRow kChains[] = {dot_row<Fours, 12>(DataType::int8, 4)};
constexpr GemvRow kGemvs[] = {{DataType::int8, gemv_block<Gemv>}};

}  // namespace

IsaTable isa_avxvnni() {
  return table_of(kChains, kGemvs);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_avxvnni() {
  return {};
}

}  // namespace roofbeam

#endif
