// Content read ahead by a thread of its own is unchanged.

#include <atomic>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/import/bytes/read_ahead.h"

namespace jitterscope::import {
namespace {

/// Delivers `size` bytes in pieces of random sizes, then ends or fails.
class Pieces final : public ByteStream {
public:
  Pieces(std::size_t size, bool fails, std::atomic<bool>& alive) : size_(size), fails_(fails), alive_(alive) {
    alive_ = true;
  }
  ~Pieces() override { alive_ = false; }
  static char byte(std::size_t at) { return static_cast<char>(at * 2'654'435'761u >> 13); }

  Expected<std::size_t> read(std::span<char> into) override {
    if (at_ == size_ && fails_) return failure(ErrorKind::BadInput, "damaged here");
    const auto count = std::min({into.size(), size_ - at_, 1 + random_() % 200'000});
    for (std::size_t i = 0; i < count; ++i) into[i] = byte(at_ + i);
    at_ += count;
    return count;
  }
  std::int64_t consumed() const override { return static_cast<std::int64_t>(at_ / 3); }

private:
  std::size_t size_, at_ = 0;
  bool fails_;
  std::atomic<bool>& alive_;
  std::mt19937 random_{7};
};

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

TEST(ReadAhead, GivesTheSameBytesAndTheSameEnd) {
  std::atomic<bool> alive{false};
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, 2 * kMegabyte - 1, 2 * kMegabyte,
                                 3 * kMegabyte, 9 * kMegabyte + 12'345})
    for (const bool fails : {false, true}) {
      SCOPED_TRACE(size);
      const auto stream = read_ahead(std::make_unique<Pieces>(size, fails, alive));
      std::vector<char> buffer(70'001);
      std::size_t at = 0;
      std::int64_t consumed = 0;
      for (;;) {
        const auto got = stream->read(buffer);
        EXPECT_GE(stream->consumed(), consumed);
        consumed = stream->consumed();
        if (!got) {
          EXPECT_TRUE(fails);
          EXPECT_EQ(got.error().message, "damaged here");
          EXPECT_FALSE(stream->read(buffer).has_value()) << "reading again fails again";
          break;
        }
        if (*got == 0) {
          EXPECT_FALSE(fails);
          break;
        }
        for (std::size_t i = 0; i < *got; ++i) ASSERT_EQ(buffer[i], Pieces::byte(at + i));
        at += *got;
      }
      EXPECT_EQ(at, size) << "all bytes before the damage are delivered";
      EXPECT_EQ(consumed, static_cast<std::int64_t>(size / 3));
    }
}

TEST(ReadAhead, MayBeStoppedEarly) {
  for (const std::size_t requested : {std::size_t{1}, kMegabyte, 3 * kMegabyte, 7 * kMegabyte}) {
    std::atomic<bool> alive{false};
    {
      const auto stream = read_ahead(std::make_unique<Pieces>(64 * kMegabyte, false, alive));
      std::vector<char> buffer(requested);
      EXPECT_EQ(*read_fully(*stream, buffer), requested);
      EXPECT_TRUE(alive);
    }
    EXPECT_FALSE(alive);
  }
}

} // namespace
} // namespace jitterscope::import
