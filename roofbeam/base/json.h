// SPDX-License-Identifier: Apache-2.0
// A small JSON value, its reader and its writer. The parser behind it (json.cc) is nlohmann-json;
// it takes documents of up to 64 MiB and 64 levels. Traces have their own reader.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "roofbeam/base/result.h"

namespace roofbeam {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;  // keeps the order it was written in

  Json() = default;  // null
  Json(bool value) : value_(value) {}
  Json(int value) : value_(static_cast<std::int64_t>(value)) {}
  Json(std::int64_t value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  static Json array() { return Json(Array{}); }
  static Json object() { return Json(Object{}); }
  static Json object(std::initializer_list<Member> members) { return Json(Object(members)); }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
  const double* real() const { return std::get_if<double>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const Array* items() const { return std::get_if<Array>(&value_); }
  const Object* members() const { return std::get_if<Object>(&value_); }

  // The member called `key`, or null where this is no object or has none.
  const Json* find(std::string_view key) const;
  // Adds or replaces a member; turns a null into an object.
  Json& set(std::string key, Json value);
  // Appends an item; turns a null into an array.
  Json& push(Json value);

  bool operator==(const Json&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

// `where` names the source in errors (a file, "stdin"). Duplicate keys keep the last value.
Result<Json> parse_json(std::string_view text, const std::string& where);
// A number that is not finite is written as null; bytes that are not UTF-8 are replaced.
std::string write_json(const Json& value, int indent = 2);

// Reads the fields of one object. The first thing wrong is kept; what is read after it is a
// default, so that a reader can take all its fields and then ask once.
class JsonReader {
 public:
  // `path` is how errors name this object: "profile.json" or "profile.json: devices[0]".
  JsonReader(const Json& object, std::string path);

  double number(std::string_view key);
  double number_or(std::string_view key, double fallback);
  std::int64_t integer(std::string_view key);
  std::int64_t integer_or(std::string_view key, std::int64_t fallback);
  bool boolean_or(std::string_view key, bool fallback);
  std::string text(std::string_view key);
  std::string text_or(std::string_view key, std::string fallback);
  // A list or an object; an empty one stays behind where it is missing or of another kind.
  const Json::Array& items(std::string_view key);
  const Json::Object& members(std::string_view key);
  bool has(std::string_view key) const;  // there and not null
  const Json& value(std::string_view key) const;

  std::string path_of(std::string_view key) const;
  void reject(std::string_view key, const std::string& why);
  const Error* error() const { return failed_ ? &error_ : nullptr; }
  Status status() const;

 private:
  const Json* need(std::string_view key, const char* kind);

  const Json& object_;
  std::string path_;
  Error error_;
  bool failed_ = false;
};

// Refuses a document whose "schema" is not `roofbeam.<kind>/<major>` or whose major is newer.
Status check_schema(const Json& document, std::string_view kind, int major,
                    const std::string& where);

}  // namespace roofbeam
