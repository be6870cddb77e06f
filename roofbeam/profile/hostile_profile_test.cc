// SPDX-License-Identifier: Apache-2.0
// size: the table of what each field may be is one list, and it grows with the format.
// Profiles by somebody who means no good: each is read or refused, in seconds, and a refusal is a
// sentence that names the file and the field at fault.
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "roofbeam/base/file.h"
#include "roofbeam/profile/machine_profile.h"
#include "roofbeam/profile/store.h"

namespace roofbeam {
namespace {

namespace fs = std::filesystem;

Ceiling ceiling(const char* unit) {
  Ceiling made;
  made.unit = unit;
  made.burst = {100, 99, 101, 5, Method::best};
  made.sustained = Estimate<double>{90, 89, 91, 5, Method::median};
  made.variant = "declared";
  made.standing = Standing::degraded;
  made.reason = "other processes";
  made.conditions = {{0, 1}, {{1, 0.48}}, 0.5, 0.0, 0.0, 0.98};
  made.if_write_allocated = Estimate<double>{150, 149, 151, 5, Method::best};
  made.cycle = Cycle{{32, 31.9, 32.1, 5, Method::best},
                     {Hertz(3e9), Hertz(2.9e9), Hertz(3.1e9), 5, Method::median},
                     2};
  return made;
}

// Every field that a profile can have.
const Json& good() {
  static const Json json = [] {
    DeviceProfile device;
    device.id = "cpu";
    device.kind = "cpu";
    device.name = "Test CPU";
    device.cores_usable = device.affinity_cpus = 4;
    device.cpuset_cpus = 4;
    device.quota_cpus = 3.5;
    device.last_level_cache = Bytes(1 << 20);
    device.caches = {{"l1", Bytes(32 << 10), 1}};
    device.ceilings["compute.f32.fma.all"] = ceiling("flop_per_s");
    device.ceilings["bandwidth.dram.read.all"] = ceiling("bytes_per_s");
    device.absent["compute.bf16.dot.all"] = "no memory";
    device.unsupported = {"compute.bf16.dot.all"};
    device.sweep = {{Bytes(4096), ByteRate(1e11)}};
    device.warnings = {{"core_limited", "the cores limit it"}};
    return to_json(MachineProfile{"1.2.3", "cpu=Test CPU", 1'700'000'000, {device}});
  }();
  return json;
}

struct Field {
  std::string path;   // as errors name it, without the file
  std::string group;  // its key; the same for all ceilings, all reasons and all items of a list
};
// The document with this value in the field's place; absent: without the field.
using Spoil = std::function<Json(const std::optional<Json>&)>;
using Visit = std::function<void(const Field&, const Spoil&)>;

// Calls `visit` with each field below `node`; `put` puts a value in the place of `node`.
void each_field(const Json& node, const Field& at, const Spoil& put, const Visit& visit) {
  if (const Json::Object* members = node.members()) {
    for (std::size_t i = 0; i < members->size(); ++i) {
      const auto& [key, value] = (*members)[i];
      const bool named_by_data = at.group == "ceilings" || at.group == "absent";
      const Field field{at.path.empty() ? key : at.path + "." + key,
                        named_by_data ? at.group + ".*" : key};
      const Spoil spoil = [&, i](const std::optional<Json>& with) {
        Json::Object changed = *members;
        if (with) changed[i].second = *with;
        if (!with) changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
        return put(Json(changed));
      };
      visit(field, spoil);
      each_field(value, field, spoil, visit);
    }
  }
  if (const Json::Array* items = node.items()) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      const Field field{at.path + "[" + std::to_string(i) + "]", at.group + "[]"};
      const Spoil spoil = [&, i](const std::optional<Json>& with) {
        Json::Array changed = *items;
        if (with) changed[i] = *with;
        if (!with) changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
        return put(Json(changed));
      };
      visit(field, spoil);
      each_field((*items)[i], field, spoil, visit);
    }
  }
}

struct Hostile {
  std::string name;
  std::string text;          // as it stands in the file
  bool breaks_file = false;  // no JSON that we take: the field is not reached
};

const std::vector<Hostile>& hostile_values() {
  static const std::vector<Hostile> values = {
      {"null", "null"},
      {"true", "true"},
      {"-1", "-1"},
      {"0", "0"},
      {"1e308", "1e308"},
      {"1e400", "1e400", true},
      {"1e-320", "1e-320"},
      {"2^63-1", "9223372036854775807"},
      {"10^18", "1000000000000000000"},
      {"10^20-1", "99999999999999999999"},
      {"empty text", "\"\""},
      {"x", "\"x\""},
      {"[]", "[]"},
      {"{}", "{}"},
      {"10 lists", std::string(10, '[') + std::string(10, ']')},
      {"10^6 lists", std::string(1'000'000, '[') + std::string(1'000'000, ']'), true},
      {"1 MiB of text", '"' + std::string(1 << 20, 'a') + '"'},
      {"an escaped NUL", "\"\\u0000\""},
      {"an escaped ESC", "\"\\u001b[2J\""},
      {"a NUL", std::string("\"\0\"", 3), true},
      {"no UTF-8", "\"\xC3\x28\"", true},
  };
  return values;
}

// What may be done to a field; nothing to those that are not here.
bool harmless(const std::string& group, const std::string& what) {
  static const std::set<std::string> kOptional = {"deleted", "null"};
  static const std::set<std::string> kText = {"empty text", "x"};
  static const std::set<std::string> kOptionalText = {"deleted", "null", "empty text", "x"};
  static const std::map<std::string, std::set<std::string>> kTaken = {
      {"roofbeam", kText},
      {"key", kOptionalText},
      {"measured_at", {"deleted", "null", "0"}},
      {"devices", {"[]"}},
      {"devices[]", {"deleted"}},
      {"id", {"x"}},
      {"name", kText},
      {"cpuset", kOptional},
      {"quota", kOptional},
      {"last_level_cache_bytes", {"deleted", "null", "0", "1e-320", "10^18"}},
      {"ceilings", {"{}"}},
      {"ceilings.*", {"deleted"}},
      {"absent", {"deleted", "null", "{}"}},
      {"absent.*", {"deleted", "empty text", "x"}},
      {"samples", {"0"}},
      {"high", {"10^18"}},
      {"sustained", kOptional},
      {"sustained_provenance", kOptional},
      {"variant", kOptionalText},
      {"provenance", kOptional},
      {"standing", kOptional},
      {"standing_reason", kOptionalText},
      {"if_write_allocated", kOptional},
      {"flop_per_cycle", kOptional},
      {"clock_hz", kOptional},
      {"unsupported", {"deleted", "null", "[]"}},
      {"unsupported[]", {"deleted", "empty text", "x"}},
      {"caches", {"deleted", "null", "[]"}},
      {"caches[]", {"deleted"}},
      {"memory", kText},
      {"each_bytes", {"10^18"}},
      {"sweep", {"deleted", "null", "[]"}},
      {"sweep[]", {"deleted"}},
      {"footprint_bytes", {"10^18"}},
      {"bytes_per_s", {"10^18"}},
      {"warnings", {"deleted", "null", "[]"}},
      {"warnings[]", {"deleted"}},
      {"code", kText},
      {"text", kText},
      {"taken", {"deleted", "null", "[]"}},
      {"taken[]", {"deleted"}},
      {"cpu", {"0"}},
      {"share_ratio", {"0", "1e-320"}},
      {"conditions", kOptional},
      {"cpus", {"[]"}},
      {"cpus[]", {"deleted", "0"}},
      {"neighbour_cpus", {"deleted", "null", "0", "1e-320"}},
      {"share_steal_ratio", {"deleted", "null", "0", "1e-320"}},
      {"share_throttled_ratio", {"deleted", "null", "0", "1e-320"}},
      {"clock_ratio", {"deleted", "null", "0", "1e-320"}},
  };
  const auto found = kTaken.find(group);
  return found != kTaken.end() && found->second.contains(what);
}

Result<MachineProfile> read_text(const std::string& text) {
  auto json = parse_json(text, "p.json");
  if (!json) return fail(json.error());
  return profile_from(*json, "p.json");
}

// A sentence without its full stop that a terminal can show.
void expect_sentence(const Error& error, const std::string& file) {
  EXPECT_EQ(error.code, ErrorCode::usage);
  EXPECT_GT(error.what.size(), 8U);
  EXPECT_LT(error.what.size(), 2000U);
  EXPECT_TRUE(!error.what.ends_with(".") || error.what.ends_with("...")) << error.what;
  EXPECT_EQ(error.where.rfind(file, 0), 0U) << error.where;
  EXPECT_LT(error.where.size(), 2000U);
  const std::string all = error.what + error.where + error.hint;
  EXPECT_TRUE(std::none_of(all.begin(), all.end(), [](unsigned char c) {
    return c < 0x20 || c == 0x7F;
  })) << all;
}

// The field, or one of the same object whose error tells of it.
void expect_named(const Error& error, const std::string& path) {
  if (error.where.rfind("p.json: " + path, 0) == 0) return;
  const std::size_t dot = path.rfind('.');
  const std::string key = path.substr(dot == path.npos ? 0 : dot + 1);
  const std::string parent = dot == path.npos ? "p.json" : "p.json: " + path.substr(0, dot);
  EXPECT_EQ(error.where.rfind(parent, 0), 0U) << error.where;
  EXPECT_NE(error.what.find('"' + key + '"'), std::string::npos) << error.what;
}

void expect_read_or_refused(const std::string& text, const Field& field, const std::string& what,
                            bool breaks_file = false) {
  SCOPED_TRACE(field.path + ": " + what);
  const auto profile = read_text(text);
  const bool taken = harmless(field.group, what);
  EXPECT_EQ(profile.has_value(), taken) << (profile ? "" : profile.error().what);
  if (!profile) {
    expect_sentence(profile.error(), "p.json");
    const std::size_t item = field.path.ends_with(']') ? field.path.rfind('[') : field.path.npos;
    if (!breaks_file) expect_named(profile.error(), field.path.substr(0, item));
    return;
  }
  const auto again = read_text(write_json(to_json(*profile)));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again, *profile);
}

const Spoil kAsItIs = [](const std::optional<Json>& whole) { return whole.value_or(Json()); };

TEST(HostileProfile, EachFieldIsNeededOrMayBeMissing) {
  int fields = 0;
  each_field(good(), {}, kAsItIs, [&](const Field& field, const Spoil& spoil) {
    ++fields;
    expect_read_or_refused(write_json(spoil(std::nullopt)), field, "deleted");
  });
  EXPECT_GT(fields, 60);
}

TEST(HostileProfile, EachFieldRefusesWhatItCannotBe) {
  const std::string mark = "put the value here";
  each_field(good(), {}, kAsItIs, [&](const Field& field, const Spoil& spoil) {
    const std::string text = write_json(spoil(Json(mark)));
    const std::size_t at = text.find('"' + mark + '"');
    ASSERT_NE(at, std::string::npos);
    for (const Hostile& value : hostile_values()) {
      std::string spoilt = text;
      spoilt.replace(at, mark.size() + 2, value.text);
      expect_read_or_refused(spoilt, field, value.name, value.breaks_file);
    }
  });
}

// The text with one thing in it replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = write_json(good());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at == text.npos ? 0 : at, from.size(), to);
}

TEST(HostileProfile, WhatDoesNotFitTogetherIsRefused) {
  auto refused = [](const std::string& text) {
    const auto profile = read_text(text);
    return profile ? "read" : profile.error().where + ": " + profile.error().what;
  };
  const std::string dram = "p.json: devices[0].ceilings.bandwidth.dram.read.all";
  EXPECT_EQ(refused(with("\"low\": 99.0", "\"low\": 100.5")), dram + ".value: lower than \"low\"");
  EXPECT_EQ(refused(with("\"high\": 101.0", "\"high\": 99.5")),
            dram + ".high: lower than \"value\"");
  EXPECT_EQ(refused(with("bytes_per_s", "flop_per_s")),
            dram + ".unit: \"flop_per_s\" is none of bytes_per_s");
  EXPECT_EQ(refused(with("\"cores_usable\": 4", "\"cores_usable\": 4294967297")),
            "p.json: devices[0].cores_usable: expected a whole number from 1 to 1000000");
  Json::Object twice = *good().members();
  const Json device = twice.back().second.items()->front();
  twice.back().second.push(device);
  EXPECT_EQ(refused(write_json(Json(twice))),
            "p.json: devices[1].id: there is another device of this name");
  EXPECT_EQ(refused(with("bandwidth.dram.read.all", "of no grammar")), "read");
}

TEST(HostileProfile, ANameInTheFileIsQuotedShortlyAndWithoutControlCharacters) {
  for (const std::string& name : {std::string(1 << 20, 'n'), std::string("\\u001b[2J\\u0000")}) {
    std::string text = with("bandwidth.dram.read.all", name);
    text.replace(text.find("\"low\": 99.0"), 11, "\"low\": -1");
    const auto profile = read_text(text);
    ASSERT_FALSE(profile);
    expect_sentence(profile.error(), "p.json: devices[0].ceilings.");
    EXPECT_TRUE(profile.error().where.ends_with(".low")) << profile.error().where;
  }
}

class HostileFile : public testing::Test {
 protected:
  HostileFile() {
    std::string pattern = (fs::temp_directory_path() / "roofbeam-hostile-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/p.json";
  }
  ~HostileFile() override { fs::remove_all(folder_); }

  void write(const std::string& text) const { ASSERT_TRUE(write_file_atomic(path_, text)); }
  // "where: what; hint" of the refusal, with PATH for the file.
  std::string refusal() const {
    const auto began = std::chrono::steady_clock::now();
    const auto profile = load_profile(path_);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(6));
    if (profile) return "read";
    expect_sentence(profile.error(), path_);
    return "PATH" + profile.error().where.substr(path_.size()) + ": " + profile.error().what +
           "; " + profile.error().hint;
  }

  std::string folder_;
  std::string path_;
};

TEST_F(HostileFile, OfAnotherSchema) {
  const std::string schema = "\"roofbeam.machine/1\"";
  const std::string again = "; measure again, or give another with --profile";
  write(with(schema, "\"roofbeam.machine/2\""));
  EXPECT_EQ(refusal(),
            "PATH: schema: this was written by a newer roofbeam (\"roofbeam.machine/2\"); update "
            "roofbeam, or measure again with this one");
  write(with(schema, "\"roofbeam.matmul/1\""));
  EXPECT_EQ(refusal(),
            "PATH: schema: this is \"roofbeam.matmul/1\", not roofbeam.machine/1" + again);
  const std::string none =
      "PATH: no \"schema\" here, so this is no file of roofbeam's; expected roofbeam.machine/1";
  for (const std::string& text :
       {with(schema, "1"), with("\"schema\"", "\"scheme\""), std::string("[]"), std::string("7")}) {
    write(text);
    EXPECT_EQ(refusal(), none);
  }
  write(with("\"low\": 99.0", "\"low\": -1"));
  EXPECT_EQ(refusal(),
            "PATH: devices[0].ceilings.bandwidth.dram.read.all.low: expected a number from 1e-18 "
            "to 1e+18" +
                again);
}

TEST_F(HostileFile, WithoutContent) {
  for (const std::string& text : {std::string(), std::string(1 << 20, ' '), std::string("\n\t\r"),
                                  std::string("\xEF\xBB\xBF"), std::string(100, '\0')}) {
    write(text);
    EXPECT_EQ(refusal().rfind("PATH:", 0), 0U);
    EXPECT_NE(refusal().find("this is not valid JSON"), std::string::npos);
    EXPECT_NE(refusal().find("; check that the file is whole"), std::string::npos);
  }
  write("\xEF\xBB\xBF" + write_json(good()));
  EXPECT_EQ(refusal(), "read") << "some editors begin every file with these three bytes";
}

TEST_F(HostileFile, LongerThanAnyProfile) {
  write(std::string(std::size_t{65} << 20, ' '));
  EXPECT_EQ(refusal(), "PATH: longer than the 64 MiB this may have; ");
}

TEST_F(HostileFile, AFolder) {
  ASSERT_EQ(::mkdir(path_.c_str(), 0755), 0);
  EXPECT_EQ(refusal(), "PATH: this is a folder, not a file; ");
}

TEST_F(HostileFile, APipeThatNobodyWritesInto) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0644), 0);
  EXPECT_EQ(refusal(), "PATH: nobody writes into this pipe; ");
}

TEST_F(HostileFile, ThatMayNotBeRead) {
  constexpr int kNotPermitted = 77;
  constexpr unsigned kNobody = 65534;
  write(write_json(good()));
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 0), 0);
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) {
      ::_exit(kNotPermitted);
    }
    ::_exit(refusal() == "PATH: could not read: Permission denied; " ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotPermitted) GTEST_SKIP() << "only root can be another user";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace roofbeam
