#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "tests/core/import/import_support.h"
#include "tests/core/import/temporary_files.h"

namespace jitterscope::import {

using Random = std::mt19937;

template <std::size_t N>
const char* any(Random& random, const std::array<const char*, N>& texts) {
  return texts[random() % N];
}

/// Tables whose records are read many at a time give the same result as when they are read one by one.
class OneByOne : public testing::Test {
protected:
  Expected<store::TraceData> expect_same(const std::string& text, const ImportOptions& options = {}) {
    write_bytes(folder_.path("table.csv"), text);
    auto slow = options;
    slow.one_by_one = true;
    auto one_by_one = import_files({folder_.path("table.csv")}, Job{}, slow);
    for (const int threads : {1, 3}) {
      auto quick = options;
      quick.threads = threads;
      const auto many = import_files({folder_.path("table.csv")}, Job{}, quick);
      const auto quickly = written(many), slowly = written(one_by_one);
      const auto [a, b] = std::mismatch(quickly.begin(), quickly.end(), slowly.begin(), slowly.end());
      const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(a - quickly.begin() - 200, 0));
      EXPECT_TRUE(quickly == slowly) << threads << " threads: " << report_of(many) << "…"
                                     << quickly.substr(at, 300) << "\none by one: " << report_of(one_by_one)
                                     << "…" << slowly.substr(at, 300) << "\n"
                                     << text.substr(0, 5'000);
    }
    return one_by_one;
  }

  void expect_same_when_damaged(const std::string& good, Random& random, int times) {
    for (int i = 0; i < times; ++i) {
      auto text = good;
      for (auto places = 1 + random() % 4; places > 0; --places) {
        const auto at = random() % text.size();
        switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 3);
          break;
        case 1:
          text.insert(at, any(random, std::array{"\"", "\n", ",", "\r", "\"\"", "\n\n", "\",\"", "-"}));
          break;
        default:
          text[at] = "\",;\n\r -9.=x\xFF"[random() % 12];
        }
      }
      if (i % 5 == 0) text.resize(text.size() - random() % (text.size() / 2));
      SCOPED_TRACE(i);
      expect_same(text);
      if (HasFailure()) return;
    }
  }

  TemporaryFolder folder_;
};

} // namespace jitterscope::import
