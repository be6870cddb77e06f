// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/grid_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "roofbeam/backend/cpu/cpu_backend.h"
#include "roofbeam/backend/cpu/test_problem.h"
#include "roofbeam/hardware/features.h"

namespace roofbeam {
namespace {

constexpr std::string_view kKernels[] = {"softmax", "layer_norm", "stencil"};

// The way of this machine's best instruction set.
GridBlock best_block(std::string_view kernel) {
  for (const IsaRow& isa : isa_rows()) {
    const IsaTable table = isa.table();
    for (int i = 0; has_features(cpu_features(), isa.features) && i < table.grid_count; ++i) {
      if (table.grids[i].kernel == kernel) return table.grids[i].block;
    }
  }
  return nullptr;
}

Check check_after(GridBlock block, std::string_view kernel, Shape shape) {
  auto job = make_grid_job(block, test_problem(kernel, shape), 1);
  EXPECT_TRUE(job->set_up(0));
  job->execute(0);
  return job->check();
}

// Whole vectors, what is left of them, odd numbers of rows, and more than one cache holds.
TEST(GridJob, EveryWayIsRightWhateverTheSizes) {
  for (const IsaRow& isa : isa_rows()) {
    const IsaTable table = isa.table();
    for (int i = 0; has_features(cpu_features(), isa.features) && i < table.grid_count; ++i) {
      for (const std::int64_t columns : {1, 2, 5, 16, 17, 63, 64, 65, 127, 1000}) {
        for (const std::int64_t rows : {1, 2, 3, 8}) {
          const Check check =
              check_after(table.grids[i].block, table.grids[i].kernel, {rows, columns, 1});
          EXPECT_TRUE(check.passed) << isa.variant << " " << table.grids[i].kernel << " " << rows
                                    << " x " << columns << ": " << check.error;
        }
      }
      EXPECT_TRUE(check_after(table.grids[i].block, table.grids[i].kernel, {2100, 1024, 1}).passed);
    }
  }
}

GridBlock right;

TEST(GridJob, AnElementLeftOutOrALittleOffIsCaught) {
  const GridBlock left_out = [](const GridArrays& arrays) {
    right(arrays);
    arrays.out[(arrays.rows - 1) * arrays.stride + arrays.columns / 2] = NAN;
  };
  const GridBlock a_little_off = [](const GridArrays& arrays) {
    right(arrays);
    arrays.out[arrays.columns - 1] += 2e-5F;
  };
  const GridBlock a_row_less = [](const GridArrays& arrays) {
    GridArrays fewer = arrays;
    --fewer.rows;
    right(fewer);
  };
  for (const std::string_view kernel : kKernels) {
    right = best_block(kernel);
    EXPECT_TRUE(check_after(right, kernel, {7, 100, 1}).passed) << kernel;
    for (const GridBlock spoilt : {left_out, a_little_off, a_row_less}) {
      EXPECT_FALSE(check_after(spoilt, kernel, {7, 100, 1}).passed) << kernel;
    }
  }
}

// exp is what is approximated: over all that softmax may give it.
TEST(GridJob, SoftmaxOfElementsFarApartStaysRight) {
  const GridBlock spread = [](const GridArrays& arrays) {
    auto* const in = const_cast<float*>(arrays.in);
    for (std::int64_t i = 0; i < arrays.columns; ++i) in[i] = -0.02F * static_cast<float>(i);
    best_block("softmax")(arrays);
  };
  const Check check = check_after(spread, "softmax", {1, 4000, 1});
  EXPECT_TRUE(check.passed) << check.error;
}

TEST(GridJob, SharesRowsOutAndComputesAllOfItSoOften) {
  static int calls;
  calls = 0;
  const GridBlock counts = [](const GridArrays&) { ++calls; };
  auto job = make_grid_job(counts, test_problem("stencil", {5, 8, 1, 6}), 2);
  EXPECT_EQ(job->executed_shape(), (Shape{4, 8, 1, 6}));
  ASSERT_TRUE(job->set_up(0));
  job->execute(0);
  EXPECT_EQ(calls, 6);
}

}  // namespace
}  // namespace roofbeam
