// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/verdict/verdict.h"

#include <cstdint>

#include "roofbeam/base/format.h"
#include "roofbeam/base/read_fields.h"

namespace roofbeam {
namespace {

Json list(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push(text);
  return json;
}

Remedy remedy_from(JsonReader& reader) {
  Remedy remedy;
  remedy.action = reader.text("do");
  remedy.gain = read_estimate(reader, "gain_ratio");
  remedy.assumes = read_texts(reader, "assumes");
  remedy.excludes = read_texts(reader, "excludes");
  return remedy;
}

}  // namespace

Estimate<double> read_estimate(JsonReader& reader, std::string_view key) {
  const Estimate<double> estimate = estimate_from(reader, key);
  if (estimate.low < 0) reader.reject(format("{}.low", key), "must not be below 0");
  return estimate;
}

Json to_json(const Warnings& warnings) {
  Json json = Json::array();
  for (const Warning& warning : warnings) {
    json.push(Json::object({{"code", warning.code}, {"text", warning.text}}));
  }
  return json;
}

Json to_json(const Verdict& verdict) {
  Json remedies = Json::array();
  for (const Remedy& remedy : verdict.remedies) {
    remedies.push(Json::object({{"do", remedy.action},
                                {"gain_ratio", to_json(remedy.gain)},
                                {"assumes", list(remedy.assumes)},
                                {"excludes", list(remedy.excludes)}}));
  }
  Json json = Json::object({{"bound_by", name(verdict.bound_by)}});
  if (!verdict.bound_level.empty()) json.set("bound_level", verdict.bound_level);
  json.set("headroom_ratio", to_json(verdict.headroom));
  json.set("because", list(verdict.because));
  json.set("breakdown", to_json(verdict.breakdown));
  json.set("remedies", remedies);
  json.set("standing", name(verdict.standing));
  json.set("warnings", to_json(verdict.warnings));
  return json;
}

Result<Warnings> warnings_from(const Json& list, const std::string& where) {
  if (list.items() == nullptr) return usage_error("expected a list", where);
  Warnings warnings;
  for (const Json& item : *list.items()) {
    JsonReader reader(item, format("{}[{}]", where, warnings.size()));
    warnings.push_back({reader.text("code"), reader.text("text")});
    if (const Error* error = reader.error()) return fail(*error);
  }
  return warnings;
}

Result<Verdict> verdict_from(const Json& json, const std::string& where) {
  JsonReader reader(json, where);
  Verdict verdict;
  verdict.bound_by = read_cause(reader, "bound_by");
  verdict.bound_level = reader.text_or("bound_level", "");
  verdict.headroom = read_estimate(reader, "headroom_ratio");
  verdict.because = read_texts(reader, "because");
  verdict.breakdown =
      read_part(reader, breakdown_from(reader.value("breakdown"), reader.path_of("breakdown")));
  verdict.remedies = read_list(reader, "remedies", remedy_from);
  verdict.standing = read_standing(reader, "standing");
  verdict.warnings =
      read_part(reader, warnings_from(reader.value("warnings"), reader.path_of("warnings")));
  if (const Error* error = reader.error()) return fail(*error);
  return verdict;
}

}  // namespace roofbeam
