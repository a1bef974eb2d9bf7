#include <QCheckBox>
#include <QComboBox>
#include <QImage>
#include <QLineEdit>
#include <QPainter>
#include <QSpinBox>
#include <QTest>

#include "app/metrics/histogram_controller.h"
#include "app/session/selection_words.h"
#include "tests/app/metrics/metrics_window.h"
#include "tests/views/base/mouse.h"
#include "views/metrics/metric_histogram.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// The histogram of a metric in the window: default metric, bins, colours, and cells that select moments.
class MetricHistogramViewTest : public MetricsWindow {
  Q_OBJECT

  HistogramController* controller() { return window_->histogram_controller(); }

private slots:
  // A metric that is only 0 and 1, such as GPU busy, has one block.
  void theHistogramIsOfAMetricWhoseValuesVary() {
    const auto filled_with = [](std::vector<double> values) {
      views::MetricPanel of;
      of.values.columns = static_cast<int>(values.size());
      of.values.minimum = of.values.maximum = of.values.average = std::move(values);
      return of;
    };
    const auto busy = filled_with({0, 1, std::nan("")}), active = filled_with({0, 1, 2});
    views::MetricPanel waiting, refused;
    refused.problem = "no such counter";
    using views::metrics::histogramPanel;
    QCOMPARE(histogramPanel({}), -1);
    QCOMPARE(histogramPanel({busy, active, active}), 1);
    QCOMPARE(histogramPanel({busy, waiting, active}), 0);
    QCOMPARE(histogramPanel({busy, refused, active}), 2);
    QCOMPARE(histogramPanel({busy, busy}), 0);

    QVERIFY(window_->metric_histogram()->data().empty());
    raise("dock.metric_histogram");
    const auto expected = static_cast<std::size_t>(histogramPanel(view()->panels()));
    QVERIFY(panel(expected).varies());
    QTRY_COMPARE_WITH_TIMEOUT(window_->metric_histogram()->data().title, panel(expected).title, kPatience);
    QVERIFY(settled(*window_));
  }

  void wholeNumbersHaveABinAndATickEach() {
    views::MetricHistogram data;
    data.title = "Active kernels";
    data.whole = true;
    data.bins = 3;
    data.edges = {1, 2, 3, 4};
    data.objects = {"GPU 0"};
    data.time = {5, 0, 1};
    data.values = {5, std::nan(""), 1};
    data.shownUnit = "ns";
    const auto style = views::ViewStyle::light();
    QStringList labels;
    for (const auto& tick : views::metrics::histogramTicks(data, 300, style)) {
      QCOMPARE(tick.position, (labels.size() + 0.5) / 3); // below the middle of its bin
      labels << tick.label;
    }
    QCOMPARE(labels, QStringList({"1", "2", "3"}));
    QCOMPARE(data.valuesOf(2), QString("3"));
    QCOMPARE(data.maximum(), 3.0);
    data.bins = 90;
    data.edges.clear();
    for (int edge = 1; edge <= 91; ++edge) data.edges.push_back(edge);
    for (const auto& tick : views::metrics::histogramTicks(data, 300, style))
      QCOMPARE(static_cast<int>(tick.value) % 10, 0);
  }

  void theHistogramHasAColourBarRightOfItsCells() {
    views::MetricHistogram data;
    data.title = "Active kernels";
    data.bins = 2;
    data.edges = {1, 1.5, 2};
    data.objects = {"GPU 0", "GPU 1"};
    data.time = {5, 0, 1, 1};
    data.values = {5, std::nan(""), 1, 1};
    data.shownUnit = "ns";
    const auto style = views::ViewStyle::light();
    const QRectF rect(0, 0, 600, 240);
    const QRectF bar = views::metrics::histogramColourBar(rect, data, style),
                 plot = views::metrics::histogramPlot(rect, data, style);
    QVERIFY(bar.left() > plot.right() && bar.right() < rect.right());
    QImage image(rect.size().toSize(), QImage::Format_RGB32);
    QPainter painter(&image);
    views::metrics::paintHistogram(painter, rect, data, style);
    const auto x = static_cast<int>(bar.center().x());
    const QColor top = image.pixelColor(x, static_cast<int>(bar.top()) + 3),
                 bottom = image.pixelColor(x, static_cast<int>(bar.bottom()) - 3);
    QVERIFY(top.lightness() + 60 < bottom.lightness());
    QVERIFY(views::metrics::histogramColourBar({0, 0, 250, 240}, data, style).isEmpty());
  }

  void controlsDoNotCoverTheHistogram() {
    views::MetricHistogramView histogram;
    for (const int width : {700, 460, 300, 230}) {
      histogram.resize(width, histogram.minimumSizeHint().height());
      histogram.show();
      QVERIFY(settled(*window_));
      QCoreApplication::sendPostedEvents();
      histogram.resize(width, std::max(150, histogram.minimumSizeHint().height()));
      QTest::qWait(20);
      const auto top = histogram.plot()->mapTo(&histogram, QPoint(0, 0)).y();
      for (const QWidget* control : std::initializer_list<const QWidget*>{
               histogram.statisticBox(), histogram.dataBox(), histogram.countBox(), histogram.lowField(),
               histogram.highField(), histogram.logarithmicBox()})
        QVERIFY2(control->mapTo(&histogram, QPoint(0, control->height())).y() <= top,
                 qPrintable(QString("%1: %2").arg(width).arg(control->accessibleName())));
    }
  }

  void cellsOfTheHistogramSelectMoments() {
    controller()->show(panel(1));
    auto* histogram = window_->metric_histogram();
    QTRY_COMPARE_WITH_TIMEOUT(histogram->data().title, panel(1).title, kPatience);
    QVERIFY(settled(*window_));
    std::int64_t counted = 0, chosen = 0;
    for (int bin = 0; bin < histogram->data().bins; ++bin)
      if (histogram->data().at(0, bin) > counted) counted = histogram->data().at(0, bin), chosen = bin;
    QVERIFY(counted > 0);
    QTest::mouseClick(histogram, Qt::LeftButton, {},
                      histogram->pointOf(0, static_cast<int>(chosen)).toPoint());
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().reason.has_value(), kPatience);
    std::int64_t selected = 0;
    for (const auto& time : window_->hub().state().reason->times) selected += time.length().count;
    QCOMPARE(selected, counted);
    QVERIFY(histogram->hasChosen());
    QVERIFY(view()->canvas()->model().moments == window_->hub().state().reason->times);
    QVERIFY(window_->timeline()->model().moments == window_->hub().state().reason->times);
    const auto words = selection_words(window_->hub().state(), window_->session().selection_names());
    QVERIFY2(words.contains("moment") && !words.contains("bins"), qPrintable(words));
    window_->hub().undo();
    QVERIFY(!window_->hub().state().reason);
    QVERIFY(!histogram->hasChosen());
    QVERIFY(view()->canvas()->model().moments.empty());
    QVERIFY(settled(*window_));
  }

  void coloursOfTheHistogramShowAnotherMetric() {
    controller()->show(panel(0));
    auto* plot = window_->metric_histogram();
    const auto title = panel(0).title;
    QTRY_COMPARE_WITH_TIMEOUT(plot->data().title, title, kPatience);
    auto* view = qobject_cast<views::MetricHistogramView*>(plot->parentWidget());
    QVERIFY(view);
    QVERIFY(!view->dataBox()->isEnabled());
    const auto choose = [](QComboBox* box, int index) {
      box->setCurrentIndex(index);
      emit box->activated(index);
    };
    choose(view->statisticBox(), view->statisticBox()->findData("average"));
    QVERIFY(view->dataBox()->isEnabled());
    choose(view->dataBox(), view->dataBox()->findText(title)); // of itself: inside the bin
    QTRY_VERIFY_WITH_TIMEOUT(plot->data().shown.endsWith(title), kPatience);
    const auto& data = plot->data();
    int cells = 0;
    for (int object = 0; object < static_cast<int>(data.objects.size()); ++object)
      for (int bin = 0; bin < data.bins; ++bin) {
        const double value = data.values[data.place(object, bin)];
        QCOMPARE(std::isnan(value), data.at(object, bin) == 0);
        if (std::isnan(value)) continue;
        ++cells;
        QVERIFY(value >= data.edge(bin) - 1e-9 && value <= data.edge(bin + 1) + 1e-9);
      }
    QVERIFY(cells > 0);
    choose(view->statisticBox(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(plot->data().showsTime(), kPatience);
    QVERIFY(settled(*window_));
  }

  // Number, limits and ratio of the bins are chosen in the view, shown in words and stored in sessions.
  void binsOfTheHistogramAreChosen() {
    controller()->show(panel(1));
    auto* plot = window_->metric_histogram();
    auto* histogram = qobject_cast<views::MetricHistogramView*>(plot->parentWidget());
    QVERIFY(histogram);
    QTRY_COMPARE_WITH_TIMEOUT(plot->data().title, panel(1).title, kPatience);
    QVERIFY(plot->data().whole && plot->data().bins < 48);
    const double highest = plot->data().maximum();
    QVERIFY(highest > 0);
    QVERIFY(!histogram->highField()->placeholderText().isEmpty());
    const auto type = [](QLineEdit* field, const QString& text) {
      field->selectAll();
      QTest::keyClicks(field, text);
      QTest::keyClick(field, Qt::Key_Return);
    };
    histogram->countBox()->setValue(4);
    QTRY_COMPARE_WITH_TIMEOUT(plot->data().bins, 4, kPatience);
    type(histogram->lowField(), "0.5");
    QTRY_COMPARE_WITH_TIMEOUT(plot->data().edges.front(), 0.5, kPatience);
    QCOMPARE(plot->data().edges.back(), highest);
    type(histogram->highField(), "4.5");
    QTRY_COMPARE_WITH_TIMEOUT(plot->data().edges, (std::vector<double>{0.5, 1.5, 2.5, 3.5, 4.5}), kPatience);
    views::mouse::move(plot, plot->pointOf(0, 1));
    QVERIFY2(plot->hoverText().contains("value\t1.5 to 2.5"), qPrintable(plot->hoverText()));
    views::mouse::move(plot, {4, plot->pointOf(0, 1).y()});
    QCOMPARE(plot->hoverText(), plot->data().objects[0]);
    QCOMPARE(histogram->highField()->text(), QString("4.5"));
    views::mouse::move(plot, {40, 6});
    QVERIFY2(plot->hoverText().contains("4 bins, 0.5 – 4.5"), qPrintable(plot->hoverText()));
    type(histogram->lowField(), "many");
    QVERIFY(histogram->problem().contains("many"));
    QCOMPARE(histogram->bins().low, std::optional(0.5));
    type(histogram->lowField(), "0");
    QTRY_COMPARE_WITH_TIMEOUT(plot->data().edges.front(), 0.0, kPatience);
    QVERIFY(histogram->problem().isEmpty());
    histogram->logarithmicBox()->click();
    QVERIFY(histogram->problem().contains("above 0"));
    type(histogram->lowField(), "1");
    type(histogram->highField(), "16");
    QTRY_COMPARE_WITH_TIMEOUT(plot->data().edges, (std::vector<double>{1, 2, 4, 8, 16}), kPatience);
    QVERIFY(plot->data().logarithmic);
    const auto kept = controller()->state();
    histogram->lowField()->clear();
    histogram->highField()->clear();
    histogram->logarithmicBox()->click();
    histogram->countBox()->setValue(0);
    QTRY_VERIFY_WITH_TIMEOUT(plot->data().whole, kPatience);
    QCOMPARE(histogram->bins(), views::HistogramBins());
    controller()->restore(kept);
    QCOMPARE(controller()->state().dump(), kept.dump());
    QTRY_COMPARE_WITH_TIMEOUT(plot->data().edges, (std::vector<double>{1, 2, 4, 8, 16}), kPatience);
    QCOMPARE(window_->current_session()->views.at("metric_histogram").dump(), kept.dump());
    histogram->setBins({});
    QVERIFY(settled(*window_));
  }
};

QTEST_MAIN(MetricHistogramViewTest)
#include "metric_histogram_view_test.moc"
