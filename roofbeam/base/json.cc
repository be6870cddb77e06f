// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxMembers = 10'000;  // of one object: finding a member is a linear search

// Builds our value from the parser's events, so that depth is bounded before anything recurses.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::string where) : where_(std::move(where)) {}

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(number_integer_t value) override {
    return add(Json(static_cast<std::int64_t>(value)));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<number_unsigned_t>(INT64_MAX)) {
      return add(Json(static_cast<std::int64_t>(value)));
    }
    return add(Json(static_cast<double>(value)));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(Json(value)); }
  bool string(string_t& value) override { return add(Json(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    keys_.back() = value;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::string why = error.what();
    if (auto at = why.rfind("; "); at != std::string::npos) why = why.substr(at + 2);
    error_ = {ErrorCode::usage, "this is not valid JSON: " + why,
              format("{}:{}", where_, static_cast<std::int64_t>(position)),
              "check that the file is whole"};
    return false;
  }

  Json take() { return std::move(root_); }
  Error error() const {
    if (!error_.what.empty()) return error_;
    return {ErrorCode::usage, format("JSON nested deeper than {} levels", kMaxDepth), where_, ""};
  }

 private:
  bool open(Json container) {
    if (open_.size() >= kMaxDepth) return false;
    open_.push_back(std::move(container));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Json finished = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(finished));
  }
  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().items() != nullptr) {
      open_.back().push(std::move(value));
    } else {
      if (open_.back().members()->size() >= kMaxMembers) {
        error_ = {ErrorCode::usage, format("an object with over {} members", kMaxMembers), where_,
                  ""};
        return false;
      }
      open_.back().set(keys_.back(), std::move(value));
    }
    return true;
  }

  std::string where_;
  std::vector<Json> open_;
  std::vector<std::string> keys_;
  Json root_;
  Error error_;
};

nlohmann::ordered_json to_library(const Json& value) {
  if (const bool* b = value.boolean()) return *b;
  if (const std::int64_t* i = value.integer()) return *i;
  if (const double* d = value.real()) {
    if (!std::isfinite(*d)) return nullptr;
    return *d;
  }
  if (const std::string* s = value.text()) return *s;
  if (const Json::Array* items = value.items()) {
    auto list = nlohmann::ordered_json::array();
    for (const Json& item : *items) list.push_back(to_library(item));
    return list;
  }
  if (const Json::Object* members = value.members()) {
    auto object = nlohmann::ordered_json::object();
    for (const auto& [key, member] : *members) object[key] = to_library(member);
    return object;
  }
  return nullptr;
}

}  // namespace

const Json* Json::find(std::string_view key) const {
  if (const Object* object = members()) {
    for (const Member& member : *object) {
      if (member.first == key) return &member.second;
    }
  }
  return nullptr;
}

Json& Json::set(std::string key, Json value) {
  if (is_null()) value_ = Object{};
  auto& object = std::get<Object>(value_);
  for (Member& member : object) {
    if (member.first == key) {
      member.second = std::move(value);
      return *this;
    }
  }
  object.emplace_back(std::move(key), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (is_null()) value_ = Array{};
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

Result<Json> parse_json(std::string_view text, const std::string& where) {
  if (text.size() > kMaxBytes) {
    return usage_error(format("JSON longer than {}", show_binary(Bytes(kMaxBytes))), where);
  }
  Builder builder(where);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return fail(builder.error());
  return builder.take();
}

std::string write_json(const Json& value, int indent) {
  return to_library(value).dump(indent, ' ', false,
                                nlohmann::ordered_json::error_handler_t::replace);
}

Status check_schema(const Json& document, std::string_view kind, int major,
                    const std::string& where) {
  const Json* found = document.find("schema");
  const std::string* schema = found == nullptr ? nullptr : found->text();
  const std::string wanted = format("roofbeam.{}/{}", kind, major);
  if (schema == nullptr) {
    return usage_error("no \"schema\" here, so this is no file of roofbeam's", where,
                       "expected " + wanted);
  }
  const std::string prefix = format("roofbeam.{}/", kind);
  if (schema->rfind(prefix, 0) != 0) {
    return usage_error(format("this is \"{}\", not {}", *schema, wanted), where + ": schema");
  }
  auto version = parse_integer(schema->substr(prefix.size()));
  if (!version || *version < 1) {
    return usage_error(format("\"{}\" names no version", *schema), where + ": schema");
  }
  if (*version > major) {
    return usage_error(format("this was written by a newer roofbeam (\"{}\")", *schema),
                       where + ": schema", "update roofbeam, or measure again with this one");
  }
  return {};
}

}  // namespace roofbeam
