// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "roofbeam/base/format.h"
#include "roofbeam/base/json.h"

namespace roofbeam {
namespace {

const Json kNull;
const Json::Array kNoItems;
const Json::Object kNoMembers;

constexpr std::size_t kLongestQuote = 1000;

// What a file says, as an error may quote it: short, and nothing that moves a terminal's cursor.
std::string quotable(std::string_view text) {
  std::size_t end = std::min(text.size(), kLongestQuote);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;  // not within a code point
  }
  std::string quote(text.substr(0, end));
  for (char& c : quote) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return end < text.size() ? quote + "..." : quote;
}

std::optional<double> as_number(const Json& value) {
  if (const double* d = value.real(); d != nullptr && std::isfinite(*d)) return *d;
  if (const std::int64_t* i = value.integer()) return static_cast<double>(*i);
  return std::nullopt;
}

}  // namespace

JsonReader::JsonReader(const Json& object, std::string path)
    : object_(object), path_(std::move(path)) {
  if (object.members() == nullptr) {
    failed_ = true;
    error_ = {ErrorCode::usage, "expected an object", path_, ""};
  }
}

std::string JsonReader::path_of(std::string_view key) const {
  const bool nested = path_.find(": ") != std::string::npos;
  return path_ + (nested ? "." : ": ") + quotable(key);
}

void JsonReader::reject(std::string_view key, const std::string& why) {
  if (failed_) return;
  failed_ = true;
  error_ = {ErrorCode::usage, quotable(why), path_of(key), ""};
}

Status JsonReader::status() const {
  if (failed_) return fail(error_);
  return {};
}

const Json* JsonReader::need(std::string_view key, const char* kind) {
  const Json* found = object_.find(key);
  if (found == nullptr) reject(key, format("missing; expected {}", kind));
  return found;
}

bool JsonReader::has(std::string_view key) const {
  const Json* found = object_.find(key);
  return found != nullptr && !found->is_null();
}

const Json& JsonReader::value(std::string_view key) const {
  const Json* found = object_.find(key);
  return found == nullptr ? kNull : *found;
}

double JsonReader::number(std::string_view key) {
  const Json* found = need(key, "a number");
  if (found == nullptr) return 0.0;
  if (auto value = as_number(*found)) return *value;
  reject(key, "expected a finite number");
  return 0.0;
}

double JsonReader::number_or(std::string_view key, double fallback) {
  return has(key) ? number(key) : fallback;
}

std::int64_t JsonReader::integer(std::string_view key) {
  const Json* found = need(key, "a whole number");
  if (found == nullptr) return 0;
  if (const std::int64_t* value = found->integer()) return *value;
  reject(key, "expected a whole number");
  return 0;
}

std::int64_t JsonReader::integer_or(std::string_view key, std::int64_t fallback) {
  return has(key) ? integer(key) : fallback;
}

bool JsonReader::boolean_or(std::string_view key, bool fallback) {
  if (!has(key)) return fallback;
  if (const bool* found = value(key).boolean()) return *found;
  reject(key, "expected true or false");
  return fallback;
}

std::string JsonReader::text(std::string_view key) {
  const Json* found = need(key, "a string");
  if (found == nullptr) return "";
  if (const std::string* value = found->text()) return *value;
  reject(key, "expected a string");
  return "";
}

std::string JsonReader::text_or(std::string_view key, std::string fallback) {
  return has(key) ? text(key) : fallback;
}

const Json::Array& JsonReader::items(std::string_view key) {
  const Json* found = need(key, "a list");
  if (found == nullptr) return kNoItems;
  if (const Json::Array* list = found->items()) return *list;
  reject(key, "expected a list");
  return kNoItems;
}

const Json::Object& JsonReader::members(std::string_view key) {
  const Json* found = need(key, "an object");
  if (found == nullptr) return kNoMembers;
  if (const Json::Object* object = found->members()) return *object;
  reject(key, "expected an object");
  return kNoMembers;
}

}  // namespace roofbeam
