// SPDX-License-Identifier: Apache-2.0
// A program that answers, but not in our words.
#include <cstdio>

int main() {
  std::puts("\033[1mhello\033[0m, I am no worker");
  std::fflush(stdout);
  std::getchar();
}
