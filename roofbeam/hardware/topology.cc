// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/topology.h"

#include <hwloc.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

namespace roofbeam {
namespace {

// Sets or removes a variable of the environment, and puts it back at the end.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    change(value);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() { change(old_ ? old_->c_str() : nullptr); }

 private:
  void change(const char* value) {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }

  const char* name_;
  std::optional<std::string> old_;
};

// hwloc has no call that keeps its plugins from being loaded, only this variable; the plugins link
// OpenCL, CUDA and more, which must not come into this process. The last three would make it
// describe another machine than the one asked for.
class QuietHwloc {
  ScopedVariable plugins_{"HWLOC_PLUGINS_PATH", "/nonexistent"};
  ScopedVariable errors_{"HWLOC_HIDE_ERRORS", "2"};
  ScopedVariable file_{"HWLOC_XMLFILE", nullptr};
  ScopedVariable synthetic_{"HWLOC_SYNTHETIC", nullptr};
  ScopedVariable root_{"HWLOC_FSROOT", nullptr};
};

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

std::string reason() {
  return errno == 0 ? "no reason given" : std::error_code(errno, std::generic_category()).message();
}

// Without the second hwloc moves this thread from CPU to CPU to ask each about itself, those that
// it was told to stay away from among them; what the system states is enough.
constexpr unsigned long kFlags =
    HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;

// The handle before load, set to what this room wants to know.
Handle prepared() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Handle handle(raw);
  const bool set = hwloc_topology_set_flags(raw, kFlags) == 0 &&
                   hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE) == 0 &&
                   hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE) == 0;
  return set ? std::move(handle) : nullptr;
}

}  // namespace

// Reads hwloc's own XML with the reader recordings use, so that there is one account of what its
// objects mean, and what is recorded here reads the same there.
Result<Topology> topology_of_this_machine() {
  const QuietHwloc quiet;
  errno = 0;
  const Handle handle = prepared();
  if (handle == nullptr || hwloc_topology_load(handle.get()) != 0) {
    return failed("hwloc cannot read this machine's topology: " + reason(), "/sys/devices/system",
                  "is /sys mounted?");
  }
  char* text = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(handle.get(), &text, &length, 0) != 0) {
    return failed("hwloc cannot write down this machine's topology: " + reason());
  }
  const std::string xml(text);
  hwloc_free_xmlbuffer(handle.get(), text);
  auto topology = topology_from_xml(xml, "hwloc");
  if (!topology) return failed(topology.error().what, "hwloc", "is /sys mounted?");
  return topology;
}

}  // namespace roofbeam
