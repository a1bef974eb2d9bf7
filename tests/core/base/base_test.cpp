#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/pieces_in_order.h"
#include "core/base/similar_names.h"
#include "core/base/stop.h"
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

TEST(Error, InternalErrorsAdviseToReportThem) {
  const Error internal{ErrorKind::Internal, "rows 5 to 9 do not exist", {}, {}, {}};
  EXPECT_TRUE(describe(internal).starts_with("rows 5 to 9 do not exist. ")) << describe(internal);
  EXPECT_NE(describe(internal).find("Please report"), std::string::npos) << describe(internal);
  EXPECT_EQ(describe({ErrorKind::Internal, "no layout", {}, {}, "Install Graphviz."}),
            "no layout. Install Graphviz.");
  EXPECT_EQ(describe({ErrorKind::BadInput, "a row is short", {}, {}, {}}), "a row is short.");
}

TEST(SimilarNames, AreWhatMayHaveBeenMeant) {
  const std::vector<std::string> names = {"duration", "queue_delay_ns", "gap_ns",
                                          "grid_x",   "grid_y",         "SM Active"};
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
      int cut = 0; // accessed by one thread at a time
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

TEST(PiecesInOrder, ExceptionsComeWithTheirPiece) {
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

TEST(PiecesInOrder, MayBeStoppedEarly) {
  for (int left_at = 0; left_at < 20; ++left_at) {
    PiecesInOrder<int> pieces(
        4, [](int&) { return false; }, [](int&) {});
    for (int i = 0; i < left_at; ++i) EXPECT_NE(pieces.next(), nullptr);
  }
}

TEST(ParallelFor, AStopIsSeenWhileTheCallerWaitsForOtherThreads) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> polls = 0, started = 0;
  Job job;
  job.cancelled = [&] {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    return ++polls > 20;
  };
  Halt halt(job);
  std::atomic<bool> helper_saw_it = false;
  const auto task = [&](std::size_t) {
    ++started;
    while (started < 2) std::this_thread::yield(); // both threads have a task
    if (std::this_thread::get_id() == caller) return;
    while (!halt.requested()) std::this_thread::yield();
    helper_saw_it = true;
  };
  EXPECT_FALSE(parallel_for(2, 2, task, [&] { return halt.requested(); }));
  EXPECT_TRUE(helper_saw_it);
}

TEST(ParallelFor, RunsEveryTaskOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> runs(100);
    parallel_for(runs.size(), threads, [&](std::size_t i) { ++runs[i]; });
    for (const auto& count : runs) EXPECT_EQ(count, 1);
    EXPECT_TRUE(parallel_for(
        runs.size(), threads, [&](std::size_t i) { ++runs[i]; }, [] { return false; }));
    for (const auto& count : runs) EXPECT_EQ(count, 2);
  }
  EXPECT_THROW(parallel_for(9, 3,
                            [](std::size_t i) {
                              if (i == 4) throw std::runtime_error("five");
                            }),
               std::runtime_error);
}

TEST(Interval, OverlapOfDisjointIntervalsIsNothing) {
  EXPECT_EQ(overlap({{0}, {10}}, {{10}, {20}}).count, 0);
  EXPECT_EQ(overlap({{0}, {10}}, {{4}, {20}}).count, 6);
  EXPECT_EQ(overlap({{5}, {6}}, {{0}, {20}}).count, 1);
}

TEST(TimeText, IsExactAndReadable) {
  EXPECT_EQ(exact_time(0), "0s");
  EXPECT_EQ(exact_time(7), "7ns");
  EXPECT_EQ(exact_time(1'500), "1.5us");
  EXPECT_EQ(exact_time(20'000'000), "20ms");
  EXPECT_EQ(exact_time(6'082'352'213), "6.082352213s");
  EXPECT_EQ(exact_time(-1'500), "-1500ns");
  EXPECT_EQ(exact_time(1'125'899'906'842'623), "1125899.906842623s");
  EXPECT_EQ(exact_time((std::int64_t{1} << 50) + 1), "1125899906842625ns");
  EXPECT_EQ(exact_range({{0}, {1'000}}), "0s to 1us");
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
