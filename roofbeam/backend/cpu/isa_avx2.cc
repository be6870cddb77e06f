// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __AVX2__
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
  static Vector left(const float* at, Vector, Vector) { return _mm256_loadu_ps(at - 1); }
  static Vector right(const float* at, Vector, Vector) { return _mm256_loadu_ps(at + 1); }
  static Vector add(Vector x, Vector y) { return _mm256_add_ps(x, y); }
  static Vector sub(Vector x, Vector y) { return _mm256_sub_ps(x, y); }
  static Vector mul(Vector x, Vector y) { return _mm256_mul_ps(x, y); }
  static Vector greater(Vector x, Vector y) { return _mm256_max_ps(x, y); }
  static Vector times_power(Vector x, Vector t) {
    const Words power = _mm256_slli_epi32(_mm256_castps_si256(t), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(x), power));
  }
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

struct Gemv32 {
  using Element = float;
  using Part = __m256;
  using Sum = __m256;
  using Result = float;
  static constexpr int kElements = 8;
  static constexpr int kRows = 8;
  static constexpr int kRowSums = 8;
  static constexpr int kTileRows = 3;
  static constexpr int kTileVectors = 4;

  static Part load(const float* from) { return _mm256_loadu_ps(from); }
  static Sum add(Sum x, Sum y) { return _mm256_add_ps(x, y); }
  static Sum none() { return _mm256_setzero_ps(); }
  static Sum dot(Sum sum, Part w, Part x) { return _mm256_fmadd_ps(w, x, sum); }
  static float total(Sum sum) { return sum_of(sum); }
  static void put_totals(const Sum* sums, Result* to, bool add) {
    put_sums(*reinterpret_cast<const Sum(*)[4]>(sums), to, add);
  }
};

// Widened to f32: the upper elements of 32 bits as they are, the lower ones shifted up.
struct Gemv16 {
  using Element = std::uint16_t;
  using Part = __m256i;
  using Sum = __m256;
  using Result = float;
  static constexpr int kElements = 16;
  static constexpr int kRows = 8;
  static constexpr int kRowSums = 4;
  static constexpr int kTileRows = 1;
  static constexpr int kTileVectors = 4;

  static Part load(const std::uint16_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const Part*>(from));
  }
  static __m256 lower(Part part) { return _mm256_castsi256_ps(_mm256_slli_epi32(part, 16)); }
  static __m256 upper(Part part) {
    const Part mask = _mm256_set1_epi32(static_cast<int>(0xffff0000));
    return _mm256_castsi256_ps(_mm256_and_si256(part, mask));
  }
  static Sum add(Sum x, Sum y) { return _mm256_add_ps(x, y); }
  static Sum none() { return _mm256_setzero_ps(); }
  static Sum dot(Sum sum, Part w, Part x) {
    return _mm256_fmadd_ps(upper(w), upper(x), _mm256_fmadd_ps(lower(w), lower(x), sum));
  }
  static float total(Sum sum) { return sum_of(sum); }
  static void put_totals(const Sum* sums, Result* to, bool add) {
    put_sums(*reinterpret_cast<const Sum(*)[4]>(sums), to, add);
  }
};

// Products of a byte below 128 and a signed one fit in 16 bits two at a time.
struct Gemv8 {
  using Element = std::uint8_t;
  using Part = __m256i;
  using Sum = __m256i;
  using Result = std::int32_t;
  static constexpr int kElements = 32;
  static constexpr int kRows = 4;
  static constexpr int kRowSums = 4;
  static constexpr int kTileRows = 1;
  static constexpr int kTileVectors = 4;

  static Part load(const std::uint8_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const Part*>(from));
  }
  static Sum add(Sum x, Sum y) { return _mm256_add_epi32(x, y); }
  static Sum none() { return _mm256_setzero_si256(); }
  static Sum dot(Sum sum, Part w, Part x) {
    const __m256i pairs = _mm256_maddubs_epi16(x, w);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  static Result total(Sum sum) { return sum_of(sum); }
  static void put_totals(const Sum* sums, Result* to, bool add) {
    put_sums(*reinterpret_cast<const Sum(*)[4]>(sums), to, add);
  }
};

// 12 accumulators and four constants are the 16 registers.
constexpr ChainRow kChains[] = {
    fma_row<F32, 12>(DataType::f32),   fma_row<F64, 12>(DataType::f64),
    add_row<F32, 12>(DataType::f32),   add_row<F64, 12>(DataType::f64),
    any_row<F32>(DataType::f32),       any_row<F64>(DataType::f64),
    fma_chain_row<F32>(DataType::f32),
};
constexpr GemvRow kGemvs[] = {
    {DataType::f32, gemv_block<Gemv32>},
    {DataType::bf16, gemv_block<Gemv16>},
    {DataType::int8, gemv_block<Gemv8>},
};

}  // namespace

IsaTable isa_avx2() {
  return table_of(kChains, kAllStreams<Stream>, kGemvs, kAllGrids<Stream>);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_avx2() {
  return {};
}

}  // namespace roofbeam

#endif
