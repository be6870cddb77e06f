// SPDX-License-Identifier: Apache-2.0
// Fields that many values have, read back. What is wrong stays with the reader, named by its whole
// path: "f.json: points[0].check.passed".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofbeam/base/cause.h"
#include "roofbeam/base/json.h"
#include "roofbeam/base/standing.h"

namespace roofbeam {

// A whole number from `least` to the largest int; 8.0 is one too.
int read_count(JsonReader& reader, std::string_view key, int least);
std::optional<int> read_count_or_null(JsonReader& reader, std::string_view key, int least);
double read_not_negative(JsonReader& reader, std::string_view key);
std::optional<double> read_not_negative_or_null(JsonReader& reader, std::string_view key);
bool read_boolean(JsonReader& reader, std::string_view key);
Cause read_cause(JsonReader& reader, std::string_view key);
Standing read_standing(JsonReader& reader, std::string_view key);
std::vector<std::string> read_texts(JsonReader& reader, std::string_view key);

// The amount, or null and "<key>_reason": and the way back.
void set_or_reason(Json& json, const std::string& key, const std::optional<double>& value,
                   const std::string& reason);
template <class Quantity>
void set_amount(Json& json, const std::string& key, const std::optional<Quantity>& amount,
                const std::string& reason) {
  set_or_reason(json, key, amount ? std::optional<double>(amount->value()) : std::nullopt, reason);
}
template <class Quantity>
std::optional<Quantity> read_amount(JsonReader& reader, std::string_view key) {
  const auto value = read_not_negative_or_null(reader, key);
  return value ? std::optional<Quantity>(Quantity(*value)) : std::nullopt;
}

// `parent` keeps an error that was found in a part of it.
void keep_error(JsonReader& parent, const Error& error);

template <class T>
T read_part(JsonReader& parent, Result<T> part) {
  if (part) return std::move(*part);
  keep_error(parent, part.error());
  return T{};
}

// The objects of the list `key`, each read by `read(JsonReader&)`, up to the first wrong one.
template <class T>
std::vector<T> read_list(JsonReader& parent, std::string_view key, T (*read)(JsonReader&)) {
  std::vector<T> list;
  const Json::Array& items = parent.items(key);
  for (std::size_t i = 0; i < items.size() && parent.error() == nullptr; ++i) {
    JsonReader reader(items[i], parent.path_of(key) + "[" + std::to_string(i) + "]");
    list.push_back(read(reader));
    if (const Error* error = reader.error()) keep_error(parent, *error);
  }
  return list;
}

}  // namespace roofbeam
