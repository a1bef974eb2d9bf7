#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/communicator.h"
#include "core/causal/answer/analyse.h"

namespace jitterscope::causal::test {

/// Several ranks as threads of one process.
class ThreadRanks {
public:
  explicit ThreadRanks(int size)
      : size_(size), barrier_(size), bytes_(static_cast<std::size_t>(size)),
        numbers_(static_cast<std::size_t>(size)) {}

  /// Runs the function once per rank, concurrently.
  void run(const std::function<void(Communicator&)>& function) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size_; ++rank)
      threads.emplace_back([this, rank, &function] {
        Rank communicator(*this, rank);
        function(communicator);
      });
    for (auto& thread : threads) thread.join();
  }

private:
  class Rank final : public Communicator {
  public:
    Rank(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.size_; }

    Expected<void> sum(std::span<std::int64_t> values) override {
      return reduce(values, [](std::int64_t a, std::int64_t b) { return a + b; });
    }
    Expected<void> minimum(std::span<std::int64_t> values) override {
      return reduce(values, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
    }
    Expected<std::vector<std::byte>> all_gather_bytes(std::span<const std::byte> mine) override {
      return gather_all(mine, true);
    }
    Expected<std::vector<std::byte>> gather_bytes(std::span<const std::byte> mine) override {
      return gather_all(mine, rank_ == 0);
    }

    /// A failed rank waits here for the next step of the others; each rank notices it in the same step.
    bool finish(bool ok) override {
      if (stopped_) return false;
      if (!ok) all_.failed_ = true;
      all_.barrier_.arrive_and_wait();
      const bool well = !all_.failed_;
      all_.barrier_.arrive_and_wait();
      stopped_ = !well;
      return well;
    }

  private:
    tl::unexpected<Error> stopped() {
      stopped_ = true;
      return failure(ErrorKind::Cancelled, "another rank stopped");
    }

    template <class Combine>
    Expected<void> reduce(std::span<std::int64_t> values, const Combine& combine) {
      all_.numbers_[static_cast<std::size_t>(rank_)] = {values.begin(), values.end()};
      all_.barrier_.arrive_and_wait();
      const bool failed = all_.failed_;
      for (std::size_t i = 0; i < values.size() && !failed; ++i) {
        values[i] = all_.numbers_[0][i];
        for (int r = 1; r < all_.size_; ++r)
          values[i] = combine(values[i], all_.numbers_[static_cast<std::size_t>(r)][i]);
      }
      all_.barrier_.arrive_and_wait();
      if (failed) return stopped();
      return {};
    }

    Expected<std::vector<std::byte>> gather_all(std::span<const std::byte> mine, bool requested) {
      all_.bytes_[static_cast<std::size_t>(rank_)] = {mine.begin(), mine.end()};
      all_.barrier_.arrive_and_wait();
      const bool failed = all_.failed_;
      std::vector<std::byte> joined;
      if (requested && !failed)
        for (const auto& part : all_.bytes_) joined.insert(joined.end(), part.begin(), part.end());
      all_.barrier_.arrive_and_wait();
      if (failed) return stopped();
      return joined;
    }

    ThreadRanks& all_;
    int rank_;
    bool stopped_ = false; ///< this rank knows of a failure, and does not wait
  };

  int size_;
  std::barrier<> barrier_;
  std::atomic<bool> failed_{false};
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<std::vector<std::int64_t>> numbers_;
};

/// The document, or the error, of each of the given number of ranks.
inline std::vector<std::string> answers_of_ranks(const RowSource& rows, const Options& options, int size) {
  std::vector<std::string> texts(static_cast<std::size_t>(size));
  ThreadRanks(size).run([&](Communicator& communicator) {
    const auto result = analyse(rows, options, communicator);
    texts[static_cast<std::size_t>(communicator.rank())] =
        result ? to_json(*result).dump() : describe(result.error());
    communicator.finish(result.has_value());
  });
  return texts;
}

} // namespace jitterscope::causal::test
