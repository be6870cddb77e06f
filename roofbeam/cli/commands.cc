// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/cli/commands.h"

#include <cstdlib>

#include "roofbeam/base/format.h"
#include "roofbeam/command/amdahl.h"
#include "roofbeam/command/devices.h"
#include "roofbeam/command/matmul.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

template <class Answer>
Outcome outcome(const Answer& answer, AnswerState state = {}) {
  return {to_json(answer), document(answer), std::move(state)};
}

// A list of numbers between commas; `read` takes one.
Result<std::vector<double>> numbers(const Given& given, std::string_view key,
                                    std::vector<double> fallback,
                                    Result<double> (*read)(std::string_view)) {
  if (!given.has(key)) return fallback;
  std::vector<double> values;
  for (const std::string& part : split(given.text(key), ',')) {
    auto value = read(part);
    if (!value) {
      Error error = value.error();
      error.where = format("-{}", key);
      return fail(error);
    }
    values.push_back(*value);
  }
  return values;
}

// --profile, else ROOFBEAM_PROFILE.
std::string profile_of(const Given& given) {
  const char* variable = std::getenv("ROOFBEAM_PROFILE");
  return given.text("profile", variable == nullptr ? "" : variable);
}

Result<Outcome> run_amdahl(const Given& given, const Caller&) {
  AmdahlOptions options;
  auto parallel = numbers(given, "p", options.parallel, parse_fraction);
  if (!parallel) return fail(parallel.error());
  auto workers = numbers(given, "N", options.workers, parse_real);
  if (!workers) return fail(workers.error());
  options.parallel = *parallel;
  options.workers = *workers;
  options.gustafson = given.has("gustafson");
  auto answer = amdahl(options);
  if (!answer) return fail(answer.error());
  return outcome(*answer);
}

Result<Outcome> run_devices(const Given& given, const Caller& caller) {
  auto answer = devices({given.text("device")}, caller.stop);
  if (!answer) return fail(answer.error());
  return outcome(*answer);
}

Result<Outcome> run_matmul(const Given& given, const Caller& caller) {
  MatmulOptions options;
  auto n = given.integer("n", options.n);
  if (!n) return fail(n.error());
  // Zero means "as n" inside; typed by a user it is a size like any other, and refused.
  auto m = given.integer("m", *n);
  if (!m) return fail(m.error());
  auto k = given.integer("k", *n);
  if (!k) return fail(k.error());
  for (auto [size, name] : {std::pair{*n, "-n"}, std::pair{*m, "-m"}, std::pair{*k, "-k"}}) {
    if (size < 1) return usage_error(format("{} is no size of a matrix", size), name, "1 or more");
  }
  auto reps = given.integer("reps", 0);
  if (!reps) return fail(reps.error());
  if (given.has("reps") && (*reps < 1 || *reps > 100000)) {
    return usage_error(format("{} is no number of repetitions", *reps), "--reps", "1 to 100000");
  }
  auto threads = given.integer("threads", 0);
  if (!threads) return fail(threads.error());
  if (given.has("threads") && (*threads < 1 || *threads > 1'000'000)) {
    return usage_error(format("{} is no number of threads", *threads), "--threads", "1 or more");
  }
  options.n = *n;
  options.m = *m;
  options.k = *k;
  options.dtype = given.text("dtype", options.dtype);
  options.library = given.text("library", options.library);
  options.reps = static_cast<int>(*reps);
  options.constant = given.has("constant");
  options.where = {given.text("device"), static_cast<int>(*threads), profile_of(given)};
  auto answer = matmul(options, caller);
  if (!answer) return fail(answer.error());
  return outcome(*answer, answer->state);
}

}  // namespace

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> rows = {
      {"matmul",
       "Measures a matrix product and says which ceiling holds it back.",
       {{"-n", "N", "columns of B and C, and the default of -m and -k (2048)"},
        {"-m", "M", "rows of A and C"},
        {"-k", "K", "columns of A, rows of B: the length of each dot product"},
        {"--dtype", "T", "f32 or bf16 (f32)"},
        {"--library", "NAME", "auto, onednn, openblas, blocked or naive (auto: fastest)"},
        {"--reps", "R", "timed products in each of the five rounds (until narrow)"},
        {"--constant", "", "constant operands instead of random ones"},
        {"--device", "D", "cpu, or fake:FILE for a fake machine (cpu)"},
        {"--threads", "N", "workers (every core this process may use)"},
        {"--profile", "FILE", "ceilings from this file (ROOFBEAM_PROFILE, else saved ones)"}},
       run_matmul},
      {"devices",
       "Shows what is here, what this process may use, what can be computed.",
       {{"--device", "D", "only this one (all)"}},
       run_devices},
      {"amdahl",
       "Shows what more workers buy when only a share of work is parallel.",
       {{"-p", "LIST", "parallel shares, as 0.95 or 95% (0.5,0.9,0.95,0.99)"},
        {"-N", "LIST", "numbers of workers (2,8,1000)"},
        {"--gustafson", "", "let the problem grow with the workers (Gustafson's law)"}},
       run_amdahl},
  };
  return rows;
}

const CommandRow& main_job() {
  return commands().front();
}

const std::vector<OptionRow>& common_options() {
  static const std::vector<OptionRow> rows = {
      {"--json", "", "print the answer as JSON and nothing else"},
      {"-o,--output", "FILE", "also write that JSON to a file"},
      {"--html", "FILE", "also write a page with pictures that needs nothing else"},
      {"--md", "", "print Markdown to paste"},
      {"-q,--quiet", "", "no progress and no remarks on stderr"},
      {"--color", "WHEN", "auto, always or never (auto; NO_COLOR is honoured)"},
      {"--strict", "", "exit 3 where the standing is degraded"},
      {"-h,--help", "", "this text"},
  };
  return rows;
}

}  // namespace roofbeam
