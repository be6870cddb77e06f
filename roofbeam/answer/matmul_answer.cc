// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/matmul_answer.h"

namespace roofbeam {
namespace {

Json check_of(const MatmulPoint& point) {
  Json check = Json::object({{"passed", Json()}, {"how", point.check_how}});
  if (point.check_passed) {
    check.set("passed", *point.check_passed);
  } else {
    check.set("passed_reason", point.check_how);
  }
  return check;
}

Json to_json(const MatmulPoint& point) {
  return Json::object({
      {"m", point.m},
      {"n", point.n},
      {"k", point.k},
      {"dtype", point.dtype},
      {"device", point.device},
      {"library", point.library},
      {"threads", point.threads},
      {"reps", point.reps},
      {"rounds", point.rounds},
      {"operands", point.constant ? "constant" : "random"},
      {"time_s", roofbeam::to_json(point.time)},
      {"flop_per_s", roofbeam::to_json(point.rate)},
      {"ceiling", point.ceiling},
      {"share_of_ceiling_ratio", roofbeam::to_json(point.share_of_ceiling)},
      {"intensity_flop_per_byte", point.intensity.value()},
      {"bound_by", name(point.bound_by)},
      {"check", check_of(point)},
  });
}

Json to_json(const MatmulAnswer::Tried& tried) {
  Json json = Json::object({{"library", tried.library}, {"flop_per_s", Json()}});
  if (tried.rate) {
    json.set("flop_per_s", tried.rate->value());
  } else {
    json.set("flop_per_s_reason", tried.why_not);
  }
  return json;
}

}  // namespace

Json to_json(const MatmulAnswer& answer) {
  Json json = answer_head("matmul");
  json.set("device", to_json(answer.device));
  Json points = Json::array();
  for (const MatmulPoint& point : answer.points) points.push(to_json(point));
  Json ceilings = Json::object();
  for (const auto& ceiling : answer.ceilings) {
    Json entry = to_json(ceiling.value);
    entry.set("unit", ceiling.unit);
    ceilings.set(ceiling.name, entry);
  }
  Json tried = Json::array();
  for (const auto& entry : answer.tried) tried.push(to_json(entry));
  json.set("points", points);
  json.set("ceilings", ceilings);
  json.set("tried", tried);
  json.set("verdict", to_json(answer.verdict));
  add_state(json, answer.state);
  return json;
}

}  // namespace roofbeam
