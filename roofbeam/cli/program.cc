// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/cli/program.h"

#include <exception>
#include <utility>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"
#include "roofbeam/base/version.h"
#include "roofbeam/cli/commands.h"
#include "roofbeam/cli/help.h"
#include "roofbeam/cli/screen.h"

namespace roofbeam {
namespace {

// CLI.md: the exit codes.
constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kCannotTell = 3;
constexpr int kMissed = 4;
constexpr int kInterrupted = 130;

int exit_code(const Error& error) {
  switch (error.code) {
    case ErrorCode::failed:
      return kFailed;
    case ErrorCode::usage:
      return kUsage;
    case ErrorCode::cannot_tell:
      return kCannotTell;
    case ErrorCode::interrupted:
      return kInterrupted;
  }
  return kFailed;
}

int exit_code(const AnswerState& state, bool strict) {
  if (!state.complete) return kInterrupted;
  if (state.standing >= Standing::invalid) return kCannotTell;
  if (state.standing == Standing::degraded && strict) return kCannotTell;
  return kDone;
}

int complain(const Error& error) {
  write_stderr(error_text(error));
  return exit_code(error);
}

int print(std::string_view text) {
  std::string reason;
  switch (write_stdout(text, reason)) {
    case Written::all:
      return kDone;
    case Written::reader_gone:
      return kFailed;  // it wants no more, and no complaint either
    case Written::failed:
      break;
  }
  return complain(
      {ErrorCode::failed, "could not write the result: " + reason, "standard output", ""});
}

Result<ColorWish> color_wish(const Given& given) {
  const std::string wish = given.text("color", "auto");
  if (wish == "auto") return ColorWish::automatic;
  if (wish == "always") return ColorWish::always;
  if (wish == "never") return ColorWish::never;
  return usage_error(format("\"{}\" is no answer to --color", wish), "--color",
                     suggest(wish, {"auto", "always", "never"}));
}

std::string rendered(const Outcome& outcome, const Given& given, ColorWish wish) {
  if (given.has("json")) return write_json(outcome.json) + "\n";
  if (given.has("md")) return to_markdown(outcome.document);
  return to_terminal(outcome.document, style_of_stdout(wish));
}

// Prints first: a file that cannot be written must not cost the result.
int deliver(const Outcome& outcome, const Given& given, ColorWish wish) {
  // In the document warnings stand where they belong; beside JSON a person would miss them.
  if (given.has("json") && !given.has("quiet")) {
    for (const Warning& warning : outcome.state.warnings) {
      write_stderr("roofbeam: warning: " + warning.text + "\n");
    }
  }
  int code = print(rendered(outcome, given, wish));
  if (given.has("output")) {
    auto done = write_file_atomic(given.text("output"), write_json(outcome.json) + "\n");
    if (!done) code = complain(done.error());
  }
  if (given.has("html")) {
    auto done = write_file_atomic(given.text("html"), to_html(outcome.document));
    if (!done) code = complain(done.error());
  }
  if (code == kDone) code = exit_code(outcome.state, given.has("strict"));
  return code == kDone && outcome.missed ? kMissed : code;
}

int run_command(const CommandRow& command, const std::vector<std::string>& arguments,
                const std::atomic<bool>& stop) {
  std::vector<OptionRow> rows = command.options;
  rows.insert(rows.end(), common_options().begin(), common_options().end());
  auto given = read_arguments(std::string(command.name), rows, arguments, command.rest);
  if (!given) return complain(given.error());
  if (given->has("help")) return print(command_help(command));
  for (const char* file : {"output", "html"}) {
    if (given->has(file) && given->text(file).empty()) {
      return complain({ErrorCode::usage, "an empty file name", format("--{}", file), ""});
    }
  }
  auto wish = color_wish(*given);
  if (!wish) return complain(wish.error());
  Result<Outcome> outcome = [&] {
    ScreenProgress progress(given->has("quiet"));
    return command.run(*given, Caller{StopToken(stop), progress});
  }();
  if (!outcome) return complain(outcome.error());
  return deliver(*outcome, *given, *wish);
}

int run_help(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return print(program_help());
  if (arguments.size() > 1) {
    return complain({ErrorCode::usage, format("\"{}\" is too much here", arguments[1]), "help",
                     "one topic at a time"});
  }
  auto text = topic_help(arguments.front());
  return text ? print(*text) : complain(text.error());
}

int run_any(std::vector<std::string> arguments, const std::atomic<bool>& stop) {
  if (arguments.empty()) return run_command(main_job(), {}, stop);
  const std::string first = arguments.front();
  if (first == "--version") return print(format("roofbeam {}\n", version()));
  if (first == "--help" || first == "-h") return print(program_help());
  if (first.rfind('-', 0) == 0) return run_command(main_job(), arguments, stop);
  arguments.erase(arguments.begin());
  if (first == "help") return run_help(arguments);
  std::vector<std::string> known = {"help"};
  for (const CommandRow& command : commands()) {
    if (command.name == first) return run_command(command, arguments, stop);
    known.emplace_back(command.name);
  }
  return complain(
      {ErrorCode::usage, format("there is no command \"{}\"", first), "", suggest(first, known)});
}

}  // namespace

// What the system refuses in the middle of things (memory, threads) is an answer too.
int run_program(std::vector<std::string> arguments, const std::atomic<bool>& stop) {
  try {
    return run_any(std::move(arguments), stop);
  } catch (const std::exception& error) {
    return complain({ErrorCode::failed, format("the system refused: {}", error.what()), "",
                     "raise the limits of memory and processes, or use less with --threads"});
  }
}

}  // namespace roofbeam
