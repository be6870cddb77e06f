// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/answer/common.h"
#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/profile/headline.h"
#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

// What `weights_read` times: the weights of a model with 7 · 10^9 parameters in 16 bits.
constexpr double kWeightsBytes = 14e9;

struct MachineAnswer {
  // A device as one row of a table beside others.
  struct Beside {
    std::string id;
    std::string name;
    std::string provenance;  // measured or datasheet
    bool at_base_clock = false;
    int cores = 1;  // as people count them: a GPU's arithmetic lanes
    std::optional<FlopRate> f32;
    std::string half_dtype;  // of the fastest dense 16-bit rate; empty where there is none
    std::optional<FlopRate> half;
    std::optional<ByteRate> bandwidth;
    std::optional<Bytes> memory;
    std::optional<Intensity> ridge;  // of half, else of f32
    std::optional<Seconds> weights_read;
    std::string source;  // of a sheet

    bool operator==(const Beside&) const = default;
  };
  MachineProfile profile;
  std::vector<Headline> headlines;  // one for each device of the profile
  std::string saved_at;             // the file; empty where it was not saved
  std::string not_saved;            // why
  std::vector<Beside> beside;       // this machine's devices first; empty unless asked for
  AnswerState state;

  bool operator==(const MachineAnswer&) const = default;
};

Json to_json(const MachineAnswer::Beside& device);
MachineAnswer::Beside beside_from(JsonReader& reader);

// Schema roofbeam.machine/1, the same as the profile's: profile_from reads an answer too.
Json to_json(const MachineAnswer& answer);
Result<MachineAnswer> machine_answer_from(const Json& json, const std::string& where);

}  // namespace roofbeam
