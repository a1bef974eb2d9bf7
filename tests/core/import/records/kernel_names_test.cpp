#include "core/import/records/kernel_names.h"

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

} // namespace
} // namespace jitterscope::import
