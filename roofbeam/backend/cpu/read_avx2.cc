// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/read.h"

#ifdef __AVX2__
#include <immintrin.h>

#include <cstdint>

namespace roofbeam {
namespace {

constexpr int kLanes = 4;  // words of a vector
constexpr int kSums = 8;   // independent sums: the loads must not wait for an addition

std::uint64_t block(const std::uint64_t* data, std::int64_t words) {
  __m256i sum[kSums];
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s) sum[s] = _mm256_setzero_si256();
  for (std::int64_t i = 0; i < words; i += kReadGrain) {
#pragma GCC unroll 16
    for (int lane = 0; lane < kReadGrain / kLanes; ++lane) {
      const __m256i loaded =
          _mm256_load_si256(reinterpret_cast<const __m256i*>(data + i + lane * kLanes));
      sum[lane % kSums] = _mm256_add_epi64(sum[lane % kSums], loaded);
    }
  }
#pragma GCC unroll 8
  for (int s = 1; s < kSums; ++s) sum[0] = _mm256_add_epi64(sum[0], sum[s]);
  alignas(32) std::uint64_t parts[kLanes];
  _mm256_store_si256(reinterpret_cast<__m256i*>(parts), sum[0]);
  std::uint64_t result = 0;
  for (int lane = 0; lane < kLanes; ++lane) result += parts[lane];
  return result;
}

}  // namespace

ReadBlock read_avx2() {
  return block;
}

}  // namespace roofbeam

#else

namespace roofbeam {

ReadBlock read_avx2() {
  return nullptr;
}

}  // namespace roofbeam

#endif
