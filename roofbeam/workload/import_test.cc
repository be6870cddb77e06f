// SPDX-License-Identifier: Apache-2.0
// The files in tests/imports; what is expected of them was worked out from their lines.
#include "roofbeam/workload/import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

const std::string kFolder = std::string(ROOFBEAM_SOURCE_DIR) + "/tests/imports/";

Imported read(const std::string& file) {
  const auto text = read_file(kFolder + file);
  EXPECT_TRUE(text);
  auto imported = import_work(*text, file);
  EXPECT_TRUE(imported) << imported.error().where << ": " << imported.error().what;
  return imported ? *imported : Imported{};
}

Error error_of(std::string_view text) {
  const auto imported = import_work(text, "f");
  EXPECT_FALSE(imported);
  return imported ? Error{} : imported.error();
}

bool says(const Imported& imported, const std::string& words) {
  return std::any_of(imported.remarks.begin(), imported.remarks.end(),
                     [&](const auto& remark) { return remark.find(words) != std::string::npos; });
}

void expect_work(const Observed& row, double flops, double read_bytes, double written) {
  EXPECT_NEAR(row.operation.flops.value(), flops, 1e-9 * flops);
  ASSERT_EQ(row.operation.traffic.size(), 1U);
  EXPECT_EQ(row.operation.traffic[0].memory, "dram");
  EXPECT_NEAR(row.operation.traffic[0].read.value(), read_bytes, 1e-9 * read_bytes);
  EXPECT_NEAR(row.operation.traffic[0].written.value(), written, 1e-9 * written);
}

TEST(ImportPerf, IntelsVectorsAndItsMemoryControllers) {
  const Imported imported = read("perf_intel.csv");
  EXPECT_EQ(imported.format, "perf");
  ASSERT_EQ(imported.rows.size(), 1U);
  // 1e9 · 1 + 2e9 · 8 + 0.5e9 · 16 flops; 60000 and 10000 MiB.
  expect_work(imported.rows[0], 25e9, 62914560000, 10485760000);
  EXPECT_EQ(imported.rows[0].operation.dtype, "f32");
  EXPECT_EQ(imported.rows[0].times, std::vector<Seconds>({Seconds(3.2)}));
  EXPECT_EQ(imported.rows[0].threads, 4);  // 12 s of CPU time in 3.2 s
  EXPECT_TRUE(says(imported, "fp_arith_inst_retired.512b_packed_single was counted 50 %"));
  EXPECT_TRUE(says(imported, "fp_arith_inst_retired.scalar_double is not supported"));
  EXPECT_TRUE(says(imported, "llc-load-misses is not counted"));
}

TEST(ImportPerf, AmdsFlopsHaveNoTypeAndMissesStandForBytes) {
  const Imported imported = read("perf_amd.csv");
  ASSERT_EQ(imported.rows.size(), 1U);
  expect_work(imported.rows[0], 7e9, 64e6, 0);
  EXPECT_EQ(imported.rows[0].operation.dtype, "");
  EXPECT_EQ(imported.rows[0].times, std::vector<Seconds>({Seconds(0.5)}));  // 0.8 s ÷ 1.6
  EXPECT_EQ(imported.rows[0].threads, 2);
  EXPECT_TRUE(says(imported, "of every type together"));
  EXPECT_TRUE(says(imported, "llc-load-misses times 64"));
  EXPECT_TRUE(says(imported, "CPU time ÷ \"CPUs utilized\""));
}

TEST(ImportPerf, EventsThatAreNotThereLeaveNoWork) {
  const auto text = read_file(kFolder + "perf_repeat.csv");
  const Error error = error_of(*text);
  EXPECT_EQ(error.what, "there is no work in this file (read as perf)");
  EXPECT_EQ(error.hint, "no event says how many flops were done");
}

TEST(ImportPerf, RepeatedRunsSayTheirSpreadAndNotTheirNumber) {
  const auto imported = import_work(
      "6400,ns,duration_time,2.50%,6400,100.00,,\n"
      "100,,fp_arith_inst_retired.scalar_double,1.00%,6400,100.00,,\n",
      "f");
  ASSERT_TRUE(imported);
  ASSERT_EQ(imported->rows[0].times.size(), 1U);
  EXPECT_DOUBLE_EQ(imported->rows[0].times[0].value(), 6.4e-6);
  EXPECT_EQ(imported->rows[0].operation.dtype, "f64");
  EXPECT_TRUE(says(*imported, "standard error perf puts at 2.50%"));
}

TEST(ImportPerf, LinesOfIntervalsAndCpusAreRefusedWithTheirPlace) {
  const Error error = error_of("100,,cycles,6400,100.00,,\nCPU0,100,,cycles,6400,100.00,,\n");
  EXPECT_EQ(error.where, "f:2");
  EXPECT_EQ(error.hint, "run it without -I, -A and --per-…: one line for each event");
}

TEST(ImportLikwid, RatesAndTimesOfThreadsVolumesOfSockets) {
  const Imported imported = read("likwid_mem_dp.csv");
  EXPECT_EQ(imported.format, "likwid");
  ASSERT_EQ(imported.rows.size(), 1U);
  // 1000 MFLOP/s · 2 s + 3000 MFLOP/s · 2.5 s
  expect_work(imported.rows[0], 9.5e9, 4e9, 1.5e9);
  EXPECT_EQ(imported.rows[0].operation.name, "MEM_DP");
  EXPECT_EQ(imported.rows[0].operation.dtype, "f64");
  EXPECT_EQ(imported.rows[0].times, std::vector<Seconds>({Seconds(2.5)}));
  EXPECT_EQ(imported.rows[0].threads, 2);
}

TEST(ImportLikwid, ARegionIsOneOfItsCalls) {
  const Imported imported = read("likwid_region.csv");
  ASSERT_EQ(imported.rows.size(), 1U);
  // Four calls did (500 + 500) MFLOP/s · 0.8 s and moved 8 GB.
  expect_work(imported.rows[0], 0.2e9, 2e9, 0);
  EXPECT_EQ(imported.rows[0].operation.name, "step");
  EXPECT_EQ(imported.rows[0].operation.dtype, "f32");
  EXPECT_EQ(imported.rows[0].times, std::vector<Seconds>({Seconds(0.2)}));
  EXPECT_TRUE(says(imported, "step: its mean over 4 calls"));
  EXPECT_TRUE(says(imported, "step: what was read and written is not told apart"));
  EXPECT_TRUE(says(imported, "idle of the group MEM_SP holds neither"));
}

TEST(ImportLikwid, SumsAreTakenWhereThreadsAreNotTold) {
  const auto imported = import_work(
      "TABLE,Group 1 Metric STAT,MEM_SP,3\nMetric,Sum,Min,Max,Avg\n"
      "Runtime (RDTSC) [s] STAT,3,1,2,1.5\nSP [MFLOP/s] STAT,100,40,60,50\n"
      "Memory data volume [GBytes] STAT,7,0,7,3.5\n",
      "f");
  ASSERT_TRUE(imported) << imported.error().what;
  expect_work(imported->rows[0], 200e6, 7e9, 0);  // 100 MFLOP/s · 2 s, the longest
  EXPECT_EQ(imported->rows[0].times, std::vector<Seconds>({Seconds(2)}));
  EXPECT_EQ(imported->rows[0].threads, 0);
}

TEST(ImportNcu, ARowForEachKernelWithItsUnits) {
  const Imported imported = read("ncu_raw.csv");
  EXPECT_EQ(imported.format, "ncu");
  ASSERT_EQ(imported.rows.size(), 3U);
  const Observed& saxpy = imported.rows[0];
  EXPECT_EQ(saxpy.operation.name, "saxpy(float *, int)");
  expect_work(saxpy, 2097152, 8.1e6, 3.9e6);  // two launches: the mean of their bytes
  EXPECT_EQ(saxpy.operation.dtype, "f32");
  EXPECT_EQ(saxpy.operation.launches, 1);
  ASSERT_EQ(saxpy.times.size(), 2U);
  EXPECT_DOUBLE_EQ(saxpy.times[1].value(), 13e-6);
  const Observed& gemm = imported.rows[1];
  expect_work(gemm, 0, 100e6, 50e6);  // its matrix units' flops are not known
  EXPECT_DOUBLE_EQ(gemm.times[0].value(), 1205e-6);
  EXPECT_TRUE(says(imported, "gemm: its matrix units worked, and nothing in the file says"));
  const Observed& half = imported.rows[2];
  expect_work(half, 4000, 1e6, 0);
  EXPECT_EQ(half.operation.dtype, "f16");
  EXPECT_TRUE(says(imported, "half: f16 instructions count for both of their halves"));
  EXPECT_TRUE(says(imported, "empty: dram__bytes_read.sum has no value"));
  EXPECT_TRUE(says(imported, "empty: neither flops nor bytes were counted"));
}

TEST(ImportNcu, ARowForEachMetric) {
  const Imported imported = read("ncu_long.csv");
  ASSERT_EQ(imported.rows.size(), 2U);
  expect_work(imported.rows[0], 1.5e12, 1.5e9, 0);
  EXPECT_EQ(imported.rows[0].operation.dtype, "bf16");
  EXPECT_DOUBLE_EQ(imported.rows[0].times[0].value(), 2.5e-3);
  expect_work(imported.rows[1], 0, 512e3, 0);
  EXPECT_DOUBLE_EQ(imported.rows[1].times[0].value(), 3e-6);
  EXPECT_TRUE(says(imported, "gemm: smsp__sass_thread_inst_executed_op_dmul_pred_on.sum has no"));
}

TEST(ImportNcu, NumbersOfOtherCountriesAndUnknownUnitsAreRefused) {
  const std::string head = "\"ID\",\"Kernel Name\",\"dram__bytes.sum\"\n";
  Error error = error_of(head + "\"\",\"\",\"byte\"\n\"0\",\"k\",\"9,00\"\n");
  EXPECT_EQ(error.where, "f:3: dram__bytes.sum");
  EXPECT_EQ(error.hint, "run ncu with LC_ALL=C");
  error = error_of(head + "\"\",\"\",\"stone\"\n\"0\",\"k\",\"9\"\n");
  EXPECT_EQ(error.what, "\"stone\" is no unit known of ncu");
}

TEST(ImportTable, AmountsWithPrefixesAndWhatIsMissingIsAbsent) {
  const Imported imported = read("work.csv");
  EXPECT_EQ(imported.format, "csv");
  ASSERT_EQ(imported.rows.size(), 3U);
  const Observed& triad = imported.rows[0];
  expect_work(triad, 2.1e9, 16.8e9, 8.4e9);
  EXPECT_EQ(triad.operation.footprint, Bytes(25.2e9));
  EXPECT_EQ(triad.threads, 2);
  ASSERT_EQ(triad.times.size(), 5U);
  EXPECT_DOUBLE_EQ(triad.times[2].value(), 0.559);
  const Observed& product = imported.rows[1];
  EXPECT_EQ(product.operation.dtype, "bf16");
  EXPECT_TRUE(product.operation.traffic.empty());
  EXPECT_EQ(product.operation.footprint, Bytes(67108864));
  const Observed& copy = imported.rows[2];
  EXPECT_EQ(copy.operation.flops, Flops(0));
  EXPECT_EQ(copy.operation.dtype, "");
  EXPECT_EQ(copy.operation.launches, 3);
  EXPECT_TRUE(copy.times.empty());
  EXPECT_EQ(imported.remarks.size(), 1U);
  EXPECT_TRUE(says(imported, "the column \"comment\" is left out: known: name, flop"));
}

TEST(ImportTable, MistakesAreNamedByLineAndColumn) {
  const auto where = [](const std::string& text) { return error_of(text).where; };
  EXPECT_EQ(where("name,flop\na,1G\nb,many\n"), "f:3: flop");
  EXPECT_EQ(where("name,flop,time\na,1G,1ms;0s\n"), "f:2: time");
  EXPECT_EQ(where("name,flop,threads\na,1G,1.5\n"), "f:2: threads");
  EXPECT_EQ(where("name,flop,bytes\na,0,\n"), "f:2: flop");
  EXPECT_EQ(where("name,time\na,1s\n"), "f:1");
  EXPECT_EQ(where("name,bytes,read_bytes\na,1,1\n"), "f:1");
  EXPECT_EQ(where("name,flop\n"), "f");
  EXPECT_EQ(error_of("nothing of it").what, "this is no file that work can be read from");
}

TEST(ImportWorkload, OneOperationsTimesAreItsOwn) {
  const auto imported = import_work(
      R"({"schema":"roofbeam.workload/1","name":"s","operations":[{"name":"s","dtype":"f64",
          "work_flop":8,"traffic":[{"memory":"dram","read_bytes":3,"written_bytes":1}],
          "footprint_bytes":4,"count":2}],"waits":[],"times_s":[2,4.5]})",
      "f");
  ASSERT_TRUE(imported) << imported.error().what;
  expect_work(imported->rows[0], 8, 3, 1);
  EXPECT_EQ(imported->rows[0].times, std::vector<Seconds>({Seconds(1), Seconds(2.25)}));
}

TEST(ImportWorkload, TheTimeOfSeveralOperationsIsNobodysOwn) {
  const auto imported = import_work(
      R"({"schema":"roofbeam.workload/1","name":"s","operations":[
          {"name":"a","work_flop":8,"traffic":[]},{"name":"b","work_flop":8,"traffic":[]}],
          "waits":[{"cause":"host","time_s":{"value":1,"low":1,"high":1,"samples":0,
          "method":"predicted"}}],"times_s":[2]})",
      "f");
  ASSERT_TRUE(imported) << imported.error().what;
  EXPECT_TRUE(imported->rows[0].times.empty());
  EXPECT_TRUE(says(*imported, "of all its operations together"));
  EXPECT_TRUE(says(*imported, "it waits 1 s for host"));
  EXPECT_EQ(error_of(R"({"schema":"roofbeam.workload/1","name":"s","waits":[],"times_s":[0],
                         "operations":[{"name":"a","work_flop":8,"traffic":[]}]})")
                .where,
            "f: times_s");
}

// Bytes end anywhere: what is left is read or refused with a place, and never worse.
TEST(Import, TruncatedFilesAreReadOrRefused) {
  for (const char* file :
       {"perf_intel.csv", "perf_amd.csv", "likwid_mem_dp.csv", "likwid_region.csv", "ncu_raw.csv",
        "ncu_long.csv", "work.csv", "step.json"}) {
    const auto text = read_file(kFolder + file);
    ASSERT_TRUE(text);
    for (std::size_t end = 0; end < text->size(); ++end) {
      const auto imported = import_work(std::string_view(*text).substr(0, end), file);
      if (!imported) {
        EXPECT_EQ(imported.error().where.rfind(file, 0), 0U) << file << " " << end;
        EXPECT_NE(imported.error().what, "");
      }
    }
  }
}

TEST(Import, EveryFormatKnowsItsOwnFilesAndNoOther) {
  const std::map<std::string, std::string> files = {{"perf_intel.csv", "perf"},
                                                    {"perf_amd.csv", "perf"},
                                                    {"likwid_mem_dp.csv", "likwid"},
                                                    {"likwid_region.csv", "likwid"},
                                                    {"ncu_raw.csv", "ncu"},
                                                    {"ncu_long.csv", "ncu"},
                                                    {"work.csv", "csv"},
                                                    {"step.json", "workload"}};
  for (const auto& [file, format] : files) EXPECT_EQ(read(file).format, format) << file;
}

}  // namespace
}  // namespace roofbeam
