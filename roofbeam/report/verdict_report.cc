// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "roofbeam/base/format.h"
#include "roofbeam/breakdown/evaluate.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

// Warnings of one code that are shown; what the rest says is much the same.
constexpr int kMostAlike = 3;

// Of a time that several causes share, one after another: each with its part.
std::vector<std::string> holders_of(const Breakdown& breakdown) {
  std::vector<std::string> holders;
  for (const Held& held : held_by(breakdown)) {
    if (held.contender) continue;
    holders.push_back(format("{} ({})", name(held.cause), show_percent(held.share_ratio)));
  }
  return holders;
}

std::string sentence_of(const Verdict& verdict) {
  const std::string share = show_percent(1 / verdict.headroom.value);
  if (verdict.standing >= Standing::invalid) {
    return verdict.warnings.empty()
               ? "The result is wrong, so nothing follows from the time it took."
               : format("This contradicts the ceilings on record: it reaches {} of them.", share);
  }
  switch (verdict.bound_by) {
    case Cause::none_reached:
      return format("No ceiling is reached: {} of what the machine allows.", share);
    case Cause::cannot_tell:
      return format("What holds it back cannot be told: {} of what the machine allows.", share);
    default:
      break;
  }
  const std::vector<std::string> holders = holders_of(verdict.breakdown);
  if (holders.size() > 1) {
    return format("Held back by {}: {} of what these together allow.", join(holders, " and "),
                  share);
  }
  return format("Held back by {}: {} of {}.", name(verdict.bound_by), share, verdict.bound_level);
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
  std::map<std::string, int> told;
  for (const Warning& warning : state.warnings) ++told[warning.code];
  std::map<std::string, int> shown;
  for (const Warning& warning : state.warnings) {
    const int more = told[warning.code] - kMostAlike;
    const int number = ++shown[warning.code];
    if (number > kMostAlike) continue;
    const bool last = number == kMostAlike && more > 0;
    document.blocks.push_back(
        Notice{last ? format("{} (and {} more of this kind, in --json)", warning.text, more)
                    : warning.text});
  }
  if (state.standing != Standing::usable) {
    document.blocks.push_back(
        Notice{format("The standing of this result is {}.", name(state.standing))});
  }
}

}  // namespace roofbeam
