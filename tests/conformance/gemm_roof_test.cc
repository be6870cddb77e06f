// SPDX-License-Identifier: Apache-2.0
// 2,767 matrix products that others measured on five GPUs, under the roofs of their data sheets.
#include <cmath>
#include <map>

#include "roofbeam/breakdown/evaluate.h"
#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/model/roofline.h"
#include "roofbeam/verdict/judge.h"
#include "tests/conformance/conformance.h"

namespace roofbeam {
namespace {

// As the measurements name a device, and as the data sheets' table does.
const std::map<std::string, std::string> kSheets = {{"NVIDIA A100-SXM4-80GB", "a100-sxm-80gb"},
                                                    {"NVIDIA H100 80GB HBM3", "h100-sxm"},
                                                    {"NVIDIA H200", "h200-sxm"},
                                                    {"NVIDIA B200", "b200-sxm"},
                                                    {"NVIDIA L40S", "l40s"}};

Roof roof_of(const CsvRow& sheet, const std::string& dtype) {
  const std::string column = dtype == "fp8" ? "fp8_dense_tflops" : "bf16_dense_tflops";
  Roof roof;
  roof.arithmetic_ceiling = "datasheet.compute." + dtype + ".matrix.all";
  roof.arithmetic = exactly(FlopRate(1e12 * std::stod(sheet.at(column))), Method::datasheet);
  roof.memories = {
      {"device", "datasheet.bandwidth.device",
       exactly(ByteRate(1e9 * std::stod(sheet.at("mem_bw_GBps"))), Method::datasheet)}};
  return roof;
}

Operation operation_of(const CsvRow& row, DataType dtype) {
  const Shape shape{std::stol(row.at("m")), std::stol(row.at("n")), std::stol(row.at("k"))};
  const Work work = matmul_work(shape, dtype);
  Operation operation;
  operation.name = "matmul";
  operation.flops = work.flops;
  operation.traffic = {{"device", work.bytes_read, Bytes(0)}};
  return operation;
}

TEST(GemmRoof, NoMeasuredProductIsFasterThanItsArithmeticAllows) {
  ROOFBEAM_NEEDS_CONFORMANCE_DATA();
  std::map<std::string, CsvRow> sheets;
  for (const CsvRow& row : csv_rows("hardware.csv")) sheets[row.at("id")] = row;
  const auto rows = csv_rows("llm/gemm_measured.csv");
  ASSERT_EQ(rows.size(), 2767U);
  int compute = 0, bandwidth = 0, none = 0, cached = 0;
  for (const CsvRow& row : rows) {
    const DataType dtype = row.at("dtype") == "fp8" ? DataType::fp8 : DataType::bf16;
    const Roof roof = roof_of(sheets.at(kSheets.at(row.at("device"))), std::string(name(dtype)));
    const Estimate<Seconds> time = exactly(Seconds(1e-3 * std::stod(row.at("latency_ms"))));
    const Verdict verdict = judge(roofline(operation_of(row, dtype), roof), time);
    EXPECT_EQ(verdict.standing, Standing::usable)
        << row.at("device") << " " << row.at("dtype") << " m=" << row.at("m")
        << " n=" << row.at("n") << " k=" << row.at("k") << " headroom " << verdict.headroom.value;
    compute += verdict.bound_by == Cause::compute ? 1 : 0;
    bandwidth += verdict.bound_by == Cause::bandwidth ? 1 : 0;
    none += verdict.bound_by == Cause::none_reached ? 1 : 0;
    cached += verdict.breakdown.parts.size() == 1 ? 1 : 0;
  }
  RecordProperty("compute", compute);
  RecordProperty("bandwidth", bandwidth);
  RecordProperty("none_reached", none);
  RecordProperty("served_from_cache", cached);
  // Skinny products lie on the slope, square ones under the flat roof: both must be seen.
  EXPECT_GT(compute, 500);
  EXPECT_GT(bandwidth, 500);
}

}  // namespace
}  // namespace roofbeam
