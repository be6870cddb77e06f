// SPDX-License-Identifier: Apache-2.0
// Sums of the lanes of vectors on x86, for isa_*.cc alone; of internal linkage for the reason in
// isa_body.h. Masks of ones, because g++ 12 warns of what the plain intrinsics leave undefined.
#pragma once

#ifdef __AVX2__
#include <immintrin.h>

#include <cstdint>

namespace roofbeam {
namespace {

[[maybe_unused]] float sum_of(__m256 lanes) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
[[maybe_unused]] std::int32_t sum_of(__m256i lanes) {
  const __m128i four =
      _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  const __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}

// Four sums side by side, in half as many instructions as one after the other.
[[maybe_unused]] void put_sums(const __m256 (&sums)[4], float* to, bool add) {
  const __m256 pairs =
      _mm256_hadd_ps(_mm256_hadd_ps(sums[0], sums[1]), _mm256_hadd_ps(sums[2], sums[3]));
  __m128 all = _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1));
  if (add) all = _mm_add_ps(all, _mm_loadu_ps(to));
  _mm_storeu_ps(to, all);
}
[[maybe_unused]] void put_sums(const __m256i (&sums)[4], std::int32_t* to, bool add) {
  const __m256i pairs =
      _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
  __m128i all = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  if (add) all = _mm_add_epi32(all, _mm_loadu_si128(reinterpret_cast<const __m128i*>(to)));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), all);
}

#ifdef __AVX512F__
[[maybe_unused]] __m256 halves(__m512 lanes) {
  const __m512d pairs = _mm512_castps_pd(lanes);
  const __m256d lower = _mm512_maskz_extractf64x4_pd(0xff, pairs, 0);
  const __m256d upper = _mm512_maskz_extractf64x4_pd(0xff, pairs, 1);
  return _mm256_add_ps(_mm256_castpd_ps(lower), _mm256_castpd_ps(upper));
}
[[maybe_unused]] __m256i halves(__m512i lanes) {
  const __m256i lower = _mm512_maskz_extracti64x4_epi64(0xff, lanes, 0);
  const __m256i upper = _mm512_maskz_extracti64x4_epi64(0xff, lanes, 1);
  return _mm256_add_epi32(lower, upper);
}

template <class Vector>
auto sum_of(Vector lanes) {
  return sum_of(halves(lanes));
}
template <class Vector, class Result>
void put_sums(const Vector (&sums)[4], Result* to, bool add) {
  put_sums({halves(sums[0]), halves(sums[1]), halves(sums[2]), halves(sums[3])}, to, add);
}
#endif

}  // namespace
}  // namespace roofbeam

#endif
