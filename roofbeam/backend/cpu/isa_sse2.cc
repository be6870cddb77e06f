// SPDX-License-Identifier: Apache-2.0
// What isa_generic.cc cannot say: stores past the caches.
#include "roofbeam/backend/cpu/isa.h"

#ifdef __SSE2__
#include <emmintrin.h>

#include "roofbeam/backend/cpu/isa_body.h"
#include "roofbeam/backend/cpu/isa_streams.h"

namespace roofbeam {
namespace {

struct Stream {
  using Vector = __m128;
  static constexpr int kLanes = 4;

  static Vector load(const float* from) { return _mm_load_ps(from); }
  static void store(float* to, Vector value) { _mm_store_ps(to, value); }
  static void stream(float* to, Vector value) { _mm_stream_ps(to, value); }
  static void finish() { _mm_sfence(); }
  static Vector splat(float value) { return _mm_set1_ps(value); }
  static Vector fma(Vector x, Vector y, Vector z) { return _mm_add_ps(_mm_mul_ps(x, y), z); }
};

constexpr StreamRow kStreams[] = {
    {"write_nt", write_block<Stream, true>},
    {"copy_nt", copy_block<Stream, true>},
    {"triad_nt", triad_block<Stream, true>},
};

}  // namespace

IsaTable isa_sse2() {
  return table_of(kStreams);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_sse2() {
  return {};
}

}  // namespace roofbeam

#endif
