// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __AVX512BF16__
#include <immintrin.h>

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"
#include "roofbeam/backend/cpu/isa_gemv.h"
#include "roofbeam/backend/cpu/isa_lanes.h"

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

struct Gemv {
  using Element = std::uint16_t;
  using Part = __m512i;
  using Sum = __m512;
  using Result = float;
  static constexpr int kElements = 32;
  static constexpr int kRows = 8;
  static constexpr int kRowSums = 8;
  static constexpr int kTileRows = 4;
  static constexpr int kTileVectors = 4;

  static Part load(const Element* from) { return _mm512_loadu_si512(from); }
  static Sum add(Sum x, Sum y) { return _mm512_add_ps(x, y); }
  static Sum none() { return _mm512_setzero_ps(); }
  static Sum dot(Sum sum, Part w, Part x) {
    return _mm512_dpbf16_ps(sum, (__m512bh)w, (__m512bh)x);
  }
  static Result total(Sum sum) { return sum_of(sum); }
  static void put_totals(const Sum* sums, Result* to, bool add) {
    put_sums(*reinterpret_cast<const Sum(*)[4]>(sums), to, add);
  }
};

constexpr ChainRow kChains[] = {dot_row<Pairs, 12>(DataType::bf16, 2)};
constexpr GemvRow kGemvs[] = {{DataType::bf16, gemv_block<Gemv>}};

}  // namespace

IsaTable isa_avx512bf16() {
  return table_of(kChains, kGemvs);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_avx512bf16() {
  return {};
}

}  // namespace roofbeam

#endif
