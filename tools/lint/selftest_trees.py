# SPDX-License-Identifier: Apache-2.0
"""What selftest's lints look at besides the tiny tree: tables with pages, and faults for each check
of .clang-tidy."""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"

COMMANDS, COMMAND = "roofbeam/cli/commands.cc", "roofbeam/cli/commands/sum.cc"
KERNELS = "roofbeam/kernel/kernel_table.cc"
CEILINGS, ANSWER = "roofbeam/measure/ceilings.cc", "roofbeam/answer/sum_answer.cc"
PAGE, TEST = "docs/methods/sum.md", "roofbeam/kernel/kernel_test.cc"

# For the lint of rows: one row of each kind, in order.
ROWS = {
    COMMANDS: SPDX + """const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> rows = {sum_command()};
  return rows;
}
""",
    COMMAND: SPDX + """CommandRow sum_command() {
  return {"sum", "Adds {what} is given.", {{"-n", "N", "how many"}}, run};
}
""",
    KERNELS: SPDX + """const std::vector<KernelSpec>& kernel_table() {
  static const std::vector<KernelSpec> rows = {
      {"read",
       "an array in order",
       {DataType::f32},
       read_work},
  };
  return rows;
}
""",
    CEILINGS: SPDX + """const std::vector<CeilingRow>& ceiling_rows() {
  static const std::vector<CeilingRow> rows = {{"bandwidth.dram.read", "read", DataType::f32}};
  return rows;
}
""",
    ANSWER: SPDX + 'Json json = answer_head("sum");\n// as {"schema", "roofbeam.ghost/1"}\n',
    "docs/schema/roofbeam.sum.1.json": '{"const": "roofbeam.sum/1"}\n',
    PAGE: "# sum\n\nWhat `read` reads, at bandwidth.dram.read.\n",
    TEST: SPDX + 'auto spec = find_kernel("read");\n',
    "examples/sum.txt": "roofbeam sum -n 3\n",
    "tests/golden/sum_json.txt": "$ roofbeam sum --json\n",
}

# One fault for each check.
TIDY_FAULTS = """
#include <fcntl.h>

#include <mutex>
#include <utility>
#include <vector>

std::mutex door;

long plant(const std::vector<std::string>& texts, long many, std::string text) {
  const char* table[] = {"a", "b", "c", "d" "e", "f", "g", "h", "i", "j"};
  double half = roofbeam::words() / 2;
  int whole = half;
  int i = 0;
  while (i < 10) whole = 3;
  if (posix_fadvise(0, 0, 0, POSIX_FADV_NORMAL) < 0) return 0;
  for (short s = 0; s < many; ++s) ++whole;
  std::lock_guard<std::mutex>{door};
  texts.empty();
  for (const auto each : texts) whole += static_cast<int>(each.size());
  const std::string copy = texts[0];
  std::string taken = std::move(texts[1]);
  std::string other = std::move(text);
  if (whole == whole) taken = copy.substr(1) + other;
  return static_cast<long>(sizeof(sizeof(whole)) + text.size()) + table[0][0];
}
"""


def clang_tidy():
    with open(os.path.join(HERE, "../../.clang-tidy"), encoding="utf-8") as file:
        return file.read()


def tidy_checks():
    return re.findall(r"(?m)^  ([a-z][\w-]+),?$", clang_tidy())


# What is added to the tiny tree for one lint.
MORE = {"rows": ROWS, "tidy": {".clang-tidy": clang_tidy()}}
