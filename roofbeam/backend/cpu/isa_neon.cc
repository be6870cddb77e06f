// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __ARM_NEON
#include <arm_neon.h>

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"
#include "roofbeam/backend/cpu/isa_streams.h"

namespace roofbeam {
namespace {

struct F32 {
  using Vector = float32x4_t;
  static constexpr int kLanes = 4;
  static constexpr bool kIntoSum = true;

  static Vector load(const void* from) { return vld1q_f32(static_cast<const float*>(from)); }
  static void store(void* to, Vector value) { vst1q_f32(static_cast<float*>(to), value); }
  static Vector fma(Vector x, Vector y, Vector z) { return vfmaq_f32(z, x, y); }
  static Vector add(Vector x, Vector y) { return vaddq_f32(x, y); }
  static void keep_order(Vector& x) { asm volatile("" : "+w"(x)); }
};

struct F64 {
  using Vector = float64x2_t;
  static constexpr int kLanes = 2;
  static constexpr bool kIntoSum = true;

  static Vector load(const void* from) { return vld1q_f64(static_cast<const double*>(from)); }
  static void store(void* to, Vector value) { vst1q_f64(static_cast<double*>(to), value); }
  static Vector fma(Vector x, Vector y, Vector z) { return vfmaq_f64(z, x, y); }
  static Vector add(Vector x, Vector y) { return vaddq_f64(x, y); }
  static void keep_order(Vector& x) { asm volatile("" : "+w"(x)); }
};

// Two registers at once: stores past the caches come in pairs.
struct Stream {
  struct Vector {
    float32x4_t low, high;
  };
  struct Words {
    uint64x2_t low, high;
  };
  static constexpr int kLanes = 8;

  static Vector load(const float* from) { return {vld1q_f32(from), vld1q_f32(from + 4)}; }
  static void store(float* to, Vector value) {
    vst1q_f32(to, value.low);
    vst1q_f32(to + 4, value.high);
  }
  static void stream(float* to, Vector value) {
    asm volatile("stnp %q1, %q2, %0"
                 : "=Q"(*reinterpret_cast<Vector*>(to))
                 : "w"(value.low), "w"(value.high));
  }
  static void finish() { asm volatile("dmb ish" ::: "memory"); }
  static Vector splat(float value) { return {vdupq_n_f32(value), vdupq_n_f32(value)}; }
  static Vector fma(Vector x, Vector y, Vector z) {
    return {vfmaq_f32(z.low, x.low, y.low), vfmaq_f32(z.high, x.high, y.high)};
  }
  static Words no_words() { return {vdupq_n_u64(0), vdupq_n_u64(0)}; }
  static Words load_words(const float* from) {
    return {vreinterpretq_u64_f32(vld1q_f32(from)), vreinterpretq_u64_f32(vld1q_f32(from + 4))};
  }
  static Words add_words(Words x, Words y) {
    return {vaddq_u64(x.low, y.low), vaddq_u64(x.high, y.high)};
  }
  static std::uint64_t sum(Words words) { return vaddvq_u64(vaddq_u64(words.low, words.high)); }
};

// Four units with a latency of four want 16 multiply-adds under way.
constexpr ChainRow kChains[] = {
    fma_row<F32, 20>(DataType::f32), fma_row<F64, 20>(DataType::f64),
    add_row<F32, 20>(DataType::f32), add_row<F64, 20>(DataType::f64),
    any_row<F32, 12>(DataType::f32), any_row<F64, 12>(DataType::f64),
};

}  // namespace

IsaTable isa_neon() {
  return table_of(kChains, kAllStreams<Stream>);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_neon() {
  return {};
}

}  // namespace roofbeam

#endif
