// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace roofbeam {
namespace {

TEST(Json, WhatIsWrittenReadsBackEqual) {
  const Json value = Json::object({{"null", Json()},
                                   {"yes", true},
                                   {"whole", std::int64_t{9007199254740993}},
                                   {"real", 0.1},
                                   {"text", "µ \"quoted\" \n"},
                                   {"list", Json(Json::Array{1, 2.5, "x"})},
                                   {"empty", Json::object()}});
  const auto back = parse_json(write_json(value), "test");
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, value);
}

TEST(Json, KeepsTheOrderOfMembers) {
  EXPECT_EQ(write_json(*parse_json(R"({"b":1,"a":2})", "test"), -1), R"({"b":1,"a":2})");
}

TEST(Json, TheLastOfTwoEqualKeysCounts) {
  EXPECT_EQ(*parse_json(R"({"a":1,"a":2})", "test"), Json::object({{"a", 2}}));
}

TEST(Json, WhatIsNotFiniteIsWrittenAsNull) {
  EXPECT_EQ(write_json(Json(std::numeric_limits<double>::infinity()), -1), "null");
  EXPECT_EQ(write_json(Json(std::numeric_limits<double>::quiet_NaN()), -1), "null");
}

TEST(Json, ErrorsNameTheByte) {
  const auto bad = parse_json("{\"a\": tru}", "f.json");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::usage);
  EXPECT_EQ(bad.error().where, "f.json:10");
}

TEST(Json, EveryTruncationIsAnErrorAndNoCrash) {
  const std::string whole = R"({"a": [1, 2.5, {"b": "text\u00b5"}], "c": null})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(parse_json(whole.substr(0, length), "f.json")) << length;
  }
}

TEST(Json, DepthAndMembersAreBounded) {
  for (std::size_t depth : {std::size_t{65}, std::size_t{1'000'000}}) {
    const auto deep = parse_json(std::string(depth, '['), "f.json");
    ASSERT_FALSE(deep);
    EXPECT_EQ(deep.error().what, "JSON nested deeper than 64 levels");
  }
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']'), "f.json"));
  std::string many = "{";
  for (int i = 0; i < 10001; ++i) many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  const auto wide = parse_json(many + "}", "f.json");
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().what, "an object with over 10000 members");
}

TEST(JsonReader, KeepsTheFirstThingWrongAndItsPath) {
  const auto json = parse_json(R"({"n": "one", "m": -1})", "f.json");
  JsonReader reader(*json, "f.json");
  EXPECT_EQ(reader.number("n"), 0);
  EXPECT_EQ(reader.number("absent"), 0);
  EXPECT_EQ(reader.integer("m"), -1);
  ASSERT_NE(reader.error(), nullptr);
  EXPECT_EQ(*reader.error(),
            (Error{ErrorCode::usage, "expected a finite number", "f.json: n", ""}));
}

TEST(JsonReader, SaysWhatIsMissing) {
  const Json empty = Json::object();
  JsonReader reader(empty, "f.json: devices[0]");
  reader.text("id");
  EXPECT_EQ(reader.error()->where, "f.json: devices[0].id");
  EXPECT_EQ(reader.error()->what, "missing; expected a string");
}

TEST(Schema, OlderAndEqualAreReadNewerAndOthersAreRefused) {
  auto check = [](const char* schema) {
    return check_schema(Json::object({{"schema", schema}}), "machine", 2, "f.json");
  };
  EXPECT_TRUE(check("roofbeam.machine/1"));
  EXPECT_TRUE(check("roofbeam.machine/2"));
  ASSERT_FALSE(check("roofbeam.machine/3"));
  EXPECT_NE(check("roofbeam.machine/3").error().what.find("newer"), std::string::npos);
  EXPECT_FALSE(check("roofbeam.matmul/1"));
  EXPECT_FALSE(check("roofbeam.machine/x"));
  EXPECT_FALSE(check_schema(Json::array(), "machine", 1, "f.json"));
}

}  // namespace
}  // namespace roofbeam
