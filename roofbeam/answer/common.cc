// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/answer/common.h"

#include "roofbeam/base/version.h"
#include "roofbeam/verdict/verdict.h"

namespace roofbeam {

Json to_json(const DeviceFacts& device) {
  return Json::object({{"id", device.id},
                       {"kind", device.kind},
                       {"name", device.name},
                       {"cores_usable", device.cores_usable},
                       {"cores_bound_by", device.cores_bound_by}});
}

Json answer_head(const std::string& command) {
  return Json::object({{"schema", "roofbeam." + command + "/1"}, {"roofbeam", version()}});
}

void add_state(Json& json, const AnswerState& state) {
  json.set("standing", name(state.standing));
  json.set("warnings", to_json(state.warnings));
  json.set("complete", state.complete);
}

}  // namespace roofbeam
