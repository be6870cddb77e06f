// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/workload/workload.h"

#include <gtest/gtest.h>

namespace roofbeam {
namespace {

Workload workload() {
  Workload made;
  made.name = "step";
  made.operations = {{"matmul",
                      "bf16",
                      Flops(2e9),
                      {{"dram", Bytes(5), Bytes(7)}},
                      Bytes(12),
                      3,
                      1,
                      "add",
                      5,
                      7,
                      true}};
  made.waits = {{Cause::data_loading, exactly(Seconds(0.5))}};
  made.observed = Estimate<Seconds>{Seconds(2), Seconds(1), Seconds(3), 5, Method::median};
  return made;
}

TEST(Workload, ReadsBackEqual) {
  const auto back = workload_from(*parse_json(write_json(to_json(workload())), "f"), "f");
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, workload());
}

TEST(Workload, WhatWasNotObservedStaysAbsent) {
  Workload unseen = workload();
  unseen.observed.reset();
  EXPECT_FALSE(workload_from(to_json(unseen), "f")->observed);
}

TEST(Workload, BytesAreAddedForOneMemory) {
  Operation operation = workload().operations[0];
  operation.traffic.push_back({"l2", Bytes(100), Bytes(0)});
  EXPECT_EQ(operation.bytes("dram"), Bytes(12));
  EXPECT_EQ(operation.bytes("device"), Bytes(0));
}

TEST(Workload, NegativeWorkAndUnknownCausesAreRefused) {
  Json json = to_json(workload());
  json.set("waits", *parse_json(R"([{"cause":"luck","time_s":null}])", "f"));
  EXPECT_FALSE(workload_from(json, "f"));
  json = to_json(workload());
  json.set("operations", *parse_json(R"([{"name":"x","work_flop":-1,"traffic":[]}])", "f"));
  EXPECT_FALSE(workload_from(json, "f"));
}

}  // namespace
}  // namespace roofbeam
