// SPDX-License-Identifier: Apache-2.0
// Options that several commands read the same way.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofbeam/cli/commands.h"

namespace roofbeam {

template <class Answer>
Outcome outcome(const Answer& answer, AnswerState state = {}) {
  return {to_json(answer), document(answer), std::move(state)};
}

// A list of numbers between commas; `read` takes one. Errors name the option.
Result<std::vector<double>> numbers(const Given& given, std::string_view key,
                                    std::vector<double> fallback,
                                    Result<double> (*read)(std::string_view));

// --device, --threads and --profile (else ROOFBEAM_PROFILE).
Result<DeviceOptions> device_options(const Given& given);
const std::vector<OptionRow>& device_option_rows();

// `own` and then device_option_rows().
std::vector<OptionRow> with_device(std::vector<OptionRow> own);

}  // namespace roofbeam
