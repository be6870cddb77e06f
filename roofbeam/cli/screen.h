// SPDX-License-Identifier: Apache-2.0
// The terminal: what it can show, and the progress line on it. The only place that prints.
#pragma once

#include <string>
#include <string_view>

#include "roofbeam/base/progress.h"
#include "roofbeam/base/result.h"
#include "roofbeam/report/document.h"

namespace roofbeam {

enum class ColorWish { automatic, always, never };

// Of standard output: its width (or COLUMNS, or 80), whether it takes colour and unicode.
TerminalStyle style_of_stdout(ColorWish wish);

// How writing to standard output ended.
enum class Written { all, reader_gone, failed };
Written write_stdout(std::string_view text, std::string& reason);
void write_stderr(std::string_view text);

// "roofbeam: what (where)" and the hint below it.
std::string error_text(const Error& error);

// Draws progress on one line of stderr, only where that is a terminal; remarks always, unless
// quiet.
class ScreenProgress : public ProgressSink {
 public:
  explicit ScreenProgress(bool quiet);
  ~ScreenProgress() override;
  ScreenProgress(const ScreenProgress&) = delete;
  ScreenProgress& operator=(const ScreenProgress&) = delete;
  void step(const std::string& what, int done, int total) override;
  void note(const std::string& line) override;

 private:
  void clear();

  bool quiet_;
  bool draws_;
  bool drawn_ = false;
  double began_s_ = 0;  // of the steps under way
};

}  // namespace roofbeam
