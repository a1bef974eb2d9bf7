#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTest>

#include <utility>

#include <nlohmann/json.hpp>

#include "tests/app/own_places.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using nlohmann::json;

namespace {

struct Outcome {
  int code = -1;
  QString out, err;
  json document() const { return json::parse(out.toStdString(), nullptr, false); }
};

QString real_data(const char* relative) {
  const QString path = QString(JITTERSCOPE_DATA_DIR) + "/" + relative;
  return QFile::exists(path) ? path : QString();
}

} // namespace

class CommandLineTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  QString trace_ = QString::fromStdString(folder_.file("trace.sqlite"));

  QString cache_ = QString::fromStdString(folder_.file("cache"));

  Outcome run(const QStringList& arguments, const QString& output = {}) {
    QProcess process;
    if (!output.isEmpty()) process.setStandardOutputFile(output, QIODevice::Append);
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("JITTERSCOPE_CACHE", cache_);
    process.setProcessEnvironment(environment);
    process.start(JITTERSCOPE_PROGRAM, arguments);
    process.waitForFinished(180000);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
  }
  QString file(const char* name) { return QString::fromStdString(folder_.file(name)); }

  QString generated(generator::Cause cause, const char* name) {
    generator::Options options;
    options.launches = 8000;
    options.seed = 11;
    options.causes = {cause};
    const QString path = file(name);
    if (!generator::generate(options, path.toStdString(), {})) return {};
    return path;
  }

private slots:
  void initTestCase() {
    generator::Options options;
    options.launches = 5000;
    QVERIFY(generator::generate(options, trace_.toStdString(), {}).has_value());
  }

  void infoAndReportSayWhoComesLastAndWhy() {
    const QString trace = real_data("kineto/dlrm-8rank/dlrm_kineto.tar.gz");
    if (trace.isEmpty()) QSKIP("the real sample is not here");
    const auto said = run({"info", trace});
    QCOMPARE(said.code, 0);
    QVERIFY2(said.out.contains("Rank 7 comes last to 5 of the 8 collectives of 8 devices"), qPrintable(said.out));
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
    QVERIFY(html.contains("Who comes last to collectives") && html.contains("Rank 7 comes last to 5 of the 8"));
    QVERIFY2(!run({"info", trace_}).out.contains("collectives:"), "a trace without any");
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

  void realTracesGiveTheirKnownSums_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QList<qint64>>("expected"); // launches, sum, transfers, bytes
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
    if (trace.isEmpty()) QSKIP("the real sample is not here");
    const auto d = run({"info", trace, "--json", "-"}).document();
    QCOMPARE(d.at("launches").at("count").get<qint64>(), expected[0]);
    QCOMPARE(d.at("launches").at("duration_sum_ns").get<qint64>(), expected[1]);
    QCOMPARE(d.at("transfers").at("count").get<qint64>(), expected[2]);
    QCOMPARE(d.at("transfers").at("bytes_sum").get<qint64>(), expected[3]);
  }

  void theKnownCauseOfRealRunsIsNamed_data() {
    QTest::addColumn<QString>("run");
    QTest::addColumn<bool>("named");
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("most");
    QTest::newRow("report7") << "report7" << true << 85.0 << 100.0;
    QTest::newRow("report8") << "report8" << true << 85.0 << 100.0;
    QTest::newRow("report12") << "report12" << true << 10.0 << 70.0;
    QTest::newRow("report2") << "report2" << false << 0.0 << 0.0;
  }
  void theKnownCauseOfRealRunsIsNamed() {
    QFETCH(QString, run);
    QFETCH(bool, named);
    QFETCH(double, least);
    QFETCH(double, most);
    const QString trace = real_data(("nsys/rtx3090-20runs/" + run + ".sqlite").toUtf8().constData());
    if (trace.isEmpty()) QSKIP("the real sample is not here");
    const auto d = this->run({"causal", trace, "--json", "-"}).document();
    const std::string words = d.at("sentences").dump();
    QCOMPARE(words.find("migration") != std::string::npos, named);
    if (!named) return;
    const auto& first = d.at("contributions").at(0);
    QVERIFY2(first.at("label").get<std::string>().find("migration") != std::string::npos,
             first.dump().c_str());
    const double share = first.at("attributable_percent").get<double>();
    QVERIFY2(share >= least && share <= most, first.dump().c_str());
    QVERIFY(d.at("sentences").at(0).get<std::string>().find("migration") != std::string::npos);
  }

  void aPlantedCauseIsTheFirstNamed_data() {
    QTest::addColumn<int>("cause");
    QTest::addColumn<QString>("word");
    using generator::Cause;
    QTest::newRow("copy") << int(Cause::Copy) << "cop";
    QTest::newRow("migration") << int(Cause::Migration) << "migration";
    QTest::newRow("clock") << int(Cause::Clock) << "clock";
    QTest::newRow("stream") << int(Cause::Stream) << "stream";
    QTest::newRow("warmup") << int(Cause::Warmup) << "first launch";
  }
  void aPlantedCauseIsTheFirstNamed() {
    QFETCH(int, cause);
    QFETCH(QString, word);
    const QString trace = generated(static_cast<generator::Cause>(cause), "planted.sqlite");
    QVERIFY(!trace.isEmpty());
    const auto outcome = run({"causal", trace, "--json", "-"});
    QCOMPARE(outcome.code, 0);
    const auto d = outcome.document();
    QVERIFY(!d.at("contributions").empty());
    const auto& first = d.at("contributions").at(0);
    QVERIFY2(QString::fromStdString(first.at("label")).contains(word, Qt::CaseInsensitive),
             first.dump().c_str());
    QCOMPARE(first.at("role").get<std::string>(), std::string("cause"));
    QVERIFY2(QString::fromStdString(d.at("sentences").at(0)).contains(word, Qt::CaseInsensitive),
             d.at("sentences").dump().c_str());
  }

  // The four grids of one kernel are four observations, however many launches they have.
  void fourConfigurationsAreTooFewToCallTheirGridACause() {
    const QString trace = generated(generator::Cause::Configuration, "planted.sqlite");
    QVERIFY(!trace.isEmpty());
    const auto d = run({"causal", trace, "--json", "-"}).document();
    const auto& first = d.at("contributions").at(0);
    QVERIFY2(first.at("label").get<std::string>().find("grid") != std::string::npos, first.dump().c_str());
    QCOMPARE(first.at("role").get<std::string>(), std::string("associated"));
  }

  void aTraceWithoutCauseIsToldToHaveNone() {
    const auto d = run({"causal", trace_, "--json", "-"}).document();
    for (const auto& c : d.at("contributions")) QVERIFY2(c.at("role") != "cause", c.dump().c_str());
    QVERIFY2(d.at("sentences").dump().find("othing recorded here explains") != std::string::npos,
             d.at("sentences").dump().c_str());
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
    double most = 0;
    for (const auto& bin : d.at("bins")) most = std::max(most, bin.at("max").get<double>());
    for (const auto& bin : d.at("bins"))
      if (bin.at("rank") == 1) QCOMPARE(bin.at("max").get<double>(), most);
    QFile csv(file("bins.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    QCOMPARE(csv.readAll().count('\n'), qsizetype(d.at("bins").size() + 1));
  }

  void aFilterDoesNotChangeWhatATableIsAskedAbout() {
    QFile table(file("plain.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("a,b,score\n");
    for (int i = 0; i < 200; ++i)
      table.write(qPrintable(QString("%1,%2,%3\n").arg(i % 17).arg(i * 7 % 23).arg(i % 17 + 0.1 * (i * 13 % 29))));
    table.close();
    const auto plain = run({"causal", file("plain.csv"), "--json", "-"}).document();
    const auto filtered = run({"causal", file("plain.csv"), "--where", "b >= 0", "--json", "-"}).document();
    QCOMPARE(plain.at("target").get<std::string>(), std::string("score"));
    for (const char* key : {"target", "reading", "n", "sentences"})
      QCOMPARE(filtered.at(key).dump(), plain.at(key).dump());
  }

  void aTableWithDurationsIsExplainedAsLaunches() {
    QFile table(file("launches.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("Kernel;Start (ns);Duration (ns);Power (W)\n");
    for (int i = 0; i < 300; ++i)
      table.write(qPrintable(QString("gemm;%1;%2;%3\n").arg(1000000 + i * 40000).arg(19000 + i * 13 % 700).arg(80 + i * 7 % 11)));
    table.close();
    const auto d = run({"causal", file("launches.csv"), "--features", "Power (W)", "--do", "Power (W)=85", "--json", "-"}).document();
    QCOMPARE(d.at("target").get<std::string>(), std::string("kernel_variability"));
    QCOMPARE(d.at("n").get<int>(), 300);
    QCOMPARE(d.at("interventions").at(0).at("feature").get<std::string>(), std::string("power"));
    const auto column = run({"causal", file("launches.csv"), "--target", "Power (W)", "--json", "-"}).document();
    QCOMPARE(column.at("target").get<std::string>(), std::string("Power (W)"));
    const auto refused = run({"causal", file("launches.csv"), "--features", "Powr"});
    QVERIFY2(refused.code != 0 && refused.err.contains("Powr"), qPrintable(refused.err));
  }

  void aTableThatOnlyTheImporterReadsIsExplainedToo() {
    QFile table(file("hint.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("sep=;\na;score\n");
    for (int i = 0; i < 200; ++i) table.write(qPrintable(QString("%1;%2\n").arg(i % 17).arg(2 * (i % 17) + i * 13 % 5)));
    table.close();
    const auto d = run({"causal", file("hint.csv"), "--json", "-"}).document();
    QCOMPARE(d.at("target").get<std::string>(), std::string("score"));
    QCOMPARE(d.at("n").get<int>(), 200);
  }

  void keptPartsOfBinsSayWhichPartTheyAre() {
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

  void aDryRunTellsWhatManyRanksWouldDo() {
    const auto outcome =
        run({"bins", trace_, "--dry-run", "8,32", "--plot", file("dry.svg"), "--json", file("dry.json")});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QVERIFY2(outcome.out.contains("predicted"), qPrintable(outcome.out));
    QFile written(file("dry.json"));
    QVERIFY(written.open(QIODevice::ReadOnly));
    const auto d = json::parse(written.readAll().toStdString());
    QCOMPARE(d.at("runs").size(), std::size_t(3)); // one rank is the measure
    for (const auto& part : d.at("runs")) QVERIFY2(part.at("same_answer").get<bool>(), part.dump().c_str());
    QFile plot(file("dry.svg"));
    QVERIFY(plot.open(QIODevice::ReadOnly));
    QVERIFY(plot.readAll().contains("weak scaling"));
  }

  void everyViewIsRenderedInEveryFormat() {
    for (const char* view : {"timeline", "bins", "causal", "parallel", "distribution", "heat-map"}) {
      for (const char* ending : {"png", "svg", "pdf"}) {
        const QString picture = file(view) + "." + ending;
        const auto outcome = run({"render", trace_, "--view", view, "-o", picture, "--size", "800x400"});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        QVERIFY(QFile(picture).size() > 1000);
      }
      const QImage image(file(view) + ".png");
      QCOMPARE(image.size(), QSize(800, 400));
    }
  }

  void axesAndFiguresOfParallelCoordinatesAreChosen() {
    const auto own = run({"render", trace_, "--view", "parallel", "--axes", "grid,duration,kernel-variability", "--colour-by", "grid", "-o", file("own.png")});
    QVERIFY2(own.code == 0, qPrintable(own.err));
    const auto plain = run({"render", trace_, "--view", "parallel", "--axes", "grid,duration,kernel-variability", "-o", file("plain.png")});
    QVERIFY2(plain.code == 0, qPrintable(plain.err));
    QVERIFY(QImage(file("own.png")) != QImage(file("plain.png")));
    QCOMPARE(run({"render", trace_, "--view", "parallel", "--figure", "grid", "-o", file("grid.svg")}).code, 0);
    QVERIFY(QFile(file("grid.svg")).size() > 1000);
    for (const QStringList& wrong : {QStringList{"--view", "bins", "--figure", "grid"}, {"--view", "parallel", "--figure", "grid", "--axes", "duration"},
                                     {"--view", "parallel", "--axes", "duration", "--colour-by", "no_such"}, {"--view", "parallel", "--axes", "no_such,duration"},
                                     {"--view", "bins", "--scale", "duration=log"}, {"--view", "parallel", "--scale", "duration=crooked"}, {"--view", "parallel", "--scale", "9"}})
      QCOMPARE(run(QStringList{"render", trace_, "-o", file("x.png")} + wrong).code, 1);
    // Coloured by what is no axis; on other scales; upside down; only some of the rows: each is another picture.
    std::vector<QImage> pictures = {QImage(file("plain.png"))};
    for (const QStringList& other : {QStringList{"--colour-by", "stream"}, {"--scale", "duration=rank"}, {"--invert", "duration"}, {"--where", "duration < 20us"}}) {
      const auto made = run(QStringList{"render", trace_, "--view", "parallel", "--axes", "grid,duration,kernel-variability", "-o", file("other.png")} + other);
      QVERIFY2(made.code == 0, qPrintable(made.err));
      const QImage picture(file("other.png"));
      for (const auto& each : pictures) QVERIFY(picture != each);
      pictures.push_back(picture);
    }
    QCOMPARE(run({"render", trace_, "--view", "parallel", "--scale", "2", "--size", "600x300", "-o", file("two.png")}).code, 0);
    QCOMPARE(QImage(file("two.png")).width(), 1200);
  }

  void aSessionIsDrawnAndAskedAsItWasLeft() {
    json session = {{"jitterscope_session", 1},
                    {"files", {{{"path", trace_.toStdString()}}}},
                    {"causal", {{"target", "duration"}, {"rows", 2}, {"reading", "pooled"}}},
                    {"views", {{"parallel", {{"axes", {"grid_x", "duration", "kernel_variability"}}, {"scales", {{"duration", "rank"}}}, {"inverted", {"grid_x"}}}},
                               {"knowledge", {{"ignored", {"grid_x"}}}}}}};
    const auto write = [&](const char* name) {
      QFile out(file(name));
      if (!out.open(QIODevice::WriteOnly)) return QString();
      nlohmann::ordered_json ordered = {{"jitterscope_session", 1}}; // what the file is known by comes first
      for (const auto& [key, value] : session.items()) ordered[key] = value;
      out.write(ordered.dump().c_str());
      return file(name);
    };
    const auto drawn = [&](const QString& of, const QStringList& more = {}) {
      const auto made = run(QStringList{"render", of, "--view", "parallel", "--size", "700x360", "-o", file("s.png")} + more);
      if (made.code != 0) qWarning("%s", qPrintable(made.err));
      return made.code == 0 ? QImage(file("s.png")) : QImage();
    };
    const QString saved = write("one.jsession");
    const QImage own = drawn(saved);
    QVERIFY(!own.isNull());
    QVERIFY(own == drawn(trace_, {"--axes", "grid_x,duration,kernel_variability", "--scale", "duration=rank", "--invert", "grid_x"}));
    QVERIFY(own != drawn(saved, {"--scale", "duration=linear"})); // options beat it
    session["views"]["parallel"]["colour"] = {{"by", "axis"}, {"key", "stream"}};
    QVERIFY(drawn(write("two.jsession")) == drawn(saved, {"--colour-by", "stream"}));
    session["views"]["parallel"]["bins"] = true;
    const QImage bins = drawn(write("three.jsession"));
    QVERIFY(!bins.isNull() && bins != own);
    // Causes: target, reading and what was stated.
    const auto asked = run({"causal", saved, "--bootstrap", "5", "--json", "-"});
    QVERIFY2(asked.code == 0, qPrintable(asked.err));
    const auto document = asked.document();
    QCOMPARE(document.at("target").get<std::string>(), std::string("duration"));
    QCOMPARE(document.at("options").at("reading").get<std::string>(), std::string("pooled"));
    QCOMPARE(document.at("options").at("knowledge").at("ignored").at(0).get<std::string>(), std::string("grid_x"));
    const auto graph = run({"render", saved, "--view", "causal", "-o", file("c.png")});
    QVERIFY2(graph.code == 0, qPrintable(graph.err));
    QCOMPARE(run({"render", trace_, "--view", "causal", "--reading", "sideways", "-o", file("c.png")}).code, 1);
    QFile tiers(file("tiers.json"));
    QVERIFY(tiers.open(QIODevice::WriteOnly));
    tiers.write(R"({"required": [["gap_ns", "kernel_variability"]]})");
    tiers.close();
    QCOMPARE(run({"render", trace_, "--view", "causal", "-o", file("plain-c.png")}).code, 0);
    const auto stated = run({"render", trace_, "--view", "causal", "--tiers", file("tiers.json"), "-o", file("stated.png")});
    QVERIFY2(stated.code == 0, qPrintable(stated.err));
    QVERIFY(QImage(file("stated.png")) != QImage(file("plain-c.png")));
    const auto report = run({"report", saved, "-o", file("s.html")});
    QVERIFY2(report.code == 0, qPrintable(report.err));
    QVERIFY(QFile(file("s.html")).size() > 50'000);
  }

  void causalLooksAtASampleOfManyLaunches() {
    const auto d = run({"causal", trace_, "--most-rows", "1000", "--bootstrap", "5", "--json", "-"}).document();
    const auto& warnings = d.at("warnings");
    QVERIFY(std::any_of(warnings.begin(), warnings.end(), [](const auto& w) { return w.at("code") == "sample"; }));
    QVERIFY(d.at("n").get<int>() <= 1'100);
    const auto refused = run({"causal", trace_, "--most-rows", "1000", "--do", "grid_x=4", "--row", "3"});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("--most-rows 0"), qPrintable(refused.err));
  }

  void causalGraphsOfGroupsAreOnePicture() {
    const auto one = run({"render", trace_, "--view", "causal", "-o", file("one.png"), "--size", "900x0"});
    QCOMPARE(one.code, 1); // a height of 0 is no size
    const auto groups = run({"render", trace_, "--view", "causal", "--per", "kernel", "-o", file("groups.png"), "--json", "-"});
    QVERIFY2(groups.code == 0, qPrintable(groups.err));
    QCOMPARE(QImage(file("groups.png")).height(), groups.document().at("height").get<int>());
    QVERIFY(QImage(file("groups.png")).height() > 300);
    const auto alone = run({"render", trace_, "--view", "causal", "--per", "run", "-o", file("runs.png")});
    QCOMPARE(alone.code, 2);
    QVERIFY(alone.err.contains("no two groups"));
    const QString table = file("again.csv"); // files imported together are runs
    QFile again(table), other(file("other.csv"));
    for (auto* each : {&again, &other}) {
      QVERIFY(each->open(QIODevice::WriteOnly));
      each->write("kernel,start_ns,end_ns,load\n");
      for (int i = 0; i < 60; ++i)
        each->write(QString("k,%1,%2,%3\n").arg(i * 20'000).arg(i * 20'000 + 9'000 + i % 5 * 700 + (each == &other) * 100).arg(i % 5).toUtf8());
      each->close();
    }
    const auto both = run({"render", table, file("other.csv"), "--kernel-column", "kernel", "--view", "causal", "--per", "run", "-o", file("runs.png")});
    QVERIFY2(both.code == 0, qPrintable(both.err));
    QCOMPARE(run({"render", trace_, "--view", "bins", "--per", "kernel", "-o", file("x.png")}).code, 1);
    QCOMPARE(run({"render", trace_, "--view", "causal", "--target", "no_such", "-o", file("x.png")}).code, 1);
  }

  void aSessionFileStandsForItsTracesAndSelection() {
    const auto write = [&](const json& document) {
      QFile session(file("work.jsession"));
      QVERIFY(session.open(QIODevice::WriteOnly));
      session.write(QByteArray::fromStdString(document.dump()));
    };
    const json files = {{{"path", trace_.toStdString()}}};
    write({{"jitterscope_session", 1}, {"files", files}, {"filter", "duration > 1ms"}});
    const QString picture = file("session.png");
    const auto outcome = run({"render", file("work.jsession"), "--view", "distribution", "-o", picture, "--size", "600x300"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QCOMPARE(QImage(picture).size(), QSize(600, 300));
    QCOMPARE(run({"render", trace_, "--view", "distribution", "-o", file("all.png"), "--size", "600x300"}).code, 0);
    QVERIFY2(QImage(picture) != QImage(file("all.png")), "the selection of the session shows");
    write({{"jitterscope_session", 1}, {"files", 5}});
    const auto bad = run({"render", file("work.jsession"), "--view", "bins", "-o", picture});
    QCOMPARE(bad.code, 2);
    QVERIFY2(bad.err.contains("work.jsession"), qPrintable(bad.err));
  }

  void theReportIsOnePageThatLoadsNothing() {
    QCOMPARE(run({"report", trace_, "-o", file("report.html")}).code, 0);
    QFile page(file("report.html"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QString html = QString::fromUtf8(page.readAll());
    for (const char* part : {"Why it varies", "Timeline", "Bins that vary most", "Kernels", "What was opened",
                             "data:image/png;base64,"})
      QVERIFY2(html.contains(part), part);
    QVERIFY(!html.contains("http://") && !html.contains("https://") && !html.contains("<script"));
    QVERIFY2(!html.contains(">nan") && !html.contains("nan %") && !html.contains(">null"),
             "no unexplained numbers");
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
         {QStringList{"bins", trace_}, QStringList{"bins", trace_, "--json", "-"}, QStringList{"info", trace_}}) {
      const auto outcome = run(arguments, "/dev/full");
      QVERIFY2(outcome.err.contains("standard output cannot be written"), qPrintable(outcome.err));
      QVERIFY(outcome.code != 0);
    }
  }

  void aReaderThatLeavesEarlyIsNoCrash() {
    QProcess shell;
    const QString jitterscope = QString("'%1' bins '%2' --width 1us --json - --ranks 2").arg(JITTERSCOPE_PROGRAM, trace_);
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("JITTERSCOPE_CACHE", QString::fromStdString(folder_.file("cache")));
    shell.setProcessEnvironment(environment);
    shell.start("bash", {"-c", jitterscope + " | head -c 1 > /dev/null; echo ${PIPESTATUS[0]}"});
    QVERIFY(shell.waitForFinished(180000));
    const int code = shell.readAllStandardOutput().trimmed().toInt();
    QVERIFY2(code == 141 || code == 3, qPrintable(QString::number(code))); // the signal, or said as an error
    QVERIFY(!QString::fromUtf8(shell.readAllStandardError()).contains("terminate"));
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

  void tablesWithoutTimeAreToldAsWhatTheyAre() {
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
    QCOMPARE(bins.at("width_ns").get<int>(), 10); // launches
    QCOMPARE(bins.at("missing").get<int>(), 12);
    const auto report = run({"report", file("counters.csv"), "-o", file("counters.html")});
    QVERIFY2(report.code == 0, qPrintable(report.err));
  }

  void memsetsStandInTheTextOfInfo() {
    QFile table(file("sets.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write(
        "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,Bytes (B),Device,Strm,Name\n"
        "0,10,1,1,1,1,32,1,1,16,,A (0),7,k\n20,5,2,,,,,,,,4096,A (0),7,[CUDA memset]\n");
    table.close();
    const auto info = run({"info", table.fileName()});
    QVERIFY2(info.out.contains("memsets     1, 4,096 B"), qPrintable(info.out));
  }

  void binsAsCsvMayGoToTheTerminal() {
    const auto bins = run({"bins", trace_, "--csv", "-"});
    QCOMPARE(bins.code, 0);
    QVERIFY2(bins.out.startsWith("index,start_ns,"), qPrintable(bins.out.left(200)));
    QVERIFY(!QFile::exists("-"));
  }

  void aCacheThatCannotBeMadeIsNamed() {
    const auto usual = std::exchange(cache_, "/proc/no-such-folder");
    const auto refused = run({"info", trace_});
    cache_ = usual;
    QVERIFY(refused.code != 0);
    QVERIFY2(refused.err.contains("JITTERSCOPE_CACHE"), qPrintable(refused.err));
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

  void aTableTakesAFilterOfItsRows() {
    QFile table(file("table.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("a,b,target\n");
    for (int i = 0; i < 200; ++i)
      table.write(QString("%1,%2,%3\n").arg(i % 7).arg(i % 11).arg(3 * (i % 7) + (i * 37) % 5).toUtf8());
    table.close();
    // No other column takes the place of one that cannot be explained.
    QFile level(file("level.csv"));
    QVERIFY(level.open(QIODevice::WriteOnly));
    level.write("a,b,level\n");
    for (int i = 0; i < 200; ++i) level.write(QString("%1,%2,7\n").arg(i % 7).arg(2 * (i % 7) + i % 3).toUtf8());
    level.close();
    const auto same = run({"causal", file("level.csv")});
    QCOMPARE(same.code, 2);
    QVERIFY2(same.err.contains("the target \"level\" cannot be explained: constant"), qPrintable(same.err));
    QVERIFY2(same.err.contains("--target"), qPrintable(same.err));
    const auto some =
        run({"causal", file("table.csv"), "--target", "target", "--where", "a > 3", "--json", "-"});
    QVERIFY2(some.code == 0, qPrintable(some.err));
    QVERIFY(some.document().at("n").get<int>() < 200);
    const auto outcome = run({"causal", file("table.csv"), "--target", "target", "--json", "-"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    const auto d = outcome.document();
    QCOMPARE(d.at("edges").size(), std::size_t(1));
    QCOMPARE(d.at("edges").at(0).at("from").get<std::string>(), std::string("a"));
    QVERIFY2(d.at("sentences").dump().find("cannot tell which comes first") != std::string::npos,
             d.at("sentences").dump().c_str());
    // Once it is told what comes first, the cause is named.
    QFile tiers(file("tiers.csv"));
    QVERIFY(tiers.open(QIODevice::WriteOnly));
    tiers.write("column,tier\na,1\nb,1\ntarget,5\n");
    tiers.close();
    const auto told =
        run({"causal", file("table.csv"), "--target", "target", "--tiers", file("tiers.csv"), "--json", "-"});
    QVERIFY2(told.code == 0, qPrintable(told.err));
    QCOMPARE(told.document().at("contributions").at(0).at("feature").get<std::string>(), std::string("a"));
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
    }
    QVERIFY(run({"--version"}).out.contains("jitterscope"));
  }
};

QTEST_GUILESS_MAIN(CommandLineTest)
#include "command_line_test.moc"
