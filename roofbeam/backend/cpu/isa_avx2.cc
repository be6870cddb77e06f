// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __AVX2__
#include <immintrin.h>

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"
#include "roofbeam/backend/cpu/isa_streams.h"

namespace roofbeam {
namespace {

struct F32 {
  using Vector = __m256;
  static constexpr int kLanes = 8;
  static constexpr bool kIntoSum = false;

  static Vector load(const void* from) { return _mm256_loadu_ps(static_cast<const float*>(from)); }
  static void store(void* to, Vector value) { _mm256_storeu_ps(static_cast<float*>(to), value); }
  static Vector fma(Vector x, Vector y, Vector z) { return _mm256_fmadd_ps(x, y, z); }
  static Vector add(Vector x, Vector y) { return _mm256_add_ps(x, y); }

  // In place and in this order: compilers would rather move accumulators about, and to the stack.
  static void multiply_add(Vector& x, Vector y, Vector z) {
    asm volatile("vfmadd132ps %1, %2, %0" : "+x"(x) : "x"(y), "x"(z));
  }
  static void multiply_add(Vector& x, const Vector* y, Vector z) {
    asm volatile("vfmadd132ps %1, %2, %0" : "+x"(x) : "m"(*y), "x"(z));
  }
  static void add_to(Vector& x, Vector y) { asm volatile("vaddps %1, %0, %0" : "+x"(x) : "x"(y)); }
};

struct F64 {
  using Vector = __m256d;
  static constexpr int kLanes = 4;
  static constexpr bool kIntoSum = false;

  static Vector load(const void* from) { return _mm256_loadu_pd(static_cast<const double*>(from)); }
  static void store(void* to, Vector value) { _mm256_storeu_pd(static_cast<double*>(to), value); }
  static Vector fma(Vector x, Vector y, Vector z) { return _mm256_fmadd_pd(x, y, z); }
  static Vector add(Vector x, Vector y) { return _mm256_add_pd(x, y); }

  // In place and in this order: compilers would rather move accumulators about, and to the stack.
  static void multiply_add(Vector& x, Vector y, Vector z) {
    asm volatile("vfmadd132pd %1, %2, %0" : "+x"(x) : "x"(y), "x"(z));
  }
  static void multiply_add(Vector& x, const Vector* y, Vector z) {
    asm volatile("vfmadd132pd %1, %2, %0" : "+x"(x) : "m"(*y), "x"(z));
  }
  static void add_to(Vector& x, Vector y) { asm volatile("vaddpd %1, %0, %0" : "+x"(x) : "x"(y)); }
};

struct Stream {
  using Vector = __m256;
  using Words = __m256i;
  static constexpr int kLanes = 8;

  static Vector load(const float* from) { return _mm256_load_ps(from); }
  static void store(float* to, Vector value) { _mm256_store_ps(to, value); }
  static void stream(float* to, Vector value) { _mm256_stream_ps(to, value); }
  static void finish() { _mm_sfence(); }
  static Vector splat(float value) { return _mm256_set1_ps(value); }
  static Vector fma(Vector x, Vector y, Vector z) { return _mm256_fmadd_ps(x, y, z); }
  static Words no_words() { return _mm256_setzero_si256(); }
  static Words load_words(const float* from) {
    return _mm256_load_si256(reinterpret_cast<const Words*>(from));
  }
  static Words add_words(Words x, Words y) { return _mm256_add_epi64(x, y); }
  static std::uint64_t sum(Words words) {
    alignas(32) std::uint64_t parts[4];
    _mm256_store_si256(reinterpret_cast<Words*>(parts), words);
    std::uint64_t total = 0;
    for (const std::uint64_t part : parts) total += part;
    return total;
  }
};

// `any` in 16 registers. 8 accumulators do multiply-adds, 4 cycles each, and 6 adds, 3 cycles each,
// so that both pairs of units always have work; for as many adds as multiply-adds, a step takes 3
// rounds of the ones and 4 of the others. An add has the sign of the half it falls in; half a step
// later, an odd number of halves, the same accumulator meets the other sign. Two registers are left
// for constants, and r2 stays in memory. Two of a kind at a time fill the units where one by one
// leaves a tenth of their cycles empty (Zen 4).
constexpr int kMultiplied = 8;
constexpr int kAdded = 6;
constexpr int kHalfStep = 3 * kMultiplied;
static_assert(kHalfStep == 4 * kAdded);

template <class V>
void any_block(std::int64_t steps, const void* constants, const void* initial, void* result) {
  const auto* r = static_cast<const typename V::Vector*>(constants);
  typename V::Vector x[kMultiplied + kAdded];
  load_all<V>(x, initial);
  for (std::int64_t step = 0; step < steps; ++step) {
    typename V::Vector a = r[0];
    typename V::Vector b = r[1];
#pragma GCC unroll 64
    for (int i = 0; i < 2 * kHalfStep; i += 2) {
      const bool first_half = i / kMultiplied % 2 == 0;
      if (i % kMultiplied == 0) {
        asm volatile("" : "+r"(r));  // or the compiler keeps all five constants
        a = r[first_half ? 0 : 3];
        b = r[first_half ? 1 : 4];
      }
#pragma GCC unroll 2
      for (int now = i; now < i + 2; ++now) {
        auto& multiplied = x[now % kMultiplied];
        if (first_half) {
          V::multiply_add(multiplied, a, b);
        } else {
          V::multiply_add(multiplied, r + 2, a);
        }
      }
#pragma GCC unroll 2
      for (int now = i; now < i + 2; ++now) V::add_to(x[kMultiplied + now % kAdded], b);
    }
  }
  store_all<V>(x, result);
}
template <class V>
constexpr ChainRow any_row(DataType dtype) {
  return {"any",
          dtype,
          {any_block<V>, ChainForm::any, kMultiplied + kAdded, kMultiplied, V::kLanes,
           2 * kHalfStep * V::kLanes * 3}};
}

// 12 accumulators and four constants are the 16 registers.
constexpr ChainRow kChains[] = {
    fma_row<F32, 12>(DataType::f32), fma_row<F64, 12>(DataType::f64),
    add_row<F32, 12>(DataType::f32), add_row<F64, 12>(DataType::f64),
    any_row<F32>(DataType::f32),     any_row<F64>(DataType::f64),
};

}  // namespace

IsaTable isa_avx2() {
  return table_of(kChains, kAllStreams<Stream>);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_avx2() {
  return {};
}

}  // namespace roofbeam

#endif
