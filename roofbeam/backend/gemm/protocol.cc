// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/gemm/protocol.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr std::array kCodes = {std::pair{ErrorCode::failed, std::string_view("failed")},
                               std::pair{ErrorCode::usage, std::string_view("usage")},
                               std::pair{ErrorCode::cannot_tell, std::string_view("cannot_tell")}};
constexpr std::string_view kReinstall = "build or install roofbeam and its workers together";
constexpr std::int64_t kLongestSide = std::int64_t{1} << 40;  // three of them multiply in a double

Json request(std::string_view ask) {
  return Json::object({{"protocol", kWorkerProtocol}, {"ask", ask}});
}

Json yes() {
  return Json::object({{"ok", true}});
}

// An answer that is not what protocol.h says.
Error garbled(const Error& why, const std::string& worker) {
  return {ErrorCode::failed, "the worker answered in a way that makes no sense: " + why.what,
          why.where.empty() ? worker : why.where, std::string(kReinstall)};
}

}  // namespace

Json describe_request() {
  return request("describe");
}

Json prepare_request(const ProductTask& task) {
  return request("prepare")
      .set("m", task.shape.m)
      .set("n", task.shape.n)
      .set("k", task.shape.k)
      .set("dtype", name(task.dtype))
      .set("operands", task.operands == Operands::random ? "random" : "constant")
      .set("seed", std::bit_cast<std::int64_t>(task.seed));
}

Json run_request(int repeats) {
  return request("run").set("repeats", repeats);
}

Json check_request() {
  return request("check");
}

Json description_reply(const WorkerDescription& description) {
  Json types = Json::array();
  for (const SupportedType& row : description.types) {
    types.push(Json::object({{"dtype", name(row.type)}, {"uses", row.uses}}));
  }
  return yes()
      .set("protocol", kWorkerProtocol)
      .set("library", description.library)
      .set("version", description.version)
      .set("types", std::move(types))
      .set("math_mode", description.math_mode);
}

Json prepared_reply(const std::string& uses, double bytes) {
  return yes().set("uses", uses).set("bytes", bytes);
}

Json spans_reply(const std::vector<Span>& spans) {
  Json list = Json::array();
  for (const Span& span : spans) list.push(Json::Array{span.start_ns, span.end_ns});
  return yes().set("spans", std::move(list));
}

Json check_reply(const Check& check) {
  return yes()
      .set("passed", check.passed)
      .set("how", check.how)
      .set("error", check.error)
      .set("complaint", check.complaint);
}

Json error_reply(const Error& error) {
  std::string_view code = kCodes.front().second;
  for (const auto& row : kCodes) {
    if (row.first == error.code) code = row.second;
  }
  return Json::object({{"ok", false}, {"code", code}, {"what", error.what}, {"hint", error.hint}});
}

Result<std::string> asked(const Json& request) {
  JsonReader reader(request, "request");
  const std::string ask = reader.text("ask");
  const std::int64_t protocol = reader.integer("protocol");
  if (reader.error() != nullptr) return fail(*reader.error());
  if (protocol != kWorkerProtocol && ask != "describe") {
    return failed(
        format("this worker speaks protocol {} and was asked in {}", kWorkerProtocol, protocol), "",
        std::string(kReinstall));
  }
  return ask;
}

Result<ProductTask> task_from(const Json& request) {
  JsonReader reader(request, "prepare");
  ProductTask task;
  task.shape = {reader.integer("m"), reader.integer("n"), reader.integer("k")};
  const std::string dtype = reader.text("dtype");
  const std::string operands = reader.text("operands");
  task.seed = std::bit_cast<std::uint64_t>(reader.integer("seed"));
  for (auto [key, side] :
       {std::pair{"m", task.shape.m}, {"n", task.shape.n}, {"k", task.shape.k}}) {
    if (side < 1 || side > kLongestSide) reader.reject(key, "expected 1 or more, within reason");
  }
  if (operands != "random" && operands != "constant") {
    reader.reject("operands", "expected \"random\" or \"constant\"");
  }
  task.operands = operands == "constant" ? Operands::constant : Operands::random;
  if (reader.error() != nullptr) return fail(*reader.error());
  auto type = data_type_from(dtype);
  if (!type) return fail(type.error());
  task.dtype = *type;
  return task;
}

Result<int> repeats_from(const Json& request) {
  JsonReader reader(request, "run");
  const std::int64_t repeats = reader.integer("repeats");
  if (repeats < 1 || repeats > kMostWorkerRepeats) {
    reader.reject("repeats", format("expected 1 to {}", kMostWorkerRepeats));
  }
  if (reader.error() != nullptr) return fail(*reader.error());
  return static_cast<int>(repeats);
}

Status reply_from(const Json& reply, const std::string& worker) {
  JsonReader reader(reply, worker);
  const bool ok = reader.boolean_or("ok", false);
  if (reader.error() != nullptr) return fail(garbled(*reader.error(), worker));
  if (ok) return {};
  Error error{ErrorCode::failed, reader.text("what"), worker, reader.text_or("hint", "")};
  const std::string code = reader.text_or("code", "failed");
  for (const auto& row : kCodes) {
    if (row.second == code) error.code = row.first;
  }
  if (reader.error() != nullptr) return fail(garbled(*reader.error(), worker));
  return fail(std::move(error));
}

Result<WorkerDescription> description_from(const Json& reply, const std::string& worker) {
  JsonReader reader(reply, worker);
  const std::int64_t protocol = reader.integer("protocol");
  if (reader.error() == nullptr && protocol != kWorkerProtocol) {
    return failed(format("this worker speaks protocol {}, and this roofbeam speaks {}", protocol,
                         kWorkerProtocol),
                  worker, std::string(kReinstall));
  }
  WorkerDescription description;
  description.library = reader.text("library");
  description.version = reader.text("version");
  description.math_mode = reader.text("math_mode");
  for (const Json& item : reader.items("types")) {
    JsonReader row(item, worker);
    auto type = data_type_from(row.text("dtype"));
    // A type this roofbeam does not know is no use to it.
    if (row.error() == nullptr && type) {
      description.types.push_back({*type, row.text_or("uses", "")});
    }
    if (row.error() != nullptr) return fail(garbled(*row.error(), worker));
  }
  if (reader.error() != nullptr) return fail(garbled(*reader.error(), worker));
  return description;
}

Result<std::string> prepared_from(const Json& reply, const std::string& worker) {
  JsonReader reader(reply, worker);
  std::string uses = reader.text("uses");
  if (reader.error() != nullptr) return fail(garbled(*reader.error(), worker));
  return uses;
}

Result<std::vector<Span>> spans_from(const Json& reply, int repeats, Span window,
                                     const std::string& worker) {
  JsonReader reader(reply, worker);
  std::vector<Span> spans;
  std::int64_t earliest = window.start_ns;
  for (const Json& item : reader.items("spans")) {
    const Json::Array* pair = item.items();
    const std::int64_t* start = pair && pair->size() == 2 ? (*pair)[0].integer() : nullptr;
    const std::int64_t* end = pair && pair->size() == 2 ? (*pair)[1].integer() : nullptr;
    if (start == nullptr || end == nullptr) {
      reader.reject("spans", "expected pairs of nanoseconds");
      break;
    }
    if (*start < earliest || *end < *start || *end > window.end_ns) {
      reader.reject("spans", "a product that ran before it was asked for, or in no time");
      break;
    }
    earliest = *end;
    spans.push_back({*start, *end});
  }
  if (std::cmp_not_equal(spans.size(), repeats)) {
    reader.reject("spans", format("{} spans for {} products", spans.size(), repeats));
  }
  if (reader.error() != nullptr) return fail(garbled(*reader.error(), worker));
  return spans;
}

Result<Check> check_from(const Json& reply, const std::string& worker) {
  JsonReader reader(reply, worker);
  Check check;
  if (!reader.has("passed")) reader.reject("passed", "missing; expected true or false");
  check.passed = reader.boolean_or("passed", false);
  check.how = reader.text("how");
  check.error = reader.number("error");
  check.complaint = reader.text("complaint");
  if (reader.error() != nullptr) return fail(garbled(*reader.error(), worker));
  return check;
}

}  // namespace roofbeam
