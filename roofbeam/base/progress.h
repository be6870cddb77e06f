// SPDX-License-Identifier: Apache-2.0
// How a long call tells how far it is. The library never prints; cli/ draws what it is told.
#pragma once

#include <string>

namespace roofbeam {

class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  // `done` of `total` steps are finished and `what` is under way.
  virtual void step(const std::string& what, int done, int total) = 0;
  // One line the user should see although nothing is wrong.
  virtual void note(const std::string& line) = 0;
};

// A sink for callers that do not care.
class NoProgress : public ProgressSink {
 public:
  void step(const std::string&, int, int) override {}
  void note(const std::string&) override {}
};

}  // namespace roofbeam
