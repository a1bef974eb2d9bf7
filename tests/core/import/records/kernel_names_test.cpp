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

TEST(KernelNames, NamesThatAreNoSignaturesLoseNoText) {
  for (const char* name : {"copy #2 50% ü", "reduce #1 50% ü", "conv 3x3", "Conv 3x3 (fp16)", "gemm kernel",
                           "My kernel (v2)", "conv(3x3)", "copy(#2)", "step(1) b", "f(a) b", "conv[3x3]",
                           "a::b c", "layer 1: relu", "GEMM 128x128 <fp16>"})
    EXPECT_EQ(short_kernel_name(name), name);
}

TEST(KernelNames, SignaturesMayHaveTypesClonesAndQualifiers) {
  EXPECT_EQ(short_kernel_name("unsigned int ns::count(int const*)"), "count");
  EXPECT_EQ(short_kernel_name("std::enable_if<true, void>::type a::b<3>(x)"), "b");
  EXPECT_EQ(short_kernel_name("f(int) [clone .constprop.0]"), "f");
  EXPECT_EQ(short_kernel_name("a::g() const"), "g");
  EXPECT_EQ(short_kernel_name("void f<int, ns::Long<float"), "f"); // truncated
  EXPECT_EQ(short_kernel_name("gemm_kernel<float, 128>(float const*, int)"), "gemm_kernel");
  EXPECT_EQ(short_kernel_name("aten::add"), "add");
  EXPECT_EQ(short_kernel_name("größe(int)"), "größe");
  EXPECT_EQ(short_kernel_name("void f(...)"), "f");
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
