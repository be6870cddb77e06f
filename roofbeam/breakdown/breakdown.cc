// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/breakdown/breakdown.h"

#include "roofbeam/base/format.h"

namespace roofbeam {

Breakdown charge(std::string name, Cause cause, std::string ceiling, Estimate<Seconds> time) {
  return {Breakdown::Kind::charge, std::move(name), cause, std::move(ceiling), time, {}};
}
Breakdown sum_of(std::string name, std::vector<Breakdown> parts) {
  return {Breakdown::Kind::sum, std::move(name), Cause::other, "", {}, std::move(parts)};
}
Breakdown max_of(std::string name, std::vector<Breakdown> parts) {
  return {Breakdown::Kind::max, std::move(name), Cause::other, "", {}, std::move(parts)};
}

Json to_json(const Breakdown& breakdown) {
  Json json = Json::object({{"name", breakdown.name}});
  if (breakdown.kind == Breakdown::Kind::charge) {
    json.set("kind", "charge");
    json.set("cause", name(breakdown.cause));
    json.set("ceiling", breakdown.ceiling);
    json.set("time_s", to_json(breakdown.time));
    return json;
  }
  json.set("kind", breakdown.kind == Breakdown::Kind::sum ? "sum" : "max");
  Json parts = Json::array();
  for (const Breakdown& part : breakdown.parts) parts.push(to_json(part));
  json.set("parts", parts);
  return json;
}

Result<Breakdown> breakdown_from(const Json& json, const std::string& where) {
  JsonReader reader(json, where);
  const std::string kind = reader.text("kind");
  const std::string title = reader.text("name");
  if (kind == "charge") {
    const std::string cause = reader.text("cause");
    const auto known = cause_from(cause);
    if (!known) reader.reject("cause", format("\"{}\" is no cause", cause));
    Breakdown leaf = charge(title, known.value_or(Cause::other), reader.text("ceiling"),
                            as<Seconds>(estimate_from(reader, "time_s")));
    if (leaf.time.low < Seconds(0)) reader.reject("time_s.low", "must not be below 0");
    if (reader.error() != nullptr) return fail(*reader.error());
    return leaf;
  }
  if (kind != "sum" && kind != "max") {
    reader.reject("kind", format("\"{}\" is none of charge, sum, max", kind));
  }
  std::vector<Breakdown> parts;
  for (const Json& item : reader.items("parts")) {
    auto part = breakdown_from(item, format("{}[{}]", reader.path_of("parts"), parts.size()));
    if (!part) return part;
    parts.push_back(*part);
  }
  if (parts.empty()) reader.reject("parts", "empty");
  if (reader.error() != nullptr) return fail(*reader.error());
  return kind == "sum" ? sum_of(title, std::move(parts)) : max_of(title, std::move(parts));
}

}  // namespace roofbeam
