// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/gemm/worker_session.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"
#include "roofbeam/kernel/freivalds.h"
#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/kernel/operands.h"

namespace roofbeam {
namespace {

constexpr const char* kSmaller = "try a smaller product, or bf16 instead of f32";

// Bytes that can be allocated without swapping or killing others; absent where /proc does not say.
std::optional<double> available_bytes() {
  const auto text = read_file("/proc/meminfo");
  if (!text) return std::nullopt;
  constexpr std::string_view kKey = "MemAvailable:";
  const std::size_t at = text->find(kKey);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t from = at + kKey.size();
  const auto kib = parse_real(trim(text->substr(from, text->find("kB", from) - from)));
  if (!kib) return std::nullopt;
  return *kib * 1024;
}

constexpr std::size_t kStagger = 4096 + 64;  // a page and a cache line

std::size_t bytes_of(std::int64_t rows, std::int64_t columns, Element element) {
  return static_cast<std::size_t>(rows * columns) * static_cast<std::size_t>(facts(element).bytes);
}

tl::unexpected<Error> too_large(double needed, std::optional<double> available) {
  return failed(format("the operands need {}, and {} can be had", show_binary(Bytes(needed)),
                       available ? show_binary(Bytes(*available)) : "less"),
                "", kSmaller);
}

}  // namespace

Pages::Pages(std::size_t bytes, std::size_t stagger) : bytes_(bytes + stagger), stagger_(stagger) {
  void* got = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) return;
  data_ = static_cast<std::byte*>(got);
  madvise(got, bytes_, MADV_HUGEPAGE);  // a wish: small pages do as well, a little slower
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), stagger_(other.stagger_) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(stagger_, other.stagger_);
  return *this;
}

Pages::~Pages() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

Json WorkerSession::answer(const Json& request) {
  auto ask = asked(request);
  if (!ask) return error_reply(ask.error());
  Result<Json> reply = failed(format("this worker cannot \"{}\"", *ask));
  try {
    if (*ask == "describe") reply = description_reply(library_->describe());
    if (*ask == "prepare") reply = prepare(request);
    if (*ask == "run") reply = run(request);
    if (*ask == "check") reply = check();
  } catch (const std::bad_alloc&) {
    reply = failed("the library found too little memory", "", kSmaller);
  } catch (const std::exception& problem) {
    reply = failed(format("the library failed: {}", problem.what()));
  }
  return reply ? *reply : error_reply(reply.error());
}

Result<Json> WorkerSession::prepare(const Json& request) {
  auto task = task_from(request);
  if (!task) return fail(task.error());
  const std::vector<DataType>& types = find_kernel("matmul")->types;
  if (std::find(types.begin(), types.end(), task->dtype) == types.end()) {
    std::vector<std::string> known;
    for (DataType type : types) known.emplace_back(name(type));
    return failed(format("products of {} are not computed here", name(task->dtype)), "",
                  "there are: " + join(known, ", "));
  }
  prepared_ = ran_ = false;
  task_ = *task;
  for (Pages* pages : {&a_, &b_, &c_}) *pages = Pages();
  const Shape& s = task_.shape;
  // In doubles: the sides may be so long that their product overflows.
  const double needed = matmul_work(s, task_.dtype).footprint.value();
  const auto available = available_bytes();
  if (needed > 0x1p62 || (available && needed > *available)) return too_large(needed, available);
  const ProductElements elements = product_elements(task_.dtype);
  a_ = Pages(bytes_of(s.m, s.k, elements.a));
  b_ = Pages(bytes_of(s.k, s.n, elements.b), kStagger);
  c_ = Pages(bytes_of(s.m, s.n, elements.c), 2 * kStagger);
  if (!a_.data() || !b_.data() || !c_.data()) return too_large(needed, std::nullopt);
  fill();
  auto uses = library_->prepare(s, task_.dtype, a_.data(), b_.data(), c_.data());
  if (!uses) return fail(uses.error());
  prepared_ = true;
  return prepared_reply(*uses, needed);
}

void WorkerSession::fill() {
  const Shape& s = task_.shape;
  fill_operand(Operand::a, task_.dtype, task_.operands, task_.seed, 0, s.m * s.k, a_.data());
  fill_operand(Operand::b, task_.dtype, task_.operands, task_.seed, 0, s.k * s.n, b_.data());
  // All bits set is a NaN in every type of floating point; a whole number of these bytes is below
  // any that a product has.
  const Element c = product_elements(task_.dtype).c;
  std::memset(c_.data(), c == Element::s32 ? 0x80 : 0xFF, bytes_of(s.m, s.n, c));
}

Result<Json> WorkerSession::run(const Json& request) {
  auto repeats = repeats_from(request);
  if (!repeats) return fail(repeats.error());
  if (!prepared_) return failed("asked to run before anything was prepared");
  std::vector<Span> spans;
  spans.reserve(static_cast<std::size_t>(*repeats));
  for (int i = 0; i < *repeats; ++i) {
    Span span;
    span.start_ns = monotonic_ns();
    auto done = library_->multiply();
    span.end_ns = monotonic_ns();
    if (!done) return fail(done.error());
    spans.push_back(span);
  }
  ran_ = true;
  return spans_reply(spans);
}

Result<Json> WorkerSession::check() const {
  if (!ran_) return failed("asked to check before anything ran");
  const Shape& s = task_.shape;
  const ProductElements elements = product_elements(task_.dtype);
  return check_reply(check_product({a_.data(), s.m, s.k, elements.a},
                                   {b_.data(), s.k, s.n, elements.b},
                                   {c_.data(), s.m, s.n, elements.c}, task_.seed));
}

}  // namespace roofbeam
