// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/read_fields.h"

#include <cmath>
#include <limits>

#include "roofbeam/base/format.h"

namespace roofbeam {

int read_count(JsonReader& reader, std::string_view key, int least) {
  const double count = reader.number(key);
  if (count >= least && count <= std::numeric_limits<int>::max() && count == std::floor(count)) {
    return static_cast<int>(count);
  }
  reader.reject(
      key, format("expected a whole number from {} to {}", least, std::numeric_limits<int>::max()));
  return least;
}

std::optional<int> read_count_or_null(JsonReader& reader, std::string_view key, int least) {
  if (!reader.has(key)) return std::nullopt;
  return read_count(reader, key, least);
}

double read_not_negative(JsonReader& reader, std::string_view key) {
  const double number = reader.number(key);
  if (number < 0) reader.reject(key, "must not be below 0");
  return number;
}

std::optional<double> read_not_negative_or_null(JsonReader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return read_not_negative(reader, key);
}

bool read_boolean(JsonReader& reader, std::string_view key) {
  if (!reader.has(key)) reader.reject(key, "missing; expected true or false");
  return reader.boolean_or(key, false);
}

Cause read_cause(JsonReader& reader, std::string_view key) {
  const std::string text = reader.text(key);
  const auto cause = cause_from(text);
  if (!cause) reader.reject(key, format("\"{}\" is no cause", text));
  return cause.value_or(Cause::cannot_tell);
}

Standing read_standing(JsonReader& reader, std::string_view key) {
  const std::string text = reader.text(key);
  const auto standing = standing_from(text);
  if (!standing) reader.reject(key, format("\"{}\" is no standing", text));
  return standing.value_or(Standing::invalid);
}

std::vector<std::string> read_texts(JsonReader& reader, std::string_view key) {
  std::vector<std::string> texts;
  for (const Json& item : reader.items(key)) {
    const std::string* text = item.text();
    if (text == nullptr) {
      reader.reject(format("{}[{}]", key, texts.size()), "expected a string");
      break;
    }
    texts.push_back(*text);
  }
  return texts;
}

void set_or_reason(Json& json, const std::string& key, const std::optional<double>& value,
                   const std::string& reason) {
  json.set(key, value ? Json(*value) : Json());
  if (!value) json.set(key + "_reason", reason);
}

void keep_error(JsonReader& parent, const Error& error) {
  // path_of("") is what the paths of all its parts begin with.
  parent.reject(std::string_view(error.where).substr(parent.path_of("").size()), error.what);
}

}  // namespace roofbeam
