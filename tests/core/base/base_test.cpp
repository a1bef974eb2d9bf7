#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include <sys/mman.h>

#include "core/base/big_memory.h"
#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/pieces_in_order.h"
#include "core/base/similar_names.h"
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

TEST(SimilarNames, AreWhatMayHaveBeenMeant) {
  const std::vector<std::string> names = {"duration", "queue_delay_ns", "gap_ns", "grid_x", "grid_y", "SM Active"};
  const auto similar = [&](const char* given) { return similar_names(given, names); };
  using Names = std::vector<std::string>;
  EXPECT_EQ(similar("durration"), Names{"duration"});
  EXPECT_EQ(similar("Duraiton"), Names{"duration"});
  EXPECT_EQ(similar("queue-delay"), Names{"queue_delay_ns"});
  EXPECT_EQ(similar("sm_active"), Names{"SM Active"});
  EXPECT_EQ(similar("grid_z"), (Names{"grid_x", "grid_y"}));
  EXPECT_EQ(similar("gap"), Names{"gap_ns"});
  EXPECT_EQ(similar("temperature"), Names{});
  EXPECT_EQ(similar(""), Names{});
  EXPECT_EQ(similar_names(std::string(1 << 20, 'x'), names), Names{});
}

TEST(SimilarNames, MakeAHint) {
  EXPECT_EQ(did_you_mean("grid_z", {"grid_x", "grid_y"}, "none"), "Did you mean \"grid_x\" or \"grid_y\"?");
  EXPECT_EQ(did_you_mean("power", {"grid_x"}, "none"), "none");
}

TEST(PiecesInOrder, ComeInOrderForAnyNumberOfThreads) {
  struct Piece {
    int number = 0, doubled = 0;
  };
  for (const int threads : {1, 2, 3, 8})
    for (const int count : {0, 1, 2, 3, 500}) {
      int cut = 0; // by one thread at a time
      PiecesInOrder<Piece> pieces(
          threads,
          [&](Piece& piece) {
            piece.number = cut++;
            return piece.number == count;
          },
          [](Piece& piece) { piece.doubled = 2 * piece.number; });
      for (int i = 0; i <= count; ++i) {
        const auto* piece = pieces.next();
        ASSERT_NE(piece, nullptr);
        EXPECT_EQ(piece->number, i);
        EXPECT_EQ(piece->doubled, 2 * i);
      }
      EXPECT_EQ(pieces.next(), nullptr);
      EXPECT_EQ(pieces.next(), nullptr);
    }
}

TEST(PiecesInOrder, WhatIsThrownComesWithItsPiece) {
  for (const int threads : {1, 2, 5})
    for (const bool by_cut : {false, true}) {
      int cut = 0;
      PiecesInOrder<int> pieces(
          threads,
          [&](int& piece) {
            piece = cut++;
            if (by_cut && piece == 40) throw std::bad_alloc();
            return piece == 100;
          },
          [&](int& piece) {
            if (!by_cut && piece == 40) throw std::bad_alloc();
          });
      for (int i = 0; i < 40; ++i) EXPECT_EQ(*pieces.next(), i);
      EXPECT_THROW(pieces.next(), std::bad_alloc);
      EXPECT_EQ(pieces.next(), nullptr);
    }
}

TEST(PiecesInOrder, MayBeLeftInTheMiddle) {
  for (int left_at = 0; left_at < 20; ++left_at) {
    PiecesInOrder<int> pieces(4, [](int&) { return false; }, [](int&) {});
    for (int i = 0; i < left_at; ++i) EXPECT_NE(pieces.next(), nullptr);
  }
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

// A table of thousands of columns has no big ones.
TEST(BigMemory, ManySmallerBlocksLieInFilesAndKeepTheirContent) {
  constexpr std::size_t kBlocks = 8'000, kValues = 12'000; // 768 MB
  std::vector<std::vector<std::int64_t>> blocks(kBlocks);
  const auto value = [](std::size_t block, std::size_t row) { return static_cast<std::int64_t>(block * 1'000'000 + row); };
  {
    const BigMemory big_memory;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      for (std::size_t row = 0; row < kValues; row += 500) {
        blocks[block].resize(row + 500); // grows, as columns do while they are read
        blocks[block][row] = value(block, row);
      }
      blocks[block].shrink_to_fit();
      BigMemory::relieve();
    }
    EXPECT_GE(BigMemory::bytes_in_files() + kBigMemoryInCore, kBlocks * kValues * sizeof(std::int64_t));
  }
  for (std::size_t block = 0; block < kBlocks; ++block)
    for (std::size_t row = 0; row < kValues; row += 500) ASSERT_EQ(blocks[block][row], value(block, row));
  blocks.clear();
  EXPECT_EQ(BigMemory::bytes_in_files(), 0u);
}

TEST(BigMemory, SmallerBlocksOfSeveralThreadsDoNotOverlap) {
  const BigMemory big_memory;
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      std::mt19937 random(thread);
      std::vector<std::unique_ptr<std::vector<std::uint32_t>>> blocks(60);
      for (std::uint32_t step = 0; step < 3'000; ++step) {
        auto& block = blocks[random() % blocks.size()];
        if (block && (block->front() != block->back() || block->front() % 4 != thread)) good = false;
        block = std::make_unique<std::vector<std::uint32_t>>(1'000 + random() % 80'000, 4 * step + thread);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(good);
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

#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
TEST(BigMemory, PagesComeWhenTheyAreAskedFor) {
  constexpr std::size_t kPage = 4'096, kPages = 9 * 1024 * 1024 / kPage;
  const BigMemory big_memory;
  std::unique_ptr<char[]> block;
  {
    const BigMemory::Lazily lazily;
    block = std::make_unique_for_overwrite<char[]>(kPages * kPage);
  }
  if (::madvise(block.get(), kPage, MADV_POPULATE_WRITE) != 0) GTEST_SKIP() << "the system cannot be asked";
  const auto there = [&](std::size_t first, std::size_t last) {
    std::vector<unsigned char> pages(last - first);
    ::mincore(block.get() + first * kPage, pages.size() * kPage, pages.data());
    return static_cast<std::size_t>(std::count_if(pages.begin(), pages.end(), [](auto p) { return (p & 1) != 0; }));
  };
  EXPECT_EQ(there(kPages - 100, kPages), 0u);
  BigMemory::touch(block.get() + (kPages - 50) * kPage, 40 * kPage);
  EXPECT_EQ(there(kPages - 50, kPages - 10), 40u);
  block[0] = block[kPages * kPage - 1] = 'x';
  BigMemory::touch(block.get(), kPages * kPage);
  EXPECT_EQ(there(0, kPages), kPages);
  EXPECT_EQ(block[0], 'x');
  EXPECT_EQ(block[kPages * kPage - 1], 'x');
}
#endif

TEST(BigMemory, AFullDiskIsBadAlloc) {
  const BigMemory big_memory;
  EXPECT_THROW(std::vector<std::uint8_t>(std::size_t{1} << 50), std::bad_alloc);
}

#endif
