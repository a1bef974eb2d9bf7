#include <cmath>
#include <set>

#include "app/metrics/histogram_cells.h"
#include "app/metrics/metric_library.h"
#include "core/efficiency/metrics/syntax.h"
#include "tests/app/command/command_line.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// `jitterscope metric`: shipped metrics, own definitions, its output and its errors.
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

  // Busy, exposed and useful are defined as in the efficiency hierarchy.
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

  void whatIsNotRecordedIsStated() {
    const auto bursts = metric({"--metric", "burst-duration", "--json", "-"}).document();
    QVERIFY(bursts["not_recorded"] == nlohmann::json::array({"states"}));
    QVERIFY(metric({"--metric", "burst-duration"}).out.contains("note: the trace has no states"));
    QVERIFY(metric({"--metric", "gpu-busy", "--json", "-"}).document()["not_recorded"].empty());
    QVERIFY(!metric({"--metric", "gpu-busy"}).out.contains("note:"));
    QVERIFY(metric({"--metric", "gpu-busy", "--range", "0:100s"})
                .out.contains("note: the range exceeds the recorded time"));
  }

  void columnsAreWrittenAsCsv() {
    const auto csv = metric({"--metric", "gpu-busy", "--columns", "7", "--csv", "-"});
    QCOMPARE(csv.code, 0);
    const auto lines = csv.out.split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.front(), QString("object,begin_ns,end_ns,average,minimum,maximum"));
    QCOMPARE(lines.size() % 7, 1);
    QVERIFY(lines.size() > 7);
  }

  // The cells are those of the steps that `metric --exact` prints for both metrics.
  void histogramsMatchTheSteps() {
    const QString control = "sum(count(kernels) per device)", data = "2 * sum(count(queued) per device)";
    const auto steps_of = [&](const QString& text) {
      return metric({"--define", text, "--exact", "--json", "-"}).document();
    };
    const auto steps = steps_of(control), values = steps_of(data);
    const QStringList arguments = {"--define", control,    "--data", data,         "--histogram",
                                   "4",        "--values", "0:4",    "--with-zero"};
    const auto found = metric(arguments + QStringList{"--json", "-"}).document();
    QCOMPARE(found["statistic"].get<std::string>(), std::string("average"));
    QVERIFY(!found["objects"].empty());
    const auto end = steps["range_ns"]["end"].get<double>();
    std::vector<std::vector<double>> averages;
    for (std::size_t o = 0; o < found["objects"].size(); ++o) {
      std::vector<double> time(4), integral(4);
      std::vector<std::int64_t> bursts(4);
      std::set<double> borders{end};
      for (const auto* each : {&steps, &values})
        for (const auto& begin : (*each)["objects"][o]["begin_ns"]) borders.insert(begin.get<double>());
      const auto value = [&](const nlohmann::json& of, double at) {
        const auto& begins = of["objects"][o]["begin_ns"];
        std::size_t i = 0;
        while (i + 1 < begins.size() && begins[i + 1].get<double>() <= at) ++i;
        return of["objects"][o]["value"][i].get<double>();
      };
      double last = -1;
      for (auto border = borders.begin(); std::next(border) != borders.end(); ++border) {
        const double now = value(steps, *border), length = *std::next(border) - *border;
        if (now > 4) continue;
        const auto bin = std::min<std::size_t>(static_cast<std::size_t>(now), 3);
        time[bin] += length;
        integral[bin] += length * value(values, *border);
        if (std::exchange(last, now) != now) ++bursts[bin];
      }
      averages.emplace_back();
      for (std::size_t bin = 0; bin < 4; ++bin) {
        const auto& cells = found["objects"][o];
        QCOMPARE(cells["time_ns"][bin].get<double>(), time[bin]);
        QCOMPARE(cells["bursts"][bin].get<std::int64_t>(), bursts[bin]);
        QCOMPARE(cells["value"][bin].is_null(), time[bin] == 0);
        if (time[bin] > 0) averages[o].push_back(integral[bin] / time[bin]);
        if (time[bin] > 0) QVERIFY(std::abs(cells["value"][bin].get<double>() - averages[o].back()) < 1e-9);
      }
      QVERIFY(!averages[o].empty());
    }
    QCOMPARE(metric(arguments + QStringList{"--json", "-", "--ranks", "3"}).document()["objects"].dump(),
             found["objects"].dump());
    const auto csv = metric(arguments + QStringList{"--csv", "-"}).out.split('\n', Qt::SkipEmptyParts);
    QCOMPARE(csv.front(), QString("object,from,to,time_ns,bursts,average,minimum,maximum,integral"));
    QCOMPARE(csv.size(), 1 + 4 * static_cast<int>(found["objects"].size()));
    const auto printed = metric({"--define", control, "--histogram", "10", "--statistic", "bursts"});
    QVERIFY2(printed.out.contains("number of bursts in 10 bins"), qPrintable(printed.out));
  }

  void aConstantHasOneBin() {
    const QStringList constant = {"--metric", "gpu-busy", "--histogram", "4"};
    const auto printed = metric(constant).out.split('\n');
    QVERIFY2(printed[0].endsWith("time at a value; all values are 1"), qPrintable(printed[0]));
    QCOMPARE(printed[1].simplified(), QString("bins from total 1"));
    const auto document = metric(constant + QStringList{"--json", "-"}).document();
    QCOMPARE(document["bins"].get<int>(), 1);
    QCOMPARE(document["edges"].dump(), std::string("[1.0,1.0]"));
    for (const auto& object : document["objects"]) QCOMPARE(object["time_ns"].size(), std::size_t{1});
  }

  void integralsHaveANameAndAUnit() {
    const QStringList histogram = {
        "--define", "sum(count(kernels) per device)",    "--histogram", "4",
        "--data",   "2 * sum(count(queued) per device)", "--statistic", "integral"};
    const auto printed = metric(histogram).out;
    QVERIFY2(printed.contains("integral of the data metric in 4 bins"), qPrintable(printed));
    QVERIFY2(printed.split('\n')[2].trimmed().endsWith("s"), qPrintable(printed));
    QCOMPARE(integral_unit("B/s").name, QString("B"));
    QCOMPARE(integral_unit("W").name, QString::fromUtf8("W·s"));
  }

  // Two ranks compute in [0, 60) and are in MPI_Allreduce in [60, 100); there is no GPU.
  void tracesWithoutAGpuHaveOnlyTheirOwnObjects() {
    write(file("two.prv"), "#Paraver (26/11/2026 at 12:00):100_ns:1(2):1:2(1:1,1:1)\n"
                           "1:1:1:1:1:0:60:1\n1:2:1:2:1:0:60:1\n"
                           "2:1:1:1:1:60:50000002:10\n2:2:1:2:1:60:50000002:10\n"
                           "1:1:1:1:1:60:100:13\n1:2:1:2:1:60:100:13\n"
                           "2:1:1:1:1:100:50000002:0\n2:2:1:2:1:100:50000002:0\n");
    for (const auto& [definition, expected] :
         {std::pair{"mean(sum(active(states[running]) per process) per application)", "[1.0,0.0]"},
          {"all(any(active(states[running]) per process) per application)", "[1.0,0.0]"},
          {"min(any(active(mpi) per process) per application)", "[0.0,1.0]"}}) {
      const auto d =
          run({"metric", file("two.prv"), "--define", definition, "--exact", "--json", "-"}).document();
      QCOMPARE(d["objects"].size(), std::size_t{1});
      QCOMPARE(d["objects"][0]["begin_ns"].dump(), std::string("[0,60]"));
      QCOMPARE(d["objects"][0]["value"].dump(), std::string(expected));
    }
    for (const auto& [level, count] : {std::pair{"node", 1}, {"process", 2}, {"thread", 2}}) {
      const auto d =
          run({"metric", file("two.prv"), "--metric", "useful", "--level", level, "--json", "-"}).document();
      QCOMPARE(static_cast<int>(d["objects"].size()), count);
    }
  }

  void histogramsRefuseWhatTheyCannotShow() {
    const QStringList histogram = {"--metric", "gpu-busy", "--histogram", "10"};
    for (const auto& [more, place] : {std::pair{QStringList{"--statistic", "average"}, "--data"},
                                      {QStringList{"--values", "3:1"}, "--values"},
                                      {QStringList{"--values", "a:b"}, "--values"},
                                      {QStringList{"--values", "nan:1"}, "--values"},
                                      {QStringList{"--values", "0:1", "--log"}, "values"},
                                      {QStringList{"--data", "no metric ("}, "data"},
                                      {QStringList{"--columns", "3"}, "--columns"},
                                      {QStringList{"--histogram", "0"}, "--histogram"}}) {
      const auto refused = metric(histogram + more);
      QVERIFY2(refused.code == 1, qPrintable(more.join(' ')));
      QVERIFY2(refused.err.contains(place), qPrintable(refused.err));
    }
    QVERIFY(metric({"--metric", "gpu-busy", "--values", "0:1"}).err.contains("--histogram"));
  }

  // The steps of `export` are those of `metric --exact`, sorted by time.
  void stepsAreExportedAsCsv() {
    const QString definition = "sum(count(kernels) per device)";
    write(file("concurrent2.metric"), "unit = \"kernels\"; sum(count(kernels) per device)");
    const auto outcome =
        run({"export", trace_, "--metric", file("concurrent2.metric"), "-o", file("steps.csv")});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QFile csv(file("steps.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const auto lines = QString::fromUtf8(csv.readAll()).split("\r\n", Qt::SkipEmptyParts);
    QCOMPARE(lines.front(), QString("time [ns],track,value [kernels]"));
    std::map<QString, std::vector<std::pair<qint64, double>>> found, expected;
    qint64 last = INT64_MIN;
    for (const auto& line : lines.mid(1)) {
      const auto cells = line.split(',');
      QCOMPARE(cells.size(), 3);
      QVERIFY(cells[0].toLongLong() >= last);
      last = cells[0].toLongLong();
      found[cells[1]].emplace_back(last, cells[2].toDouble());
    }
    const auto document = metric({"--define", definition, "--exact", "--json", "-"}).document();
    for (const auto& object : document["objects"])
      for (std::size_t i = 0; i < object["begin_ns"].size(); ++i)
        expected[QString::fromStdString(object["name"])].emplace_back(object["begin_ns"][i].get<qint64>(),
                                                                      object["value"][i].get<double>());
    QVERIFY(!expected.empty());
    QVERIFY(found == expected);
  }

  void pointsAreExportedAsCsv() {
    const QStringList arguments = {"export",      trace_,     "--metric", "gpu-busy", "--level",
                                   "application", "--points", "9",        "--range",  "1ms:9ms"};
    QCOMPARE(run(arguments + QStringList{"-o", file("points.csv")}).code, 0);
    QFile csv(file("points.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const auto lines = QString::fromUtf8(csv.readAll()).split("\r\n", Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 10);
    const auto expected = metric({"--metric", "gpu-busy", "--level", "application", "--columns", "9",
                                  "--range", "1ms:9ms", "--json", "-"})
                              .document()["objects"][0];
    for (int i = 0; i < 9; ++i) {
      const auto cells = lines[i + 1].split(',');
      QCOMPARE(cells.size(), 6);
      QCOMPARE(cells[3].toDouble(), expected["average"][static_cast<std::size_t>(i)].get<double>());
      QCOMPARE(cells[5].toDouble(), expected["maximum"][static_cast<std::size_t>(i)].get<double>());
    }
    QCOMPARE(lines[1].section(',', 0, 0), QString("1000000"));
    QCOMPARE(lines[9].section(',', 1, 1), QString("9000000"));
    QCOMPARE(run({"export", trace_, "--points", "9", "-o", file("x.csv")}).code, 1);
    QCOMPARE(run({"export", trace_, "--metric", "gpu-bussy", "-o", file("x.csv")}).code, 1);
    QVERIFY(!QFile::exists(file("x.csv")));
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

  // A metric is a column for filters and the metric of bins: both give the same Σ over launches.
  void metricsAreColumnsAndBinMetrics() {
    const auto own = file("concurrent.metric");
    write(own, "title = \"Concurrent kernels\"; sum(count(kernels) per device)");
    const auto bins = run({"bins", trace_, "--metric", own, "--width", "1s", "--json", "-"});
    QVERIFY2(bins.code == 0, qPrintable(bins.err));
    const auto document = bins.document();
    QCOMPARE(QString::fromStdString(document["metric"]), QString("concurrent"));
    double sum = 0, n = 0;
    for (const auto& bin : document["bins"]) {
      sum += bin["sum"].get<double>(), n += bin["n"].get<double>();
      QVERIFY(bin["min"].get<double>() >= 1);
    }
    QCOMPARE(n, 5000.0);
    QVERIFY(sum >= n);
    const auto filtered = run({"bins", trace_, "--metric", "duration", "--metric", own, "--where",
                               "concurrent >= 1", "--width", "1s", "--json", "-"})
                              .document();
    double kept = 0;
    for (const auto& bin : filtered["bins"]) kept += bin["n"].get<double>();
    QCOMPARE(kept, 5000.0);
    const auto listed = run({"info", trace_, "--columns", "--metric", own, "--metric", "kernel"});
    QVERIFY2(listed.out.contains("Concurrent kernels"), qPrintable(listed.out));
    QVERIFY(listed.out.contains("metric_kernel")); // kernel is a column
  }

  void columnsOfMetricsDoNotDependOnRanks() {
    const QStringList arguments = {"bins", trace_, "--metric", "active-kernels", "--json", "-"};
    const auto one = run(arguments).document()["bins"];
    QVERIFY(!one.empty());
    QCOMPARE(run(arguments + QStringList{"--ranks", "3"}).document()["bins"].dump(), one.dump());
  }

  // Targets and features: a metric of unknown origin is not a cause; one with a stated origin may be one.
  void metricsAreTargetsAndFeatures() {
    const auto own = file("stated.metric");
    write(own, "tier = context; sum(count(kernels) per device)");
    const auto causal = [&](const QStringList& more) {
      const auto answer = run(QStringList{"causal", trace_, "--bootstrap", "20", "--json", "-"} + more);
      return answer.code == 0 ? answer.document() : json{{"error", answer.err.toStdString()}};
    };
    const auto tier = [](const json& answer, const std::string& name) {
      for (const auto& feature : answer.value("features", json::array()))
        if (feature["name"] == name) return feature["tier"].get<int>();
      return -1;
    };
    const auto stated = causal({"--metric", own, "--metric", "active-kernels"});
    QCOMPARE(tier(stated, "stated"), 2);
    QCOMPARE(tier(stated, "active_kernels"), 6);
    const auto target = causal({"--metric", own, "--target", "stated"});
    QCOMPARE(QString::fromStdString(target.value("target", target.dump())), QString("stated"));
  }

  void efficienciesAreFeatures() {
    const auto answer = run({"causal", trace_, "--efficiencies", "1ms", "--bootstrap", "20", "--json", "-"});
    QVERIFY2(answer.code == 0, qPrintable(answer.err));
    int found = 0;
    const auto document = answer.document();
    for (const auto& feature : document["features"])
      found += QString::fromStdString(feature["name"]).startsWith("efficiency_");
    QVERIFY(found >= 3);
    const auto bad = run({"causal", trace_, "--efficiencies", "0s"});
    QCOMPARE(bad.code, 1);
    const auto steps = run({"causal", trace_, "--efficiencies", "steps"});
    QVERIFY(steps.code == 0 || steps.err.contains("steps"));
  }

  void errorsOfColumnsNameTheMetric() {
    const auto unknown = run({"bins", trace_, "--metric", "active-kernls"});
    QCOMPARE(unknown.code, 1);
    QVERIFY2(unknown.err.contains("active-kernels"), qPrintable(unknown.err));
    const auto missing = file("counter.metric");
    write(missing, "counter(\"no such counter\")");
    const auto counter = run({"bins", trace_, "--metric", missing});
    QVERIFY(counter.code != 0);
    QVERIFY2(counter.err.contains("no such counter"), qPrintable(counter.err));
  }

  // Windows of a .cfg, some with unsupported parts. A window has the values of the equivalent metric.
  void windowsOfParaverAreMetrics() {
    const auto cfg = file("own.cfg");
    write(cfg,
          "#ParaverCFG\nConfigFile.Version: 3.4\n< NEW DISPLAYING WINDOW Busy >\nwindow_name Busy\n"
          "window_type single\nwindow_id 1\nwindow_level appl\n"
          "window_selected_functions { 4, { {appl, Adding}, {task, Adding Sign}, {thread, Last Evt Val}, "
          "{evt_type, =}, {evt_value, All} } }\nwindow_filter_module evt_type 1 63000006\n"
          "< NEW DISPLAYING WINDOW Gaps >\nwindow_name Gaps\nwindow_id 2\n"
          "window_selected_functions { 1, { {thread, Recv BandWidth} } }\n");
    const auto listed = run({"metric", "--from", cfg});
    QVERIFY2(listed.code == 0, qPrintable(listed.err));
    QVERIFY(listed.out.contains("title = \"Busy\""));
    QVERIFY2(listed.out.contains("# Gaps is not supported: the thread function \"Recv BandWidth\""),
             qPrintable(listed.out));
    const auto values = metric({"--from", cfg, "--json", "-"}).document()["objects"];
    const auto same =
        metric({"--define", "sum(any(active(kernels[not collective]) per process) per application)", "--json",
                "-"})
            .document()["objects"];
    QVERIFY(!values.empty());
    QCOMPARE(values[0]["average"].dump(), same[0]["average"].dump());
    const auto gaps = metric({"--from", cfg, "--window", "Gaps"});
    QCOMPARE(gaps.code, 2);
    QVERIFY(gaps.err.contains("Recv BandWidth"));
    write(cfg, "no configuration");
    QCOMPARE(run({"metric", "--from", cfg}).code, 2);
  }

private:
  static void write(const QString& path, const QByteArray& text) {
    QFile of(path);
    QVERIFY(of.open(QIODevice::WriteOnly));
    of.write(text);
  }
};

QTEST_GUILESS_MAIN(MetricCommandTest)
#include "metric_command_test.moc"
