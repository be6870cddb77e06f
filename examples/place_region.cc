// SPDX-License-Identifier: Apache-2.0
// A loop that times itself with nothing but roofbeam/region.h, for `roofbeam place --from`:
//   c++ -O3 -I PREFIX/include place_region.cc -o place_region
//   ./place_region triad.json && roofbeam place --from triad.json --threads 1
#include <cstdio>

#include "roofbeam/region.h"

int main(int argc, char** argv) {
  const std::size_t n = std::size_t(1) << 24;
  std::vector<float> a(n), b(n, 1.0F), c(n, 2.0F);
  const double bytes = 4.0 * static_cast<double>(n);  // of one array
  roofbeam::region triad("triad", 2.0 * static_cast<double>(n), 2 * bytes, bytes);
  for (int round = 0; round < 8; ++round) {
    if (round > 0) triad.start();  // the first round meets new pages
    for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + 3 * c[i];
    if (round > 0) triad.stop();
  }
  if (!triad.write(argc > 1 ? argv[1] : "triad.json")) return 1;
  std::printf("%g\n", static_cast<double>(a[n / 2]));
}
