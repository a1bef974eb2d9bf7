#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "core/base/big_memory.h"
#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/time.h"

using namespace jitterscope;

TEST(Error, KindsSurviveTheirNames) {
  for (auto kind : {ErrorKind::BadUse, ErrorKind::BadInput, ErrorKind::Engine, ErrorKind::Cancelled,
                    ErrorKind::Io, ErrorKind::Internal})
    EXPECT_EQ(error_kind_from(to_string(kind)), kind);
}

TEST(Error, DescribesFilePlaceAndHint) {
  const Error error{ErrorKind::BadInput, "a row is short", "a.csv", "line 7", "Repair it."};
  EXPECT_EQ(describe(error), "a.csv: a row is short (line 7). Repair it.");
}

TEST(Interval, OverlapOfDisjointIntervalsIsNothing) {
  EXPECT_EQ(overlap({{0}, {10}}, {{10}, {20}}).count, 0);
  EXPECT_EQ(overlap({{0}, {10}}, {{4}, {20}}).count, 6);
  EXPECT_EQ(overlap({{5}, {6}}, {{0}, {20}}).count, 1);
}

TEST(Share, SharesCoverEveryItemOnceAndInOrder) {
  for (const std::int64_t count : {0LL, 1LL, 7LL, 1000LL, (1LL << 60) + 5})
    for (const int size : {1, 2, 4, 7, 1024}) {
      std::int64_t next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const auto share = share_of(count, rank, size);
        EXPECT_EQ(share.first, next);
        EXPECT_LE(share.first, share.last);
        next = share.last;
      }
      EXPECT_EQ(next, count);
    }
}

#if !defined(__SANITIZE_ADDRESS__)

TEST(BigMemory, BlocksBeyondTheBudgetLieInFilesAndKeepTheirContent) {
  std::vector<std::vector<std::int64_t>> blocks;
  {
    const BigMemory big_memory;
    for (std::int64_t b = 0; b < 80; ++b) { // 640 MB
      blocks.emplace_back(std::size_t{1} << 20);
      for (std::size_t i = 0; i < blocks.back().size(); i += 512)
        blocks.back()[i] = b * 1'000'000 + static_cast<std::int64_t>(i);
      BigMemory::relieve();
    }
    EXPECT_GE(BigMemory::bytes_in_files() + kBigMemoryInCore, std::size_t{640} << 20);
  }
  for (std::int64_t b = 0; b < 80; ++b)
    for (std::size_t i = 0; i < blocks[0].size(); i += 512)
      ASSERT_EQ(blocks[static_cast<std::size_t>(b)][i], b * 1'000'000 + static_cast<std::int64_t>(i));
  blocks.clear();
  EXPECT_EQ(BigMemory::bytes_in_files(), 0u);
}

// What was given back serves the next blocks, in parts as in whole, and no two of them overlap.
TEST(BigMemory, BlocksThatWereGivenBackAreUsedAgain) {
  const BigMemory big_memory;
  std::vector<std::unique_ptr<std::vector<std::uint32_t>>> blocks;
  std::mt19937 random(3);
  const auto holds = [](const std::vector<std::uint32_t>& block) {
    return std::count(block.begin(), block.end(), block.front()) == static_cast<std::ptrdiff_t>(block.size());
  };
  for (std::uint32_t step = 0; step < 400; ++step) {
    if (blocks.size() > 12) {
      const auto gone = static_cast<std::ptrdiff_t>(random() % blocks.size());
      ASSERT_TRUE(holds(*blocks[static_cast<std::size_t>(gone)])) << step;
      blocks.erase(blocks.begin() + gone);
    }
    blocks.push_back(std::make_unique<std::vector<std::uint32_t>>(200'000 + random() % 2'000'000, step));
  }
  for (const auto& block : blocks) EXPECT_TRUE(holds(*block));
}

TEST(BigMemory, AFullDiskIsBadAlloc) {
  const BigMemory big_memory;
  EXPECT_THROW(std::vector<std::uint8_t>(std::size_t{1} << 50), std::bad_alloc);
}

#endif
