#include "tests/app/command/command_line.h"

#include <QDir>
#include <QRegularExpression>

#include "tests/generator/paraver_run.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// Reduced traces, bursts as rows of the analysis, efficiencies, TALP and assessments on the command line.
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
    const auto part = [&](const QString& command, const QStringList& options, const char* output) {
      return run(QStringList{command, file("late.prv"), "--range", "100:800", "-o", file(output), "--json",
                             "-"} +
                 options)
          .document();
    };
    const auto store = part("cut", {}, "late.jts");
    QVERIFY(store.at("efficiency").at("note").is_null());
    QCOMPARE(store.at("efficiency").at("before").dump(), store.at("efficiency").at("after").dump());
    // A Paraver trace of the part names the thread without records, and so has the same efficiencies.
    const auto paraver = part("cut", {"--clip"}, "part.prv");
    const auto read = run({"efficiency", file("part.prv"), "--range", "100:800", "--json", "-"}).document();
    QCOMPARE(read.at("hosts").size(), std::size_t(2));
    QCOMPARE(read.at("mpi").dump(), paraver.at("efficiency").at("after").at("mpi").dump());
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
    const auto later = run({"filter", trace_, "--keep", "not first_launch", "-o", file("later.jts")});
    QCOMPARE(later.code, 0);
    QVERIFY2(later.out.contains("does not count as useful"), qPrintable(later.out));
    const auto cut = run({"cut", trace_, "--range", middle_text(), "-o", file("middle.jts")});
    QVERIFY2(cut.code == 0 && !cut.out.contains("does not count as useful"), qPrintable(cut.out));
    QVERIFY(info(file("later.jts")).at("launches").at("count") < info(trace_).at("launches").at("count"));
  }

  void aConditionAlsoDropsTheRowsThatAnalysisRowsWereMadeFrom() {
    generator::ParaverOptions options;
    options.processes = 2;
    options.threads = 1;
    options.steps = 20;
    QVERIFY(generator::write_paraver(options, file("steps.prv").toStdString()).has_value());
    QCOMPARE(run({"import", trace_, "--rows", "calls", "-o", file("calls.jts")}).code, 0);
    for (const auto& [source, table, words] :
         {std::tuple{file("steps.prv"), "ranges",
                     "bursts and their states Running; it does not apply to MPI calls"},
          {file("calls.jts"), "calls", "the condition applies to calls; it does not apply to transfers"}}) {
      const auto all = info(source).at("analysed");
      const auto mean = all.at("duration_sum_ns").get<double>() / all.at("count").get<double>();
      const QString part = file("long.jts"), paraver = file("long.prv");
      const auto d = run({"filter", source, "--keep", QString("duration > %1").arg(mean), "--overwrite", "-o",
                          part, "--json", "-"})
                         .document();
      std::int64_t dropped = 0;
      for (const auto& of : d.at("tables")) {
        const auto count = of.at("dropped").at("where").get<std::int64_t>();
        if (of.at("table") == "launches") dropped = count;
        if (of.at("table") == table) QCOMPARE(count, dropped);
      }
      QVERIFY(dropped > 0);
      QVERIFY2(d.at("report").dump().find(words) != std::string::npos, d.at("report").dump().c_str());
      if (source.endsWith(".jts")) continue;
      QCOMPARE(run({"export", part, "--to", "prv", "-o", paraver}).code, 0);
      QCOMPARE(info(paraver).at("analysed").at("count").dump(), info(part).at("analysed").at("count").dump());
    }
  }

  void rowsAreNamedByWhatTheyAre() {
    generator::ParaverOptions options;
    options.processes = 2;
    options.threads = 1;
    options.steps = 20;
    const auto path = file("nouns.prv");
    QVERIFY(generator::write_paraver(options, path.toStdString()).has_value());
    const auto d = info(path);
    QCOMPARE(d.at("messages").at("count").get<int>(), 0);
    QVERIFY(d.at("mpi_calls").at("count") > 0);
    const auto mean =
        d.at("analysed").at("duration_sum_ns").get<double>() / d.at("analysed").at("count").get<double>();
    const auto filtered =
        run({"filter", path, "--bursts-above", QString("%1ns").arg(qint64(mean)), "-o", file("nouns.jts")});
    QVERIFY2(filtered.code == 0 && filtered.out.contains("\n  bursts ") &&
                 filtered.out.contains("\n  MPI calls "),
             qPrintable(filtered.out));
    QCOMPARE(filtered.out.count("bursts shorter than the threshold"), 1);
    QVERIFY2(!filtered.out.contains("launches"), qPrintable(filtered.out));
  }

  void sizesOfCompressedSourcesAreStatedAsSuch() {
    generator::ParaverOptions options;
    options.processes = 2;
    options.threads = 1;
    options.steps = 20;
    const auto path = file("packed.prv");
    QVERIFY(generator::write_paraver(options, path.toStdString()).has_value());
    QCOMPARE(QProcess::execute("gzip", {path}), 0);
    const auto cut = run({"cut", path + ".gz", "--ranks", "0", "-o", file("unpacked.prv")});
    QVERIFY2(cut.code == 0 && cut.out.contains(" of compressed source files"), qPrintable(cut.out));
  }

  // The header declares four tasks.
  void tasksWithoutRecordsAreNotedWithTheEfficiencies() {
    QFile trace(file("absent.prv"));
    QVERIFY(trace.open(QIODevice::WriteOnly));
    trace.write("#Paraver (26/11/2026 at 12:00):1000_ns:1(4):1:4(1:1,1:1,1:1,1:1)\n"
                "1:1:1:1:1:0:1000:1\n1:2:1:2:1:0:900:1\n1:2:1:2:1:900:1000:13\n"
                "2:2:1:2:1:900:50000002:10\n2:2:1:2:1:1000:50000002:0\n");
    trace.close();
    const auto printed = run({"efficiency", file("absent.prv")});
    QVERIFY2(printed.out.contains("2 of the 4 tasks that the header declares have no records"),
             qPrintable(printed.out + printed.err));
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
    refused({"cut", trace_, "--range", "5000s:6000s"}, file("a.jts"),
            "the range 5000s to 6000s is outside the trace");
    refused({"cut", trace_, "--range", "2s:1s"}, file("a.jts"), "empty");
    refused({"cut", trace_, "--ranks", "99"}, file("a.jts"), "the trace has no rank 99");
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

  void efficiencyWritesItsContract() {
    const auto d = run({"efficiency", trace_, "--by", "rank", "--json", "-"}).document();
    for (const char* key : {"parallel", "load_balance", "communication", "orchestration"})
      QVERIFY2(d.at("device").at(key).is_number(), key);
    for (const char* key : {"parallel", "mpi", "load_balance", "communication", "offload"})
      QVERIFY2(d.at("host").contains(key), key);
    for (const char* key : {"parallel", "load_balance", "communication", "serialisation", "transfer"})
      QVERIFY2(d.at("mpi").contains(key), key);
    QVERIFY(d.at("mpi").at("transfer").is_null());
    const auto elapsed = d.at("elapsed_ns").get<qint64>();
    for (const auto& device : d.at("devices"))
      QCOMPARE(device.at("useful_ns").get<qint64>() + device.at("communication_ns").get<qint64>() +
                   device.at("idle_ns").get<qint64>(),
               elapsed);
    QCOMPARE(d.at("collectives_as").get<std::string>(), std::string("comm"));
    QVERIFY(!d.at("ranks").empty());
    const auto text = run({"efficiency", trace_}).out;
    QVERIFY2(text.contains("collectives count as communication") && text.contains("× load balance"),
             qPrintable(text));
  }

  void efficienciesOfEachDevice() {
    const auto d = run({"efficiency", trace_, "--by", "device", "--json", "-"}).document();
    const auto &devices = d.at("devices"), &alone = d.at("by_device");
    QVERIFY(!devices.empty());
    QCOMPARE(alone.size(), devices.size());
    for (std::size_t i = 0; i < devices.size(); ++i) {
      QVERIFY(alone[i].at("name") == devices[i].at("name"));
      const auto useful = devices[i].at("useful_ns").get<double>() / d.at("elapsed_ns").get<double>();
      QVERIFY(std::abs(alone[i].at("device").at("parallel").get<double>() - useful) < 1e-12);
      QCOMPARE(alone[i].at("device").at("load_balance").get<double>(), 1.0);
    }
    const auto csv = run({"efficiency", trace_, "--by", "device", "--csv", "-"}).out;
    QVERIFY2(csv.startsWith("name,rank,number,device."), qPrintable(csv.left(100)));
    QCOMPARE(csv.count('\n'), 1 + static_cast<int>(devices.size()));
  }

  void efficiencyRefusesWhatItCannotDo() {
    QCOMPARE(run({"efficiency", trace_, "--range", "5ms:2ms"}).code, 1);
    QCOMPARE(run({"efficiency", trace_, "--collectives-as", "both"}).code, 1);
    QCOMPARE(run({"efficiency", trace_, "--reference", "no such run"}).code, 1);
    QCOMPARE(run({"efficiency", trace_, "--reference-range", "0:1ms"}).code, 1);
    QCOMPARE(run({"efficiency", trace_, "--ideal-time", "0"}).code, 1);
    QCOMPARE(run({"efficiency", trace_, "--only-ranks", "3-1"}).code, 1);
    const auto absent = run({"efficiency", trace_, "--only-devices", "0,99"});
    QCOMPARE(absent.code, 1);
    QVERIFY2(absent.err.contains("no device 99"), qPrintable(absent.err));
    QCOMPARE(run({"efficiency", trace_, "--ideal-time", "1000s"}).code, 1);
    QCOMPARE(run({"efficiency", trace_, "--by", "device", "--timeline", "5", "--csv", file("two.csv")}).code,
             1);
    QCOMPARE(run({"efficiency", file("absent.sqlite")}).code, 2);
  }

  void efficiencyAgainstItselfScalesPerfectly() {
    const auto d = run({"efficiency", trace_, "--reference", trace_, "--json", "-"}).document();
    QCOMPARE(d.at("scaling").at("devices").at("computation").get<double>(), 1.0);
    QCOMPARE(d.at("scaling").at("kernels_computation").get<double>(), 1.0);
    QCOMPARE(d.at("scaling").at("devices").at("global").get<double>(),
             d.at("device").at("parallel").get<double>());
  }

  void efficiencyStatesBothRangesOfAComparison() {
    const auto whole = run({"efficiency", trace_, "--json", "-"}).document().at("range_ns");
    const auto begin = whole.at("begin").get<qint64>(), end = whole.at("end").get<qint64>();
    const auto half = QString("%1:%2").arg(begin).arg(begin + (end - begin) / 2);
    const auto d =
        run({"efficiency", trace_, "--range", half, "--reference", trace_, "--json", "-"}).document();
    const auto& reference = d.at("reference");
    QCOMPARE(reference.at("range_ns").dump(), whole.dump());
    QVERIFY(!reference.at("range_given").get<bool>() && reference.at("note").is_string());
    QCOMPARE(reference.at("inputs").front().at("sha256").get<std::string>().size(), std::size_t(64));
    const auto text = run({"efficiency", trace_, "--range", half, "--reference", trace_}).out;
    QVERIFY2(text.contains("they may contain different work"), qPrintable(text));
    const auto equal = run({"efficiency", trace_, "--range", half, "--reference", trace_, "--reference-range",
                            half, "--json", "-"})
                           .document();
    QVERIFY(equal.at("reference").at("note").is_null());
    QCOMPARE(equal.at("scaling").at("devices").at("speedup").get<double>(), 1.0);
  }

  // The reference is not part of the analysed run.
  void efficiencyAgainstATraceOfTheSessionIsThatOfTheOtherTraces() {
    generator::Options options;
    options.launches = 3000;
    options.seed = 5;
    QVERIFY(generator::generate(options, file("other.sqlite").toStdString(), {}).has_value());
    QCOMPARE(run({"import", trace_, "-o", file("reference.jts")}).code, 0);
    QCOMPARE(run({"import", file("other.sqlite"), "-o", file("other.jts")}).code, 0);
    const auto alone =
        run({"efficiency", file("other.jts"), "--reference", file("reference.jts"), "--json", "-"})
            .document();
    const auto both =
        run({"efficiency", file("other.jts"), file("reference.jts"), "--reference", "trace", "--json", "-"})
            .document();
    QCOMPARE(both.at("devices").size(), alone.at("devices").size());
    QCOMPARE(both.at("scaling").at("devices").dump(), alone.at("scaling").at("devices").dump());
    QCOMPARE(both.at("scaling").at("kernels").dump(), alone.at("scaling").at("kernels").dump());
    const auto included =
        run({"efficiency", file("other.jts"), file("reference.jts"), "--reference", file("reference.jts")});
    QCOMPARE(included.code, 1);
    QVERIFY2(included.err.contains("one of several FILES"), qPrintable(included.err));
  }

  void efficiencyNamesTheTracesIfTheReferenceIsUnknown() {
    const auto mistyped = run({"efficiency", trace_, "--reference", "no_such.prv"});
    QCOMPARE(mistyped.code, 1);
    QVERIFY2(mistyped.err.contains("\"no_such.prv\" is neither a file nor a trace") &&
                 mistyped.err.contains("Traces: trace."),
             qPrintable(mistyped.err));
    const auto only = run({"efficiency", trace_, "--reference", "trace"});
    QCOMPARE(only.code, 1);
    QVERIFY2(only.err.contains("no trace remains"), qPrintable(only.err));
  }

  void efficiencyOfARangeBeyondTheTraceIsThatOfTheRecordedPart() {
    const auto d = run({"efficiency", trace_, "--range", "0:1000s", "--json", "-"}).document();
    QCOMPARE(d.at("range_requested_ns").at("end").get<qint64>(), 1'000'000'000'000);
    QVERIFY(d.at("range_ns").at("end").get<qint64>() < 100'000'000'000);
    QVERIFY(run({"efficiency", trace_, "--range", "0:1000s"}).out.contains("exceeds the recorded time"));
    QCOMPARE(run({"efficiency", trace_, "--range", "900s:1000s"}).code, 1);
  }

  void efficienciesAreEqualForAnyRanks() {
    json first;
    for (const char* ranks : {"1", "2", "4"}) {
      const auto d = run({"efficiency", trace_, "--ranks", ranks, "--by", "rank", "--json", "-"}).document();
      if (first.is_null()) first = d;
      QCOMPARE(d.dump(), first.dump());
    }
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
    const auto printed =
        run({"efficiency", trace_, "--compare", file("talp.json")}).out.section("against TALP", 1);
    QVERIFY2(printed.contains("\n  × load balance ") && printed.contains("Device parallel efficiency ") &&
                 !printed.contains("device."),
             qPrintable(printed));
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
    const auto of_devices = [](const json& one) {
      return one.at("factor").get<std::string>().starts_with("device");
    };
    for (std::size_t i = 1; i < list.size(); ++i)
      QVERIFY(of_devices(list[i]) == of_devices(list[i - 1])
                  ? list[i].at("cost_ns") <= list[i - 1].at("cost_ns")
                  : of_devices(list[i - 1]));
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
    const auto three = run({"report", trace_, "--assessment", "--reference", trace_, "--reference", trace_,
                            "-o", file("b.html")});
    QVERIFY2(three.code == 0, qPrintable(three.err));
    QVERIFY(text_of(file("b.html")).contains("speedup</td><td>1.000</td><td>1.000"));
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
