// SPDX-License-Identifier: Apache-2.0
// A program that writes without end and without a line.
#include <cstdio>
#include <string>

int main() {
  const std::string block(65536, 'x');
  while (std::fwrite(block.data(), 1, block.size(), stdout) == block.size()) {
  }
}
