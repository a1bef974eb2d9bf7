#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>
#include <cmath>

#include "views/base/export.h"
#include "views/model/model_details.h"
#include "views/model/model_widget.h"
#include "views/table_parts/tsv.h"

using namespace jitterscope;
using namespace jitterscope::views;
using model::Chart;

namespace {

constexpr double kUs = 1'000;

ModelKernel kernel(const char* name, std::uint32_t id, double measured, double predicted, ModelBound bound,
                   std::int64_t launches = 10) {
  ModelKernel k;
  k.name = name, k.configuration = "grid 128, block 256";
  k.kernel = id, k.number = id, k.launches = launches;
  k.measured = measured, k.analytical = k.predicted = predicted;
  k.bound = bound, k.bottleneck = model::titleOf(bound);
  k.mwp = 8, k.cwp = 12, k.warps = 32;
  k.bytes = {4e6, 2e6, 1e6};
  k.instructions = 5e6, k.flops = 2e8;
  ModelTerm heading;
  heading.name = "Memory", heading.heading = true;
  k.terms = {heading,
             {"Mem_L", "640 cycles", "Σ w · (L + (s − 1) · d)", {}, false},
             {"MWP", "8", "min(Mem_L / Departure_delay, N)", "6", false}};
  return k;
}

ModelData example() {
  ModelData data;
  data.kernels = {kernel("copy", 1, 100 * kUs, 104 * kUs, ModelBound::Memory),
                  kernel("gemm", 2, 1'000 * kUs, 700 * kUs, ModelBound::Compute, 2),
                  kernel("scan", 3, 20 * kUs, 30 * kUs, ModelBound::Latency, 1)};
  data.devices = {
      {"GPU", "a table", {"L1 of 128 B a clock"}, {"L1", "L2", "DRAM"}, {1e13, 4e12, 1e12}, 1e12, 2e13}};
  data.validation = "Error of 3 launches: analytical median 30.0 %.";
  data.messages.push_back({"MPI_Send", "inter-node", 12, 8192, 1.5, 5 * kUs, 4 * kUs, 4 * kUs, false, {}});
  ModelRun measured;
  measured.title = "measured", measured.parts[0] = 60 * kUs, measured.parts[5] = 40 * kUs;
  ModelRun half = measured;
  half.title = "2 × nodes", half.parts[0] = 30 * kUs;
  data.runs = {measured, half};
  return data;
}

QRectF rectangle() {
  return {0, 0, 600, 400};
}

model::Layout layout(Chart chart, const ModelData& data = example()) {
  return model::layoutOf(data, chart, rectangle(), ViewStyle::light());
}

void click(ModelCanvas* canvas, QPointF at) {
  QTest::mouseClick(canvas, Qt::LeftButton, {}, at.toPoint());
}

} // namespace

/// The view of the performance model: positions of marks, clicks, keys and what-ifs.
class ModelViewTest : public QObject {
  Q_OBJECT

private slots:
  void briefNamesKeepTemplateArguments() {
    QCOMPARE(briefName("void f<float, 256>(float, float*)"), "f<float, 256>");
    QCOMPARE(briefName("void f<int (*)(int)>(int (*)(int))"), "f<int (*)(int)>");
    QCOMPARE(briefName("__amd_rocclr_fillBufferAligned"), "__amd_rocclr_fillBufferAligned");
    QCOMPARE(briefName("(anonymous)"), "(anonymous)");
    QCOMPARE(briefName("void <unnamed>::copy<float>(const T1 *, T1 *, unsigned int)"), "copy<float>");
    QCOMPARE(briefName("void at::(anonymous namespace)::softmax<4>(float*)"), "at::softmax<4>");
  }

  void scatterPlacesTimesByTheirLogarithms() {
    const auto l = layout(Chart::Scatter);
    QCOMPARE(l.marks.size(), std::size_t(3));
    QCOMPARE(l.x.low, l.y.low);
    QCOMPARE(l.x.high, l.y.high);
    const auto& data = example();
    for (const auto& mark : l.marks) {
      const auto& k = data.kernels[static_cast<std::size_t>(mark.index)];
      const double x =
          (std::log10(k.measured) - std::log10(l.x.low)) / (std::log10(l.x.high) - std::log10(l.x.low));
      const double y =
          (std::log10(k.predicted) - std::log10(l.y.low)) / (std::log10(l.y.high) - std::log10(l.y.low));
      QVERIFY(std::abs(mark.at.x() - (l.plot.left() + x * l.plot.width())) < 1e-6);
      QVERIFY(std::abs(mark.at.y() - (l.plot.bottom() - y * l.plot.height())) < 1e-6);
      QVERIFY(l.plot.contains(mark.at));
    }
  }

  void errorsBeginWithTheMostUnexplainedTime() {
    // gemm: 300 µs · 2, copy: 4 µs · 10, scan: 10 µs · 1
    QCOMPARE(model::errorOrder(example()), (std::vector<int>{1, 0, 2}));
    const auto l = layout(Chart::Errors);
    QCOMPARE(l.marks[0].index, 1);
    const double middle = l.plot.center().x();
    QVERIFY(l.marks[0].at.x() < middle); // predicted too low
    QVERIFY(l.marks[2].at.x() > middle);
    QVERIFY(std::abs((middle - l.marks[0].at.x()) / (l.marks[2].at.x() - middle) - 0.3 / 0.5) < 1e-9);
  }

  void errorsThatHaveNoRoomAreCountedAndScrolledTo() {
    ModelData data = example();
    for (std::uint32_t i = 0; i < 100; ++i)
      data.kernels.push_back(kernel("more", 10 + i, 50 * kUs, 50.1 * kUs, ModelBound::L2));
    const auto first = model::layoutOf(data, Chart::Errors, rectangle(), ViewStyle::light());
    QCOMPARE(static_cast<int>(first.marks.size()) + first.hidden, 103);
    const auto last = model::layoutOf(data, Chart::Errors, rectangle(), ViewStyle::light(), 0, 1'000);
    QCOMPARE(last.hidden, 0);
    QCOMPARE(last.marks.size(), first.marks.size());
  }

  void rooflinesMeetTheirCeilings() {
    const auto l = layout(Chart::Roofline);
    QCOMPARE(l.marks.size(), std::size_t(3));
    // intensity 2e8 / 1e6 = 200 FLOP/B, rate of "copy" 2e8 / 100 µs = 2e12 FLOP/s
    const auto at = l.place(200, 2e12);
    QVERIFY(std::abs(l.marks[0].at.x() - at.x()) < 1e-6 && std::abs(l.marks[0].at.y() - at.y()) < 1e-6);
    const auto ridge = l.place(2e13 / 1e12, 2e13); // ridge point of DRAM
    bool found = false;
    for (const auto& c : l.ceilings)
      found = found || (std::hypot(c.end.x() - ridge.x(), c.end.y() - ridge.y()) < 1e-6);
    QVERIFY(found);
    const auto i = layout(Chart::InstructionRoofline);
    const auto instruction = i.place(5, 5e6 / 1e-4);
    QVERIFY(std::abs(i.marks[0].at.y() - instruction.y()) < 1e-6);
  }

  void aRooflineOfAQuestionHasThePredictedTimes() {
    auto data = example();
    for (auto& k : data.kernels) k.before = k.predicted, k.predicted = 25 * kUs;
    const auto l = layout(Chart::InstructionRoofline, data);
    QCOMPARE(l.marks.size(), std::size_t(3));
    const auto at = l.place(5, 5e6 / 25e-6);
    QVERIFY(std::abs(l.marks[0].at.y() - at.y()) < 1e-6);
    QCOMPARE(l.ceilings.back().name, QString("1 T instructions/s"));
  }
  void aRooflineWithoutCountersStatesWhatIsMissing() {
    auto data = example();
    for (auto& k : data.kernels) k.flops = NAN;
    const auto l = layout(Chart::Roofline, data);
    QVERIFY(l.marks.empty());
    QVERIFY(l.reason.contains("counters of floating-point operations"));
  }

  void runsAreAsLongAsTheirTime() {
    const auto l = layout(Chart::Run);
    const double whole = l.marks[0].at.x() - l.plot.left(), half = l.marks[1].at.x() - l.plot.left();
    QVERIFY(std::abs(half / whole - 0.7) < 1e-9);
  }

  void aClickChoosesAKernelAndOpensItsTerms() {
    ModelWidget view;
    view.resize(700, 900);
    view.setData(example());
    QSignalSpy chosen(&view, &ModelWidget::kernelChosen), cleared(&view, &ModelWidget::selectionCleared);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    const auto& marks = view.canvas()->layout().marks;
    click(view.canvas(), marks[1].at);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toInt(), marks[1].index);
    const auto text = view.details()->toPlainText();
    QVERIFY2(text.contains("Mem_L") && text.contains("640 cycles") && text.contains("Departure_delay"),
             qPrintable(text));
    QVERIFY2(text.contains("was 6"), qPrintable(text));
    QCOMPARE(view.table()->currentIndex().data().toString(),
             example().kernels[static_cast<std::size_t>(marks[1].index)].name);
    click(view.canvas(), view.canvas()->layout().plot.topLeft() + QPointF(3, 3));
    QCOMPARE(cleared.size(), 1);
    QVERIFY(view.details()->toPlainText().contains("analytical median"));
  }

  void keysGoThroughTheMarks() {
    ModelWidget view;
    view.resize(700, 900);
    view.setData(example());
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QSignalSpy chosen(&view, &ModelWidget::kernelChosen);
    QTest::keyClick(view.canvas(), Qt::Key_Right); // from the left: shortest first
    QCOMPARE(view.opened(), std::optional(2));
    QTest::keyClick(view.canvas(), Qt::Key_Right);
    QCOMPARE(view.opened(), std::optional(0));
    QTest::keyClick(view.canvas(), Qt::Key_Return);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toInt(), 0);
  }

  void aRowOfTheTableOpensItsTerms() {
    ModelWidget view;
    view.resize(700, 900);
    view.setData(example());
    auto* model = view.table()->model();
    QCOMPARE(model->rowCount(), 3);
    QCOMPARE(model->index(0, 0).data().toString(), QString("gemm")); // longest first
    view.table()->selectRow(1);
    QCOMPARE(view.opened(), std::optional(0));
    const auto csv = toCsv(*model);
    QVERIFY2(csv.contains("measured [ns]") && csv.contains("104000"), qPrintable(csv));
  }

  void whatIfIsRequestedAndUndone() {
    ModelWidget view;
    view.setGpus({"A100", "MI300X"});
    QSignalSpy asked(&view, &ModelWidget::questionChanged);
    view.gpuBox()->setCurrentIndex(2);
    emit view.gpuBox()->activated(2);
    QCOMPARE(view.question().gpu, QString("MI300X"));
    view.blockBox()->setValue(128);
    view.levelBox()->setCurrentText("L2");
    view.hitRateBox()->setValue(90);
    QCOMPARE(asked.size(), 3);
    const auto question = asked.last()[0].value<ModelQuestion>();
    QCOMPARE(question.block, 128);
    QCOMPARE(question.level, QString("L2"));
    QVERIFY(std::abs(question.hitRate - 0.9) < 1e-12);
    QTest::mouseClick(view.resetButton(), Qt::LeftButton);
    QVERIFY(view.question().nothing());
    QCOMPARE(asked.size(), 4);
  }

  void whatIfIsShownBeforeAndAfter() {
    auto data = example();
    data.asked = "on MI300X";
    data.kernels[1].before = data.kernels[1].predicted, data.kernels[1].predicted /= 2;
    const auto l = layout(Chart::Scatter, data);
    QVERIFY(l.marks[1].at.y() > l.marks[1].from.y() + 10);
    QCOMPARE(l.marks[1].at.x(), l.marks[1].from.x());
    QCOMPARE(l.marks[0].at, l.marks[0].from);
    const auto html = model::detailsOf(data, Chart::Scatter, 1, ViewStyle::light());
    QVERIFY2(html.contains("2.00 ×"), qPrintable(html));
  }

  void missingInputsAreNamedWithTheCommand() {
    ModelData data;
    data.missing = {"smsp__inst_executed.sum"};
    data.command = "ncu --csv --metrics smsp__inst_executed.sum PROGRAM";
    ModelWidget view;
    view.setData(data);
    const auto text = view.details()->toPlainText();
    QVERIFY2(text.contains("Inputs missing: smsp__inst_executed.sum") && text.contains(data.command),
             qPrintable(text));
    QVERIFY(view.errorLabel()->text().isEmpty()); // no claim of accuracy
  }

  void theSentenceOfALaunchIsAboveTheTerms() {
    ModelWidget view;
    view.setData(example());
    view.setLaunch("Launch 7: expected 92.00 µs at 1.410 GHz, took 140.0 µs: 48.00 µs unexplained by work.");
    QVERIFY(view.details()->toPlainText().startsWith("Launch 7: expected 92.00 µs"));
    view.setLaunch({});
    QVERIFY(!view.details()->toPlainText().contains("Launch 7"));
  }

  void selectedKernelsAreMarkedOthersDimmed() {
    ModelWidget view;
    view.resize(700, 900);
    view.setData(example());
    view.setSelected({2, 3});
    QCOMPARE(view.canvas()->marked().chosen, (std::vector<int>{1, 2}));
    view.setSelected({});
    QVERIFY(view.canvas()->marked().chosen.empty());
  }

  void messagesAndRunsHaveTheirTables() {
    ModelWidget view;
    view.setData(example());
    view.setChart(Chart::Messages);
    QCOMPARE(view.table()->model()->index(0, 0).data().toString(), QString("MPI_Send"));
    view.setChart(Chart::Run);
    QCOMPARE(view.table()->model()->rowCount(), 2);
    view.setChart(Chart::Scatter);
    QCOMPARE(view.table()->model()->rowCount(), 3);
  }

  void runsAskAboutNodesAndTheSizeOfMessages() {
    ModelWidget view;
    view.setData(example());
    view.setChart(Chart::Run);
    QVERIFY(!view.nodesBox()->isHidden() && !view.messageSizeBox()->isHidden());
    QCOMPARE(view.question().nodes, 4);
    QSignalSpy asked(&view, &ModelWidget::questionChanged);
    view.nodesBox()->setCurrentIndex(view.nodesBox()->findData(16));
    emit view.nodesBox()->activated(view.nodesBox()->currentIndex());
    view.messageSizeBox()->setValue(2);
    QCOMPARE(asked.count(), 2);
    const auto question = asked.last().first().value<ModelQuestion>();
    QCOMPARE(question.nodes, 16);
    QCOMPARE(question.messageSize, 2.0);
    view.resetButton()->click();
    QVERIFY(view.question() == ModelQuestion());
    view.setChart(Chart::Scatter);
    QVERIFY(view.nodesBox()->isHidden() && view.messageSizeBox()->isHidden());
  }

  void everyChartIsPaintedInEveryTheme() {
    for (const Chart chart : {Chart::Scatter, Chart::Errors, Chart::Roofline, Chart::InstructionRoofline,
                              Chart::Messages, Chart::Run}) {
      const auto paint = [&](const ViewStyle& style, double scale) {
        return renderImage({600, 400}, scale, [&](QPainter& p, const QRectF& r) {
          model::paint(p, r, example(), chart, style);
        });
      };
      QVERIFY(paint(ViewStyle::light(), 1) != paint(ViewStyle::dark(), 1));
      QCOMPARE(paint(ViewStyle::paper(), 2).size(), QSize(1200, 800));
    }
  }
};

QTEST_MAIN(ModelViewTest)
#include "views_model_test.moc"
