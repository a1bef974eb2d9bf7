#include <QTest>
#include <cmath>
#include <numeric>
#include <set>

#include "app/controllers/parallel/parallel_lines.h"
#include "app/session/bin_coordinates.h"
#include "app/session/paced_parallel.h"

using namespace jitterscope;
using namespace jitterscope::app;
using nlohmann::json;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Five bins of 10 ns; the last two have no value of the metric.
engine::Answer bins_answer() {
  engine::Answer answer;
  answer.document = {{"width_ns", 10}, {"metric", "kernel_variability"}, {"unit", "ns"}};
  answer.add("start_ns", std::vector<std::int64_t>{0, 10, 30, 40, 50});
  answer.add("launches", std::vector<std::int64_t>{5, 5, 9, 2, 1});
  answer.add("n", std::vector<std::int64_t>{5, 5, 9, 0, 0});
  answer.add("rank", std::vector<std::int64_t>{1, 2, 3, 4, 5});
  answer.add("kept", std::vector<std::uint8_t>{1, 1, 0, 0, 0});
  for (const char* name : {"mean", "median", "q1", "q3", "iqr", "std", "cv", "min", "max", "sum"})
    answer.add(name, std::vector<double>{1, 20, 300, 0, kMissing});
  return answer;
}

/// A mock engine: requests wait until the test answers them.
struct Engine {
  struct Question {
    engine::ParallelOptions options;
    PacedParallel::Ended ended;
    bool cancelled = false;
  };
  std::vector<Question> asked;
  PacedParallel questions{[this](const engine::ParallelOptions& options, PacedParallel::Ended ended) {
                            asked.push_back({options, std::move(ended)});
                            return static_cast<quint64>(asked.size());
                          },
                          [this](quint64 number) { asked[number - 1].cancelled = true; }};

  void ask(const char* where, std::int64_t rows) {
    questions.ask({.where = where, .axes = {"a", "b"}}, rows);
  }
  void answer_last() {
    const auto ended = asked.back().ended;
    ended();
  }
  QString last() const {
    return QString::fromStdString(asked.back().options.where) +
           (asked.back().options.look_at > 0 ? " sample" : "");
  }
};

} // namespace

/// Rows of parallel coordinates without a window: bins, lines, and the rate of requests.
class ParallelRowsTest : public QObject {
  Q_OBJECT

private slots:
  void anAnswerIsSupersededByARequestForOtherAxes() {
    Engine engine;
    engine.ask("first", 1'000);
    QVERIFY(!engine.questions.superseded());
    engine.ask("second", 1'000);
    QVERIFY2(!engine.questions.superseded(), "the axes are the same: only the brush moved");
    engine.questions.ask({.where = "third", .axes = {"a", "c"}}, 1'000);
    QVERIFY(engine.questions.superseded());
    engine.answer_last();
    QCOMPARE(engine.last(), QString("third"));
    QVERIFY(!engine.questions.superseded());
  }

  void binsAreCountedByTheirStatistics() {
    const auto bins = BinCoordinates::of(bins_answer());
    QVERIFY(bins.has_value());
    const auto data = bins->picture({"bin start_ns", "bin median", "bin kept"}, {}, {}, {});
    QCOMPARE(data.rows, std::uint64_t{5});
    QCOMPARE(data.selectedRows, std::uint64_t{5});
    QCOMPARE(data.rowsName, QString("bins"));
    QVERIFY(data.axes[1].hasMissing);
    QCOMPARE(data.axes[1].all.back(), std::uint64_t{2}); // bins without values have no median
    QCOMPARE(data.axes[1].maximum, 300.0);
    QCOMPARE(data.axes[1].scale, views::AxisScale::Log);
    QCOMPARE(data.axes[2].all, (std::vector<std::uint64_t>{3, 2}));
    for (const auto& pair : data.pairs) QCOMPARE(std::accumulate(pair.all.begin(), pair.all.end(), 0u), 5u);
  }

  void brushedBinsAreTimes() {
    const auto bins = BinCoordinates::of(bins_answer());
    const views::AxisBrushes large = {{"bin median", {{0, 25}}}};
    const std::vector<Interval> first = {{{0}, {20}}}; // adjacent intervals are merged
    QVERIFY(bins->times(large, {}) == first);
    QCOMPARE(bins->picture({"bin median"}, large, {}, {}).selectedRows, std::uint64_t{2});
    const std::vector<Interval> others = {{{30}, {60}}};
    QVERIFY(bins->times(large, {false, true}) == others);
    const views::AxisBrushes both = {{"bin median", {{0, 25}, views::ValueRange::missing()}},
                                     {"bin launches", {{2, 5}}}};
    const std::vector<Interval> three = {{{0}, {20}}, {{40}, {50}}};
    QVERIFY(bins->times(both, {}) == three);
    const auto any = bins->times({{"bin median", {{300, 300}}}, {"bin launches", {{1, 1}}}}, {true, false});
    const std::vector<Interval> two = {{{30}, {40}}, {{50}, {60}}};
    QVERIFY(any == two);
    const auto none = bins->times({{"bin median", {{7000, 8000}}}}, {});
    QCOMPARE(none.size(), std::size_t{1});
    QVERIFY(none.front().empty()); // no bin does not mean the whole time
  }

  void oddBinsAreAccepted() {
    engine::Answer answer = bins_answer();
    for (auto& array : answer.arrays) std::visit([](auto& values) { values.resize(1); }, array.values);
    const auto one = BinCoordinates::of(answer);
    QVERIFY(one.has_value());
    for (const char* scale : {"", "log", "rank", "quantile", "linear"})
      QCOMPARE(one->picture(one->columns(), {}, {}, {{"bin median", scale}}).axes.size(),
               std::size_t(one->columns().size()));
    for (auto& array : answer.arrays) std::visit([](auto& values) { values.clear(); }, array.values);
    const auto nothing = BinCoordinates::of(answer);
    QVERIFY(nothing.has_value());
    QCOMPARE(nothing->picture(BinCoordinates::default_axes(), {}, {}, {}).rows, std::uint64_t{0});
    answer.arrays.pop_back();
    answer.arrays.front().values = std::vector<std::int64_t>{1, 2};
    QVERIFY(!BinCoordinates::of(answer).has_value());
    const auto bins = BinCoordinates::of(bins_answer());
    QVERIFY(bins->picture({"bin nonsense", "duration"}, {{"bin nonsense", {{0, 1}}}}, {}, {}).axes.empty());
  }

  void aFewValuesAreAColourEach() {
    views::ParallelData data;
    data.axes.resize(1);
    auto& axis = data.axes.front();
    axis.key = axis.title = "blocks";
    axis.minimum = 1, axis.maximum = 49;
    axis.all.assign(128, 0);
    axis.all[0] = 30, axis.all[5] = 4, axis.all[127] = 20; // rows with 1, 3 and 49 blocks: three colours
    views::ParallelModel model;
    model.setData(data);
    auto parts = colour_parts(model, 0, {});
    QCOMPARE(parts.size(), std::size_t{3});
    QCOMPARE(label_of(parts[0], {}, {}), QString("1"));
    QCOMPARE(label_of(parts[1], {}, {}), QString("3"));
    QCOMPARE(label_of(parts[2], {}, {}), QString("49"));
    QVERIFY(parts[0].holds(1) && !parts[0].holds(3) && parts[1].holds(3) && parts[2].holds(49));
    for (auto& count : axis.all) count = 10; // many values: five colours
    model.setData(data);
    QCOMPARE(colour_parts(model, 0, {}).size(), std::size_t{5});
    QCOMPARE(colour_parts(model, 0, {{"blocks", {{1, 2}, {5, 9}}}}).size(),
             std::size_t{2}); // one colour per brushed range
  }

  void aKindKeepsItsColourWhileOthersComeAndGo() {
    const auto made = [](const QStringList& labels, bool rest) {
      std::vector<views::ParallelClass> classes(static_cast<std::size_t>(labels.size()) + rest);
      for (int i = 0; i < labels.size(); ++i) classes[static_cast<std::size_t>(i)].label = labels[i];
      if (rest) classes.back().label = "other", classes.back().rest = true;
      return classes;
    };
    auto first = made({"a", "b", "c"}, false);
    choose_colours(first);
    auto second = made({"c", "d", "a"}, true);
    choose_colours(second, first);
    QCOMPARE(second[0].colour, 2);
    QCOMPARE(second[1].colour, 1); // the colour of b, which was removed
    QCOMPARE(second[2].colour, 0);
    QCOMPARE(second[3].colour, kMaxColours);
    auto eight = made({"a", "b", "c", "d", "e", "f", "g", "h"}, false);
    choose_colours(eight);
    std::set<int> colours;
    for (const auto& each : eight) colours.insert(each.colour);
    QCOMPARE(colours.size(), std::size_t{8});
  }

  void rowsBecomeLines() {
    engine::answers::LaunchesAnswer answer{.numbers = {7, 9}};
    answer.columns = {{.name = "name", .values = {0, 1}, .texts = {"b", "z"}},
                      {.name = "stream", .values = {13, kMissing}},
                      {.name = "duration", .values = {1.5, 2.5}}};
    std::vector<views::ParallelAxis> axes(3);
    axes[0].key = "name", axes[0].categories = {"a", "b"};
    axes[1].key = "stream", axes[1].categories = {"7", "13"};
    axes[2].key = "duration";
    const auto lines = lines_of(answer, axes, {{"stream", {7, 13}}});
    QVERIFY(lines.has_value());
    QCOMPARE(lines->size(), std::size_t{2});
    QCOMPARE((*lines)[0].values.at("name"), 1.0);
    QCOMPARE((*lines)[0].values.at("stream"), 1.0);
    QCOMPARE((*lines)[0].row, std::int64_t{7});
    QVERIFY(!(*lines)[1].values.contains("name"));   // not among the visible categories
    QVERIFY(!(*lines)[1].values.contains("stream")); // the value is missing
    QCOMPARE((*lines)[1].values.at("duration"), 2.5);
    answer.columns.back().values.pop_back();
    QVERIFY(!lines_of(answer, axes, {}).has_value());
    answer.columns.pop_back();
    QVERIFY(!lines_of(answer, axes, {}).has_value());
    axes.resize(1);
    QVERIFY(!lines_of(answer, axes, {}).has_value());
  }

  void oneQuestionAtATimeAndTheNewestNext() {
    Engine engine;
    for (const char* where : {"1", "2", "3", "4"}) engine.ask(where, 1'000);
    QCOMPARE(engine.asked.size(), std::size_t{1});
    QCOMPARE(engine.last(), QString("1"));
    engine.answer_last();
    QCOMPARE(engine.last(), QString("4")); // 2 and 3 are obsolete
    engine.answer_last();
    QCOMPARE(engine.asked.size(), std::size_t{2});
  }

  void ofManyRowsASampleComesFirst() {
    Engine engine;
    const std::int64_t many = PacedParallel::kManyRows + 1;
    engine.ask("1", many);
    QCOMPARE(engine.last(), QString("1 sample"));
    engine.answer_last();
    QCOMPARE(engine.last(), QString("1"));
    engine.ask("2", many); // the long request is cancelled
    QVERIFY(engine.asked.back().cancelled);
    engine.answer_last();
    QCOMPARE(engine.last(), QString("2 sample"));
    engine.ask("3", many); // a newer question is waiting, so only the sample of question 2 is requested
    QVERIFY(!engine.asked.back().cancelled);
    engine.answer_last();
    QCOMPARE(engine.last(), QString("3 sample"));
    engine.answer_last();
    QCOMPARE(engine.last(), QString("3"));
    engine.answer_last();
    QCOMPARE(engine.asked.size(), std::size_t{5});
  }

  void firstPicturesKeepTheRangesOfAllRows() {
    Engine engine;
    const std::int64_t many = PacedParallel::kManyRows + 1;
    engine::answers::ParallelAnswer answer{.all_rows = many, .examined_rows = 500'000};
    answer.axes.push_back({.column = "duration", .minimum = 1, .maximum = 9});
    engine.ask("1", many);
    QVERIFY(engine.asked.back().options.ranges.empty());
    engine.questions.show(answer);
    engine.answer_last();
    answer.examined_rows = many;
    engine.questions.show(answer);
    engine.answer_last();
    engine.ask("2", many);
    QCOMPARE(engine.last(), QString("2 sample"));
    QCOMPARE(engine.asked.back().options.ranges.at(0).column, std::string("duration"));
    QCOMPARE(engine.asked.back().options.ranges.at(0).maximum, 9.0);
    engine.answer_last();
    engine.answer_last();
    engine.questions.forget();
    engine.ask("3", many);
    QVERIFY(engine.asked.back().options.ranges.empty());
  }

  void nothingFollowsACancelledSample() {
    Engine engine;
    const std::int64_t many = PacedParallel::kManyRows + 1;
    engine.ask("1", many);
    QCOMPARE(engine.questions.number(), quint64{1});
    engine.questions.stop();
    engine.answer_last(); // ends the request as if it had been cancelled
    QCOMPARE(engine.asked.size(), std::size_t{1});
    QCOMPARE(engine.questions.number(), quint64{0});
    engine.ask("2", many); // the next request is sent normally
    QCOMPARE(engine.last(), QString("2 sample"));
    engine.answer_last();
    QCOMPARE(engine.last(), QString("2"));
    engine.questions.stop();
    engine.ask("3", many); // requested before the cancelled one has ended
    engine.answer_last();
    QCOMPARE(engine.last(), QString("3 sample"));
  }

  void newAxesOfManyRowsAreSampledOnce() {
    Engine engine;
    const std::int64_t some = PacedParallel::kManyNewRows + 1;
    engine.ask("1", some);
    QCOMPARE(engine.last(), QString("1 sample"));
    engine.answer_last();
    engine.answer_last();
    engine.ask("2", some);
    QCOMPARE(engine.last(), QString("2")); // the engine has cached these axes
    engine.answer_last();
    engine.questions.ask({.where = "3", .axes = {"a", "c"}}, some);
    QCOMPARE(engine.last(), QString("3 sample"));
  }
};

QTEST_GUILESS_MAIN(ParallelRowsTest)
#include "parallel_rows_test.moc"
