// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __AVX512F__
#include <immintrin.h>

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"
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

constexpr ChainRow kChains[] = {
    fma_row<F32, 12>(DataType::f32), fma_row<F64, 12>(DataType::f64),
    add_row<F32, 12>(DataType::f32), add_row<F64, 12>(DataType::f64),
    any_row<F32, 12>(DataType::f32), any_row<F64, 12>(DataType::f64),
};

}  // namespace

IsaTable isa_avx512() {
  return table_of(kChains, kAllStreams<Stream>);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_avx512() {
  return {};
}

}  // namespace roofbeam

#endif
