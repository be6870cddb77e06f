// SPDX-License-Identifier: Apache-2.0
// size: one walk over all answers, and what each of its tests asks at every place.
// Every answer that a golden file shows reads back and is written again as it stands there; and
// nothing wrong in it goes unnamed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/answer/amdahl_answer.h"
#include "roofbeam/answer/compare_answer.h"
#include "roofbeam/answer/devices_answer.h"
#include "roofbeam/answer/machine_answer.h"
#include "roofbeam/answer/matmul_answer.h"
#include "roofbeam/answer/points_answer.h"
#include "roofbeam/answer/seldom_seen_test.h"
#include "roofbeam/answer/tour_answer.h"
#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"
#include "roofbeam/base/version.h"

namespace roofbeam {
namespace {

// A document read and written again.
using Rewrite = std::function<Result<Json>(const Json&, const std::string&)>;

template <class T>
Rewrite through(Result<T> (*read)(const Json&, const std::string&)) {
  return [read](const Json& json, const std::string& where) -> Result<Json> {
    auto value = read(json, where);
    if (!value) return fail(value.error());
    return to_json(*value);
  };
}

Rewrite points_of(const std::string& command) {
  return [command](const Json& json, const std::string& where) -> Result<Json> {
    auto value = points_answer_from(json, command, where);
    if (!value) return fail(value.error());
    return to_json(*value);
  };
}

// A row for every schema that a command prints.
const std::map<std::string, Rewrite>& readers() {
  static const std::map<std::string, Rewrite> rows = {
      {"roofbeam.amdahl/1", through(amdahl_from)},
      {"roofbeam.compare/1", through(compare_answer_from)},
      {"roofbeam.devices/1", through(devices_answer_from)},
      {"roofbeam.machine/1", through(machine_answer_from)},
      {"roofbeam.matmul/1", through(matmul_answer_from)},
      {"roofbeam.place/1", points_of("place")},
      {"roofbeam.roofline/1", points_of("roofline")},
      {"roofbeam.tour/1", through(tour_answer_from)},
  };
  return rows;
}

struct Document {
  std::string place;
  Json json;
};

struct Printed {
  std::string place;    // file and line of the command
  std::string command;  // after "$ "
  std::string text;     // stdout, its escapes undone
};

bool starts(const std::string& line, const char* with) {
  return line.rfind(with, 0) == 0;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

std::string unescaped(std::vector<std::string> lines) {
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  std::string text;
  for (const std::string& line : lines) {
    if (line == "\\ no newline") return text.substr(0, text.size() - 1);
    text += (starts(line, "\\") ? line.substr(1) : line) + "\n";
  }
  return text;
}

// What the commands of a file print on stdout; the format is told in tests/run_golden.py.
std::vector<Printed> printed_in(const std::string& path) {
  std::vector<Printed> cases;
  std::vector<std::string> lines;
  bool on_stdout = false;
  auto finish = [&] {
    if (!cases.empty() && cases.back().text.empty()) cases.back().text = unescaped(lines);
    lines.clear();
  };
  const auto content = read_file(path);
  EXPECT_TRUE(content) << path;
  std::int64_t number = 0;
  std::istringstream text(content.value_or(""));
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (starts(line, "$ ")) {
      finish();
      cases.push_back({format("{}:{}", path, number), line.substr(2), ""});
      on_stdout = true;
    } else if (starts(line, "# ") || line == "#" || line == "[stderr]" || starts(line, "[exit ")) {
      on_stdout = false;
    } else if (on_stdout) {
      lines.push_back(line);
    }
  }
  finish();
  return cases;
}

std::vector<Printed> printed_json() {
  std::vector<Printed> found;
  for (const char* folder : {"tests/golden", "examples"}) {
    const std::string root = std::string(ROOFBEAM_SOURCE_DIR) + "/" + folder;
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
      if (entry.path().extension() != ".txt") continue;
      for (const Printed& printed : printed_in(entry.path().string())) {
        const auto words = split(printed.command, ' ');
        const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
        if (!json || printed.text.empty()) continue;
        found.push_back(printed);
        found.back().text = replaced(printed.text, "{version}", std::string(version()));
      }
    }
  }
  return found;
}

std::string schema_of(const Json& json) {
  const Json* schema = json.find("schema");
  return schema != nullptr && schema->text() != nullptr ? *schema->text() : "";
}

TEST(Answers, WhatGoldenFilesShowReadsBackAndIsWrittenTheSame) {
  const std::vector<Printed> all = printed_json();
  EXPECT_GE(all.size(), 6U);
  for (const Printed& printed : all) {
    SCOPED_TRACE(printed.place + ": $ " + printed.command);
    const auto json = parse_json(printed.text, printed.place);
    ASSERT_TRUE(json) << json.error().what << " at " << json.error().where;
    const auto reader = readers().find(schema_of(*json));
    ASSERT_NE(reader, readers().end())
        << "nothing reads \"" << schema_of(*json) << "\": write it and give it a row here";
    const auto again = reader->second(*json, printed.place);
    ASSERT_TRUE(again) << again.error().what << " at " << again.error().where;
    EXPECT_EQ(write_json(*again) + "\n", printed.text);
  }
}

std::vector<Document> documents() {
  std::vector<Document> found;
  for (const Printed& printed : printed_json()) {
    const auto json = parse_json(printed.text, printed.place);
    const bool known = json && readers().count(schema_of(*json)) == 1;
    EXPECT_TRUE(known) << printed.place;
    if (known) found.push_back({printed.place, *json});
  }
  for (const Json& json : seldom_seen(ROOFBEAM_SOURCE_DIR)) found.push_back({"seldom seen", json});
  return found;
}

// What stands at one place of a document: which child at each level.
using Place = std::vector<std::size_t>;

std::size_t children(const Json& json) {
  if (json.items() != nullptr) return json.items()->size();
  return json.members() != nullptr ? json.members()->size() : 0;
}

const Json& child(const Json& json, std::size_t i) {
  return json.items() != nullptr ? json.items()->at(i) : json.members()->at(i).second;
}

void collect(const Json& json, const Place& here, std::vector<Place>& places) {
  for (std::size_t i = 0; i < children(json); ++i) {
    Place deeper = here;
    deeper.push_back(i);
    places.push_back(deeper);
    collect(child(json, i), deeper, places);
  }
}

// The names on the way to a place.
std::vector<std::string> keys_of(const Json& root, const Place& place) {
  const Json* json = &root;
  std::vector<std::string> keys;
  for (std::size_t i : place) {
    if (json->members() != nullptr) keys.push_back(json->members()->at(i).first);
    json = &child(*json, i);
  }
  return keys;
}

// `json` with something else at `place`, or nothing.
Json edited(const Json& json, const Place& place, const std::optional<Json>& other,
            std::size_t depth = 0) {
  if (depth == place.size()) return *other;
  Json copy = json.items() != nullptr ? Json::array() : Json::object();
  for (std::size_t i = 0; i < children(json); ++i) {
    const bool here = i == place[depth];
    if (here && depth + 1 == place.size() && !other) continue;
    Json next = here ? edited(child(json, i), place, other, depth + 1) : child(json, i);
    if (json.items() != nullptr) {
      copy.push(std::move(next));
    } else {
      copy.set(json.members()->at(i).first, std::move(next));
    }
  }
  return copy;
}

// What a document says, however it says it: 2 and 2.0 are one number, null and absent one, and the
// reasons of what is unknown may be worded anew.
Json meaning(const Json& json) {
  if (const std::int64_t* whole = json.integer()) return static_cast<double>(*whole);
  if (children(json) == 0) return json;
  Json copy = json.items() != nullptr ? Json::array() : Json::object();
  for (std::size_t i = 0; i < children(json); ++i) {
    Json part = meaning(child(json, i));
    if (json.items() != nullptr) {
      copy.push(std::move(part));
    } else if (const std::string& key = json.members()->at(i).first;
               !part.is_null() && key.find("_reason") == std::string::npos) {
      copy.set(key, std::move(part));
    }
  }
  return copy;
}

// The version is that of who writes; the others are absent where they are empty.
const std::set<std::string> kFree = {"roofbeam", "bound_level", "curves",        "roof_line",
                                     "beside",   "threshold",   "rows_computed", "verdict_of",
                                     "speedups", "remarks",     "looked_at",     "setting"};
// Left out of a profile, it is what it mostly is: profiles that people write are read too.
const std::set<std::string> kProfileFree = {"key",
                                            "measured_at",
                                            "last_level_cache_bytes",
                                            "absent",
                                            "sweep",
                                            "unsupported",
                                            "caches",
                                            "warnings",
                                            "variant",
                                            "sustained_provenance",
                                            "provenance",
                                            "standing",
                                            "conditions",
                                            "taken",
                                            "sustained",
                                            "flop_per_cycle",
                                            "clock_hz"};

bool is_free(const Json& json, const std::string& key) {
  const bool profile = schema_of(json) == "roofbeam.machine/1";
  return kFree.count(key) == 1 || (profile && kProfileFree.count(key) == 1);
}

bool names(const Error& error, const std::string& key) {
  const std::string text = error.where + " " + error.what;
  for (const char* before : {" ", ".", "\""}) {
    if (text.find(before + key) != std::string::npos) return true;
  }
  return false;
}

// Something wrong is refused by name, and what is taken is taken as it stands.
void expect_named_or_kept(const Rewrite& rewrite, const Json& wrong, const std::string& key) {
  const auto again = rewrite(wrong, "f.json");
  if (!again) {
    EXPECT_EQ(again.error().code, ErrorCode::usage);
    EXPECT_TRUE(starts(again.error().where, "f.json")) << again.error().where;
    // What follows from a field contradicts it then, and is named in its place.
    const bool contradicts = again.error().what.find("does not follow") != std::string::npos;
    EXPECT_TRUE(contradicts || names(again.error(), key))
        << again.error().where << ": " << again.error().what;
  } else if (!is_free(wrong, key)) {
    EXPECT_EQ(write_json(meaning(*again)), write_json(meaning(wrong)));
  }
}

// 4294967301 is 5 to who keeps 32 bits of it.
Json::Array unlikely() {
  const auto values = parse_json(R"([null, true, "", "-1", 0, -0.5, 1.5, 4294967301, 1e308, -1e308,
      9223372036854775807, -9223372036854775808, [], [7], ["x", null], {}, {"value": -1}])",
                                 "");
  return *values->items();
}

constexpr std::size_t kMostPlaces = 500;

// Calls check(rewrite, document, place, key) for every place of every answer.
template <class Check>
void at_every_place(Check check) {
  for (const Document& document : documents()) {
    const Rewrite& rewrite = readers().at(schema_of(document.json));
    std::vector<Place> places;
    collect(document.json, {}, places);
    // Of large documents some places: what stands in lists is there often.
    const std::size_t step = 1 + places.size() / kMostPlaces;
    for (std::size_t i = 0; i < places.size(); i += step) {
      const Place& place = places[i];
      const std::string key = keys_of(document.json, place).back();
      SCOPED_TRACE(document.place + ", " + key);
      check(rewrite, document.json, place, key);
    }
  }
}

TEST(Answers, WhatIsMissingIsNamed) {
  at_every_place(
      [](const Rewrite& rewrite, const Json& json, const Place& place, const std::string& key) {
        expect_named_or_kept(rewrite, edited(json, place, std::nullopt), key);
      });
}

TEST(Answers, WhatIsOfAnotherKindOrSizeIsNamed) {
  at_every_place(
      [](const Rewrite& rewrite, const Json& json, const Place& place, const std::string& key) {
        for (const Json& value : unlikely()) {
          SCOPED_TRACE(write_json(value, -1));
          expect_named_or_kept(rewrite, edited(json, place, value), key);
        }
      });
}

TEST(Answers, UnknownNamesAreRefused) {
  const std::set<std::string> named = {"law",    "operands", "unit",    "cause",
                                       "method", "bound_by", "standing"};
  at_every_place(
      [&](const Rewrite& rewrite, const Json& json, const Place& place, const std::string& key) {
        if (named.count(key) == 0) return;
        const auto again = rewrite(edited(json, place, "luck"), "f.json");
        ASSERT_FALSE(again);
        EXPECT_TRUE(names(again.error(), key)) << again.error().where << ": " << again.error().what;
      });
}

TEST(Answers, NothingInThemIsBelowZero) {
  at_every_place(
      [](const Rewrite& rewrite, const Json& json, const Place& place, const std::string& key) {
        if (key.find("_reason") != std::string::npos) return;
        if (key == "worst_error_ratio") return;  // which way it is wrong
        for (const Json& value : {Json(-1), Json(-1.0)}) {
          const auto again = rewrite(edited(json, place, value), "f.json");
          ASSERT_FALSE(again);
          const bool contradicts = again.error().what.find("does not follow") != std::string::npos;
          EXPECT_TRUE(contradicts || names(again.error(), key))
              << again.error().where << ": " << again.error().what;
        }
      });
}

TEST(Answers, NumbersTooLargeForADoubleAreRefused) {
  at_every_place([](const Rewrite&, const Json& json, const Place& place, const std::string&) {
    const std::string text = write_json(edited(json, place, "HUGE"), -1);
    const auto parsed = parse_json(replaced(text, "\"HUGE\"", "1e400"), "f.json");
    ASSERT_FALSE(parsed);
    EXPECT_TRUE(starts(parsed.error().where, "f.json:")) << parsed.error().where;
  });
}

TEST(Answers, UnknownKeysAreIgnoredAndOtherSchemasRefused) {
  for (const Document& document : documents()) {
    SCOPED_TRACE(document.place);
    const Rewrite& rewrite = readers().at(schema_of(document.json));
    Json json = document.json;
    json.set("of_a_later_version", Json(Json::Array{1}));
    const auto again = rewrite(json, "f.json");
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(write_json(*again), write_json(document.json));
    for (const char* schema : {"roofbeam.other/1", "roofbeam.amdahl/2", "roofbeam.compare/2",
                               "roofbeam.devices/2", "roofbeam.machine/2", "roofbeam.matmul/2"}) {
      json.set("schema", schema);
      EXPECT_FALSE(rewrite(json, "f.json")) << schema;
    }
  }
}

TEST(Answers, AnErrorSaysTheWholeWayToItsField) {
  std::set<std::string> told;
  at_every_place(
      [&](const Rewrite& rewrite, const Json& json, const Place& place, const std::string&) {
        const auto again = rewrite(edited(json, place, Json::object()), "f.json");
        if (!again) told.insert(again.error().where);
      });
  const std::string expected =
      "law,rows[1].n,limits[0].p,curves[0].n[1],missing[0].hint,devices[0].limits.affinity,"
      "devices[0].caches[2].level,devices[0].features[4],devices[0].can[1].ways[0],"
      "device.cores_usable,points[0].check.how,ceilings.compute.f32.fma.all.unit,"
      "roof_line[1].flop_per_s,tried[0].flop_per_s,tried[1].library,verdict.because[2],"
      "verdict.remedies[1].assumes[0],verdict.breakdown.name,verdict.breakdown.parts[0].parts[0]."
      "cause,verdict.standing,"
      "verdict.warnings[0].text,warnings[0].code,complete,"
      "devices[0].ceilings.latency.dram.conditions.cpus,headlines[0].memory,beside[1].cores,"
      "b.kind,rows[0].differs,only_in_a[0].why,conditions[0].a,threshold.worst";
  for (const std::string& where : split(expected, ',')) {
    EXPECT_EQ(told.count("f.json: " + where), 1U) << where;
  }
}

}  // namespace
}  // namespace roofbeam
