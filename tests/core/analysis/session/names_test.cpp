#include <gtest/gtest.h>

#include "core/analysis/session/names.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;

namespace {

// The names that the window shows for kernels with these full and short names.
std::vector<std::string> names_of(const std::vector<std::pair<std::string, std::string>>& kernels) {
  auto data = test::empty_trace();
  for (const auto& [name, short_name] : kernels) {
    test::add_kernel(data, name, 1);
    test::column<std::uint32_t>(data, "kernels", "short_name").back() = data.strings.intern(short_name).value;
  }
  const test::OpenSession open({data});
  const auto all = NameTable(*open.session).names();
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kernels.size())};
}

} // namespace

TEST(Names, AreShortWhereTheseDistinguishKernels) {
  EXPECT_EQ(names_of({{"void add<int>(int*)", "add"}, {"scale(float)", "scale"}}),
            (std::vector<std::string>{"add", "scale"}));
}

TEST(Names, CarryTheirTemplateArgumentsWhereShortOnesAreTheSame) {
  EXPECT_EQ(names_of({{"void bench<int, std::array<int, 2>>(int*)", "bench"},
                      {"void bench<float, 8u>(float*)", "bench"},
                      {"bench", "bench"}}),
            (std::vector<std::string>{"bench<int, std::array<int, 2>>", "bench<float, 8u>", "bench"}));
}
