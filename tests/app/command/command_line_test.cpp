#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTest>

#include <filesystem>
#include <utility>

#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tests/app/command/command_line.h"
#include "tests/generator/paraver_run.h"
#include "tests/support/processes.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// What the subcommands print about traces, bins and tables, and which errors they report.
class CommandLineTest : public QObject, CommandLine {
  Q_OBJECT

  QProcessEnvironment environment_of_a_window(const test::TemporaryFolder& temporary) {
    auto environment = QProcessEnvironment::systemEnvironment();
    const auto home = QString::fromStdString(folder_.path().string());
    environment.insert("TMPDIR", QString::fromStdString(temporary.path().string()));
    environment.insert("JITTERSCOPE_CACHE", cache_);
    environment.insert("HOME", home);
    environment.insert("XDG_RUNTIME_DIR", home); // otherwise Qt creates a temporary folder
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    return environment;
  }
  static QStringList everything_in(const test::TemporaryFolder& folder) {
    return QDir(QString::fromStdString(folder.path().string()))
        .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
  }
  /// A window with an engine that has started.
  void start_window(QProcess& window, const test::TemporaryFolder& temporary) {
    window.setProcessEnvironment(environment_of_a_window(temporary));
    window.start(JITTERSCOPE_PROGRAM, {trace_});
    QTRY_VERIFY_WITH_TIMEOUT(!everything_in(temporary).isEmpty(), 60000);
    QTest::qWait(2000); // gives the engine time to start
  }

private slots:
  void initTestCase() { make_trace(); }
  void helpShowsPagesTopicsAndTheManual() {
    const auto topics = run({"help"});
    QCOMPARE(topics.code, 0);
    for (const char* topic : {"causal", "filter", "glossary", "performance-model"})
      QVERIFY2(topics.out.contains(topic), topic);
    const auto page = run({"help", "Ranked", "bins"});
    QCOMPARE(page.code, 0);
    QVERIFY2(page.out.startsWith("Ranked bins\n===========\n"), qPrintable(page.out.left(80)));
    for (const QString& line : page.out.split('\n'))
      QVERIFY2(line.size() <= 100 || line.startsWith("    "), qPrintable(line));
    const auto hits = run({"help", "--search", "attributable share", "--json", "-"});
    QCOMPARE(hits.document().at("hits").at(0).at("topic").get<std::string>(), std::string("statistics"));
    const auto manual = run({"help", "--man"});
    QVERIFY(manual.out.startsWith(".TH JITTERSCOPE 1"));
    for (const char* part : {".SS causal", "\\-\\-against", ".SH EXIT STATUS", "JITTERSCOPE_CACHE"})
      QVERIFY2(manual.out.contains(part), part);
    const auto wrong = run({"help", "causel"});
    QCOMPARE(wrong.code, 1);
    QVERIFY2(wrong.err.contains("causal"), qPrintable(wrong.err));
  }

  void aRankingWithoutReasonsStatesWhy() {
    QFile table(file("without_durations.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("clock,score\n");
    for (int i = 0; i < 400; ++i)
      table.write(qPrintable(QString("%1,%2\n").arg(1000 + i % 37).arg(i * 31 % 101)));
    table.close();
    const auto shown = run({"bins", file("without_durations.csv"), "--why"});
    QVERIFY2(shown.code == 0, qPrintable(shown.err));
    QVERIFY2(shown.out.contains("kept") && shown.out.contains("no reasons: no duration is recorded"),
             qPrintable(shown.out));
    const auto document = run({"bins", file("without_durations.csv"), "--why", "--json", "-"}).document();
    QVERIFY(!document.at("kept").empty());
    QVERIFY(document.at("no_reasons").get<std::string>().starts_with("no duration is recorded"));
  }

  void infoAndReportStateWhoComesLastAndWhy() {
    const QString trace = real_data("kineto/dlrm-8rank/dlrm_kineto.tar.gz");
    if (trace.isEmpty()) QSKIP("the real trace is not available");
    const auto said = run({"info", trace});
    QCOMPARE(said.code, 0);
    QVERIFY2(said.out.contains("Rank 7 arrives last at 5 of the 8 collectives of 8 devices"),
             qPrintable(said.out));
    const auto collectives = run({"info", trace, "--json", "-"}).document().at("collectives");
    QCOMPARE(collectives.at("slowest").get<int>(), 7);
    QCOMPARE(collectives.at("participants").size(), std::size_t(8));
    const auto& why = collectives.at("participants")[7].at("why");
    const auto lost = why.at("since_previous_ns").at("sum").get<double>();
    QVERIFY(lost > 0 && why.at("parts_ns").at("not-launched").at("sum").get<double>() > 0.85 * lost);
    QCOMPARE(run({"report", trace, "-o", file("ranks.html")}).code, 0);
    QFile page(file("ranks.html"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const auto html = page.readAll();
    QVERIFY(html.contains("Last device to arrive at collectives") &&
            html.contains("Rank 7 arrives last at 5 of the 8"));
    QVERIFY2(!run({"info", trace_}).out.contains("collectives:"), "this trace has no collectives");
  }

  void importWritesAStoreThatInfoReads() {
    const auto imported = run({"import", trace_, "-o", file("a.jts"), "--json", "-"});
    QCOMPARE(imported.code, 0);
    QVERIFY(imported.document().contains("report"));
    const auto from_store = run({"info", file("a.jts"), "--json", "-"}).document();
    const auto from_trace = run({"info", trace_, "--json", "-"}).document();
    QCOMPARE(from_store.at("launches").at("count").get<int>(), 5000);
    QCOMPARE(from_store.at("launches").dump(), from_trace.at("launches").dump());
    for (const char* key : {"transfers", "calls", "ranges", "samples", "messages", "devices", "streams",
                            "ranks", "columns", "report"})
      QVERIFY2(from_store.contains(key), key);
  }

  void pipesAreRefusedWithoutWaitingForTheirWriters() {
    const QString pipe = file("pipe");
    QCOMPARE(::mkfifo(pipe.toUtf8().constData(), 0600), 0);
    for (const QStringList& arguments :
         {QStringList{"info", pipe}, {"import", pipe, "-o", file("p.jts")}, {"info", trace_, pipe}}) {
      const auto refused = run(arguments);
      QCOMPARE(refused.code, 2);
      QVERIFY2(refused.err.contains("not a regular file"), qPrintable(refused.err));
    }
  }

  void realTracesGiveTheirKnownSums_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QList<qint64>>("expected"); // launches, their total ns, transfers, their bytes
    const auto row = [](const char* path, QList<qint64> expected) {
      QTest::newRow(path) << QString(path) << expected;
    };
    row("nsys/h100-2gpu/h100_2gpu_1s.sqlite", {3442, 44829522, 904, 110318980178});
    row("nsys/gtls-cupy/report1.sqlite", {23419, 2206306218, 5105, 215934872});
    row("nsys/gtls-cupy/report1.schema372.sqlite", {23419, 2206306218, 5105, 215934872});
    row("nsys/perlmutter/perlmutter-cloverleaf-cuda.sqlite", {1312, 294404540, 279, 225116952});
  }
  void realTracesGiveTheirKnownSums() {
    QFETCH(QString, path);
    QFETCH(QList<qint64>, expected);
    const QString trace = real_data(path.toUtf8().constData());
    if (trace.isEmpty()) QSKIP("the real trace is not available");
    const auto d = run({"info", trace, "--json", "-"}).document();
    QCOMPARE(d.at("launches").at("count").get<qint64>(), expected[0]);
    QCOMPARE(d.at("launches").at("duration_sum_ns").get<qint64>(), expected[1]);
    QCOMPARE(d.at("transfers").at("count").get<qint64>(), expected[2]);
    QCOMPARE(d.at("transfers").at("bytes_sum").get<qint64>(), expected[3]);
  }

  void aTraceExportedForParaverIsReadAgain() {
    const auto written = run({"export", trace_, "--to", "prv", "-o", file("out.prv"), "--json", "-"});
    QCOMPARE(written.code, 0);
    QVERIFY(QFile::exists(file("out.pcf")) && QFile::exists(file("out.row")));
    const auto before = run({"info", trace_, "--json", "-"}).document().at("launches");
    const auto after = run({"info", file("out.prv"), "--json", "-"}).document().at("launches");
    for (const char* key : {"count", "kernels", "duration_sum_ns", "first_start_ns", "last_end_ns"})
      QCOMPARE(after.at(key).dump(), before.at(key).dump());
    QCOMPARE(run({"export", trace_, "--to", "prv", "-o", file("out.txt")}).code, 1);
  }

  void aTraceExportedAsTableOrForPerfettoIsReadAgain() {
    const auto before = run({"info", trace_, "--json", "-"}).document();
    for (const char* format : {"csv", "chrome"}) {
      const auto path = file(QString(format) == "csv" ? "out.csv" : "out.json");
      const auto written = run({"export", trace_, "--to", format, "-o", path, "--json", "-"});
      QVERIFY2(written.code == 0, qPrintable(written.err));
      QCOMPARE(written.document().at("bytes").get<qint64>(), QFileInfo(path).size());
      const auto after = run({"info", path, "--json", "-"}).document();
      for (const char* key : {"count", "kernels", "configurations", "duration_sum_ns"})
        QCOMPARE(after.at("launches").at(key).dump(), before.at("launches").at(key).dump());
      if (QString(format) == "csv") continue;
      for (const char* table : {"calls", "ranges", "samples"})
        QCOMPARE(after.at(table).at("count").dump(), before.at(table).at("count").dump());
    }
    QCOMPARE(run({"export", trace_, "-o", file("out.json")}).code, 1);
    QCOMPARE(run({"export", trace_, "--to", "csv", "-o", trace_}).code, 1); // the output is an input
  }

  // A process that computes longer than the others waits less for them: the wait before a burst follows from
  // durations.
  void burstsDoNotVaryBecauseOfTheWaitBeforeThem() {
    generator::ParaverOptions options;
    options.processes = 8, options.threads = 1, options.steps = 300, options.seed = 3;
    QVERIFY(generator::write_paraver(options, file("late_rank.prv").toStdString()).has_value());
    const auto kept =
        run({"bins", file("late_rank.prv"), "--width", "100ms", "--top", "3", "--why", "--json", "-"})
            .document()
            .at("kept");
    QCOMPARE(kept.size(), 3u);
    for (const auto& bin : kept) {
      if (!bin.at("reason").is_null()) QVERIFY(bin.at("reason").at("feature") != "gap_ns");
      QVERIFY(bin.value("reason_note", json()).dump().find("launch") == std::string::npos);
    }
    // If the wait were a feature, the rank that causes the wait and the long bursts would have no effect
    // beyond that of the wait.
    for (const auto& more : {QStringList(), QStringList{"--efficiencies", "10ms"}}) {
      const auto causal = run(QStringList{"causal", file("late_rank.prv"), "--json", "-"} + more).document();
      QCOMPARE(causal.at("contributions").front().at("feature").get<std::string>(), std::string("rank 4"));
      QCOMPARE(causal.at("contributions").front().at("role").get<std::string>(), std::string("cause"));
      for (const auto& contribution : causal.at("contributions"))
        QVERIFY(contribution.at("feature") != "gap_ns");
    }
    const auto named = run({"causal", file("late_rank.prv"), "--features", "rank,gap_ns", "--json", "-"});
    QVERIFY(named.out.contains("\"gap_ns\""));
    const auto said = run({"bins", file("late_rank.prv"), "--width", "100ms", "--top", "3", "--why"}).out +
                      run({"causal", file("late_rank.prv")}).out +
                      run({"info", file("late_rank.prv"), "--columns"}).out;
    QVERIFY2(said.contains("bursts") && !said.contains(" launches"), qPrintable(said));
  }

  void binsAreEqualForAnyRanks() {
    json first;
    for (const char* ranks : {"1", "2", "4", "7"}) {
      auto d = run({"bins", trace_, "--ranks", ranks, "--json", "-"}).document();
      for (const char* key : {"ranks", "threads_per_rank"}) d.erase(key);
      QVERIFY(d.at("bins").size() > 100);
      if (first.is_null()) first = d;
      QCOMPARE(d.dump(), first.dump());
    }
  }

  void binsHonourTheirOptions() {
    const auto d = run({"bins", trace_, "--width", "1ms", "--metric", "duration", "--rank-by", "max", "--top",
                        "3", "--where", "duration > 1us", "--csv", file("bins.csv"), "--json", "-"})
                       .document();
    QCOMPARE(d.at("width_ns").get<int>(), 1000000);
    QCOMPARE(d.at("kept").size(), std::size_t(3));
    double maximum = 0;
    for (const auto& bin : d.at("bins")) maximum = std::max(maximum, bin.at("max").get<double>());
    for (const auto& bin : d.at("bins"))
      if (bin.at("rank") == 1) QCOMPARE(bin.at("max").get<double>(), maximum);
    QFile csv(file("bins.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    QCOMPARE(csv.readAll().count('\n'), qsizetype(d.at("bins").size() + 1));
  }

  void keptPartsOfBinsStateWhichPartTheyAre() {
    const auto d = run({"bins", trace_, "--by", "kernel", "--top", "5", "--json", "-"}).document();
    const auto &kept = d.at("kept"), &groups = d.at("kept_groups");
    QCOMPARE(kept.size(), std::size_t(5));
    QCOMPARE(groups.size(), kept.size());
    std::size_t found = 0;
    for (const auto& bin : d.at("bins"))
      if (bin.at("kept").get<bool>()) {
        const auto place = bin.at("rank").get<std::size_t>() - 1;
        QCOMPARE(bin.at("index").dump(), kept.at(place).dump());
        QCOMPARE(bin.at("group").dump(), groups.at(place).dump());
        ++found;
      }
    QCOMPARE(found, kept.size());
  }

  void aDryRunPredictsManyRanks() {
    const auto outcome =
        run({"bins", trace_, "--dry-run", "8,32", "--plot", file("dry.svg"), "--json", file("dry.json")});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QVERIFY2(outcome.out.contains("predicted"), qPrintable(outcome.out));
    QFile written(file("dry.json"));
    QVERIFY(written.open(QIODevice::ReadOnly));
    const auto d = json::parse(written.readAll().toStdString());
    QCOMPARE(d.at("runs").size(), std::size_t(3)); // one rank is the reference
    for (const auto& part : d.at("runs")) QVERIFY2(part.at("same_answer").get<bool>(), part.dump().c_str());
    QFile plot(file("dry.svg"));
    QVERIFY(plot.open(QIODevice::ReadOnly));
    QVERIFY(plot.readAll().contains("weak scaling"));
  }

  void badUseAndBadInputHaveTheirCodesAndWords_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("word");
    const QString t = trace_;
    QTest::newRow("unknown option") << QStringList{"bins", t, "--nonsense"} << 1 << "nonsense";
    QTest::newRow("bad filter") << QStringList{"bins", t, "--where", "duration >"} << 1 << "number";
    QTest::newRow("bad width") << QStringList{"bins", t, "--width", "banana"} << 1 << "not a time";
    QTest::newRow("bad metric") << QStringList{"bins", t, "--metric", "banana"} << 1 << "banana";
    QTest::newRow("bad view") << QStringList{"render", t, "--view", "banana", "-o", file("x.png")} << 1
                              << "Views:";
    QTest::newRow("bad ending") << QStringList{"render", t, "--view", "bins", "-o", file("x.bmp")} << 1 << "";
    QTest::newRow("missing file") << QStringList{"info", "/nonexistent.sqlite"} << 2 << "does not exist";
    QTest::newRow("bad ranks") << QStringList{"bins", t, "--ranks", "0"} << 1 << "ranks";
    QTest::newRow("bad dry run") << QStringList{"bins", t, "--dry-run", "8,4"} << 1 << "ascending";
    QTest::newRow("no dry run") << QStringList{"bins", t, "--dry-run", "many"} << 1 << "many";
    QTest::newRow("plot of nothing") << QStringList{"bins", t, "--plot", file("x.svg")} << 1 << "dry-run";
    QTest::newRow("bad method") << QStringList{"causal", t, "--method", "magic"} << 1 << "magic";
  }
  void badUseAndBadInputHaveTheirCodesAndWords() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, word);
    const auto outcome = run(arguments);
    QVERIFY2(outcome.err.contains(word), qPrintable(outcome.err));
    QCOMPARE(outcome.code, code);
  }

  void whatCannotBePrintedIsNoSuccess() {
    if (!QFile::exists("/dev/full")) QSKIP("there is no /dev/full");
    for (const QStringList& arguments :
         {QStringList{"bins", trace_}, QStringList{"bins", trace_, "--json", "-"},
          QStringList{"info", trace_}}) {
      const auto outcome = run(arguments, "/dev/full");
      QVERIFY2(outcome.err.contains("standard output cannot be written"), qPrintable(outcome.err));
      QVERIFY(outcome.code != 0);
    }
  }

  void outputsThatCannotBeWrittenHaveTheirOwnCode() {
    // A device node made by the test: a wrong implementation would replace it.
    const QString full = file("full.html");
    if (::mknod(full.toUtf8().constData(), S_IFCHR | 0600, makedev(1, 7)) != 0)
      QSKIP("this user may not create device nodes");
    QVERIFY(QFile::link(full, file("link.svg")));
    for (const QStringList& arguments : {QStringList{"bins", trace_, "--json", full},
                                         {"bins", trace_, "--csv", full},
                                         {"report", trace_, "-o", full},
                                         {"info", trace_, "--json", full},
                                         {"render", trace_, "--view", "bins", "-o", file("link.svg")}}) {
      const auto outcome = run(arguments);
      QVERIFY2(outcome.err.contains("No space left on device"),
               qPrintable(arguments.join(' ') + outcome.err));
      QCOMPARE(outcome.code, 4);
      QVERIFY(std::filesystem::is_character_file(full.toStdString()));
    }
  }

  void anErrorThatCannotBeShownKeepsItsCode() {
    if (!QFile::exists("/dev/full")) QSKIP("there is no /dev/full");
    for (const auto& [arguments, code] :
         {std::pair{"info none.sqlite", 2}, {"bins '%1' --width no", 1}, {"bins '%1' > /dev/full", 4}}) {
      const QString command = QString("exec '%2' " + QString(arguments) + " 2> /dev/full");
      QProcess shell;
      shell.start("/bin/sh",
                  {"-c", QString(command).replace("%1", trace_).replace("%2", JITTERSCOPE_PROGRAM)});
      QVERIFY(shell.waitForFinished(180000));
      QCOMPARE(shell.exitStatus(), QProcess::NormalExit);
      QCOMPARE(shell.exitCode(), code);
    }
  }

  void outputsFollowLinksAndFillPipes() {
    QVERIFY(QFile::link(file("linked.json"), file("link.json")));
    QCOMPARE(run({"bins", trace_, "--json", file("link.json")}).code, 0);
    QVERIFY(QFileInfo(file("link.json")).isSymLink() && QFileInfo(file("linked.json")).size() > 0);
    const auto to_standard_output = run({"bins", trace_, "--csv", "/dev/stdout"});
    QCOMPARE(to_standard_output.code, 0);
    QVERIFY2(to_standard_output.out.contains("index,start_ns,launches"), qPrintable(to_standard_output.out));
  }

  void anImportThatCannotWriteItsStoreLeavesNoFile() {
    QDir().mkdir(file("limited"));
    const QString command = QString("ulimit -f 100; exec '%1' import '%2' -o '%3/a.jts'")
                                .arg(JITTERSCOPE_PROGRAM, trace_, file("limited"));
    QProcess shell;
    shell.start("/bin/sh", {"-c", command});
    QVERIFY(shell.waitForFinished(180000));
    const auto said = QString::fromUtf8(shell.readAllStandardError());
    QCOMPARE(shell.exitStatus(), QProcess::NormalExit);
    QVERIFY2(said.contains("a.jts") && said.contains("File too large"), qPrintable(said));
    QCOMPARE(shell.exitCode(), 3);
    QVERIFY(QDir(file("limited")).isEmpty());
  }

  void aReaderThatLeavesEarlyIsNoCrash() {
    QProcess shell;
    const QString jitterscope =
        QString("'%1' bins '%2' --width 1us --json - --ranks 2").arg(JITTERSCOPE_PROGRAM, trace_);
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("JITTERSCOPE_CACHE", QString::fromStdString(folder_.file("cache")));
    shell.setProcessEnvironment(environment);
    shell.start("bash", {"-c", jitterscope + " | head -c 1 > /dev/null; echo ${PIPESTATUS[0]}"});
    QVERIFY(shell.waitForFinished(180000));
    const int code = shell.readAllStandardOutput().trimmed().toInt();
    QVERIFY2(code == 141 || code == 4, qPrintable(QString::number(code))); // the signal, or an error message
    QVERIFY(!QString::fromUtf8(shell.readAllStandardError()).contains("terminate"));
  }

  void aWindowThatIsEndedBySignalsLeavesNoFolder() {
    for (const int signal : {SIGTERM, SIGHUP}) {
      const test::TemporaryFolder temporary;
      QProcess window;
      start_window(window, temporary);
      QCOMPARE(::kill(static_cast<pid_t>(window.processId()), signal), 0);
      QVERIFY(window.waitForFinished(60000));
      QCOMPARE(window.exitStatus(), QProcess::NormalExit);
      QCOMPARE(window.exitCode(), 128 + signal);
      QVERIFY2(everything_in(temporary).isEmpty(), qPrintable(everything_in(temporary).join(' ')));
    }
  }

  void whatAKilledWindowLeftIsRemovedByTheNextStart() {
    const test::TemporaryFolder temporary;
    QProcess window;
    start_window(window, temporary);
    const auto folders = test::folders_of_mpi(test::descendants(window.processId()));
    QCOMPARE(folders.size(), 2);
    QCOMPARE(::kill(static_cast<pid_t>(window.processId()), SIGKILL), 0);
    QVERIFY(window.waitForFinished(60000));
    QVERIFY(!everything_in(temporary).isEmpty());
    QTest::qWait(1000); // Open MPI needs time to end
    QProcess next;
    next.setProcessEnvironment(environment_of_a_window(temporary));
    next.start(JITTERSCOPE_PROGRAM, {"bins", trace_, "--ranks", "2"});
    QVERIFY(next.waitForFinished(180000));
    QCOMPARE(next.exitCode(), 0);
    QVERIFY2(everything_in(temporary).isEmpty(), qPrintable(everything_in(temporary).join(' ')));
    for (const auto& folder : folders)
      QTRY_VERIFY2_WITH_TIMEOUT(!QDir(folder).exists(), qPrintable(folder), 60000);
  }

  void verifyNamesTheDamagedRowsOfAStore() {
    const QString store = file("verified.jts");
    QCOMPARE(run({"import", trace_, "-o", store}).code, 0);
    const auto intact = run({"info", "--verify", store});
    QCOMPARE(intact.code, 0);
    QVERIFY2(intact.out.contains("intact"), qPrintable(intact.out));
    QFile damaged(store);
    QVERIFY(damaged.open(QIODevice::ReadWrite));
    const auto middle = damaged.size() / 2; // in a column: most of a store is columns
    damaged.seek(middle);
    const auto byte = static_cast<char>(damaged.read(1).at(0) ^ 4);
    damaged.seek(middle);
    damaged.write(&byte, 1);
    damaged.close();
    const auto noticed = run({"info", "--verify", store});
    QCOMPARE(noticed.code, 2);
    QVERIFY2(noticed.err.contains("the store is damaged") && noticed.err.contains(" rows "),
             qPrintable(noticed.err));
    QCOMPARE(run({"info", trace_, "--json", "-"}).document().at("inputs")[0].at("checksums").get<bool>(),
             true);
  }

  void anOutputNeverReplacesAnInput() {
    const QByteArray before = [&] {
      QFile f(trace_);
      return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
    }();
    for (const QStringList& arguments :
         {QStringList{"import", trace_, "-o", trace_}, QStringList{"report", trace_, "-o", trace_},
          QStringList{"bins", trace_, "--csv", trace_}, QStringList{"info", trace_, "--json", trace_},
          QStringList{"causal", trace_, "--json", trace_}}) {
      const auto outcome = run(arguments);
      QCOMPARE(outcome.code, 1);
      QVERIFY(outcome.err.contains("replace an input"));
    }
    QFile after(trace_);
    QVERIFY(after.open(QIODevice::ReadOnly));
    QCOMPARE(after.readAll(), before);
  }

  void tablesWithoutTimeAreDescribedAsSuch() {
    QFile table(file("counters.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("kernel,Duration (us),hits,same\n");
    for (int i = 0; i < 60; ++i)
      table.write(QString("k%1,%2,%3,7\n")
                      .arg(i % 2)
                      .arg(10 + i % 9)
                      .arg(i % 5 ? QString::number(i) : QString())
                      .toUtf8());
    table.close();
    const auto info =
        run({"info", file("counters.csv"), "--kernel-column", "kernel", "--json", "-"}).document();
    QCOMPARE(info.at("axis").get<std::string>(), std::string("launch-order"));
    QCOMPARE(info.at("launches").at("count").get<int>(), 60);
    QCOMPARE(info.at("launches").at("kernels").get<int>(), 2);
    QCOMPARE(info.at("launches").at("duration_sum_ns").get<qint64>(), qint64(831000));
    QCOMPARE(info.at("constant_columns").get<int>(), 1);
    const auto bins = run({"bins", file("counters.csv"), "--metric", "hits", "--json", "-"}).document();
    QCOMPARE(bins.at("width_ns").get<int>(), 10); // in launches, because the table has no times
    QCOMPARE(bins.at("missing").get<int>(), 12);
    const auto report = run({"report", file("counters.csv"), "-o", file("counters.html")});
    QVERIFY2(report.code == 0, qPrintable(report.err));
  }

  void memsetsAreInTheTextOfInfo() {
    QFile table(file("sets.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write(
        "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,Bytes (B),Device,Strm,Name\n"
        "0,10,1,1,1,1,32,1,1,16,,A (0),7,k\n20,5,2,,,,,,,,4096,A (0),7,[CUDA memset]\n");
    table.close();
    const auto info = run({"info", table.fileName()});
    QVERIFY2(info.out.contains("memsets     1, 4,096 B"), qPrintable(info.out));
  }

  void resultsMayGoToStandardOutput() {
    const std::pair<QStringList, const char*> commands[] = {
        {{"bins", trace_, "--csv", "-"}, "index,start_ns,"},
        {{"efficiency", trace_, "--timeline", "3", "--csv", "-"}, "begin_ns,end_ns,"},
        {{"efficiency", trace_, "--talp", "-"}, "{"},
        {{"compare", trace_, trace_, "--csv", "-"}, "run,"},
        {{"compare", trace_, trace_, "--fail-if", "verdict = \"slower\"", "--junit", "-"}, "<?xml "},
        {{"report", trace_, "-o", "-"}, "<!DOCTYPE html>"}};
    for (const auto& [arguments, begin] : commands) {
      const auto result = run(arguments);
      QVERIFY2(result.code == 0, qPrintable(arguments.join(' ') + ": " + result.err));
      QVERIFY2(result.out.startsWith(begin), qPrintable(arguments.join(' ') + ": " + result.out.left(200)));
    }
    const auto refused = run({"export", trace_, "--to", "csv", "-o", "-"});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("file name"), qPrintable(refused.err));
    QVERIFY(!QFile::exists("-"));
  }

  void aCacheThatCannotBeMadeIsNamed() {
    const auto saved = std::exchange(cache_, "/proc/no-such-folder");
    const auto refused = run({"info", trace_});
    cache_ = saved;
    QVERIFY(refused.code != 0);
    QVERIFY2(refused.err.contains("JITTERSCOPE_CACHE"), qPrintable(refused.err));
  }

  void storesUsedLongestAgoMakeRoom() {
    const auto saved = std::exchange(cache_, file("limited_cache"));
    const auto stores = [&] { return QDir(cache_).entryList({"*.jts"}, QDir::Files, QDir::Name); };
    for (const char* name : {"first.sqlite", "second.sqlite", "third.sqlite"}) {
      QVERIFY(QFile::copy(trace_, file(name)));
      QCOMPARE(run({"info", file(name)}).code, 0);
    }
    QCOMPARE(stores().size(), 3);
    const auto bytes = QFileInfo(cache_ + "/" + stores()[0]).size();
    QVERIFY(QFile::copy(cache_ + "/" + stores()[0], cache_ + "/mine.jts")); // not made by the program
    QCOMPARE(run({"info", file("first.sqlite")}).code, 0); // now the second was used longest ago
    QVERIFY(QFile::copy(trace_, file("fourth.sqlite")));
    qputenv("JITTERSCOPE_CACHE_LIMIT", QByteArray::number(2.5 * double(bytes) / 1e9, 'g', 12));
    const auto fourth = run({"info", file("fourth.sqlite")});
    qputenv("JITTERSCOPE_CACHE_LIMIT", "much");
    const auto refused = run({"info", file("fourth.sqlite")});
    qunsetenv("JITTERSCOPE_CACHE_LIMIT");
    const auto left = stores();
    cache_ = saved;
    QCOMPARE(fourth.code, 0);
    QCOMPARE(left.size(), 4);
    for (int at = 0; const char* name : {"first", "fourth", "mine", "third"})
      QVERIFY2(left[at++].startsWith(name), qPrintable(left.join(' ')));
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("JITTERSCOPE_CACHE_LIMIT"), qPrintable(refused.err));
  }

  void foldersAndArchivesOpen() {
    QDir(file("")).mkpath("folder/deeper");
    QVERIFY(QFile::copy(trace_, file("folder/deeper/trace.sqlite")));
    QFile note(file("folder/README.md"));
    QVERIFY(note.open(QIODevice::WriteOnly));
    note.write("# Notes\n\nNothing of a profiler.\n");
    note.close();
    QProcess gzip;
    gzip.setStandardOutputFile(file("packed.gz"));
    gzip.start("gzip", {"-c", trace_});
    QVERIFY(gzip.waitForFinished());
    for (const QString& path : {file("folder"), file("packed.gz")}) {
      const auto outcome = run({"info", path, "--json", "-"});
      QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
      QCOMPARE(outcome.document().at("launches").at("count").get<int>(), 5000);
    }
    QVERIFY(run({"info", file("folder")}).out.contains("left-out"));
  }

  // Names read with a later file also apply to traces imported earlier.
  void namesThatComeLaterAreSeen() {
    const auto write = [&](const char* name, const QByteArray& text) {
      QFile out(file(name));
      QVERIFY(out.open(QIODevice::WriteOnly));
      out.write(text);
    };
    write("late.prv", "#Paraver (01/02/2020 at 10:11):9_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:9:1\n");
    QVERIFY(!run({"info", file("late.prv")}).out.contains("late.pcf"));
    write("late.pcf", "DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\n\nSTATES\n0    Idle\n1    Running\n");
    QVERIFY(run({"info", file("late.prv")}).out.contains("late.pcf"));
  }

  void errorsAreJsonToo() {
    QFile text(file("text.sqlite"));
    QVERIFY(text.open(QIODevice::WriteOnly));
    text.write("hello");
    text.close();
    const auto outcome = run({"info", file("text.sqlite"), "--json", "-"});
    QCOMPARE(outcome.code, 2);
    const auto error = outcome.document().at("error");
    QCOMPARE(error.at("kind").get<std::string>(), std::string("bad-input"));
    QCOMPARE(QString::fromStdString(error.at("file")), file("text.sqlite"));
    QVERIFY(!error.at("message").get<std::string>().empty());
  }

  void helpIsThereForEverySubcommand() {
    for (const char* name : {"import", "info", "bins", "causal", "render", "report"}) {
      const auto outcome = run({name, "--help"});
      QCOMPARE(outcome.code, 0);
      QVERIFY(outcome.out.contains("--json"));
      QVERIFY2(outcome.out.contains("\n  FILES "), qPrintable(outcome.out));
    }
    QVERIFY(run({"--version"}).out.contains("jitterscope"));
  }
};

QTEST_GUILESS_MAIN(CommandLineTest)
#include "command_line_test.moc"
