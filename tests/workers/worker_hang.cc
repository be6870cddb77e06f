// SPDX-License-Identifier: Apache-2.0
// A program that never answers.
#include <unistd.h>

int main() {
  while (true) ::pause();
}
