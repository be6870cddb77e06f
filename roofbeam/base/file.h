// SPDX-License-Identifier: Apache-2.0
// Files as whole strings. A written file is either the old or the new one, never half of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "roofbeam/base/result.h"

namespace roofbeam {

// Refuses a folder, a pipe that nobody writes into and what is longer than `limit` bytes.
Result<std::string> read_file(const std::string& path, std::size_t limit = std::size_t{64} << 20);

// Writes beside `path`, syncs, renames, syncs the folder. Missing folders are made. An existing
// non-regular path (/dev/stdout, a pipe) is written to directly. After an error nothing is left
// beside it; a kill may leave PATH.PID-N.partial, which a write an hour later removes.
Status write_file_atomic(const std::string& path, std::string_view content);

}  // namespace roofbeam
