// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/isa.h"

#ifdef __ARM_NEON
#include <arm_neon.h>

#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"
#include "roofbeam/backend/cpu/isa_gemv.h"
#include "roofbeam/backend/cpu/isa_grids.h"
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
  static Vector left(const float*, Vector before, Vector here) {
    return {vextq_f32(before.high, here.low, 3), vextq_f32(here.low, here.high, 3)};
  }
  static Vector right(const float*, Vector here, Vector next) {
    return {vextq_f32(here.low, here.high, 1), vextq_f32(here.high, next.low, 1)};
  }
  static Vector add(Vector x, Vector y) {
    return {vaddq_f32(x.low, y.low), vaddq_f32(x.high, y.high)};
  }
  static Vector sub(Vector x, Vector y) {
    return {vsubq_f32(x.low, y.low), vsubq_f32(x.high, y.high)};
  }
  static Vector mul(Vector x, Vector y) {
    return {vmulq_f32(x.low, y.low), vmulq_f32(x.high, y.high)};
  }
  static Vector greater(Vector x, Vector y) {
    return {vmaxq_f32(x.low, y.low), vmaxq_f32(x.high, y.high)};
  }
  static float32x4_t times_power(float32x4_t x, float32x4_t t) {
    const uint32x4_t power = vshlq_n_u32(vreinterpretq_u32_f32(t), 23);
    return vreinterpretq_f32_u32(vaddq_u32(vreinterpretq_u32_f32(x), power));
  }
  static Vector times_power(Vector x, Vector t) {
    return {times_power(x.low, t.low), times_power(x.high, t.high)};
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

struct Gemv {
  using Element = float;
  using Part = float32x4_t;
  using Sum = float32x4_t;
  using Result = float;
  static constexpr int kElements = 4;
  static constexpr int kRows = 8;
  static constexpr int kRowSums = 8;
  static constexpr int kTileRows = 4;
  static constexpr int kTileVectors = 4;

  static Part load(const float* from) { return vld1q_f32(from); }
  static Sum add(Sum x, Sum y) { return vaddq_f32(x, y); }
  static Sum none() { return vdupq_n_f32(0); }
  static Sum dot(Sum sum, Part w, Part x) { return vfmaq_f32(sum, w, x); }
  static float total(Sum sum) { return vaddvq_f32(sum); }
  static void put_totals(const Sum* sums, Result* to, bool add) {
    const Sum all = vpaddq_f32(vpaddq_f32(sums[0], sums[1]), vpaddq_f32(sums[2], sums[3]));
    vst1q_f32(to, add ? vaddq_f32(all, vld1q_f32(to)) : all);
  }
};

// Four units with a latency of four want 16 multiply-adds under way.
constexpr ChainRow kChains[] = {
    fma_row<F32, 20>(DataType::f32),   fma_row<F64, 20>(DataType::f64),
    add_row<F32, 20>(DataType::f32),   add_row<F64, 20>(DataType::f64),
    any_row<F32, 12>(DataType::f32),   any_row<F64, 12>(DataType::f64),
    fma_chain_row<F32>(DataType::f32),
};
constexpr GemvRow kGemvs[] = {{DataType::f32, gemv_block<Gemv>}};

}  // namespace

IsaTable isa_neon() {
  return table_of(kChains, kAllStreams<Stream>, kGemvs, kAllGrids<Stream>);
}

}  // namespace roofbeam

#else

namespace roofbeam {

IsaTable isa_neon() {
  return {};
}

}  // namespace roofbeam

#endif
