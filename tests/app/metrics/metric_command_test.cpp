#include <cmath>

#include "app/metrics/metric_library.h"
#include "core/efficiency/metrics/syntax.h"
#include "tests/app/command/command_line.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// `jitterscope metric`: shipped metrics, own definitions, what it writes, how it refuses.
class MetricCommandTest : public QObject, CommandLine {
  Q_OBJECT

  Outcome metric(QStringList arguments) { return run(QStringList{"metric", trace_} + arguments); }

private slots:
  void initTestCase() { make_trace(); }

  void everyShippedMetricIsReadAndHasAHelpSentence() {
    QCOMPARE(shipped_metrics().size(), std::size_t{12});
    for (const auto& metric : shipped_metrics()) {
      QVERIFY(efficiency::metrics::parse(metric.text).has_value());
      QVERIFY2(!metric.help.isEmpty() && !metric.title.isEmpty(), qPrintable(metric.name));
    }
    const auto listed = run({"metric", "--list"});
    QCOMPARE(listed.code, 0);
    for (const auto& metric : shipped_metrics()) QVERIFY(listed.out.contains(metric.name));
  }

  void everyShippedMetricIsInTheHelpPage() {
    const auto page = run({"help", "metrics"});
    QCOMPARE(page.code, 0);
    for (const auto& metric : shipped_metrics())
      QVERIFY2(page.out.contains(metric.name), qPrintable(metric.name));
  }

  // What counts as busy, exposed and useful is the same as in the efficiency hierarchy.
  void metricsAgreeWithTheEfficiencies() {
    const auto efficiency = run({"efficiency", trace_, "--json", "-"}).document();
    const auto range = QString("%1:%2")
                           .arg(efficiency["range_ns"]["begin"].get<qint64>())
                           .arg(efficiency["range_ns"]["end"].get<qint64>());
    const double elapsed = efficiency["elapsed_ns"].get<double>();
    const auto busy = metric({"--define", "any(active(kernels[not collective]) per device)", "--range", range,
                              "--json", "-"})
                          .document();
    const auto exposed =
        metric({"--metric", "exposed-communication", "--range", range, "--json", "-"}).document();
    const auto& devices = efficiency["devices"];
    QVERIFY(!devices.empty());
    QCOMPARE(busy["objects"].size(), devices.size());
    for (std::size_t d = 0; d < devices.size(); ++d) {
      QCOMPARE(QString::fromStdString(busy["objects"][d]["name"]),
               QString::fromStdString(devices[d]["name"]));
      QCOMPARE(std::llround(busy["objects"][d]["average"][0].get<double>() * elapsed),
               devices[d]["useful_ns"].get<long long>());
      QCOMPARE(std::llround(exposed["objects"][d]["average"][0].get<double>() * elapsed),
               devices[d]["communication_ns"].get<long long>());
    }
    const auto useful =
        metric({"--metric", "useful", "--level", "application", "--range", range, "--json", "-"}).document();
    double sum = 0;
    for (const auto& host : efficiency["hosts"]) sum += host["useful_ns"].get<double>();
    QVERIFY(sum > 0);
    QVERIFY(std::abs(useful["objects"][0]["average"][0].get<double>() * elapsed / sum - 1) < 1e-9);
  }

  void ranksDoNotChangeAnyBit() {
    const QStringList arguments = {"--metric", "launch-queue-depth", "--columns", "97", "--json", "-"};
    const auto one = metric(arguments).document()["objects"];
    QVERIFY(!one.empty());
    QCOMPARE(metric(arguments + QStringList{"--ranks", "3"}).document()["objects"].dump(), one.dump());
  }

  void columnsAreWrittenAsCsv() {
    const auto csv = metric({"--metric", "gpu-busy", "--columns", "7", "--csv", "-"});
    QCOMPARE(csv.code, 0);
    const auto lines = csv.out.split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.front(), QString("object,begin_ns,end_ns,average,minimum,maximum"));
    QCOMPARE(lines.size() % 7, 1);
    QVERIFY(lines.size() > 7);
  }

  void exactStepsFollowEachOther() {
    const auto steps = metric({"--define", "sum(count(kernels) per application)", "--exact", "--json", "-"})
                           .document()["objects"][0];
    QVERIFY(steps["begin_ns"].size() > 100);
    for (std::size_t i = 1; i < steps["begin_ns"].size(); ++i) {
      QVERIFY(steps["begin_ns"][i - 1] < steps["begin_ns"][i]);
      QVERIFY(steps["value"][i - 1] != steps["value"][i]);
    }
  }

  void errorsNameThePlace() {
    const auto unknown = metric({"--define", "count(\nkernls)"});
    QCOMPARE(unknown.code, 1);
    QVERIFY2(unknown.err.contains("line 2, column 1"), qPrintable(unknown.err));
    const auto level = metric({"--metric", "gpu-busy", "--level", "stream"});
    QCOMPARE(level.code, 1);
    QVERIFY2(level.err.contains("application, node, process, device"), qPrintable(level.err));
    const auto name = metric({"--metric", "gpu-bussy"});
    QCOMPARE(name.code, 1);
    QVERIFY2(name.err.contains("gpu-busy"), qPrintable(name.err));
    QFile own(file("own.metric"));
    QVERIFY(own.open(QIODevice::WriteOnly));
    own.write("any(active(kernels) per devise)");
    own.close();
    const auto in_file = metric({"--file", file("own.metric")});
    QCOMPARE(in_file.code, 2);
    QVERIFY2(in_file.err.contains("own.metric") && in_file.err.contains("line 1, column 25"),
             qPrintable(in_file.err));
    QCOMPARE(metric({}).code, 1);
    QCOMPARE(metric({"--metric", "kernel", "--range", "5s:1s"}).code, 1);
  }
};

QTEST_GUILESS_MAIN(MetricCommandTest)
#include "metric_command_test.moc"
