// Texts of rows are numbered in the order of their appearance, for any hashes and any earlier texts.

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/import/formats/gpu_trace/row_text.h"

namespace jitterscope::import::gpu_trace {
namespace {

RowText row_text(const std::vector<std::string>& runs) {
  RowText text;
  text.count = runs.size();
  for (std::size_t i = 0; i < runs.size(); ++i) text.runs[i] = runs[i];
  return text;
}

// Texts of all lengths up to `longest`, most of which differ in one byte somewhere: many have the same length
// and the same bytes at their ends.
std::vector<std::vector<std::string>> different_texts(std::mt19937& random, std::size_t longest) {
  std::vector<std::vector<std::string>> texts;
  std::map<std::vector<std::string>, int> known;
  for (int i = 0; i < 300; ++i) {
    std::vector<std::string> runs(1 + random() % 3);
    for (auto& run : runs) {
      run.assign(random() % 2 == 0 ? longest : random() % (longest + 1), 'k');
      if (!run.empty()) run[random() % run.size()] = static_cast<char>('a' + random() % 4);
    }
    if (known.emplace(runs, i).second) texts.push_back(std::move(runs));
  }
  return texts;
}

TEST(RowTexts, AreNumberedAsTheyAppear) {
  std::mt19937 random(1);
  for (const std::size_t longest : {1u, 4u, 8u, 9u, 16u, 24u, 33u, 100u}) {
    const auto texts = different_texts(random, longest), copies = texts; // equal texts at other addresses
    RowTexts numbered;
    for (const bool in_order : {false, true, false}) {
      numbered.clear();
      std::map<std::size_t, std::uint32_t> expected;
      for (std::size_t row = 0; row < 5'000; ++row) {
        const auto which = in_order && row % 97 != 0 ? row % texts.size() : random() % texts.size();
        const auto number =
            expected.try_emplace(which, static_cast<std::uint32_t>(expected.size())).first->second;
        ASSERT_EQ(numbered.number_of(row_text((row % 2 == 0 ? texts : copies)[which])), number)
            << longest << ' ' << row;
      }
      EXPECT_EQ(numbered.size(), expected.size());
    }
  }
}

} // namespace
} // namespace jitterscope::import::gpu_trace
