// SPDX-License-Identifier: Apache-2.0
// The blocks of every instruction set that this CPU has, called directly. tests/registers looks at
// their machine code.
#include "roofbeam/backend/cpu/isa.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "roofbeam/backend/cpu/chain_values.h"
#include "roofbeam/backend/cpu/cpu_backend.h"
#include "roofbeam/base/clock.h"
#include "roofbeam/hardware/features.h"
#include "roofbeam/kernel/operands.h"

namespace roofbeam {
namespace {

template <class Row>
struct Here {
  std::string name;
  Row row;
};

std::vector<Here<ChainRow>> chains_here() {
  std::vector<Here<ChainRow>> found;
  for (const IsaRow& isa : isa_rows()) {
    const IsaTable table = isa.table();
    for (int i = 0; has_features(cpu_features(), isa.features) && i < table.chain_count; ++i) {
      const ChainRow& row = table.chains[i];
      found.push_back(
          {std::string(isa.variant) + " " + row.kernel + " " + std::string(name(row.dtype)), row});
    }
  }
  return found;
}

std::vector<Here<StreamRow>> streams_here() {
  std::vector<Here<StreamRow>> found;
  for (const IsaRow& isa : isa_rows()) {
    const IsaTable table = isa.table();
    for (int i = 0; has_features(cpu_features(), isa.features) && i < table.stream_count; ++i) {
      found.push_back({std::string(isa.variant) + " " + table.streams[i].kernel, table.streams[i]});
    }
  }
  return found;
}

std::vector<Here<GemvRow>> gemvs_here() {
  std::vector<Here<GemvRow>> found;
  for (const IsaRow& isa : isa_rows()) {
    const IsaTable table = isa.table();
    for (int i = 0; has_features(cpu_features(), isa.features) && i < table.gemv_count; ++i) {
      const GemvRow& row = table.gemvs[i];
      found.push_back({std::string(isa.variant) + " " + std::string(name(row.dtype)), row});
    }
  }
  return found;
}

double draw(std::uint64_t seed, double from, double to) {
  return from + static_cast<double>(mix(seed) >> 11) * 0x1p-53 * (to - from);
}

// The rows of chain.h. Parts of bf16 are in ±[0.1, 0.9], those of int8 in ±[1, 127].
ChainValues constants_for(const ChainRow& row, std::uint64_t seed) {
  const int lanes = row.chain.lanes;
  ChainValues rows(row.dtype, kConstantRows * lanes);
  for (int lane = 0; lane < lanes; ++lane) {
    seed = mix(seed);
    if (row.chain.form == ChainForm::dot) {
      const bool bytes = row.dtype == DataType::int8;
      std::vector<double> r0, r1, r2;
      for (int part = 0; part < chain_parts(row.dtype); ++part) {
        const std::uint64_t own = seed + static_cast<std::uint64_t>(2 * part);
        r0.push_back(bytes ? draw(own, 1, 127) : draw(own, 0.1, 0.9));
        r1.push_back(bytes ? draw(own + 1, -127, 127) : draw(own + 1, -0.9, 0.9));
        r2.push_back(-r1.back());
      }
      rows.set_parts(lane, r0);
      rows.set_parts(lanes + lane, r1);
      rows.set_parts(2 * lanes + lane, r2);
      continue;
    }
    rows.set(lane, draw(seed, 1.1, 1.9));
    rows.set(lanes + lane, draw(seed + 1, 0.1, 0.9));
    const double r0 = rows.get(lane), r1 = rows.get(lanes + lane);
    rows.set(2 * lanes + lane, 1 / r0);
    rows.set(3 * lanes + lane, row.chain.form == ChainForm::add ? -r1 : -r1 / r0);
    rows.set(4 * lanes + lane, -r1);
  }
  return rows;
}

// How far an accumulator may be from where it began, as a part of it: rounding in every half.
double tolerance(DataType dtype, std::int64_t steps) {
  const double halves = 8.0 * static_cast<double>(steps);  // avx2's `any` has most
  if (dtype == DataType::int8) return 0;
  if (dtype == DataType::f64) return 4 * halves * 0x1p-53;
  if (dtype == DataType::f16) return 0.02;  // x + r1 loses what x has below; then it stays
  return std::min(0.01, 4 * halves * 0x1p-24);
}

TEST(IsaTables, EveryOneOfThisArchitectureIsBuiltWhole) {
  std::vector<std::string> built;
  for (const IsaRow& isa : isa_rows()) {
    std::string line = std::string(isa.variant) + ":";
    const IsaTable table = isa.table();
    for (int i = 0; i < table.chain_count; ++i) {
      line += std::string(" ") + table.chains[i].kernel + "." +
              std::string(name(table.chains[i].dtype));
    }
    for (int i = 0; i < table.stream_count; ++i) {
      line += std::string(" ") + table.streams[i].kernel;
    }
    for (int i = 0; i < table.gemv_count; ++i) {
      line += " gemv." + std::string(name(table.gemvs[i].dtype));
    }
    for (int i = 0; i < table.grid_count; ++i) line += std::string(" ") + table.grids[i].kernel;
    if (table.chain_count + table.stream_count > 0) built.push_back(line);
  }
  std::sort(built.begin(), built.end());
  const std::string chains = " fma.f32 fma.f64 add.f32 add.f64 any.f32 any.f64 fma_chain.f32";
  const std::string streams = " read write write_nt copy copy_nt triad triad_nt vadd vscale vdot";
  const std::string grids = " softmax layer_norm stencil";
  const std::string gemvs = " gemv.f32 gemv.bf16 gemv.int8";
  const std::string generic =
      "generic:" + chains + " read write copy triad vadd vscale vdot branchy" + gemvs + grids;
  const std::vector<std::string> expected = {
#if defined(__x86_64__)
    "avx2:" + chains + streams + gemvs + grids,
    "avx512:" + chains + streams + " gemv.f32" + grids,
    "avx512bf16: dot.bf16 gemv.bf16",
    "avx512fp16: fma.f16",
    "avx512vnni: dot.int8 gemv.int8",
    "avxvnni: dot.int8 gemv.int8",
    generic,
    "sse2: write_nt copy_nt triad_nt",
#else  // of other architectures
    generic,
#if defined(__aarch64__)
    "neon:" + chains + streams + " gemv.f32" + grids,
    "neonbf16: dot.bf16 gemv.bf16",
    "neondot: dot.int8 gemv.int8",
    "neonfp16: fma.f16",
#endif
#endif
  };
  EXPECT_EQ(built, expected);
}

TEST(IsaChains, ReturnToWhereTheyBeganAndWriteNothingElse) {
  constexpr int kGuard = 64;
  for (const auto& [label, row] : chains_here()) {
    const int elements = row.chain.accumulators * row.chain.lanes;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      for (const std::int64_t steps : {0, 1, 3, 500}) {
        const ChainValues constants = constants_for(row, seed);
        ChainValues initial(row.dtype, elements);
        ChainValues result(row.dtype, elements + kGuard);
        ChainValues untouched(row.dtype, kGuard);
        const double scale = row.dtype == DataType::int8 ? 0x1p20 : 1;
        for (int i = 0; i < elements; ++i) {
          initial.set(i, scale * draw(seed * 1000 + static_cast<std::uint64_t>(i), 1, 2));
        }
        for (int i = 0; i < kGuard; ++i) result.set(elements + i, 77);
        row.chain.block(steps, constants.data(), initial.data(), result.data());
        double worst = 0;
        for (int i = 0; i < elements; ++i) {
          const double drift = std::fabs(result.get(i) / initial.get(i) - 1);
          worst = drift <= worst ? worst : drift;  // a NaN is kept
        }
        EXPECT_LE(worst, tolerance(row.dtype, steps)) << label << " after " << steps;
        for (int i = 0; i < kGuard; ++i) {
          ASSERT_EQ(result.get(elements + i), 77) << label << " wrote beyond its accumulators";
        }
      }
    }
  }
}

// Where every constant is one, an instruction adds one to each lane of its accumulator, a dot
// product as many as it has parts.
TEST(IsaChains, DoTheFlopsTheySay) {
  for (const auto& [label, row] : chains_here()) {
    const ChainKernel& chain = row.chain;
    const int elements = chain.accumulators * chain.lanes;
    const int parts = chain_parts(row.dtype);
    ChainValues ones(row.dtype, kConstantRows * chain.lanes);
    for (int i = 0; i < kConstantRows * chain.lanes; ++i) {
      if (chain.form == ChainForm::dot) {
        ones.set_parts(i, std::vector<double>(static_cast<std::size_t>(parts), 1));
      } else {
        ones.set(i, 1);
      }
    }
    const ChainValues zeros(row.dtype, elements);
    for (const int steps : {1, 2, 5}) {
      ChainValues result = zeros;
      chain.block(steps, ones.data(), zeros.data(), result.data());
      double flops = 0;
      for (int i = 0; i < elements; ++i) {
        const bool adds = chain.form == ChainForm::add ||
                          (chain.form == ChainForm::any && i >= chain.multiplied * chain.lanes);
        flops += (adds ? 1 : 2) * result.get(i);
      }
      EXPECT_EQ(flops, steps * chain.flops_per_step) << label << ", " << steps << " steps";
    }
  }
}

TEST(IsaChains, TakeTimeInProportionToTheirSteps) {
  for (const auto& [label, row] : chains_here()) {
    const ChainValues constants = constants_for(row, 1);
    ChainValues values(row.dtype, row.chain.accumulators * row.chain.lanes);
    std::int64_t few = INT64_MAX, many = INT64_MAX;
    for (int i = 0; i < 8; ++i) {
      const std::int64_t start = monotonic_ns();
      row.chain.block(1000, constants.data(), values.data(), values.data());
      const std::int64_t middle = monotonic_ns();
      row.chain.block(8000, constants.data(), values.data(), values.data());
      few = std::min(few, middle - start);
      many = std::min(many, monotonic_ns() - middle);
    }
    EXPECT_GT(many, 4 * few) << label;
  }
}

struct Arrays {
  static constexpr std::int64_t kGuard = kStreamGrain;

  explicit Arrays(std::int64_t elements) {
    for (std::vector<Line>* array : {&a, &b, &c}) {
      array->resize(static_cast<std::size_t>(elements + kGuard) / 16);
      for (std::size_t i = 0; i < array->size() * 16; ++i) {
        const std::uint64_t seed = i + 100000 * static_cast<std::uint64_t>(array - &a);
        at(*array, static_cast<std::int64_t>(i)) = static_cast<float>(draw(seed, -1, 1));
      }
    }
  }
  struct alignas(64) Line {
    float values[16];
    bool operator==(const Line& other) const = default;
  };
  static float& at(std::vector<Line>& array, std::int64_t i) {
    return array[static_cast<std::size_t>(i / 16)].values[i % 16];
  }
  std::vector<Line> a, b, c;
};

TEST(IsaStreams, EqualAPlainLoopAndTouchNothingElse) {
  constexpr float kFactor = 1.75F;
  for (const auto& [label, row] : streams_here()) {
    if (label.ends_with(" vdot") || label.ends_with(" branchy")) continue;  // below
    for (const std::int64_t turns : {0, 1, 2, 3, 7, 64}) {
      const std::int64_t elements = turns * kStreamGrain;
      Arrays arrays(elements), expected(elements);
      const std::string kernel = row.kernel;
      std::uint64_t sum = 0;
      for (std::int64_t i = 0; i < elements; ++i) {
        const float b = Arrays::at(expected.b, i);
        float& a = Arrays::at(expected.a, i);
        if (kernel.starts_with("write")) a = kFactor;
        if (kernel.starts_with("copy")) a = b;
        if (kernel.starts_with("triad")) a = std::fma(kFactor, Arrays::at(expected.c, i), b);
        std::uint64_t word = 0;
        if (kernel == "vadd") a = b + Arrays::at(expected.c, i);
        if (kernel == "vscale") a = kFactor * b;
        if (kernel == "read" && i % 2 == 0) std::memcpy(&word, &Arrays::at(expected.b, i), 8);
        sum += word;
      }
      StreamArrays in = {arrays.b.data()->values, arrays.c.data()->values, arrays.a.data()->values,
                         kFactor, 1};
      EXPECT_EQ(row.block(in, elements), sum) << label << " of " << elements;
      in.passes = 3;
      EXPECT_EQ(row.block(in, elements), 3 * sum) << label << " of " << elements;
      EXPECT_TRUE(arrays.b == expected.b && arrays.c == expected.c) << label << " of " << elements;
      // A product may be rounded before the sum: a unit in the last place of sums below 4.
      for (std::size_t line = 0; line < arrays.a.size(); ++line) {
        for (int i = 0; i < 16; ++i) {
          ASSERT_NEAR(arrays.a[line].values[i], expected.a[line].values[i],
                      kernel.starts_with("triad") ? 0x1p-22 : 0)
              << label << " of " << elements;
        }
      }
    }
  }
}

TEST(IsaStreams, AddUpAPlainLoopsSum) {
  for (const auto& [label, row] : streams_here()) {
    const bool dot = label.ends_with(" vdot");
    if (!dot && !label.ends_with(" branchy")) continue;
    for (const std::int64_t turns : {0, 1, 3, 64}) {
      const std::int64_t elements = turns * kStreamGrain;
      Arrays arrays(elements);
      double sum = 0;
      for (std::int64_t i = 0; i < elements; ++i) {
        const double b = Arrays::at(arrays.b, i), c = Arrays::at(arrays.c, i);
        sum += dot ? b * c : b < 0 ? b + 4 : b;
      }
      for (const int passes : {1, 3}) {
        const std::uint64_t bits = row.block(
            {arrays.b.data()->values, arrays.c.data()->values, nullptr, 0, passes}, elements);
        double found = 0;
        std::memcpy(&found, &bits, sizeof found);
        EXPECT_NEAR(found, passes * sum, dot ? 1e-6 * static_cast<double>(elements) : 1e-9)
            << label;
      }
    }
  }
}

// Every tile and what is left of it, and nothing beyond the results.
TEST(IsaGemvs, EqualPlainSumsWhateverTheSizes) {
  constexpr std::size_t kGuard = 16;
  for (const auto& [label, row] : gemvs_here()) {
    const bool bytes = row.dtype == DataType::int8, short_floats = row.dtype == DataType::bf16;
    const std::size_t size = bytes ? 1 : short_floats ? 2 : 4;
    for (const std::size_t count : {1, 2, 3, 4, 5, 9}) {
      for (const std::size_t rows : {1, 3, 8, 13}) {
        for (const std::size_t k : {1, 7, 64, 130, 4500}) {
          std::vector<double> w, x;
          std::vector<unsigned char> weights(rows * k * size), vectors(count * k * size);
          const auto fill = [&](std::vector<unsigned char>& data, std::vector<double>& values,
                                double least, double most) {
            for (std::size_t i = 0; i < data.size() / size; ++i) {
              const double value = draw(values.size() + (&values == &x ? 1000000 : 0), least, most);
              const float number = static_cast<float>(value);
              const std::uint16_t half = bf16_from_float(number);
              const auto byte = static_cast<std::int8_t>(value);
              std::memcpy(data.data() + i * size,
                          bytes          ? static_cast<const void*>(&byte)
                          : short_floats ? static_cast<const void*>(&half)
                                         : &number,
                          size);
              values.push_back(bytes ? byte : short_floats ? float_from_bf16(half) : number);
            }
          };
          fill(weights, w, bytes ? -127 : -1, bytes ? 127 : 1);
          fill(vectors, x, bytes ? 0 : -1, bytes ? 127 : 1);
          std::vector<std::int32_t> results(count * rows + kGuard, 77);
          row.block({weights.data(), vectors.data(), results.data(),
                     static_cast<std::int64_t>(rows), static_cast<std::int64_t>(count),
                     static_cast<std::int64_t>(k)});
          for (std::size_t at = 0; at < count * rows; ++at) {
            double sum = 0;
            for (std::size_t i = 0; i < k; ++i) sum += w[at % rows * k + i] * x[at / rows * k + i];
            float number = 0;
            std::memcpy(&number, &results[at], sizeof number);
            ASSERT_NEAR(bytes ? results[at] : double{number}, sum,
                        bytes ? 0 : 1e-6 * static_cast<double>(k))
                << label << " " << count << " x " << rows << " x " << k << " at " << at;
          }
          for (std::size_t i = 0; i < kGuard; ++i)
            ASSERT_EQ(results[count * rows + i], 77) << label;
        }
      }
    }
  }
}

}  // namespace
}  // namespace roofbeam
