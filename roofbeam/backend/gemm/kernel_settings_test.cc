// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/gemm/kernel_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace roofbeam {
namespace {

std::vector<std::string> shown(const std::vector<Setting>& settings) {
  std::vector<std::string> list;
  for (const Setting& one : settings)
    list.push_back(one.variable + "=" + one.value + "/" + one.now);
  return list;
}

using Texts = std::vector<std::string>;

TEST(KernelSettings, AreThoseTheCpuHasTheInstructionsFor) {
  const Texts avx2 = {"sse2", "avx", "avx2", "fma"};
  EXPECT_EQ(shown(settings_to_try("openblas", avx2, {"PATH=/bin"})),
            (Texts{"OPENBLAS_CORETYPE=Zen/", "OPENBLAS_CORETYPE=Haswell/",
                   "OPENBLAS_CORETYPE=Sandybridge/"}));
  const Texts avx512 = {"avx", "avx2", "fma", "avx512f", "avx512dq", "avx512bw", "avx512vl"};
  EXPECT_EQ(shown(settings_to_try("openblas", avx512, {})).front(), "OPENBLAS_CORETYPE=SkylakeX/");
  EXPECT_EQ(shown(settings_to_try("openblas", {"asimd"}, {})),
            Texts{"OPENBLAS_CORETYPE=NEOVERSEN1/"});
  EXPECT_EQ(shown(settings_to_try("openblas", {}, {})), Texts{});
}

TEST(KernelSettings, WhatTheHostSetIsTakenAwayAndNotTriedAgain) {
  const Texts avx2 = {"avx", "avx2", "fma"};
  EXPECT_EQ(shown(settings_to_try("openblas", avx2, {"OPENBLAS_CORETYPE=Haswell"})),
            (Texts{"OPENBLAS_CORETYPE=/Haswell", "OPENBLAS_CORETYPE=Zen/Haswell",
                   "OPENBLAS_CORETYPE=Sandybridge/Haswell"}));
  EXPECT_EQ(shown(settings_to_try("onednn", avx2, {})), Texts{});
  EXPECT_EQ(shown(settings_to_try("onednn", avx2, {"DNNL_MAX_CPU_ISA=AVX2"})),
            Texts{"DNNL_MAX_CPU_ISA=/AVX2"});
  EXPECT_EQ(shown(settings_to_try("another", avx2, {"OPENBLAS_CORETYPE=Haswell"})), Texts{});
}

TEST(KernelSettings, AWorkersEnvironmentHasItInsteadOfTheUsers) {
  const Texts base = {"HOME=/h", "OPENBLAS_CORETYPE=Haswell"};
  const auto has = [](const Texts& list, const char* entry) {
    return std::find(list.begin(), list.end(), entry) != list.end();
  };
  const Texts as_set = worker_environment(base, {0});
  EXPECT_TRUE(has(as_set, "OPENBLAS_CORETYPE=Haswell"));
  const Texts other = worker_environment(base, {0}, {"OPENBLAS_CORETYPE", "Zen", "Haswell"});
  EXPECT_TRUE(has(other, "OPENBLAS_CORETYPE=Zen"));
  EXPECT_FALSE(has(other, "OPENBLAS_CORETYPE=Haswell"));
  EXPECT_TRUE(has(other, "HOME=/h"));
  for (const std::string& entry :
       worker_environment(base, {0}, {"OPENBLAS_CORETYPE", "", "Haswell"})) {
    EXPECT_NE(entry.rfind("OPENBLAS_CORETYPE", 0), 0U) << entry;
  }
}

}  // namespace
}  // namespace roofbeam
