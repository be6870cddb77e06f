// SPDX-License-Identifier: Apache-2.0
// Times a region of a program and writes it down for `roofbeam place --from`. Stands alone: C++11,
// nothing to link. One object a region, used by one thread:
//
//   roofbeam::region step("step", flops, bytes_read, bytes_written);
//   for (…) { step.start(); …; step.stop(); }
//   step.write("step.json");                          then: roofbeam place --from step.json
//
// All amounts are of one execution, from start() to stop(), and counted by what the work needs: a
// multiply-add is 2 flops, bytes are those of each array read and each array written. `footprint`
// is the memory it holds at once (0: as much as it moves). Five executions or more give a time with
// an interval; leave out the first, which meets cold caches and new pages. write() is false where
// the file could not be written.
#pragma once

#include <chrono>
#include <fstream>
#include <locale>
#include <string>
#include <vector>

namespace roofbeam {

class region {
 public:
  region(const std::string& name, double flops, double bytes_read, double bytes_written = 0,
         const std::string& dtype = "f32", double footprint = 0)
      : name_(name), dtype_(dtype), amounts_{flops, bytes_read, bytes_written, footprint} {}
  void start() { start_ = std::chrono::steady_clock::now(); }
  void stop() {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    times_.push_back(took.count());
  }
  bool write(const std::string& path) const {
    std::ofstream out(path.c_str());
    out.imbue(std::locale::classic());
    out.precision(17);
    out << "{\"schema\":\"roofbeam.workload/1\",\"name\":" << quoted(name_)
        << ",\"operations\":[{\"name\":" << quoted(name_) << ",\"dtype\":" << quoted(dtype_)
        << ",\"work_flop\":" << amounts_[0]
        << ",\"traffic\":[{\"memory\":\"dram\",\"read_bytes\":" << amounts_[1]
        << ",\"written_bytes\":" << amounts_[2] << "}],\"footprint_bytes\":" << amounts_[3]
        << "}],\"waits\":[],\"times_s\":[";
    for (std::size_t i = 0; i < times_.size(); ++i) out << (i == 0 ? "" : ",") << times_[i];
    out << "]}\n";
    return static_cast<bool>(out.flush());
  }

 private:
  static std::string quoted(const std::string& text) {
    std::string made = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') made += '\\';
      made += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return made + '"';
  }

  std::string name_, dtype_;
  double amounts_[4];
  std::chrono::steady_clock::time_point start_;
  std::vector<double> times_;
};

}  // namespace roofbeam
