// SPDX-License-Identifier: Apache-2.0
// Times a loop of one's own and says which ceiling of this machine holds it back: ./region [DEVICE]
#include "roofbeam/command/region.h"

#include <cstdio>

#include "roofbeam/report/answers.h"

int main(int argc, char** argv) {
  const double n = 1 << 24;
  std::vector<float> a(1 << 24), b(1 << 24, 1.0F), c(1 << 24, 2.0F);
  roofbeam::Region triad{"triad", roofbeam::Flops(2 * n), roofbeam::Bytes(12 * n)};
  triad.times = roofbeam::time_region([&] {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] + 3 * c[i];
  });
  const auto verdict = roofbeam::judge_region(triad, {argc > 1 ? argv[1] : "", 1, ""});
  if (!verdict) return std::fprintf(stderr, "region: %s\n", verdict.error().what.c_str()), 1;
  roofbeam::Document page{"A triad on one thread", {}};
  roofbeam::add_verdict_sentence(page, *verdict);
  roofbeam::add_reasons_and_remedies(page, *verdict);
  roofbeam::add_state(page, {verdict->standing, verdict->warnings});
  std::fputs(roofbeam::to_terminal(page, {}).c_str(), stdout);
}
