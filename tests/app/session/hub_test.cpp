#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <random>
#include <set>

#include "app/engine/column_titles.h"
#include "app/engine/decode.h"
#include "app/engine/group_filter.h"
#include "app/session/selection_words.h"
#include "core/analysis/filter/filter_tokens.h"
#include "views/base/format.h"

using namespace jitterscope;
using namespace jitterscope::app;

class HubTest : public QObject {
  Q_OBJECT

private slots:
  void binsOfAReasonAreInsideTheBrushedBins() {
    SelectionState state;
    QVERIFY(!state.selects());
    state.reason = ReasonChoice{"GPC clock", {{{10}, {20}}, {{40}, {50}}}};
    QVERIFY(state.selects());
    QCOMPARE(state.intervals(), (std::vector<Interval>{{{10}, {20}}, {{40}, {50}}}));
    state.bin_times = {{{15}, {45}}};
    QCOMPARE(state.intervals(), (std::vector<Interval>{{{15}, {20}}, {{40}, {45}}}));
    state.bin_times = {{{60}, {70}}};
    QCOMPARE(state.intervals().size(), std::size_t{1});
    QVERIFY(state.intervals().front().empty());
    QVERIFY(selection_words(state, {{}, views::AxisUnit::Time, {}, {}}).contains("2 bins: GPC clock"));
  }

  void manyTimesAreCombinedInOrder() {
    std::mt19937 random(5);
    const auto times = [&](int count) {
      std::vector<Interval> list;
      std::int64_t at = 0;
      for (int i = 0; i < count; ++i) {
        const auto begin = at + static_cast<std::int64_t>(random() % 5),
                   end = begin + 1 + static_cast<std::int64_t>(random() % 9);
        list.push_back({{begin}, {end}}), at = end;
      }
      return list;
    };
    for (int round = 0; round < 50; ++round) {
      SelectionState state;
      state.reason = ReasonChoice{"x", times(40)};
      state.bin_times = times(60);
      std::set<std::int64_t> expected, found;
      for (std::int64_t t = 0; t < 1'000; ++t) {
        const auto in = [&](const auto& list) {
          return std::ranges::any_of(list, [&](const Interval& i) { return i.contains({t}); });
        };
        if (in(state.reason->times) && in(state.bin_times)) expected.insert(t);
        if (in(state.intervals())) found.insert(t);
      }
      QVERIFY(found == expected);
    }
  }

  void brushesFollowTheirCategories() {
    SelectionHub hub;
    CategoryCodes codes{{"kind", {5, 6, 7, 8}}};
    SelectionState state;
    state.brushes["kind"] = {{0.6, 2.4}, views::ValueRange::missing()};
    hub.apply(state);
    const auto text = hub.state().filter(codes);
    state.brushes["kind"] = {{3, 3}};
    hub.apply(state);
    QSignalSpy changed(&hub, &SelectionHub::changed);
    hub.move_categories("kind", {3, 0, 1, 2}); // 6, 7, 8, 5
    codes["kind"] = {6, 7, 8, 5};
    QCOMPARE(changed.size(), 0);
    QCOMPARE(hub.state().filter(codes), QString("kind in (8)"));
    hub.undo();
    QCOMPARE(hub.state().filter(codes), text);
    QCOMPARE(hub.state().brushes.at("kind"),
             (std::vector<views::ValueRange>{views::ValueRange::missing(), {0, 1}}));
    hub.move_categories("kind", {std::nullopt, 0, 1, 2}); // 7, 8, 5
    codes["kind"] = {7, 8, 5};
    QCOMPARE(hub.state().filter(codes), QString("(kind in (7) or kind is missing)"));
    hub.redo();
    hub.move_categories("kind", {0, std::nullopt, 1});
    codes["kind"] = {7, 5};
    QCOMPARE(hub.state().filter(codes), QString("kind in (-1)"));
  }

  void aConditionJoinsTheFilterAndReplacesItself() {
    QCOMPARE(with_condition("", "a", "a > 1"), QString("a > 1"));
    QCOMPARE(with_condition("a > 1", "a", "a > 2"), QString("a > 2"));
    QCOMPARE(with_condition("b = 3", "a", "a > 1"), QString("b = 3 and a > 1"));
    QCOMPARE(with_condition("b = 3 and a > 1", "a", "a > 2"), QString("b = 3 and a > 2"));
    QCOMPARE(with_condition("b = 3 or c = 1", "a", "a > 1"), QString("(b = 3 or c = 1) and a > 1"));
    QCOMPARE(with_condition("ab > 3", "a", "a > 1"), QString("ab > 3 and a > 1"));
    QCOMPARE(with_condition("b = 3 or c = 1 and a > 1", "a", "a > 2"),
             QString("(b = 3 or c = 1 and a > 1) and a > 2"));
    QCOMPARE(with_condition("(b = 3 or c = 1) and a > 1", "a", "a > 2"),
             QString("(b = 3 or c = 1) and a > 2"));
    QCOMPARE(with_condition("name = \"x and a > 1\"", "a", "a > 2"),
             QString("name = \"x and a > 1\" and a > 2"));
    QCOMPARE(without_group("a = 3 and b > 1 and a = 4", "a"), QString("b > 1"));
    QCOMPARE(without_group("a > 3", "a"), QString("a > 3"));
    QCOMPARE(without_group("", "a"), QString());
    QCOMPARE(with_condition("b between 1 and 2", "a", "a > 2"), QString("b between 1 and 2 and a > 2"));
  }

  void brushesAreReportedWithUnitsAndFewDigits() {
    SelectionState state;
    state.brushes["duration"] = {{10091.037248379929, 28560.1}};
    const SelectionNames names{{}, views::AxisUnit::Time, {}, [](const QString& column) {
                                 return QString(column == "duration" ? "ns" : "");
                               }};
    const QString text = selection_words(state, names);
    QVERIFY2(text.contains("duration between 10.09 µs and 28.56 µs"), qPrintable(text));
    QVERIFY(
        state.filter().contains(views::exactNumber(10091.037248379929))); // the engine gets the exact number
    state.brush_logic.inverted = true;
    QVERIFY(selection_words(state, names).startsWith("not ("));
  }

  void theTextOfAnEdgeIsAboutIt() {
    causal::CausalResult result;
    result.target = "variability", result.target_label = "variability";
    result.sentences = {
        "60 % of the variability comes from tile size x. It acts only with device name W7800.",
        "Associated with the variability: device name W7800, 90 % of it."};
    for (const auto& [name, label] : {std::pair{"tile", "tile size x"},
                                      {"device", "device name W7800"},
                                      {"gap", "gap before the launch"}}) {
      causal::FeatureReport feature;
      feature.name = name, feature.label = label;
      result.features.push_back(feature);
      causal::Edge edge;
      edge.from = name, edge.to = "variability";
      result.edges.push_back(edge);
      causal::Contribution contribution;
      contribution.feature = name, contribution.label = label, contribution.percent = 5;
      result.contributions.push_back(contribution);
    }
    const auto graph = graph_of(result);
    QCOMPARE(graph.edges.size(), std::size_t{3});
    QVERIFY(graph.edges[0].sentence.startsWith("60 %"));
    QVERIFY2(graph.edges[1].sentence.startsWith("Associated"), qPrintable(graph.edges[1].sentence));
    QVERIFY(graph.edges[2].sentence.contains("accounts for 5.0 %"));
  }

  void undoReturnsToEveryEarlierStateAndRedoComesBack() {
    SelectionHub hub;
    SelectionState state;
    for (std::int64_t i = 1; i <= 5; ++i) {
      state.window = Interval{{i}, {i + 10}};
      hub.apply(state);
    }
    for (std::int64_t i = 4; i >= 1; --i) {
      hub.undo();
      QCOMPARE(hub.state().window->begin.count, i);
    }
    hub.undo();
    QVERIFY(!hub.state().window);
    QVERIFY(!hub.canUndo());
    for (int i = 0; i < 9; ++i) hub.redo();
    QCOMPARE(hub.state().window->begin.count, 5);
    QVERIFY(!hub.canRedo());
  }

  void undoReturnsToTheFirstRange() {
    SelectionHub hub;
    const Interval first{{10}, {20}};
    hub.start_at(first);
    QVERIFY(!hub.canUndo());
    QVERIFY(!hub.zoomed());
    SelectionState state = hub.state();
    state.window = Interval{{12}, {13}};
    hub.apply(state);
    QVERIFY(hub.zoomed());
    hub.undo();
    QCOMPARE(hub.state().window, std::optional(first));
    QVERIFY(!hub.zoomed());
    hub.reset();
    QVERIFY(!hub.state().window);
  }

  void aChangeAfterUndoForgetsTheFuture() {
    SelectionHub hub;
    SelectionState state;
    state.where = "duration > 1us";
    hub.apply(state);
    hub.undo();
    state.where = "duration > 2us";
    hub.apply(state);
    QVERIFY(!hub.canRedo());
    hub.undo();
    QCOMPARE(hub.state(), SelectionState{});
  }

  void draggingABrushIsOneStep() {
    SelectionHub hub;
    for (int i = 1; i < 20; ++i) {
      SelectionState state = hub.state();
      state.brushes["duration"] = {{0, double(i)}};
      hub.apply(state, "brush");
    }
    hub.undo();
    QCOMPARE(hub.state(), SelectionState{});
  }

  void unchangedStateEmitsNoSignal() {
    SelectionHub hub;
    QSignalSpy spy(&hub, &SelectionHub::changed);
    hub.apply(hub.state());
    hub.undo();
    hub.redo();
    QCOMPARE(spy.count(), 0);
  }

  void theFilterTextHoldsEveryPart() {
    SelectionState state;
    QCOMPARE(state.filter(), QString());
    state.where = "name ~ /gemm/ or stream = 7";
    state.kernels = {2, 5};
    state.brushes["duration"] = {{10, 20}, {40, 50}};
    QCOMPARE(state.filter(), QString("(name ~ /gemm/ or stream = 7) and kernel in (2, 5) and "
                                     "(duration between 10 and 20 or duration between 40 and 50)"));
  }

  void columnsHaveTheSameTitleEverywhere() {
    QCOMPARE(words("short_name"), QString("kernel"));
    QCOMPARE(words("gap_ns"), QString("gap before launch"));
    QCOMPARE(words("linked_transfer_count"), QString("memory operations, count"));
    QCOMPARE(words("mean_sm_clock"), QString("SM clock"));
    QCOMPARE(words("tile_size_x"), QString("tile size x"));
    // A feature of the causal graph has the title of its axis. A feature that is not a column keeps the label
    // that the answer gives it.
    for (const char* column : {"gap_ns", "queue_delay_ns", "migration_ns", "blocks", "mean_sm_clock"})
      QCOMPARE(feature_title(column, "something else"), words(column));
    QCOMPARE(feature_title("migration_count > 0", ""), words("migration_ns"));
    QCOMPARE(feature_title("stream 13", "stream 13"), QString("stream 13"));
    QStringList apart;
    for (const char* feature :
         {"migration_ns", "migration_count", "migration_bytes", "migration_ns > 0", "migration_count > 0"})
      apart << distinct_feature_title(feature);
    QCOMPARE(apart.removeDuplicates(), 0);
  }

  // "Keep" writes brushes into the filter box, with the fewest digits that represent their bounds exactly.
  void brushesAreWrittenWithTheFewestDigits() {
    SelectionState state;
    state.brushes["duration"] = {{1234.56, 0.1 + 0.2}};
    QCOMPARE(state.filter(), QString("duration between 1234.56 and 0.30000000000000004"));
    std::mt19937_64 random(7);
    for (int i = 0; i < 2000; ++i) {
      const double value =
          std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 160) - 110) *
          (i % 2 ? -1 : 1);
      const auto tokens = analysis::tokenize_filter(views::exactNumber(value).toStdString());
      QVERIFY2(tokens && tokens->size() == 2 && tokens->front().number == value,
               qPrintable(views::exactNumber(value)));
    }
  }

  void brushesOnCategoriesBecomeTheirCodes() {
    SelectionState state;
    state.brushes["stream"] = {{0.6, 2.4}};
    QCOMPARE(state.filter({{"stream", {7, 13, 14}}}), QString("stream in (13, 14)"));
  }

  void brushesOnTextsNameThem() {
    CategoryCodes codes;
    std::vector<engine::answers::ParallelAxisAnswer> axes;
    axes.push_back({.column = "name", .categories = {"gemm", "say \"x\""}, .codes = {4, 9}, .texts = true});
    axes.push_back({.column = "stream", .categories = {"7"}, .codes = {7}});
    axes.push_back({.column = "duration"});
    add_categories(axes, codes);
    QCOMPARE(codes.size(), std::size_t{2});
    SelectionState state;
    state.brushes["name"] = {{0.6, 1.4}};
    QCOMPARE(state.filter(codes), QString("name in (\"say \\\"x\\\"\")"));
    state.brushes["name"] = {{-0.5, 0.4}};
    QCOMPARE(state.filter(codes), QString("name in (\"gemm\")"));
    state.brushes["name"] = {{5, 6}};
    QCOMPARE(state.filter(codes), QString("name in (\"\")")); // no category is in the range
    state.brushes = {{"stream", {{-0.5, 0.5}}}};
    QCOMPARE(state.filter(codes), QString("stream in (7)"));
  }

  void brushesOnCategoriesMeanTheSameInASavedSession() {
    SelectionState state;
    state.brushes["stream"] = {{0.6, 2.4}};
    state.brushes["name"] = {{-0.4, 0.4}};
    state.brushes["duration"] = {{1, 2}};
    CategoryCodes codes{{"stream", {7, 13, 14}}};
    codes["name"].codes = {4, 5};
    codes["name"].texts = QStringList{"gemm", "a \"copy\""};
    const auto saved = nlohmann::json::parse(categories_of_brushes(state, codes).dump());
    CategoryCodes again;
    add_categories(saved, again);
    QCOMPARE(state.filter(again), state.filter(codes));
    QVERIFY(state.filter(again) != state.filter({}));
  }

  void aNewTimeReplacesTheSelectedOne() {
    SelectionHub hub;
    const Interval brush{{0}, {100}}, bin{{500}, {600}}, of_reason{{10}, {20}};
    const auto choose = [&](const auto& edit) {
      SelectionState state = hub.state();
      edit(state);
      hub.apply(state);
      return hub.state().intervals();
    };
    using Times = std::vector<Interval>;
    QCOMPARE(choose([&](SelectionState& s) { s.brush = brush; }), Times{brush});
    QCOMPARE(choose([&](SelectionState& s) { s.bin = BinChoice{3, bin}; }), Times{bin});
    QVERIFY(!hub.state().brush);
    QCOMPARE(choose([&](SelectionState& s) { s.where = "duration > 1us"; }), Times{bin});
    QCOMPARE(choose([&](SelectionState& s) {
               s.reason = ReasonChoice{"GPC clock", {of_reason}};
             }),
             Times{of_reason});
    QVERIFY(!hub.state().bin);
    QCOMPARE(choose([&](SelectionState& s) { s.brush = brush; }), Times{brush});
    QVERIFY(!hub.state().reason);
    hub.undo();
    QCOMPARE(hub.state().intervals(), Times{of_reason});
  }
};

QTEST_MAIN(HubTest)
#include "hub_test.moc"
