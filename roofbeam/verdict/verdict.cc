// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/verdict/verdict.h"

namespace roofbeam {
namespace {

Json list(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push(text);
  return json;
}

}  // namespace

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

}  // namespace roofbeam
