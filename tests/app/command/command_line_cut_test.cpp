#include "tests/app/command/command_line.h"

#include <QDir>
#include <QRegularExpression>

using namespace jitterscope;
using namespace jitterscope::app;

/// Reduced traces, bursts as rows of the analysis, TALP, efficiencies over time and assessments on the
/// command line.
class CommandLineCutTest : public QObject, CommandLine {
  Q_OBJECT

  json info(const QString& path) { return run({"info", path, "--json", "-"}).document(); }
  QString text_of(const QString& path) {
    QFile in(path);
    return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.readAll()) : QString();
  }
  /// The middle third of the time from the first start to the last end of a launch.
  std::pair<std::int64_t, std::int64_t> middle() {
    const auto launches = info(trace_).at("launches");
    const auto begin = launches.at("first_start_ns").get<std::int64_t>(),
               end = launches.at("last_end_ns").get<std::int64_t>();
    return {begin + (end - begin) / 3, begin + 2 * (end - begin) / 3};
  }
  QString middle_text() {
    const auto [begin, end] = middle();
    return QString("%1:%2").arg(begin).arg(end);
  }

private slots:
  void initTestCase() { make_trace(); }

  void aCutTraceOpensAsAnyOther() {
    const auto cut = run({"cut", trace_, "--range", middle_text(), "-o", file("cut.jts"), "--json", "-"});
    QCOMPARE(cut.code, 0);
    const auto d = cut.document();
    QVERIFY(d.at("bytes_after") < d.at("bytes_before"));
    const auto after = info(file("cut.jts"));
    QCOMPARE(after.at("launches").at("count").dump(), d.at("tables")[0].at("kept").dump());
    std::int64_t dropped = 0;
    for (const auto& entry : after.at("report"))
      if (entry.at("code") == "dropped-launches-outside-range") dropped = entry.at("count");
    QCOMPARE(dropped + after.at("launches").at("count").get<std::int64_t>(),
             info(trace_).at("launches").at("count").get<std::int64_t>());
    const auto bins = run({"bins", file("cut.jts"), "--json", "-"});
    QCOMPARE(bins.code, 0);
    QVERIFY(!bins.document().at("bins").empty());
    const auto before = run({"efficiency", trace_, "--range", middle_text(), "--json", "-"}).document(),
               now = run({"efficiency", file("cut.jts"), "--range", middle_text(), "--json", "-"}).document();
    QCOMPARE(now.at("device").dump(), before.at("device").dump());
    QCOMPARE(d.at("efficiency").at("before").dump(), d.at("efficiency").at("after").dump());
  }

  // Rank 1 computes during the whole range, so that it has no record there.
  void rowsThatAFormatOrAFilterLosesAreStated() {
    QFile trace(file("late.prv"));
    QVERIFY(trace.open(QIODevice::WriteOnly));
    trace.write("#Paraver (26/11/2026 at 12:00):1000_ns:1(2):1:2(1:1,1:1)\n"
                "2:1:1:1:1:0:50000003:31\n2:2:1:2:1:0:50000003:31\n"
                "2:1:1:1:1:10:50000003:0\n2:2:1:2:1:10:50000003:0\n"
                "2:1:1:1:1:200:50000002:10\n2:2:1:2:1:890:50000002:10\n"
                "2:1:1:1:1:900:50000002:0\n2:2:1:2:1:900:50000002:0\n");
    trace.close();
    const auto part = [&](const QString& command, const QStringList& options, const QString& output) {
      return run(QStringList{command, file("late.prv"), "--range", "100:800", "-o", file(output), "--json",
                             "-"} +
                 options)
          .document();
    };
    const auto store = part("cut", {}, "late.jts");
    QVERIFY(store.at("efficiency").at("note").is_null());
    QCOMPARE(store.at("efficiency").at("before").dump(), store.at("efficiency").at("after").dump());
    const auto paraver = part("cut", {}, "part.prv").at("left_out").dump();
    QVERIFY2(paraver.find("1 devices and host threads of the whole trace") != std::string::npos,
             paraver.c_str());
    const auto filtered = part("filter", {"--keep", "collectives"}, "waits.jts").at("efficiency").at("note");
    QVERIFY2(filtered.dump().find("1 host thread has no rows in the smaller trace") != std::string::npos,
             filtered.dump().c_str());
  }

  void aFilteredTraceKeepsWhatWasRequested() {
    const auto filtered = run({"filter", trace_, "--kernels-above", "20us", "--keep", "kernels",
                               "--software-counters", "-o", file("long.jts"), "--json", "-"});
    QCOMPARE(filtered.code, 0);
    QVERIFY(filtered.document().at("software_counters") > 0);
    const auto after = info(file("long.jts"));
    QCOMPARE(after.at("calls").at("count").get<int>(), 0);
    const auto expected =
        run({"bins", trace_, "--where", "duration >= 20us", "--metric", "duration", "--json", "-"})
            .document();
    std::int64_t n = 0;
    for (const auto& bin : expected.at("bins")) n += bin.at("n").get<std::int64_t>();
    QCOMPARE(after.at("launches").at("count").get<std::int64_t>(), n);
    const auto by_text =
        run({"filter", trace_, "--keep", "duration >= 20us", "-o", file("text.jts"), "--json", "-"});
    QCOMPARE(by_text.code, 0);
    QCOMPARE(info(file("text.jts")).at("launches").at("count").dump(),
             after.at("launches").at("count").dump());
    QCOMPARE(run({"filter", trace_, "--keep", "not first_launch", "-o", file("later.jts")}).code, 0);
    QVERIFY(info(file("later.jts")).at("launches").at("count") < info(trace_).at("launches").at("count"));
  }

  void aCutTraceForParaverIsReadAgain() {
    QCOMPARE(run({"cut", trace_, "--range", middle_text(), "-o", file("cut.prv")}).code, 0);
    QVERIFY(QFile::exists(file("cut.pcf")) && QFile::exists(file("cut.row")));
    QCOMPARE(run({"cut", trace_, "--range", middle_text(), "-o", file("same.jts")}).code, 0);
    const auto store = info(file("same.jts")).at("launches"), prv = info(file("cut.prv")).at("launches");
    for (const char* key : {"count", "kernels", "duration_sum_ns"})
      QCOMPARE(prv.at(key).dump(), store.at(key).dump());
    QCOMPARE(QDir(QFileInfo(file("cut.prv")).path()).entryList({"*.cut-*"}).size(), 0);
  }

  void aCutTraceForOtherToolsIsReadAgain() {
    QCOMPARE(run({"cut", trace_, "--range", middle_text(), "-o", file("same2.jts")}).code, 0);
    const auto store = info(file("same2.jts")).at("launches");
    for (const char* name : {"cut.json", "cut.csv"}) {
      const auto outcome = run({"cut", trace_, "--range", middle_text(), "-o", file(name)});
      QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
      const auto again = info(file(name)).at("launches");
      for (const char* key : {"count", "kernels", "configurations", "duration_sum_ns"})
        QCOMPARE(again.at(key).dump(), store.at(key).dump());
    }
    QCOMPARE(QDir(QFileInfo(file("cut.csv")).path()).entryList({"*.cut-*"}).size(), 0);
  }

  void failedWritesLeaveNoFile() {
    const auto refused = [&](const QStringList& arguments, const QString& output, const char* words) {
      const auto outcome = run(QStringList(arguments) << "-o" << output);
      QVERIFY2(outcome.code == 1, qPrintable(outcome.err));
      QVERIFY2(outcome.err.contains(words), qPrintable(outcome.err));
    };
    refused({"cut", trace_, "--range", "5000s:6000s"}, file("a.jts"), "outside the trace");
    refused({"cut", trace_, "--range", "2s:1s"}, file("a.jts"), "empty");
    refused({"cut", trace_, "--ranks", "99"}, file("a.jts"), "no process of these ranks");
    refused({"cut", trace_, "--ranks", "x"}, file("a.jts"), "list of numbers");
    refused({"filter", trace_, "--kernels-above", "1000s", "--keep", "kernels"}, file("a.jts"),
            "no row of the trace would be left");
    refused({"filter", trace_, "--keep", "nonsense"}, file("a.jts"), "not a kind of rows");
    refused({"cut", trace_, "--range", middle_text()}, file("a.txt"), "must end in .jts");
    QVERIFY(!QFile::exists(file("a.jts")));
    QFile there(file("there.jts"));
    QVERIFY(there.open(QIODevice::WriteOnly) && there.write("mine") == 4);
    there.close();
    refused({"cut", trace_, "--range", middle_text()}, file("there.jts"), "the output exists");
    QCOMPARE(text_of(file("there.jts")), QString("mine"));
    QCOMPARE(run({"cut", trace_, "--range", middle_text(), "--overwrite", "-o", file("there.jts")}).code, 0);
    QVERIFY(info(file("there.jts")).at("launches").at("count") > 0);
    QCOMPARE(run({"cut", file("there.jts"), "--overwrite", "-o", file("there.jts")}).code, 1);
  }

  void aFullDiskLeavesNoHalfFile() {
    QCOMPARE(run({"info", trace_}).code, 0); // imports the trace before the limit applies
    for (const char* name : {"full.jts", "full.prv"}) {
      QProcess process;
      auto environment = QProcessEnvironment::systemEnvironment();
      environment.insert("JITTERSCOPE_CACHE", cache_);
      process.setProcessEnvironment(environment);
      const QString command =
          QString("ulimit -f 100; exec '%1' cut '%2' -o '%3'").arg(JITTERSCOPE_PROGRAM, trace_, file(name));
      process.start("sh", {"-c", command});
      process.waitForFinished(180000);
      QVERIFY(process.exitCode() != 0);
      QVERIFY(!process.readAllStandardError().isEmpty());
      const auto left = QDir(QFileInfo(file(name)).path()).entryList({"full.*"});
      QVERIFY2(left.isEmpty(), qPrintable(left.join(' ')));
    }
  }

  void rangesAndCallsCanBeAnalysed() {
    for (const char* rows : {"ranges", "calls"}) {
      const auto d = run({"info", trace_, "--rows", rows, "--json", "-"}).document();
      QCOMPARE(d.at("rows").get<std::string>(), std::string(rows));
      QCOMPARE(d.at("launches").at("count").get<int>(), 0);
      QCOMPARE(d.at("analysed").at("count").get<std::int64_t>(),
               info(trace_).at(rows).at("count").get<std::int64_t>());
      QCOMPARE(run({"bins", trace_, "--rows", rows, "--metric", "duration", "--json", "-"}).code, 0);
      QCOMPARE(
          run({"causal", trace_, "--rows", rows, "--json", "-"}).document().at("target").get<std::string>(),
          std::string("kernel_variability"));
    }
    QCOMPARE(run({"info", trace_, "--rows", "nonsense"}).code, 1);
    QCOMPARE(run({"import", trace_, "-o", file("trace.jts")}).code, 0);
    const auto of_store = run({"info", file("trace.jts"), "--rows", "calls", "--json", "-"}).document();
    QCOMPARE(of_store.at("rows").get<std::string>(), std::string("calls"));
  }

  void aTraceWithoutGpuIsAnalysedByItsBursts() {
    const auto path = real_data("paraver/epoch-mpi/epoch_4proc.prv.gz");
    if (path.isEmpty()) QSKIP("the real trace is not available");
    const auto d = info(path);
    QCOMPARE(d.at("rows").get<std::string>(), std::string("bursts"));
    QVERIFY(d.at("analysed").at("count") > 5000);
    const auto bins = run({"bins", path, "--json", "-"}).document();
    QVERIFY(!bins.at("kept").empty());
    const auto causal = run({"causal", path, "--json", "-"}).document();
    QVERIFY(causal.at("n") > 5000);
    QVERIFY(!causal.at("sentences").empty());
    // Concurrency is not a feature of bursts: it is lower during a long burst because of the burst's length.
    for (const auto& f : causal.at("features")) QVERIFY(f.at("name") != "concurrency");
  }

  void efficienciesOverTimeAreThoseOfTheirParts() {
    const auto d =
        run({"efficiency", trace_, "--timeline", "7", "--csv", file("t.csv"), "--json", "-"}).document();
    const auto& parts = d.at("timeline");
    QCOMPARE(parts.size(), std::size_t(7));
    QCOMPARE(parts.front().at("begin_ns").dump(), d.at("range_ns").at("begin").dump());
    QCOMPARE(parts.back().at("end_ns").dump(), d.at("range_ns").at("end").dump());
    const auto& third = parts.at(2);
    QCOMPARE(third.at("begin_ns").dump(), parts.at(1).at("end_ns").dump());
    const auto alone = run({"efficiency", trace_, "--range",
                            QString("%1:%2")
                                .arg(third.at("begin_ns").get<std::int64_t>())
                                .arg(third.at("end_ns").get<std::int64_t>()),
                            "--json", "-"})
                           .document();
    QCOMPARE(third.at("device").dump(), alone.at("device").dump());
    QCOMPARE(text_of(file("t.csv")).split('\n', Qt::SkipEmptyParts).size(), 8);
    QVERIFY(text_of(file("t.csv")).startsWith("begin_ns,end_ns,device."));
    QCOMPARE(run({"efficiency", trace_, "--csv", file("u.csv")}).code, 1);
  }

  void talpIsWrittenAndComparedWith() {
    QCOMPARE(run({"efficiency", trace_, "--talp", file("talp.json")}).code, 0);
    const auto d = run({"efficiency", trace_, "--collectives-as", "useful", "--compare", file("talp.json"),
                        "--reference", file("talp.json"), "--json", "-"})
                       .document();
    for (const auto& factor : d.at("comparison").at("factors"))
      if (!factor.at("difference").is_null() && factor.at("factor").get<std::string>().starts_with("device"))
        QVERIFY(std::abs(factor.at("difference").get<double>()) < 1e-12);
    QCOMPARE(d.at("scaling").at("devices").at("computation").get<double>(), 1.0);
    QFile broken(file("broken.json"));
    QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("{\"dlbVersion\": 3") > 0);
    broken.close();
    const auto bad = run({"efficiency", trace_, "--compare", file("broken.json")});
    QCOMPARE(bad.code, 2);
    QVERIFY2(bad.err.contains("broken.json") && bad.err.contains("byte"), qPrintable(bad.err));
    QCOMPARE(run({"efficiency", trace_, "--compare", file("none.json")}).code, 2);
  }

  void anAssessmentStatesWhatCostsTime() {
    const auto made = run({"report", trace_, "--assessment", "-o", file("a.html"), "--json", "-"});
    QVERIFY2(made.code == 0, qPrintable(made.err));
    const auto document = made.document();
    const auto& list = document.at("observations");
    QVERIFY(!list.empty());
    for (std::size_t i = 1; i < list.size(); ++i) QVERIFY(list[i].at("cost_ns") <= list[i - 1].at("cost_ns"));
    const auto page = text_of(file("a.html"));
    for (const char* heading :
         {"Background", "Focus of analysis", "Structure", "Efficiencies", "Scaling", "Load balance",
          "Communication", "Computation", "Main observations", "Recommendations", "Limits of the trace"})
      QVERIFY2(page.contains(heading), heading);
    static const QRegularExpression kLink("href=\"#([^\"]+)\"");
    int links = 0;
    for (auto found = kLink.globalMatch(page); found.hasNext(); ++links)
      QVERIFY(page.contains("id=\"" + found.next().captured(1) + "\""));
    QVERIFY(links > 0);
    static const QRegularExpression kCause("durations vary: (.+?) accounts for");
    for (auto found = kCause.globalMatch(page);
         found.hasNext();) // the page lists causes, not associated factors
      QVERIFY2(page.contains("comes from " + found.next().captured(1)), qPrintable(page));
    QVERIFY(!page.contains("http://") && !page.contains("https://"));
    const auto scaled = run({"report", trace_, "--assessment", "--reference", trace_, "-o", file("b.html")});
    QVERIFY2(scaled.code == 0, qPrintable(scaled.err));
    QVERIFY(text_of(file("b.html")).contains("speedup</td><td>1.000"));
    QCOMPARE(run({"report", trace_, "--range", "1s:2s", "-o", file("c.html")}).code, 1);
  }

  void anAssessmentNamesWhatIsRecorded() {
    QCOMPARE(run({"report", trace_, "--assessment", "-o", file("launches.html")}).code, 0);
    const auto of_launches = text_of(file("launches.html"));
    QVERIFY2(of_launches.contains("Recorded: kernels, memory operations"), qPrintable(of_launches));
    QFile copies(file("copies.json"));
    QVERIFY(copies.open(QIODevice::WriteOnly));
    copies.write("{\"traceEvents\": [");
    for (int copy = 0; copy < 20; ++copy)
      copies.write(QString(R"(%1{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, )"
                           R"("ts": %2, "dur": 9, "args": {"device": 0, "stream": 7, "bytes": 4096}})")
                       .arg(copy == 0 ? "" : ",")
                       .arg(10 * copy)
                       .toUtf8());
    copies.write("]}");
    copies.close();
    const auto made = run({"report", file("copies.json"), "--assessment", "-o", file("copies.html")});
    QVERIFY2(made.code == 0, qPrintable(made.err));
    const auto of_copies = text_of(file("copies.html"));
    QVERIFY2(of_copies.contains("Recorded: memory operations."), qPrintable(of_copies));
  }
};

QTEST_GUILESS_MAIN(CommandLineCutTest)
#include "command_line_cut_test.moc"
