#include "tests/app/command/command_line.h"

#include "tests/generator/paraver_run.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// Outputs that would replace files of the user, and options that would have no effect, are refused.
class CommandLineRefusalsTest : public QObject, CommandLine {
  Q_OBJECT

  QByteArray content(const char* name) {
    QFile in(file(name));
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
  }
  void refused(const QStringList& arguments, const char* words) {
    const auto outcome = run(arguments);
    QVERIFY2(outcome.code == 1, qPrintable(arguments.join(' ') + "\n" + outcome.out + outcome.err));
    QVERIFY2(outcome.err.contains(words), qPrintable(arguments.join(' ') + "\n" + outcome.err));
  }

private slots:
  void initTestCase() {
    make_trace();
    generator::ParaverOptions options;
    options.processes = 2;
    options.threads = 1;
    options.steps = 20;
    QVERIFY(generator::write_paraver(options, file("run.prv").toStdString()).has_value());
    QCOMPARE(run({"import", file("run.prv"), "-o", file("run.jts")}).code, 0);
  }

  void reportsAreHtmlPages() {
    refused({"report", trace_, "-o", file("page.pdf")}, "HTML page");
    refused({"report", trace_, "--assessment", "-o", file("page.TXT")}, "HTML page");
  }

  void noOutputReplacesAFileThatWasReadWithAnInput() {
    const auto body = content("run.prv"), names = content("run.pcf"), rows = content("run.row");
    QVERIFY(!body.isEmpty() && !names.isEmpty() && !rows.isEmpty());
    const auto prv = file("run.prv"), pcf = file("run.pcf"), row = file("run.row"), store = file("run.jts");
    const QString folder = QFileInfo(prv).path();
    QVERIFY(QDir().mkpath(file("set")));
    for (const char* name : {"run.prv", "run.pcf", "run.row"})
      QVERIFY(QFile::copy(file(name), file("set") + "/" + name));
    const char* words = "replace an input";
    refused({"bins", prv, "--csv", pcf}, words);
    refused({"info", prv, "--json", row}, words);
    refused({"export", prv, "--to", "csv", "-o", pcf}, words);
    refused({"cut", prv, "--range", "0:1ms", "-o", prv, "--overwrite"}, words);
    refused({"report", file("set"), "-o", file("set") + "/run.row"}, words);
    for (int twice = 0; twice < 2; ++twice) // a page is not read
      QCOMPARE(run({"report", file("set"), "--assessment", "-o", file("set") + "/page.html"}).code, 0);
    // The files that a store was imported from
    refused({"export", store, "--to", "prv", "-o", prv, "--overwrite"}, words);
    refused({"cut", store, "--range", "0:1ms", "-o", prv, "--overwrite"}, words);
    refused({"export", store, "--to", "chrome", "-o", row}, words);
    refused({"bins", store, "--csv", pcf}, words);
    refused({"bins", store, "--ranks", "2", "--csv", pcf}, words);
    // Errors are written as JSON as well.
    refused({"bins", prv, "--csv", pcf, "--json", row}, words);
    refused({"export", prv, "-o", file("x.csv"), "--json", row}, words);
    refused({"metric", prv, "--list", "--json", row}, words);
    refused({"bins", store, "--where", "nonsense > 1", "--json", row}, "nonsense");
    QCOMPARE(content("run.prv"), body);
    QCOMPARE(content("run.pcf"), names);
    QCOMPARE(content("run.row"), rows);
    QCOMPARE(content("set/run.row"), rows);
  }

  void aRunIsNotCountedTwiceWithoutNotice() {
    const auto store = file("run.jts"), copy = file("copy.jts");
    QVERIFY(QFile::copy(store, copy));
    refused({"bins", store, store}, "named twice");
    QVERIFY(QFile::link(store, file("link.jts")));
    refused({"info", store, file("link.jts")}, "named twice");
    const auto both = run({"info", store, copy});
    QCOMPARE(both.code, 0);
    QVERIFY2(both.err.contains("counted twice"), qPrintable(both.err));
    QVERIFY(both.out.contains("same-source"));
    QVERIFY(run({"info", store}).err.isEmpty());
    QVERIFY(QFile::remove(copy));
  }

  void namesOfACompressedTraceAreKept() {
    QVERIFY(QDir().mkpath(file("packed")));
    for (const char* name : {"run.prv", "run.pcf", "run.row"})
      QVERIFY(QFile::copy(file(name), file("packed") + "/" + name));
    QCOMPARE(QProcess::execute("gzip", {file("packed/run.prv")}), 0); // an essential package
    const auto source = file("packed/run.prv.gz"), output = file("packed/run.prv");
    const auto names = content("packed/run.pcf"), rows = content("packed/run.row");
    for (const QStringList& arguments : {QStringList{"cut", source, "--range", "0:50ms", "-o", output},
                                         QStringList{"filter", source, "--bursts-above", "1ms", "-o", output},
                                         QStringList{"export", source, "--to", "prv", "-o", output}}) {
      refused(arguments, "replace an input");
      refused(QStringList(arguments) << "--overwrite", "replace an input");
    }
    QVERIFY(!QFile::exists(output));
    QCOMPARE(content("packed/run.pcf"), names);
    QCOMPARE(content("packed/run.row"), rows);
  }

  void filesNextToAParaverTraceAreReplacedOnRequest() {
    QFile mine(file("other.row"));
    QVERIFY(mine.open(QIODevice::WriteOnly) && mine.write("mine") == 4);
    mine.close();
    const auto prv = file("run.prv"), output = file("other.prv");
    refused({"cut", prv, "--range", "0:50ms", "-o", output}, "other.row");
    refused({"export", prv, "--to", "prv", "-o", output}, "other.row");
    QCOMPARE(content("other.row"), QByteArray("mine"));
    QVERIFY(!QFile::exists(output));
    QCOMPARE(run({"export", prv, "--to", "prv", "--overwrite", "-o", output}).code, 0);
    QVERIFY(content("other.row").contains("LEVEL"));
    QCOMPARE(run({"cut", prv, "--range", "0:50ms", "--overwrite", "-o", output}).code, 0);
    refused({"export", prv, "--to", "csv", "--overwrite", "-o", file("other.csv")}, "--overwrite");
  }

  void aPartOfARunKeepsItsRanks() {
    generator::ParaverOptions options;
    options.processes = 4;
    options.threads = 1;
    options.steps = 10;
    QVERIFY(generator::write_paraver(options, file("four.prv").toStdString()).has_value());
    const auto written =
        run({"cut", file("four.prv"), "--ranks", "1,3", "-o", file("two.prv"), "--json", "-"}).document();
    QVERIFY2(written.at("left_out").empty(), written.dump().c_str());
    std::vector<int> ranks;
    const auto of_part = run({"efficiency", file("two.prv"), "--by", "rank", "--json", "-"}).document();
    for (const auto& row : of_part.at("ranks")) ranks.push_back(row.at("rank").get<int>());
    QCOMPARE(ranks, (std::vector<int>{1, 3}));
    const auto chosen =
        run({"efficiency", file("four.prv"), "--only-ranks", "1,3", "--by", "rank", "--json", "-"})
            .document();
    QCOMPARE(chosen.at("ranks").dump(), of_part.at("ranks").dump());
    QCOMPARE(chosen.at("mpi").dump(), of_part.at("mpi").dump());
    QCOMPARE(run({"cut", file("two.prv"), "--ranks", "3", "-o", file("one.prv")}).code, 0);
  }

  void sizesAreThoseOfAllFiles() {
    const auto output = file("sizes.prv");
    const auto written =
        run({"cut", file("run.prv"), "--range", "0:50ms", "-o", output, "--json", "-"}).document();
    qint64 after = 0, before = 0;
    for (const char* ending : {".prv", ".pcf", ".row"}) {
      after += QFileInfo(file("sizes") + ending).size();
      before += QFileInfo(file("run") + ending).size();
    }
    QCOMPARE(written.at("bytes_after").get<qint64>(), after);
    QCOMPARE(written.at("bytes_of_sources").get<qint64>(), before);
    const auto text = run({"cut", file("run.prv"), "--range", "0:50ms", "--overwrite", "-o", output}).out;
    QVERIFY2(text.contains("sizes.prv, .pcf and .row: ") && text.contains(" of source files"),
             qPrintable(text));
  }

  void optionsWithoutEffectAreRefused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("option");
    const QString prv = file("run.prv");
    const auto add = [](const QString& option, const QStringList& arguments) {
      QTest::newRow(qPrintable(arguments.join(' ').section('/', -1))) << arguments << option;
    };
    const QStringList against{"causal", trace_, "--where", "start < 1ms", "--against", "rest"};
    for (const QStringList& ignored :
         {QStringList{"--target", "memory-stall"}, QStringList{"--features", "grid_x"},
          QStringList{"--method", "pc"}, QStringList{"--reading", "pooled"}, QStringList{"--scale", "raw"},
          QStringList{"--tiers", "tiers.json"}, QStringList{"--bootstrap", "10"},
          QStringList{"--do", "registers=32"}, QStringList{"--row", "1"}, QStringList{"--max-rows", "1000"}})
      add(ignored.front(), against + ignored);
    const QStringList assessment{"report", prv, "--assessment", "-o", file("page.html")};
    add("--where", assessment + QStringList{"--where", "duration > 1s"});
    add("--tiers", assessment + QStringList{"--tiers", "tiers.json"});
    add("--reading", assessment + QStringList{"--reading", "pooled"});
    const QStringList page{"report", prv, "-o", file("page.html")};
    add("--collectives-as", page + QStringList{"--collectives-as", "useful"});
    add("--range", page + QStringList{"--range", "0:1ms"});
    add("--step", page + QStringList{"--step", "iteration"});
    add("--reference", page + QStringList{"--reference", prv});
    add("--metric", {"metric", "--list", "--metric", "gpu-busy"});
    add("--csv", {"metric", "--list", "--csv", file("list.csv")});
    add("FILES", {"metric", trace_, "--list"});
    add("--columns", {"metric", trace_, "--metric", "gpu-busy", "--exact", "--columns", "3"});
    add("--histogram", {"metric", "--list", "--histogram", "3"});
    add("--csv", {"metric", "--from", "views.cfg", "--csv", file("views.csv")});
    const QStringList dry{"bins", trace_, "--dry-run", "2,4"};
    add("--csv", dry + QStringList{"--csv", file("dry.csv")});
    add("--why", dry + QStringList{"--why"});
    add("--ranks", dry + QStringList{"--ranks", "2"});
    add("--efficiencies", dry + QStringList{"--efficiencies", "10ms"});
    add("--metric", dry + QStringList{"--metric", "duration", "--metric", "grid_x"});
    add("--step", {"efficiency", prv, "--step", "iteration"});
    add("--step", {"efficiency", prv, "--by", "rank", "--step", "iteration"});
    add("--talp-region", {"efficiency", prv, "--talp-region", "loop"});
    const QStringList part{"cut", prv, "-o", file("page.html.jts")};
    add("--clip", part + QStringList{"--ranks", "0", "--clip"});
    add("--from-zero", part + QStringList{"--ranks", "0", "--from-zero"});
    add("--software-counters", part + QStringList{"--range", "0:1ms", "--software-counters"});
    add("--fit", {"predict", trace_, "--gpu", "A100", "--fit", file("fit.json"), "--what-if", "block=512"});
  }
  void optionsWithoutEffectAreRefused() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, option);
    refused(arguments, qPrintable(option));
    const auto outcome = run(arguments + QStringList{"--json", "-"});
    QCOMPARE(outcome.code, 1);
    QCOMPARE(outcome.document().at("error").at("place").get<std::string>(), option.toStdString());
    QVERIFY(!QFile::exists(file("page.html")) && !QFile::exists(file("fit.json")));
  }

  void aPartIsNoCopyOfTheWholeTrace() {
    const QString prv = file("run.prv"), output = file("copy.jts");
    refused({"filter", prv, "-o", output}, "filter would copy the whole trace");
    refused({"cut", prv, "-o", output}, "--range, --ranks, --devices");
    refused({"filter", prv, "--bursts-above", "0", "-o", output}, "copy the whole trace");
    refused({"filter", prv, "--kernels-above", "1ms", "-o", output}, "there are no kernels");
    refused({"filter", trace_, "--bursts-above", "1ms", "-o", output}, "there are no bursts");
    QVERIFY(!QFile::exists(output));
    for (const QStringList& restriction :
         {QStringList{"cut", "--ranks", "1"}, QStringList{"filter", "--keep", "bursts"},
          QStringList{"cut", "--where", "duration > 0"}})
      QCOMPARE(run(restriction + QStringList{prv, "--overwrite", "-o", output}).code, 0);
    const auto also = run({"filter", trace_, "--bursts-above", "1ms", "--keep", "kernels", "-o",
                           file("kernels.jts"), "--json", "-"});
    QCOMPARE(also.code, 0);
    QVERIFY2(also.document().at("report").dump().find("there are no bursts") != std::string::npos,
             qPrintable(also.out));
  }

  void theListOfMetricsIsWrittenAsJson() {
    QCOMPARE(run({"metric", "--list", "--json", file("list.json")}).code, 0);
    const auto list = json::parse(content("list.json").toStdString());
    QVERIFY(list.at("metrics").size() > 5);
    QVERIFY(!list.at("metrics")[0].at("name").get<std::string>().empty());
    const auto printed = run({"metric", "--list", "--json", "-"});
    QVERIFY(printed.document() == list);
  }

  void oneStreamHasOneResult() {
    refused({"metric", trace_, "--metric", "gpu-busy", "--csv", "-", "--json", "-"}, "standard output");
    refused({"bins", trace_, "--csv", "-", "--json", "-"}, "standard output");
    refused({"bins", trace_, "--csv", "/dev/stdout", "--json", "-"}, "same file");
    refused({"bins", trace_, "--csv", file("both"), "--json", file("both")}, "same file");
    QVERIFY(!QFile::exists(file("both")));
    QCOMPARE(run({"bins", trace_, "--csv", "-", "--json", file("bins.json")}).code, 0);
    QCOMPARE(run({"bins", trace_, "--csv", "/dev/null", "--json", "/dev/null"}).code, 0);
  }

  void reasonsAreOfWholeBins() { refused({"bins", trace_, "--why", "--by", "kernel"}, "--by"); }

  void anUnknownWordIsNoFile() {
    refused({"contrast", trace_, trace_}, "there is no command contrast");
    refused({"contrast", trace_, trace_, "--against", "rest"}, "there is no command contrast");
    refused({"--rows", "calls", "contrast", trace_}, "there is no command contrast");
  }
};

QTEST_GUILESS_MAIN(CommandLineRefusalsTest)
#include "command_line_refusals_test.moc"
