// SPDX-License-Identifier: Apache-2.0
// Reads hwloc's XML: nested <object type="…" os_index="…" …> elements, with <info name="…"
// value="…"/> among them. Memory objects stand before the processor objects of the same parent.
// After all objects come <cpukind cpuset="…" forced_efficiency="…"> with infos in them; what
// cannot be read there counts as not stated.
// Only what Topology keeps is looked at; other elements and text are stepped over, but all of it
// has to be well-formed.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/hardware/core_kinds.h"
#include "roofbeam/hardware/topology.h"

namespace roofbeam {
namespace {

// hwloc nests about 20 deep; below bridges it can be some more.
constexpr std::size_t kDeepest = 128;
constexpr std::uint64_t kMostCpus = 1 << 16;
constexpr std::uint64_t kMostFigure = 1 << 24;  // of a megahertz or capacity
// A petabyte: no cache or memory node is larger, and sums stay exact enough to compare.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;

struct Tag {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;  // values still escaped
  bool opens = false;
  bool closes = false;  // both for <a/>

  std::string_view find(std::string_view key) const {
    for (const auto& attribute : attributes) {
      if (attribute.first == key) return attribute.second;
    }
    return {};
  }
};

// Steps from tag to tag.
class TagReader {
 public:
  explicit TagReader(std::string_view text) : text_(text) {}

  std::size_t position() const { return position_; }
  // The next tag; absent at the end of the text and where it is damaged.
  std::optional<Tag> next() {
    while (true) {
      position_ = text_.find('<', position_);
      if (position_ == std::string_view::npos) {
        position_ = text_.size();
        return std::nullopt;
      }
      const bool prologue = starts_with("<?") || starts_with("<!");
      if (!prologue) return tag();
      position_ = std::min(text_.find('>', position_), text_.size());
    }
  }

 private:
  bool starts_with(std::string_view what) const {
    return text_.substr(position_, what.size()) == what;
  }
  bool take(std::string_view what) {
    if (!starts_with(what)) return false;
    position_ += what.size();
    return true;
  }
  void skip_blanks() {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
  }
  std::string_view word() {
    const std::size_t end =
        std::min(text_.find_first_of(" \t\r\n=\"'<>/", position_), text_.size());
    const std::string_view found = text_.substr(position_, end - position_);
    position_ = end;
    return found;
  }

  std::optional<Tag> tag() {
    Tag found;
    take("<");
    const bool end_tag = take("/");
    found.name = word();
    if (found.name.empty()) return std::nullopt;
    found.opens = !end_tag;
    while (true) {
      skip_blanks();
      const bool empty = take("/");
      if (take(">")) {
        found.closes = end_tag || empty;
        return found;
      }
      const std::string_view key = word();
      if (empty || key.empty() || !take("=\"")) return std::nullopt;
      const std::size_t end = text_.find('"', position_);
      if (end == std::string_view::npos) return std::nullopt;
      found.attributes.emplace_back(key, text_.substr(position_, end - position_));
      position_ = end + 1;
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

std::string unescaped(std::string_view text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
  std::string plain;
  while (!text.empty()) {
    const auto* const entity =
        std::find_if(std::begin(kEntities), std::end(kEntities), [&](const auto& candidate) {
          return text.substr(0, candidate.first.size()) == candidate.first;
        });
    const bool found = entity != std::end(kEntities);
    plain += found ? entity->second : text.front();
    text.remove_prefix(found ? entity->first.size() : 1);
  }
  return plain;
}

std::optional<std::uint64_t> number(std::string_view text, std::uint64_t below) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value >= below)
    return std::nullopt;
  return value;
}

// The level of "L1Cache" to "L5Cache": data and unified caches. "L1iCache" holds instructions.
std::optional<int> cache_level(std::string_view type) {
  const bool matches = type.size() == 7 && type.front() == 'L' && type.substr(2) == "Cache" &&
                       type[1] >= '1' && type[1] <= '5';
  if (!matches) return std::nullopt;
  return type[1] - '0';
}

// Version 1 has no such attribute, and other names for caches.
bool readable(std::string_view version) {
  const auto major = number(version.substr(0, version.find('.')), 100);
  return major && *major >= 2;
}

// Renumbers one field of every core from 0 without gaps, keeping the order; tells how many there
// are.
int renumber(std::vector<Core>& cores, int Core::*field) {
  std::map<int, int> numbers;
  for (const Core& core : cores) numbers[core.*field] = 0;
  int next = 0;
  for (auto& [old, number] : numbers) number = next++;
  for (Core& core : cores) core.*field = numbers[core.*field];
  return next;
}

// Builds a topology from the tags in their order. A method that takes a tag answers false where
// the tag makes no sense.
class Builder {
 public:
  bool take(const Tag& tag) {
    if (tag.opens && !open(tag)) return false;
    return !tag.closes || close(tag.name);
  }
  bool complete() const { return topology_closed_ && open_.empty(); }

  Topology finish() {
    for (Core& core : found_.cores) std::sort(core.pus.begin(), core.pus.end());
    found_.packages = renumber(found_.cores, &Core::package);
    found_.node_memory = memory_of_nodes();
    found_.numa_nodes = renumber(found_.cores, &Core::numa);
    set_kinds(found_, std::move(statements_));
    found_.caches = caches_by_level();
    found_.cpu_name = trim(unescaped(package_name_.empty() ? other_name_ : package_name_));
    found_.memory = Bytes(std::accumulate(nodes_.begin(), nodes_.end(), 0.0));
    return std::move(found_);
  }

 private:
  struct Element {
    std::string_view name;
    std::string_view type;  // of an object; empty otherwise
    int numa = -1;          // of a memory node directly below; -1 where there is none
    int package = -1;
    int core = -1;      // place in found_.cores
    int cache = -1;     // place in instances_
    bool kind = false;  // a <cpukind>: the last of statements_
  };
  struct CacheInstance {
    int level = 0;
    double size = 0.0;
    std::vector<std::size_t> cores = {};  // places in found_.cores
  };

  bool open(const Tag& tag) {
    if (open_.size() >= kDeepest || topology_closed_) return false;
    if (open_.empty() != (tag.name == "topology")) return false;
    if (open_.empty() && !readable(tag.find("version"))) return false;
    Element element{tag.name, {}};
    if (tag.name == "object") element.type = tag.find("type");
    if (tag.name == "cpukind") take_kind(tag, element);
    if (tag.name == "info" && open_.back().kind) take_statement(tag, statements_.back());
    if (tag.name == "info") take_name(tag);
    if (element.type == "NUMANode" && !take_node(tag)) return false;
    if (element.type == "Package") element.package = packages_++;
    if (cache_level(element.type) && !take_cache(tag, element)) return false;
    open_.push_back(element);
    return element.type != "PU" || take_pu(tag);
  }

  bool close(std::string_view name) {
    if (open_.empty() || open_.back().name != name) return false;
    open_.pop_back();
    topology_closed_ = open_.empty();
    return true;
  }

  void take_name(const Tag& tag) {
    if (tag.find("name") != "CPUModel") return;
    std::string_view& name = open_.back().type == "Package" ? package_name_ : other_name_;
    if (name.empty()) name = tag.find("value");
  }

  void take_kind(const Tag& tag, Element& element) {
    element.kind = true;
    KindStatement statement;
    if (auto cpus = parse_cpu_mask(tag.find("cpuset"))) statement.cpus = std::move(*cpus);
    const auto efficiency = number(tag.find("forced_efficiency"), kMostFigure);
    if (efficiency) statement.efficiency = static_cast<double>(*efficiency);
    statements_.push_back(std::move(statement));
  }

  static void take_statement(const Tag& tag, KindStatement& statement) {
    const std::string_view name = tag.find("name");
    if (name == "CoreType") statement.type = tag.find("value");
    const auto figure = number(tag.find("value"), kMostFigure);
    if (!figure) return;
    const auto value = static_cast<double>(*figure);
    if (name == "LinuxCapacity") statement.capacity = value;
    if (name == "FrequencyBaseMHz" && value > 0) statement.clock_base = Hertz(value * 1e6);
    if (name == "FrequencyMaxMHz" && value > 0) statement.clock_max = Hertz(value * 1e6);
  }

  // Memory nodes can lie below a memory-side cache, which lies below the object they belong to.
  bool take_node(const Tag& tag) {
    const std::string_view size = tag.find("local_memory");
    const auto bytes = size.empty() ? std::optional<std::uint64_t>(0) : number(size, kMostBytes);
    if (!bytes) return false;
    for (auto owner = open_.rbegin(); owner != open_.rend(); ++owner) {
      if (owner->type == "MemCache") continue;
      // Of several at one place (DRAM and HBM) the first is where memory comes from by itself.
      if (owner->numa < 0) owner->numa = static_cast<int>(nodes_.size());
      break;
    }
    nodes_.push_back(static_cast<double>(*bytes));
    return true;
  }

  bool take_cache(const Tag& tag, Element& element) {
    const std::string_view text = tag.find("cache_size");
    const auto size = text.empty() ? std::optional<std::uint64_t>(0) : number(text, kMostBytes);
    if (!size) return false;
    if (*size == 0) return true;  // hwloc's way to say that it is unknown
    element.cache = static_cast<int>(instances_.size());
    instances_.push_back({*cache_level(element.type), static_cast<double>(*size)});
    return true;
  }

  bool take_pu(const Tag& tag) {
    const auto cpu = number(tag.find("os_index"), kMostCpus);
    if (!cpu || !pus_.insert(static_cast<int>(*cpu)).second) return false;
    auto owner = std::find_if(open_.begin(), open_.end(),
                              [](const Element& element) { return element.type == "Core"; });
    if (owner == open_.end()) {
      owner = std::prev(open_.end());
      found_.cores_known = false;
    }
    if (owner->core < 0) {
      owner->core = static_cast<int>(found_.cores.size());
      add_core();
    }
    found_.cores[static_cast<std::size_t>(owner->core)].pus.push_back(static_cast<int>(*cpu));
    return true;
  }

  void add_core() {
    Core core;
    for (const Element& element : open_) {  // from the machine inwards: the nearest wins
      if (element.package >= 0) core.package = element.package;
      if (element.numa >= 0) core.numa = element.numa;
      if (element.cache >= 0) {
        instances_[static_cast<std::size_t>(element.cache)].cores.push_back(found_.cores.size());
      }
    }
    found_.cores.push_back(core);
  }

  // Of the nodes that cores are on, in their order; before those are renumbered.
  std::vector<Bytes> memory_of_nodes() const {
    std::set<int> used;
    for (const Core& core : found_.cores) used.insert(core.numa);
    std::vector<Bytes> memory;
    for (const int node : used) {
      const auto place = static_cast<std::size_t>(node);
      memory.emplace_back(place < nodes_.size() ? nodes_[place] : 0.0);
    }
    return memory;
  }

  std::string kind_of(const CacheInstance& instance) const {
    const std::string& first = found_.cores[instance.cores.front()].kind;
    const bool shared = std::any_of(instance.cores.begin(), instance.cores.end(),
                                    [&](auto place) { return found_.cores[place].kind != first; });
    return shared ? "" : first;
  }

  // Instances of one size can be shared by fewer cores where some are switched off; the fullest one
  // tells how it was built.
  std::vector<Cache> caches_by_level() const {
    std::vector<Cache> caches;
    for (const CacheInstance& instance : instances_) {
      if (instance.cores.empty()) continue;
      const Cache one{instance.level, Bytes(instance.size), 1,
                      static_cast<int>(instance.cores.size()), kind_of(instance)};
      const auto same = std::find_if(caches.begin(), caches.end(), [&](const Cache& cache) {
        return cache.level == one.level && cache.size == one.size && cache.kind == one.kind;
      });
      if (same == caches.end()) {
        caches.push_back(one);
      } else {
        ++same->instances;
        same->cores_each = std::max(same->cores_each, one.cores_each);
      }
    }
    std::stable_sort(caches.begin(), caches.end(),
                     [](const Cache& a, const Cache& b) { return a.level < b.level; });
    return caches;
  }

  Topology found_;
  std::vector<Element> open_;  // from <topology> to where we are
  std::vector<CacheInstance> instances_;
  std::vector<KindStatement> statements_;
  std::vector<double> nodes_;  // their memory in bytes
  std::set<int> pus_;
  std::string_view package_name_;
  std::string_view other_name_;
  int packages_ = 0;
  bool topology_closed_ = false;
};

}  // namespace

Result<Topology> topology_from_xml(const std::string& xml, const std::string& where) {
  TagReader reader(xml);
  Builder builder;
  std::size_t position = 0;
  while (const auto tag = reader.next()) {
    if (!builder.take(*tag)) {
      return usage_error(format("this <{}> is no part of a topology of hwloc", tag->name),
                         format("{}:{}", where, position));
    }
    position = reader.position();
  }
  if (!builder.complete()) {
    return usage_error("not a whole topology as hwloc writes it",
                       format("{}:{}", where, reader.position()));
  }
  Topology topology = builder.finish();
  if (topology.cores.empty()) return usage_error("a topology without a CPU", where);
  return topology;
}

}  // namespace roofbeam
