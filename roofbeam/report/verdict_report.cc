// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

std::string sentence_of(const Verdict& verdict) {
  const std::string share = show_percent(1 / verdict.headroom.value);
  switch (verdict.bound_by) {
    case Cause::none_reached:
      return format("No ceiling is reached: {} of what the machine allows.", share);
    case Cause::cannot_tell:
      return format("What holds it back cannot be told: {} of what the machine allows.", share);
    default:
      return format("Held back by {}: {} of {}.", name(verdict.bound_by), share,
                    verdict.bound_level);
  }
}

std::string gain_of(const Remedy& remedy) {
  const Estimate<double>& gain = remedy.gain;
  if (gain.low == gain.high) return show_ratio(gain.value);
  return format("{} ({} to {})", show_ratio(gain.value), show_ratio(gain.low),
                show_ratio(gain.high));
}

}  // namespace

void add_verdict_sentence(Document& document, const Verdict& verdict) {
  document.blocks.push_back(Paragraph{sentence_of(verdict), true});
}

void add_reasons_and_remedies(Document& document, const Verdict& verdict) {
  document.blocks.push_back(Bullets{verdict.because});
  if (verdict.remedies.empty()) return;
  Table table;
  table.columns = {{"what would change it", false}, {"gain", true}, {"if", false}};
  for (const Remedy& remedy : verdict.remedies) {
    table.rows.push_back({remedy.action, gain_of(remedy), join(remedy.assumes, "; ")});
  }
  document.blocks.push_back(table);
}

void add_state(Document& document, const AnswerState& state) {
  for (const Warning& warning : state.warnings) {
    document.blocks.push_back(Notice{warning.text});
  }
  if (state.standing != Standing::usable) {
    document.blocks.push_back(
        Notice{format("The standing of this result is {}.", name(state.standing))});
  }
}

}  // namespace roofbeam
