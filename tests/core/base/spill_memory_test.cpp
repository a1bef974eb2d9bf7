#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "core/base/spill_vector.h"

using namespace jitterscope;

TEST(SpillVector, BehavesAsAVector) {
  std::mt19937 random(5);
  SpillVector<std::uint32_t> spilled;
  std::vector<std::uint32_t> plain;
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random()) % count; };
  for (std::uint32_t step = 0; step < 2'000; ++step) {
    const auto at = static_cast<std::ptrdiff_t>(below(plain.size() + 1));
    const std::vector<std::uint32_t> more(below(1'000), step);
    switch (below(6)) {
    case 0:
      spilled.push_back(step), plain.push_back(step);
      break;
    case 1:
      spilled.insert(spilled.begin() + at, more.begin(), more.end()),
          plain.insert(plain.begin() + at, more.begin(), more.end());
      break;
    case 2:
      spilled.insert(spilled.begin() + at, step), plain.insert(plain.begin() + at, step);
      break;
    case 3:
      spilled.erase(spilled.begin() + at, spilled.end()), plain.erase(plain.begin() + at, plain.end());
      break;
    case 4:
      spilled.resize(static_cast<std::size_t>(at) + 300, step),
          plain.resize(static_cast<std::size_t>(at) + 300, step);
      break;
    case 5:
      EXPECT_EQ(erase_if(spilled, [](auto value) { return value % 7 == 0; }),
                std::erase_if(plain, [](auto value) { return value % 7 == 0; }));
      break;
    }
    ASSERT_EQ(spilled, plain) << step;
  }
  const auto copy = spilled;
  const auto moved = std::move(spilled);
  EXPECT_EQ(copy, moved);
  EXPECT_EQ(copy, plain);
}

// Pages of all columns would be 720 MB; each loop releases the pages behind it.
TEST(SpillVector, GrowsInABoundedAmountOfMemory) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the shadow memory of the thread sanitizer counts as resident";
#endif
  const SpillMemory spill_memory;
  const auto resident = [] {
    std::ifstream status("/proc/self/status");
    std::size_t kilobytes = 0;
    for (std::string word; status >> word;)
      if (word == "VmRSS:") status >> kilobytes;
    return kilobytes << 10;
  };
  const auto before = resident();
  std::size_t peak = 0;
  std::array<SpillVector<std::int64_t>, 3> columns;
  for (std::size_t row = 0; row < 30'000'000; ++row) {
    if (row % 1'000'000 == 0) peak = std::max(peak, resident());
    SpillMemory::relieve_at(row);
    for (auto& column : columns) column.push_back(static_cast<std::int64_t>(row));
  }
  EXPECT_GE(SpillMemory::bytes_in_files(), std::size_t{300} << 20);
  EXPECT_LT(peak - before, kSpillInCore + kSpillResident + (std::size_t{32} << 20));
}

// A mapped store can have more pages than spill memory may keep, which must not be unmapped because of it.
TEST(SpillMemory, PagesOfOtherMappedFilesDoNotCount) {
  const SpillMemory spill_memory;
  const auto shared = [] {
    std::ifstream statm("/proc/self/statm");
    std::size_t size = 0, resident = 0, pages = 0;
    statm >> size >> resident >> pages;
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  };
  const auto relieve = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // it checks at most every 50 µs
    SpillMemory::relieve();
  };
  constexpr std::size_t kMargin = std::size_t{32} << 20, kStore = kSpillResident + kMargin;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  ASSERT_TRUE(file && ::ftruncate(::fileno(file.get()), static_cast<off_t>(kStore)) == 0);
  auto* store = static_cast<const volatile char*>(
      ::mmap(nullptr, kStore, PROT_READ, MAP_SHARED, ::fileno(file.get()), 0));
  ASSERT_NE(static_cast<const volatile void*>(store), MAP_FAILED);
  for (std::size_t at = 0; at < kStore; at += 4096) static_cast<void>(store[at]);
  const SpillVector<std::uint8_t> in_core(kSpillInCore);
  SpillVector<std::uint8_t> in_file(2 * kMargin);
  ASSERT_GE(SpillMemory::bytes_in_files(), 2 * kMargin);
  relieve(); // learns which pages are others
  std::fill(in_file.begin(), in_file.end(), std::uint8_t{1});
  const auto before = shared();
  relieve();
  EXPECT_GE(shared() + kMargin / 2, before) << "less than kSpillResident of spill memory is resident";
  ::munmap(const_cast<char*>(store), kStore);
  relieve(); // the store's pages no longer count as others
  const auto without = shared();
  SpillVector<std::uint8_t> more;
  more.reserve(kSpillResident + 4 * kMargin);
  std::size_t peak = 0;
  while (more.size() < more.capacity()) {
    more.resize(more.size() + (std::size_t{1} << 20), 1);
    relieve();
    peak = std::max(peak, shared());
  }
  EXPECT_LT(peak, without + kSpillResident + kMargin);
}

TEST(SpillMemory, BlocksBeyondTheBudgetAreInFilesAndKeepTheirContent) {
  std::vector<SpillVector<std::int64_t>> blocks;
  {
    const SpillMemory spill_memory;
    for (std::int64_t b = 0; b < 80; ++b) { // 640 MB in total
      blocks.emplace_back(std::size_t{1} << 20);
      for (std::size_t i = 0; i < blocks.back().size(); i += 512)
        blocks.back()[i] = b * 1'000'000 + static_cast<std::int64_t>(i);
      SpillMemory::relieve();
    }
    EXPECT_GE(SpillMemory::bytes_in_files() + kSpillInCore, std::size_t{640} << 20);
  }
  for (std::int64_t b = 0; b < 80; ++b)
    for (std::size_t i = 0; i < blocks[0].size(); i += 512)
      ASSERT_EQ(blocks[static_cast<std::size_t>(b)][i], b * 1'000'000 + static_cast<std::int64_t>(i));
  blocks.clear();
  EXPECT_EQ(SpillMemory::bytes_in_files(), 0u);
}

TEST(SpillVector, ZerosTakeNoMemoryUntilTheyAreWritten) {
  auto zeros = SpillVector<float>::zeros(std::size_t{1} << 28); // 1 GiB
  EXPECT_EQ(SpillMemory::bytes_in_files(), 0u);
  for (std::size_t i = 0; i < zeros.size(); i += 1'000'003) ASSERT_EQ(zeros[i], 0.0f);
  zeros[12'345'678] = 3;
  const auto moved = std::move(zeros);
  EXPECT_EQ(moved[12'345'678], 3.0f);
  EXPECT_EQ(moved[12'345'679], 0.0f);
  EXPECT_EQ(SpillVector<std::int64_t>::zeros(5), SpillVector<std::int64_t>(5, 0));
  EXPECT_TRUE(SpillVector<std::int64_t>::zeros(0).empty());
}

// A table of thousands of columns has no large columns.
TEST(SpillMemory, ManySmallerBlocksAreInFilesAndKeepTheirContent) {
  constexpr std::size_t kBlocks = 8'000, kValues = 12'000; // 768 MB
  std::vector<SpillVector<std::int64_t>> blocks(kBlocks);
  const auto value = [](std::size_t block, std::size_t row) {
    return static_cast<std::int64_t>(block * 1'000'000 + row);
  };
  {
    const SpillMemory spill_memory;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      for (std::size_t row = 0; row < kValues; row += 500) {
        blocks[block].resize(row + 500); // grows, as columns do while they are read
        blocks[block][row] = value(block, row);
      }
      SpillMemory::relieve();
    }
    EXPECT_GE(SpillMemory::bytes_in_files() + kSpillInCore, kBlocks * kValues * sizeof(std::int64_t));
  }
  for (std::size_t block = 0; block < kBlocks; ++block)
    for (std::size_t row = 0; row < kValues; row += 500) ASSERT_EQ(blocks[block][row], value(block, row));
  blocks.clear();
  EXPECT_EQ(SpillMemory::bytes_in_files(), 0u);
}

TEST(SpillMemory, SmallerBlocksOfSeveralThreadsDoNotOverlap) {
  const SpillMemory spill_memory;
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      std::mt19937 random(thread);
      std::vector<SpillVector<std::uint32_t>> blocks(60);
      for (std::uint32_t step = 0; step < 3'000; ++step) {
        auto& block = blocks[random() % blocks.size()];
        if (!block.empty() && (block.front() != block.back() || block.front() % 4 != thread)) good = false;
        block = SpillVector<std::uint32_t>(1'000 + random() % 80'000, 4 * step + thread);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(good);
}

// Released blocks are reused, in parts and as a whole, and no two of them overlap.
TEST(SpillMemory, BlocksThatWereGivenBackAreUsedAgain) {
  const SpillMemory spill_memory;
  std::vector<SpillVector<std::uint32_t>> blocks;
  std::mt19937 random(3);
  const auto holds = [](const SpillVector<std::uint32_t>& block) {
    return std::count(block.begin(), block.end(), block.front()) == static_cast<std::ptrdiff_t>(block.size());
  };
  for (std::uint32_t step = 0; step < 400; ++step) {
    if (blocks.size() > 12) {
      const auto gone = static_cast<std::ptrdiff_t>(random() % blocks.size());
      ASSERT_TRUE(holds(blocks[static_cast<std::size_t>(gone)])) << step;
      blocks.erase(blocks.begin() + gone);
    }
    blocks.emplace_back(200'000 + random() % 2'000'000, step);
  }
  for (const auto& block : blocks) EXPECT_TRUE(holds(block));
}

#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
TEST(SpillMemory, PagesComeWhenTheyAreRequested) {
  constexpr std::size_t kPage = 4'096, kPages = 9 * 1024 * 1024 / kPage;
  const SpillMemory spill_memory;
  SpillVector<char> room;
  {
    const SpillMemory::Lazily lazily;
    room.reserve(kPages * kPage);
  }
  char* const block = room.data();
  if (::madvise(block, kPage, MADV_POPULATE_WRITE) != 0)
    GTEST_SKIP() << "the kernel does not support MADV_POPULATE_WRITE";
  const auto there = [&](std::size_t first, std::size_t last) {
    std::vector<unsigned char> pages(last - first);
    ::mincore(block + first * kPage, pages.size() * kPage, pages.data());
    return static_cast<std::size_t>(
        std::count_if(pages.begin(), pages.end(), [](auto p) { return (p & 1) != 0; }));
  };
  EXPECT_EQ(there(kPages - 100, kPages), 0u);
  SpillMemory::touch(block + (kPages - 50) * kPage, 40 * kPage);
  EXPECT_EQ(there(kPages - 50, kPages - 10), 40u);
  block[0] = block[kPages * kPage - 1] = 'x';
  SpillMemory::touch(block, kPages * kPage);
  EXPECT_EQ(there(0, kPages), kPages);
  EXPECT_EQ(block[0], 'x');
  EXPECT_EQ(block[kPages * kPage - 1], 'x');
}
#endif

TEST(SpillMemory, AFullDiskIsBadAlloc) {
  const SpillMemory spill_memory;
  EXPECT_THROW(SpillVector<std::uint8_t>(std::size_t{1} << 50), std::bad_alloc);
}
