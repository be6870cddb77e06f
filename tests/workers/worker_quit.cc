// SPDX-License-Identifier: Apache-2.0
// A program that ends at once, as one does whose shared library is not there.
#include <cstdio>

int main() {
  std::fputs("error while loading shared libraries: libgone.so.7: no such file\n", stderr);
  return 127;
}
