// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/cli/commands.h"

#include "roofbeam/cli/commands/rows.h"

namespace roofbeam {

const std::vector<CommandRow>& commands() {
  // clang-format off
  static const std::vector<CommandRow> rows = {  // a line each
      tour_command(),
      matmul_command(),
      roofline_command(),
      place_command(),
      machine_command(),
      devices_command(),
      amdahl_command(),
      compare_command(),
  };
  // clang-format on
  return rows;
}

const CommandRow& main_job() {
  return commands().front();
}

const std::vector<OptionRow>& common_options() {
  static const std::vector<OptionRow> rows = {
      {"--json", "", "print the answer as JSON and nothing else"},
      {"-o,--output", "FILE", "also write that JSON to a file"},
      {"--html", "FILE", "also write a page with pictures that needs nothing else"},
      {"--md", "", "print Markdown to paste"},
      {"-q,--quiet", "", "no progress and no remarks on stderr"},
      {"--color", "WHEN", "auto, always or never (auto; NO_COLOR is honoured)"},
      {"--strict", "", "exit 3 where the standing is degraded"},
      {"-h,--help", "", "this text"},
  };
  return rows;
}

}  // namespace roofbeam
