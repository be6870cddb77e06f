// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/cli/help.h"

#include <algorithm>

#include "roofbeam/base/embedded.h"
#include "roofbeam/base/format.h"
#include "roofbeam/base/version.h"
#include "roofbeam/report/text_width.h"

namespace roofbeam {

const std::vector<EmbeddedText>& method_pages();   // docs/methods/*.md
const std::vector<EmbeddedText>& example_pages();  // examples/*.txt: commands and their real output

namespace {

constexpr int kColumns = 80;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string option_lines(const std::vector<OptionRow>& rows) {
  std::string text;
  for (const OptionRow& row : rows) {
    std::string left = join(split(row.names, ','), ", ");
    if (!row.value.empty()) left += " " + std::string(row.value);
    text += format("  {:<18} {}\n", left, row.sentence);
  }
  return text;
}

// An examples page as a reader wants it. In the file, a printed line that looks like the file's own
// marks has a backslash in front, and our version stands as {version}.
std::string shown(std::string_view page) {
  std::string text;
  for (const std::string& raw : lines_of(page)) {
    std::string line = raw;
    if (line.rfind('\\', 0) == 0) line.erase(0, 1);
    constexpr std::string_view kVersion = "{version}";
    if (const auto at = line.find(kVersion); at != std::string::npos) {
      line.replace(at, kVersion.size(), version());
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string program_help() {
  std::string text = format(
      "roofbeam {}: which ceiling holds this workload back,\nand what would lifting it buy?\n\n"
      "usage: roofbeam COMMAND [options]      bare roofbeam runs {}\n\ncommands\n",
      version(), main_job().name);
  for (const CommandRow& command : commands()) {
    text += format("  {:<9} {}\n", command.name, command.sentence);
  }
  text +=
      "\n`roofbeam COMMAND --help` shows its options and examples; `roofbeam help TOPIC`\n"
      "explains a number:\n";
  std::vector<std::string> topics;
  for (const EmbeddedText& page : method_pages()) topics.emplace_back(page.name);
  for (const std::string& line : wrap(join(topics, ", ") + ".", kColumns)) text += line + "\n";
  return text;
}

std::string command_help(const CommandRow& command) {
  std::string places;  // what stands without an option's name
  for (const OptionRow& row : command.options) {
    if (row.names.front() != '-') places += " " + std::string(row.names);
  }
  const std::string rest = command.rest.empty() ? "" : format(" [-- {}]", command.rest);
  std::string text = format("{}\n\nusage: roofbeam {}{} [options]{}\n\n", command.sentence,
                            command.name, places, rest);
  text +=
      option_lines(command.options) + "\nas with every command\n" + option_lines(common_options());
  for (const EmbeddedText& page : example_pages()) {
    if (page.name == command.name) text += "\nexamples\n\n" + shown(page.content);
  }
  return text;
}

Result<std::string> topic_help(const std::string& topic) {
  std::vector<std::string> known;
  for (const CommandRow& command : commands()) {
    if (command.name == topic) {
      std::string text = command_help(command);
      for (const EmbeddedText& page : method_pages()) {
        if (page.name == topic) text += "\n" + std::string(page.content);
      }
      return text;
    }
    known.emplace_back(command.name);
  }
  for (const EmbeddedText& page : method_pages()) {
    if (page.name == topic) return std::string(page.content);
    if (std::find(known.begin(), known.end(), page.name) == known.end()) {
      known.emplace_back(page.name);
    }
  }
  return usage_error(format("there is no topic \"{}\"", topic), "help", suggest(topic, known));
}

}  // namespace roofbeam
