// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/gemm/gemm_backend.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "roofbeam/base/clock.h"
#include "roofbeam/kernel/kernel_table.h"

namespace roofbeam {
namespace {

const std::string kBin = ROOFBEAM_BIN_DIR;

Problem product(Shape shape, DataType type = DataType::f32) {
  Problem problem;
  problem.spec = find_kernel("matmul");
  problem.shape = shape;
  problem.dtype = type;
  problem.seed = 3;
  return problem;
}

class GemmBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cpu_.id = "cpu";
    cpu_.name = "the test's CPU";
    if (::access((kBin + "/test_workers/good/roofbeam-gemm-onednn").c_str(), X_OK) != 0) {
      GTEST_SKIP() << "the test workers were not built";
    }
  }
  void TearDown() override {
    ::unsetenv("ROOFBEAM_WORKER_DIR");
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
    EXPECT_EQ(errno, ECHILD);
  }

  std::unique_ptr<Backend> with(const std::string& fault) {
    ::setenv("ROOFBEAM_WORKER_DIR", (kBin + "/test_workers/" + fault).c_str(), 1);
    return open_gemm_backend(cpu_);
  }
  Result<std::unique_ptr<Kernel>> prepared(Backend& backend, const Problem& problem,
                                           const std::string& library = "onednn") {
    Variant variant;
    variant.name = library;
    return backend.prepare(cpu_, problem, variant, Placement{});
  }
  static std::string path_of(const std::string& fault) {
    return kBin + "/test_workers/" + fault + "/roofbeam-gemm-onednn";
  }

  Device cpu_;
};

TEST_F(GemmBackendTest, OffersTheDeviceAndTheVariantsOfItsTypes) {
  auto backend = with("good");
  EXPECT_EQ(backend->devices(), std::vector<Device>{cpu_});
  const auto f32 = backend->variants(cpu_, product({8, 8, 8}));
  ASSERT_EQ(f32.size(), 1u);
  EXPECT_EQ(f32[0].name, "onednn");
  EXPECT_EQ(f32[0].sentence, "Loops 1.0 (loops)");
  EXPECT_EQ(backend->variants(cpu_, product({8, 8, 8}, DataType::bf16)).at(0).sentence,
            "Loops 1.0");
  EXPECT_TRUE(backend->variants(cpu_, product({8, 8, 8}, DataType::int8)).empty());
  Device other = cpu_;
  other.id = "opencl:0";
  EXPECT_TRUE(backend->variants(other, product({8, 8, 8})).empty());
}

TEST_F(GemmBackendTest, NamesWhatIsMissingAndThePackageToBuildWith) {
  auto backend = with("nothing");
  EXPECT_TRUE(backend->devices().empty());
  EXPECT_TRUE(backend->variants(cpu_, product({8, 8, 8})).empty());
  const auto missing = backend->missing();
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_EQ(missing[0].what, "onednn");
  EXPECT_EQ(missing[0].why, "roofbeam-gemm-onednn is not in " + kBin + "/test_workers/nothing");
  EXPECT_EQ(missing[0].hint, "build roofbeam where libdnnl-dev is installed");
  EXPECT_EQ(missing[1].hint, "build roofbeam where libopenblas-pthread-dev is installed");
  EXPECT_EQ(prepared(*backend, product({8, 8, 8})).error().what, missing[0].why);
}

TEST_F(GemmBackendTest, AProductIsRunCheckedAndItsSpansLieWhereItWasAsked) {
  auto backend = with("good");
  for (DataType type : {DataType::f32, DataType::bf16}) {
    auto kernel = prepared(*backend, product({30, 40, 50}, type));
    ASSERT_TRUE(kernel) << kernel.error().what;
    const std::int64_t begin = monotonic_ns();
    const auto spans = (*kernel)->run(5, StopToken());
    const std::int64_t end = monotonic_ns();
    ASSERT_TRUE(spans) << spans.error().what;
    EXPECT_EQ(spans->mode, Spans::Mode::together);
    ASSERT_EQ(spans->workers.size(), 1u);
    ASSERT_EQ(spans->workers[0].size(), 5u);
    EXPECT_GE(spans->workers[0].front().start_ns, begin);
    EXPECT_LE(spans->workers[0].back().end_ns, end);
    const auto check = (*kernel)->check();
    ASSERT_TRUE(check) << check.error().what;
    EXPECT_TRUE(check->passed) << check->complaint;
    EXPECT_EQ((*kernel)->executed_shape(), (Shape{30, 40, 50}));
  }
}

TEST_F(GemmBackendTest, MoreRepeatsThanOneRequestTakesAreAllRun) {
  auto backend = with("good");
  auto kernel = prepared(*backend, product({1, 1, 1}));
  ASSERT_TRUE(kernel);
  const auto spans = (*kernel)->run(25'000, StopToken());
  ASSERT_TRUE(spans) << spans.error().what;
  EXPECT_EQ(spans->workers.at(0).size(), 25'000u);
}

TEST_F(GemmBackendTest, TheCpuTimeOfALivingWorkerIsOurs) {
  auto backend = with("good");
  const DeviceState before = backend->state(cpu_, Placement{{0}});
  auto kernel = prepared(*backend, product({300, 300, 300}));
  ASSERT_TRUE(kernel);
  ASSERT_TRUE((*kernel)->run(10, StopToken()));
  const DeviceState during = backend->state(cpu_, Placement{{0}});
  kernel->reset();
  const DeviceState after = backend->state(cpu_, Placement{{0}});
  ASSERT_TRUE(before.own_s && during.own_s && after.own_s);
  EXPECT_GT(*during.own_s - *before.own_s, 0.05);
  EXPECT_NEAR(*after.own_s, *during.own_s, 0.05);
}

TEST_F(GemmBackendTest, AWrongProductIsAFailedCheck) {
  auto backend = with("wrong");
  auto kernel = prepared(*backend, product({64, 64, 64}));
  ASSERT_TRUE(kernel) << kernel.error().what;
  ASSERT_TRUE((*kernel)->run(1, StopToken()));
  const auto check = (*kernel)->check();
  ASSERT_TRUE(check) << check.error().what;
  EXPECT_FALSE(check->passed);
  EXPECT_GT(check->error, 100);
  EXPECT_NE(check->complaint, "");
}

TEST_F(GemmBackendTest, ACrashNamesLibrarySignalProductAndWhatToTry) {
  auto backend = with("crash");
  auto kernel = prepared(*backend, product({16, 17, 18}));
  ASSERT_TRUE(kernel) << kernel.error().what;
  const auto spans = (*kernel)->run(3, StopToken());
  ASSERT_FALSE(spans);
  EXPECT_EQ(spans.error(),
            (Error{ErrorCode::failed,
                   "the f32 product of m 16, n 17, k 18 failed: oneDNN crashed: signal 11 "
                   "(Segmentation fault); its last words: about to crash",
                   path_of("crash"),
                   "try another --library, or ONEDNN_MAX_CPU_ISA=AVX2 for other kernels"}));
  EXPECT_FALSE((*kernel)->check());
}

TEST_F(GemmBackendTest, AStopDuringAProductIsAnInterruption) {
  auto backend = with("slow");
  auto kernel = prepared(*backend, product({16, 16, 16}));
  ASSERT_TRUE(kernel) << kernel.error().what;
  std::atomic<bool> stop{false};
  std::thread later([&stop] {
    ::usleep(100'000);
    stop = true;
  });
  const std::int64_t begin = monotonic_ns();
  const auto spans = (*kernel)->run(3, StopToken(stop));
  const std::int64_t waited = monotonic_ns() - begin;
  later.join();
  ASSERT_FALSE(spans);
  EXPECT_EQ(spans.error().code, ErrorCode::interrupted);
  EXPECT_LT(waited, 1'000'000'000);
}

TEST_F(GemmBackendTest, AWorkerThatDoesNotDescribeItselfIsMissingAndAnErrorToPrepare) {
  struct Row {
    const char* fault;
    const char* what;
  };
  for (const Row& row :
       {Row{"garbage", "oneDNN's worker answered in a way that makes no sense: "},
        Row{"version", "this worker speaks protocol 99, and this roofbeam speaks 1"},
        Row{"quit", "oneDNN's worker ended too early, with exit code 127; its last words: "}}) {
    auto backend = with(row.fault);
    EXPECT_EQ(backend->missing().size(), 1u);  // not asked yet, so only OpenBLAS
    EXPECT_TRUE(backend->variants(cpu_, product({8, 8, 8})).empty());
    const auto missing = backend->missing();
    ASSERT_EQ(missing.size(), 2u);
    EXPECT_EQ(missing[0].what, "onednn");
    EXPECT_EQ(missing[0].why.rfind(row.what, 0), 0u) << missing[0].why;
    const auto kernel = prepared(*backend, product({8, 8, 8}));
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error().what.rfind(row.what, 0), 0u) << kernel.error().what;
  }
}

TEST_F(GemmBackendTest, AProductThatDoesNotFitIsRefusedBeforeAnythingStarts) {
  cpu_.box.limits.memory_available = Bytes(0x1p30);
  auto backend = with("quit");  // would fail otherwise, in other words
  const auto kernel = prepared(*backend, product({65536, 65536, 65536}));
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error(),
            (Error{ErrorCode::failed, "the operands need 48 GiB, and 1 GiB can be had", "",
                   "try a smaller product, or bf16 instead of f32"}));
}

TEST_F(GemmBackendTest, AWorkerIsDescribedOnceAndOnlyForProducts) {
  // A copy that can be taken away: what is described already needs no second start.
  const std::filesystem::path folder = std::filesystem::path(kBin) / "test_workers" / "brief";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(path_of("good"), path_of("brief"),
                             std::filesystem::copy_options::overwrite_existing);
  auto backend = with("brief");
  Problem other = product({8, 8, 8});
  other.spec = find_kernel("fma");
  EXPECT_TRUE(backend->variants(cpu_, other).empty());
  const auto first = backend->variants(cpu_, product({8, 8, 8}));
  EXPECT_EQ(first.size(), 1u);
  // Away with it first: a program that still ends cannot be written to.
  std::filesystem::remove(path_of("brief"));
  std::filesystem::copy_file(path_of("quit"), path_of("brief"));
  EXPECT_EQ(backend->variants(cpu_, product({9, 9, 9})).size(), 1u);
  EXPECT_TRUE(with("brief")->variants(cpu_, product({8, 8, 8})).empty());
  std::filesystem::remove_all(folder);
}

TEST_F(GemmBackendTest, OtherKernelsAreProvedInTheWorkerThatWouldUseThem) {
  ::setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
  auto backend = with("moody");
  const Setting unset{"ONEDNN_MAX_CPU_ISA", "", "AVX2"};
  const auto variants = backend->variants(cpu_, product({40, 40, 40}));
  ASSERT_EQ(variants.size(), 1U);
  EXPECT_EQ(variants[0].others, std::vector<Setting>{unset});

  auto as_it_is = prepared(*backend, product({40, 40, 40}));
  ASSERT_TRUE(as_it_is) << as_it_is.error().what;
  ASSERT_TRUE((*as_it_is)->run(1, StopToken()));
  EXPECT_TRUE((*as_it_is)->check()->passed);

  Variant other = variants[0];
  other.setting = unset;
  const auto refused = backend->prepare(cpu_, product({40, 40, 40}), other, Placement{});
  ::unsetenv("ONEDNN_MAX_CPU_ISA");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what.rfind("wrong at m 7, n 8, k 9: ", 0), 0U) << refused.error().what;
  EXPECT_EQ(refused.error().hint, "keep the kernels it uses now");
}

TEST_F(GemmBackendTest, AWorkerThatIsSpoiltUnderASettingIsAnErrorOfIt) {
  for (const char* fault : {"crash", "quit", "garbage"}) {
    auto backend = with(fault);
    Variant other;
    other.name = "onednn";
    other.setting = {"ONEDNN_MAX_CPU_ISA", "AVX2", ""};
    EXPECT_FALSE(backend->prepare(cpu_, product({40, 40, 40}), other, Placement{})) << fault;
  }
  auto good = with("good");
  Variant other;
  other.name = "onednn";
  other.setting = {"ONEDNN_MAX_CPU_ISA", "AVX2", ""};
  EXPECT_TRUE(good->prepare(cpu_, product({40, 40, 40}), other, Placement{}));
}

// The real libraries, where their workers were built.
class RealLibrary : public GemmBackendTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    cpu_.id = "cpu";
    if (::access((kBin + "/roofbeam-gemm-" + GetParam()).c_str(), X_OK) != 0) {
      GTEST_SKIP() << "the worker of " << GetParam() << " was not built";
    }
    ::setenv("ROOFBEAM_WORKER_DIR", kBin.c_str(), 1);
    backend_ = open_gemm_backend(cpu_);
  }
  bool offers(DataType type) {
    const auto list = backend_->variants(cpu_, product({8, 8, 8}, type));
    return std::any_of(list.begin(), list.end(),
                       [](const Variant& v) { return v.name == GetParam(); });
  }
  std::unique_ptr<Backend> backend_;
};

TEST_P(RealLibrary, IsRightOnManyShapes) {
  EXPECT_TRUE(offers(DataType::f32));
  for (DataType type : find_kernel("matmul")->types) {
    if (!offers(type)) continue;
    for (Shape shape :
         {Shape{1, 1, 1}, Shape{1, 64, 64}, Shape{64, 1, 64}, Shape{64, 64, 1}, Shape{17, 31, 13},
          Shape{128, 128, 128}, Shape{3, 500, 700}, Shape{255, 257, 1023}, Shape{40, 40, 8192}}) {
      auto kernel = prepared(*backend_, product(shape, type), GetParam());
      ASSERT_TRUE(kernel) << kernel.error().what;
      const auto spans = (*kernel)->run(2, StopToken());
      ASSERT_TRUE(spans) << spans.error().what;
      const auto check = (*kernel)->check();
      ASSERT_TRUE(check) << check.error().what;
      EXPECT_TRUE(check->passed) << name(type) << " m " << shape.m << " n " << shape.n << " k "
                                 << shape.k << ": " << check->complaint;
    }
  }
}

TEST_P(RealLibrary, RefusesATypeItDoesNotOffer) {
  for (DataType type : find_kernel("matmul")->types) {
    if (offers(type)) continue;
    const auto kernel = prepared(*backend_, product({8, 8, 8}, type), GetParam());
    ASSERT_FALSE(kernel) << name(type);
    EXPECT_EQ(kernel.error().code, ErrorCode::failed);
    EXPECT_NE(kernel.error().what, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Gemm, RealLibrary, ::testing::Values("onednn", "openblas"),
                         [](const auto& library) { return std::string(library.param); });

}  // namespace
}  // namespace roofbeam
