// SPDX-License-Identifier: Apache-2.0
// A worker from another time.
#include <cstdio>

int main() {
  while (std::getchar() != '\n') {
  }
  std::puts("{\"ok\": true, \"protocol\": 99, \"everything\": \"else may differ\"}");
  std::fflush(stdout);
  std::getchar();
}
