#include "core/efficiency/metrics/metric_csv.h"

#include <fstream>
#include <map>

#include "core/efficiency/metrics/pieces.h"
#include "tests/core/efficiency/metrics/metric_session.h"

using namespace jitterscope;
using namespace jitterscope::efficiency::metrics;

namespace {

/// A kernel every 10 ns on each of two streams: of 5 ns on the first, of 6 ns on the second.
const test::MetricSession& long_run() {
  static const test::MetricSession kSession([] {
    test::Program program;
    program.add_rank(2);
    for (std::int64_t i = 0; i < 200'000; ++i)
      for (int stream = 0; stream < 2; ++stream)
        program.kernel(0, stream, {i * 10, i * 10 + 5 + stream, "k"});
    return std::vector{program.trace()};
  }());
  return kSession;
}

} // namespace

// A piece may begin inside a step: its first value must not be repeated.
TEST(MetricCsv, StepsOfManyPiecesAreThoseOfTheWholeRun) {
  const auto& session = long_run();
  const std::string text = "count(kernels)";
  const auto bound = session.bind(text);
  ASSERT_TRUE(bound);
  const Question question{session.data.extent(), Level::Stream, {}};
  ASSERT_GT(pieces_of(*bound, question.range, 1).size(), 16u);
  const auto path = session.open.folder.file("steps.csv");
  const auto report = export_metric_csv(*bound, question, 0, path, *session.open.communicator, {});
  ASSERT_TRUE(report) << describe(report.error());
  std::map<std::string, Steps> written;
  std::ifstream file(path);
  std::string time, track, value;
  std::getline(file, time);
  EXPECT_EQ(time, "time [ns],track,value\r");
  std::int64_t last = INT64_MIN;
  while (std::getline(file, time, ',') && std::getline(file, track, ',') && std::getline(file, value)) {
    EXPECT_GE(std::stoll(time), last);
    last = std::stoll(time);
    written[track].push_back({last, std::stod(value)});
  }
  const auto expected = session.steps(text, question.range.begin.count, question.range.end.count);
  ASSERT_EQ(written.size(), expected.size());
  std::size_t object = 0, rows = 0;
  for (const auto& [name, steps] : written) {
    rows += steps.size();
    EXPECT_TRUE(steps == expected[object++]) << name;
  }
  EXPECT_EQ(report->rows, static_cast<std::int64_t>(rows));
}

TEST(MetricCsv, IsCancelledWithoutAFile) {
  const auto& session = long_run();
  const auto bound = session.bind("count(kernels)");
  ASSERT_TRUE(bound);
  const Question question{session.data.extent(), Level::Stream, {}};
  const auto path = session.open.folder.file("no.csv");
  for (const int patience : {0, 2, 30}) {
    Job job;
    int asked = 0;
    job.cancelled = [&] { return ++asked > patience; };
    const auto report = export_metric_csv(*bound, question, 0, path, *session.open.communicator, job);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, ErrorKind::Cancelled);
    EXPECT_FALSE(std::ifstream(path).good());
  }
}
