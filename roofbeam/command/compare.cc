// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/compare.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"
#include "roofbeam/command/compare_kinds.h"
#include "roofbeam/hardware/known.h"

namespace roofbeam {
namespace {

constexpr const char* kTakes =
    "it takes profiles and results of roofbeam (-o FILE), and ids of known devices";

std::string_view sentence_of(const std::string& kind) {
  for (const ComparedKind& row : compared_kinds()) {
    if (row.schema == "roofbeam." + kind) return row.is;
  }
  return "a data sheet";
}

// A trace of Chrome's kind: an object with its events, or only their list.
bool is_trace(const Json& json) {
  if (json.find("traceEvents") != nullptr) return true;
  const Json::Array* items = json.items();
  return items != nullptr && !items->empty() && items->front().find("ph") != nullptr;
}

Result<Compared> from_file(const std::string& path) {
  auto text = read_file(path);
  if (!text) return fail(text.error());
  auto json = parse_json(*text, path);
  if (!json) {
    Error error = json.error();
    error.hint = kTakes;
    return fail(error);
  }
  if (is_trace(*json)) {
    return usage_error("this is a profiler's trace; traces cannot be compared yet", path, kTakes);
  }
  const Json* schema = json->find("schema");
  if (schema == nullptr || schema->text() == nullptr) {
    return usage_error("this is no JSON of roofbeam: it names no schema", path, kTakes);
  }
  for (const ComparedKind& kind : compared_kinds()) {
    if (schema->text()->substr(0, schema->text()->find('/')) == kind.schema) {
      return kind.read(*json, path);
    }
  }
  return usage_error(format("there is nothing to compare in \"{}\"", *schema->text()), path,
                     kTakes);
}

Result<Compared> load(const std::string& wanted) {
  std::error_code ignored;
  if (std::filesystem::exists(wanted, ignored)) return from_file(wanted);
  auto sheet = one_known(wanted, "compare");
  if (sheet) return Compared{{(*sheet)->id, "datasheet", (*sheet)->name}, {}, *sheet};
  if (wanted.empty() || find_known(wanted).empty()) {
    return usage_error(format("\"{}\" is neither a file nor a known device", wanted), "compare",
                       suggest_known(wanted, kTakes));
  }
  return usage_error(format("\"{}\" is no file, and means several known devices", wanted),
                     "compare", sheet.error().hint);
}

// Sheets take the names of what they stand beside; two of them stand for themselves.
void name_sheets(Compared& a, Compared& b) {
  if (a.sheet != nullptr) a.set = figures_of(*a.sheet, b.set);
  if (b.sheet != nullptr) b.set = figures_of(*b.sheet, a.set);
  for (Compared* side : {&a, &b}) {
    Compared& other = side == &a ? b : a;
    if (side->sheet == nullptr || other.sheet != nullptr) continue;
    // Of the machine only the figures count: a sheet has neither kernel nor quota.
    other.set.conditions = {{"figures", "measured"}};
  }
}

Status check_kinds(const Compared& a, const Compared& b) {
  auto is_machine = [](const Compared& side) {
    return side.side.kind == "machine" || side.side.kind == "datasheet";
  };
  if (a.side.kind == b.side.kind || (is_machine(a) && is_machine(b))) return {};
  return usage_error(
      format("{} cannot be compared with {}", sentence_of(a.side.kind), sentence_of(b.side.kind)),
      format("{} and {}", a.side.source, b.side.source), kTakes);
}

bool wanted(const std::vector<std::string>& only, const std::string& name) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& begin) {
           return name.rfind(begin, 0) == 0;
         });
}

// Only the figures whose names begin as `only` says; an error where none does.
Status narrow(const std::vector<std::string>& only, FigureSet& a, FigureSet& b) {
  std::set<std::string> names;
  std::set<std::string> classes;
  for (FigureSet* set : {&a, &b}) {
    std::vector<Figure> kept;
    for (const Figure& figure : set->figures) {
      names.insert(figure.name);
      classes.insert(split(figure.name, '.').front());
      if (wanted(only, figure.name)) kept.push_back(figure);
    }
    set->figures = std::move(kept);
  }
  if (only.empty() || !a.figures.empty() || !b.figures.empty()) return {};
  const std::vector<std::string> near = nearest(only.front(), {names.begin(), names.end()});
  return usage_error(format("no figure begins with {}", join(only, " or ")), "--only",
                     near.empty()
                         ? "names here begin with " + join({classes.begin(), classes.end()}, ", ")
                         : format("did you mean {}?", join(near, " or ")));
}

void judge(const CompareOptions& options, const Diff& found, CompareAnswer& answer) {
  std::vector<const Difference*> doubtful;
  for (const Difference& row : found.common) {
    if (row.differs && !row.doubt.empty()) doubtful.push_back(&row);
  }
  if (!doubtful.empty()) {
    const Difference& first = *doubtful.front();
    answer.state.standing = Standing::degraded;
    answer.state.warnings.push_back(
        {"disturbed",
         format("{} of the figures that differ {} disturbed when measured, as {} ({})",
                doubtful.size(), doubtful.size() == 1 ? "was" : "were", first.name, first.doubt)});
  }
  if (!options.fail_below) return;
  answer.threshold = hold_against(found.common, *options.fail_below);
  if (answer.threshold->met) return;
  answer.state.standing = Standing::invalid;
  answer.state.warnings.push_back(
      {"cannot_tell",
       format("whether B keeps {} of A cannot be told: {} is between {} and {}",
              show_ratio(*options.fail_below), answer.threshold->worst,
              show_ratio(answer.threshold->gain.low), show_ratio(answer.threshold->gain.high))});
}

}  // namespace

Result<CompareAnswer> compare(const CompareOptions& options) {
  if (options.fail_below && !(*options.fail_below > 0)) {
    return usage_error(format("{} is no threshold", show_number(*options.fail_below)),
                       "--fail-below", "a ratio above 0, as 0.95 or 95%");
  }
  auto a = load(options.a);
  if (!a) return fail(a.error());
  auto b = load(options.b);
  if (!b) return fail(b.error());
  if (auto same = check_kinds(*a, *b); !same) return fail(same.error());
  name_sheets(*a, *b);
  if (auto some = narrow(options.only, a->set, b->set); !some) return fail(some.error());
  const Diff found = diff(a->set, b->set);
  if (found.common.empty()) {
    return fail({ErrorCode::cannot_tell, "there is no figure that both of them have",
                 format("{} and {}", options.a, options.b),
                 options.only.empty() ? "" : "without --only there may be"});
  }
  CompareAnswer answer;
  answer.a = a->side;
  answer.b = b->side;
  for (const Difference& row : found.common) {
    if (row.differs) ++answer.differing;
    if (row.differs || options.all) answer.rows.push_back(row);
  }
  answer.compared = static_cast<int>(found.common.size());
  answer.only_a = found.only_a;
  answer.only_b = found.only_b;
  answer.conditions = found.conditions;
  judge(options, found, answer);
  return answer;
}

}  // namespace roofbeam
