// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/amdahl_answer.h"

#include "roofbeam/answer/common.h"

namespace roofbeam {

Json to_json(const AmdahlAnswer& answer) {
  const bool gustafson = answer.law == AmdahlAnswer::Law::gustafson;
  Json rows = Json::array();
  for (const AmdahlAnswer::Row& row : answer.rows) {
    rows.push(Json::object({{"p", row.p}, {"n", row.n}, {"speedup_ratio", row.speedup}}));
  }
  Json limits = Json::array();
  for (const AmdahlAnswer::Limit& limit : answer.limits) {
    Json entry = Json::object({{"p", limit.p}, {"limit_ratio", Json()}});
    if (limit.limit) {
      entry.set("limit_ratio", *limit.limit);
    } else {
      entry.set("limit_ratio_reason", gustafson
                                          ? "the problem grows with the workers: there is no limit"
                                          : "nothing is serial, so there is no limit");
    }
    limits.push(entry);
  }
  Json json = answer_head("amdahl");
  json.set("law", gustafson ? "gustafson" : "amdahl");
  json.set("rows", rows);
  json.set("limits", limits);
  return json;
}

}  // namespace roofbeam
