// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __AVX512F__
#include <immintrin.h>

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"
#include "roofbeam/backend/cpu/isa_gemv.h"
#include "roofbeam/backend/cpu/isa_grids.h"
#include "roofbeam/backend/cpu/isa_lanes.h"
#include "roofbeam/backend/cpu/isa_streams.h"

namespace roofbeam {
namespace {

struct F32 {
  using Vector = __m512;
  static constexpr int kLanes = 16;
  static constexpr bool kIntoSum = false;

  static Vector load(const void* from) { return _mm512_loadu_ps(from); }
  static void store(void* to, Vector value) { _mm512_storeu_ps(to, value); }
  static Vector fma(Vector x, Vector y, Vector z) { return _mm512_fmadd_ps(x, y, z); }
  static Vector add(Vector x, Vector y) { return _mm512_add_ps(x, y); }
  static void keep_order(Vector& x) { asm volatile("" : "+v"(x)); }
};

struct F64 {
  using Vector = __m512d;
  static constexpr int kLanes = 8;
  static constexpr bool kIntoSum = false;

  static Vector load(const void* from) { return _mm512_loadu_pd(from); }
  static void store(void* to, Vector value) { _mm512_storeu_pd(to, value); }
  static Vector fma(Vector x, Vector y, Vector z) { return _mm512_fmadd_pd(x, y, z); }
  static Vector add(Vector x, Vector y) { return _mm512_add_pd(x, y); }
  static void keep_order(Vector& x) { asm volatile("" : "+v"(x)); }
};

struct Stream {
  using Vector = __m512;
  using Words = __m512i;
  static constexpr int kLanes = 16;

  static Vector load(const float* from) { return _mm512_load_ps(from); }
  static void store(float* to, Vector value) { _mm512_store_ps(to, value); }
  static void stream(float* to, Vector value) { _mm512_stream_ps(to, value); }
  static void finish() { _mm_sfence(); }
  static Vector splat(float value) { return _mm512_set1_ps(value); }
  static Vector fma(Vector x, Vector y, Vector z) { return _mm512_fmadd_ps(x, y, z); }
  static Vector left(const float*, Vector before, Vector here) {
    const Words all = _mm512_maskz_alignr_epi32(0xffff, _mm512_castps_si512(here),
                                                _mm512_castps_si512(before), 15);
    return _mm512_castsi512_ps(all);
  }
  static Vector right(const float*, Vector here, Vector next) {
    const Words all =
        _mm512_maskz_alignr_epi32(0xffff, _mm512_castps_si512(next), _mm512_castps_si512(here), 1);
    return _mm512_castsi512_ps(all);
  }
  static Vector add(Vector x, Vector y) { return _mm512_add_ps(x, y); }
  static Vector sub(Vector x, Vector y) { return _mm512_sub_ps(x, y); }
  static Vector mul(Vector x, Vector y) { return _mm512_mul_ps(x, y); }
  static Vector greater(Vector x, Vector y) { return _mm512_maskz_max_ps(0xffff, x, y); }
  static Vector times_power(Vector x, Vector t) {
    const Words power = _mm512_maskz_slli_epi32(0xffff, _mm512_castps_si512(t), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(x), power));
  }
  static Words no_words() { return _mm512_setzero_si512(); }
  static Words load_words(const float* from) {
    return _mm512_load_si512(reinterpret_cast<const Words*>(from));
  }
  static Words add_words(Words x, Words y) { return _mm512_add_epi64(x, y); }
  static std::uint64_t sum(Words words) {
    alignas(64) std::uint64_t parts[8];
    _mm512_store_si512(reinterpret_cast<Words*>(parts), words);
    std::uint64_t total = 0;
    for (const std::uint64_t part : parts) total += part;
    return total;
  }
};

struct Gemv {
  using Element = float;
  using Part = __m512;
  using Sum = __m512;
  using Result = float;
  static constexpr int kElements = 16;
  static constexpr int kRows = 8;
  static constexpr int kRowSums = 8;
  static constexpr int kTileRows = 4;
  static constexpr int kTileVectors = 4;

  static Part load(const float* from) { return _mm512_loadu_ps(from); }
  static Sum add(Sum x, Sum y) { return _mm512_add_ps(x, y); }
  static Sum none() { return _mm512_setzero_ps(); }
  static Sum dot(Sum sum, Part w, Part x) { return _mm512_fmadd_ps(w, x, sum); }
  static float total(Sum sum) { return sum_of(sum); }
  static void put_totals(const Sum* sums, Result* to, bool add) {
    put_sums(*reinterpret_cast<const Sum(*)[4]>(sums), to, add);
  }
};

constexpr ChainRow kChains[] = {
    fma_row<F32, 12>(DataType::f32),   fma_row<F64, 12>(DataType::f64),
    add_row<F32, 12>(DataType::f32),   add_row<F64, 12>(DataType::f64),
    any_row<F32, 12>(DataType::f32),   any_row<F64, 12>(DataType::f64),
    fma_chain_row<F32>(DataType::f32),
};
constexpr GemvRow kGemvs[] = {{DataType::f32, gemv_block<Gemv>}};

}  // namespace

IsaTable isa_avx512() {
  return table_of(kChains, kAllStreams<Stream>, kGemvs, kAllGrids<Stream>);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_avx512() {
  return {};
}

}  // namespace roofbeam

#endif
