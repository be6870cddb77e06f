// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/gemm/protocol.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace roofbeam {
namespace {

// What arrives at the other end of the pipe.
Json sent(const Json& message) {
  auto line = write_json(message, -1);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  return *parse_json(line, "test");
}

Json parsed(std::string_view text) {
  return *parse_json(text, "test");
}

const ProductTask kTask{{3, 4, 5}, DataType::bf16, Operands::constant, 1};

TEST(Protocol, RequestsAreWhatTheHeaderSays) {
  EXPECT_EQ(write_json(describe_request(), -1), R"({"protocol":1,"ask":"describe"})");
  EXPECT_EQ(write_json(prepare_request(kTask), -1),
            R"({"protocol":1,"ask":"prepare","m":3,"n":4,"k":5,"dtype":"bf16",)"
            R"("operands":"constant","seed":1})");
  EXPECT_EQ(write_json(run_request(7), -1), R"({"protocol":1,"ask":"run","repeats":7})");
  EXPECT_EQ(write_json(check_request(), -1), R"({"protocol":1,"ask":"check"})");
}

TEST(Protocol, ATaskComesBackAsItWasWithAllBitsOfItsSeed) {
  ProductTask task = kTask;
  for (std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{1}, std::numeric_limits<std::uint64_t>::max()}) {
    task.seed = seed;
    EXPECT_EQ(task_from(sent(prepare_request(task))), task);
  }
}

TEST(Protocol, ADescriptionComesBackAsItWas) {
  const WorkerDescription description{
      "oneDNN", "2.6.3", {{DataType::f32, "brg:avx512_core"}, {DataType::bf16, ""}}, "strict"};
  EXPECT_EQ(description_from(sent(description_reply(description)), "w"), description);
}

TEST(Protocol, ACheckAndSpansComeBackAsTheyWere) {
  const Check check{false, true, "Freivalds", 3.5, "row 7"};
  EXPECT_EQ(check_from(sent(check_reply(check)), "w"), check);
  const std::vector<Span> spans = {{10, 20}, {20, 29}};
  EXPECT_EQ(spans_from(sent(spans_reply(spans)), 2, {10, 29}, "w"), spans);
}

TEST(Protocol, AnErrorKeepsItsCodeAndHintAndNamesTheWorker) {
  for (ErrorCode code : {ErrorCode::failed, ErrorCode::usage, ErrorCode::cannot_tell}) {
    const auto status = reply_from(sent(error_reply({code, "what", "", "hint"})), "/w");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error(), (Error{code, "what", "/w", "hint"}));
  }
}

TEST(Protocol, AWorkerOfAnotherVersionIsRefusedInASentence) {
  const auto found = description_from(parsed(R"({"ok":true,"protocol":99})"), "/w");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(),
            (Error{ErrorCode::failed, "this worker speaks protocol 99, and this roofbeam speaks 1",
                   "/w", "build or install roofbeam and its workers together"}));
}

TEST(Protocol, AWorkerRefusesAnotherVersionButDescribesItself) {
  EXPECT_EQ(asked(parsed(R"({"protocol":99,"ask":"describe"})")), "describe");
  const auto found = asked(parsed(R"({"protocol":99,"ask":"run"})"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "this worker speaks protocol 1 and was asked in 99");
}

TEST(Protocol, BadRequestsAreRefusedAndTheFieldIsNamed) {
  struct Row {
    const char* text;
    const char* where;
  };
  for (const Row& row : {
           Row{R"({"n":1,"k":1,"dtype":"f32","operands":"random","seed":1})", "prepare: m"},
           Row{R"({"m":0,"n":1,"k":1,"dtype":"f32","operands":"random","seed":1})", "prepare: m"},
           Row{R"({"m":1,"n":1,"k":-4,"dtype":"f32","operands":"random","seed":1})", "prepare: k"},
           Row{R"({"m":1,"n":9e18,"k":1,"dtype":"f32","operands":"random","seed":1})",
               "prepare: n"},
           Row{R"({"m":1,"n":1,"k":1,"dtype":"f32","operands":"zero","seed":1})",
               "prepare: operands"},
           Row{R"([1])", "prepare"},
       }) {
    const auto task = task_from(parsed(row.text));
    ASSERT_FALSE(task) << row.text;
    EXPECT_EQ(task.error().where, row.where) << row.text;
  }
  EXPECT_FALSE(
      task_from(parsed(R"({"m":1,"n":1,"k":1,"dtype":"f33","operands":"random","seed":1})")));
  for (const char* text : {R"({"repeats":0})", R"({"repeats":10001})", R"({"repeats":"3"})"}) {
    EXPECT_FALSE(repeats_from(parsed(text))) << text;
  }
  EXPECT_EQ(repeats_from(parsed(R"({"repeats":10000})")), 10000);
}

TEST(Protocol, SpansThatCannotBeAreRefused) {
  const Span window{100, 200};
  for (const char* text : {R"({"spans":[[110,120]]})",            // one for two products
                           R"({"spans":[[90,120],[130,140]]})",   // before it was asked
                           R"({"spans":[[110,120],[130,240]]})",  // after it had answered
                           R"({"spans":[[110,120],[119,140]]})",  // two at once
                           R"({"spans":[[110,120],[140,130]]})",  // backwards
                           R"({"spans":[[110,120],[130]]})", R"({"spans":[[110,120],[130,"140"]]})",
                           R"({"spans":7})", R"({})"}) {
    const auto spans = spans_from(parsed(text), 2, window, "/w");
    ASSERT_FALSE(spans) << text;
    EXPECT_EQ(spans.error().what.rfind("the worker answered in a way that makes no sense", 0), 0u)
        << spans.error().what;
  }
}

TEST(Protocol, RepliesOfAnotherFormAreRefused) {
  for (const char* text : {R"([])", R"({})", R"({"ok":"yes"})", R"({"ok":false})"}) {
    const auto status = reply_from(parsed(text), "/w");
    ASSERT_FALSE(status) << text;
    EXPECT_EQ(status.error().code, ErrorCode::failed);
  }
  EXPECT_FALSE(check_from(parsed(R"({"how":"?","error":0,"complaint":""})"), "/w"));
  EXPECT_FALSE(description_from(parsed(R"({"protocol":1,"library":"x"})"), "/w"));
  EXPECT_FALSE(prepared_from(parsed(R"({"uses":1})"), "/w"));
}

}  // namespace
}  // namespace roofbeam
