#include "core/import/records/kernel_names.h"

#include <string>

#include <gtest/gtest.h>

namespace jitterscope::import {
namespace {

TEST(KernelNames, ShortNamesHaveNoScopesAndArguments) {
  EXPECT_EQ(short_kernel_name("void ns::f<int, 2>(float *)"), "f");
  EXPECT_EQ(short_kernel_name("void (anonymous namespace)::softmax<float>(float*, int)"), "softmax");
}

TEST(KernelNames, NsightComputeWritesUnnamedForAnonymousNamespaces) {
  EXPECT_EQ(short_kernel_name("void <unnamed>::copy<float>(const T1 *, T1 *)"), "copy");
  EXPECT_EQ(short_kernel_name("<unnamed>::nothing()"), "nothing");
  EXPECT_EQ(short_kernel_name("<unknown>"), "<unknown>");
}

// The texts of a draft move while names are added, so a name that is one of them is copied first.
TEST(KernelNames, MayBeTextsOfTheDraft) {
  Draft draft;
  KernelNames names(draft);
  for (int i = 0; i < 2'000; ++i) {
    const auto id = draft.strings.intern("ns::kernel_" + std::to_string(i) + "(int)");
    const auto kernel = names.of(draft.strings[id]).kernel;
    ASSERT_EQ(names.of("ns::kernel_" + std::to_string(i) + "(int)").kernel, kernel);
    ASSERT_EQ(draft.strings[StringId{draft.kernels[kernel].short_name}], "kernel_" + std::to_string(i));
  }
  EXPECT_EQ(draft.kernels.size(), 2'000u);
}

} // namespace
} // namespace jitterscope::import
