// SPDX-License-Identifier: Apache-2.0
// Cores, caches, sockets and memory nodes, as hwloc finds them (hwloc itself appears only in
// topology.cc). CPUs this process may not use are included: what it may use is a separate fact.
//
// Packages and NUMA nodes are numbered from 0 without gaps, in hwloc's order. A core's node is the
// nearest one, the first where several are as near; a node without cores of its own is not counted
// (it holds nobody's work), but its memory is. Caches are data and unified ones, one entry per
// level, size and kind of core, so a hybrid CPU has two of a level; one of unknown size is left
// out. Where no cores are shown (some containers) each hardware thread counts as one and
// `cores_known` is false. `cpu_name` is empty where hwloc knows none, and `architecture` always is.
// Kinds of cores are told by core_kinds.h.
#pragma once

#include <string>

#include "roofbeam/base/result.h"
#include "roofbeam/hardware/box.h"

namespace roofbeam {

// Loads none of hwloc's plugins (OpenCL, CUDA, PCI) and prints nothing. It changes environment
// variables while it runs and puts them back: call it before starting threads that read them.
Result<Topology> topology_of_this_machine();

// hwloc's XML, of its version 2 or later; `where` names it in errors. Our own reader: hwloc's
// crashes on damaged files.
Result<Topology> topology_from_xml(const std::string& xml, const std::string& where);

}  // namespace roofbeam
