#include <QFile>
#include <cmath>

#include "app/session/session_file.h"
#include "tests/app/command/command_line.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// Why launches vary, as reported on the command line.
class CommandLineCausalTest : public QObject, CommandLine {
  Q_OBJECT

private slots:
  void initTestCase() { make_trace(); }

  void theKnownCauseOfRealRunsIsNamed_data() {
    QTest::addColumn<QString>("run");
    QTest::addColumn<bool>("named");
    QTest::addColumn<double>("minimum");
    QTest::addColumn<double>("maximum");
    QTest::newRow("report7") << "report7" << true << 85.0 << 100.0;
    QTest::newRow("report8") << "report8" << true << 85.0 << 100.0;
    QTest::newRow("report12") << "report12" << true << 10.0 << 70.0;
    QTest::newRow("report2") << "report2" << false << 0.0 << 0.0;
  }
  void theKnownCauseOfRealRunsIsNamed() {
    QFETCH(QString, run);
    QFETCH(bool, named);
    QFETCH(double, minimum);
    QFETCH(double, maximum);
    const QString trace = real_data(("nsys/rtx3090-20runs/" + run + ".sqlite").toUtf8().constData());
    if (trace.isEmpty()) QSKIP("the real trace is not available");
    const auto d = this->run({"causal", trace, "--json", "-"}).document();
    const std::string words = d.at("sentences").dump();
    QCOMPARE(words.find("migration") != std::string::npos, named);
    if (!named) return;
    const auto& first = d.at("contributions").at(0);
    QVERIFY2(first.at("label").get<std::string>().find("migration") != std::string::npos,
             first.dump().c_str());
    const double share = first.at("attributable_percent").get<double>();
    QVERIFY2(share >= minimum && share <= maximum, first.dump().c_str());
    QVERIFY(d.at("sentences").at(0).get<std::string>().find("migration") != std::string::npos);
  }

  void theExamplePageShowsWhatTheProgramPrints() {
    const QString trace = real_data("nsys/rtx3090-20runs/report12.sqlite");
    if (trace.isEmpty()) QSKIP("the real sample is not here");
    const QString printed =
        run({"causal", trace}).out.simplified() + ' ' + run({"bins", trace, "--why"}).out.simplified();
    QFile page(JITTERSCOPE_SOURCE_DIR "/resources/help/example.md");
    QVERIFY(page.open(QIODevice::ReadOnly));
    QStringList quotes; // sentences, and lines of code
    bool code = false, quoted = false;
    for (const QString& line : QString::fromUtf8(page.readAll()).split('\n')) {
      if (line.startsWith("```"))
        code = !code;
      else if (code)
        quotes << line;
      else if (line.startsWith("> "))
        quoted ? void(quotes.last() += line.mid(1)) : void(quotes << line.mid(2));
      quoted = line.startsWith("> ");
    }
    QVERIFY(quotes.size() >= 10);
    for (const QString& quote : quotes)
      for (const QString& part : quote.split(QStringLiteral("…"))) // the page shortens some names
        QVERIFY2(printed.contains(part.simplified()), qPrintable("not printed: " + part.simplified()));
  }

  // The longest launches wait half a millisecond for a page that arrives in the last microseconds.
  void theTopBinsOfARealRunNameTheirMigrations() {
    const QString trace = real_data("nsys/rtx3090-20runs/report12.sqlite");
    if (trace.isEmpty()) QSKIP("the real trace is not available");
    const auto document = run({"bins", trace, "--top", "10", "--why", "--json", "-"}).document();
    for (std::size_t rank = 0; rank < 10; ++rank) {
      const auto& bin = document.at("kept").at(rank);
      const bool migrated = rank < 6; // bins 7 and 8 lack peers, bins 9 and 10 have no migration
      QCOMPARE(!bin.at("reason").is_null(), migrated);
      if (!migrated) continue;
      QCOMPARE(bin.at("reason").at("feature").get<std::string>(), std::string("migration_count"));
      QVERIFY2(bin.at("reason").at("percent").get<double>() > 90, bin.dump().c_str());
    }
  }

  void everyKeptBinNamesThePlantedCause_data() {
    QTest::addColumn<int>("cause");
    QTest::addColumn<QString>("word");
    using generator::Cause;
    QTest::newRow("copy") << int(Cause::Copy) << "host_to_device";
    QTest::newRow("migration") << int(Cause::Migration) << "migration";
    QTest::newRow("clock") << int(Cause::Clock) << "clock";
    QTest::newRow("stream") << int(Cause::Stream) << "stream";
  }
  void everyKeptBinNamesThePlantedCause() {
    QFETCH(int, cause);
    QFETCH(QString, word);
    const QString trace = generated(static_cast<generator::Cause>(cause), "moments.sqlite");
    const auto document =
        run({"bins", trace, "--width", "1ms", "--top", "10", "--why", "--json", "-"}).document();
    QCOMPARE(document.at("kept").size(), std::size_t{10});
    int named = 0;
    for (const auto& bin : document.at("kept")) {
      if (bin.at("reason").is_null()) continue;
      QVERIFY2(QString::fromStdString(bin.at("reason").at("feature").get<std::string>()).contains(word),
               bin.dump().c_str());
      named += bin.at("reason").at("percent").get<double>() > 30;
    }
    QVERIFY2(named >= 9, document.at("kept").dump(1).c_str());
    const auto worst = document.at("kept").at(0).at("start_ns").get<std::int64_t>();
    const auto where = QString("start >= %1 and start < %2").arg(worst).arg(worst + 1'000'000);
    const auto answer =
        run({"causal", trace, "--against", "rest", "--where", where, "--json", "-"}).document();
    QCOMPARE(answer.at("question").get<std::string>(), std::string("against"));
    QVERIFY(QString::fromStdString(answer.at("contributions").at(0).at("feature").get<std::string>())
                .contains(word));
    double sum = answer.at("unexplained_ns").get<double>();
    for (const auto& c : answer.at("contributions")) sum += c.at("excess_ns").get<double>();
    QVERIFY(std::fabs(sum - answer.at("excess").at("sum_ns").get<double>()) < 1.0);
    const auto two =
        run({"causal", trace, "--against", "rest", "--where", where, "--json", "-", "--ranks", "2"})
            .document();
    QVERIFY(two.at("contributions") == answer.at("contributions"));
  }

  void allLaunchesHaveNoPeers() {
    const auto outcome = run({"causal", trace_, "--against", "rest"});
    QCOMPARE(outcome.code, 1);
    QVERIFY(outcome.err.contains("--where"));
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
    const double rest = d.at("without_cause_percent").get<double>();
    QVERIFY2(rest >= 0 && rest <= 100.01 - first.at("attributable_percent").get<double>(), d.dump().c_str());
    QVERIFY2(QString::fromStdString(d.at("sentences").at(0)).contains(word, Qt::CaseInsensitive),
             d.at("sentences").dump().c_str());
  }

  // Migrations have two columns (during the launch, and since the previous one) whose coefficients have
  // opposite signs. Added last, migrations account for some 11 % of the variability.
  void causesThatActTogetherAreAllNamed() {
    generator::Options options;
    options.launches = 100'000;
    options.causes = generator::all_causes();
    const QString path = file("together.sqlite");
    QVERIFY(generator::generate(options, path.toStdString(), {}).has_value());
    const auto d = run({"causal", path, "--bootstrap", "40", "--json", "-"}).document();
    std::string causes;
    double of_migrations = 0;
    for (const auto& c : d.at("contributions")) {
      if (c.at("role") != "cause") continue;
      const auto label = c.at("label").get<std::string>();
      causes += label + "; ";
      if (label.find("migration") != std::string::npos) of_migrations = c.at("attributable_rest_percent");
    }
    for (const char* word : {"GPC clock", "stream", "host-to-device", "migration"})
      QVERIFY2(causes.find(word) != std::string::npos, causes.c_str());
    QVERIFY2(of_migrations > 7 && of_migrations < 18, qPrintable(QString::number(of_migrations)));
  }

  // The four grids of one kernel are four observations, regardless of the number of launches.
  void fourConfigurationsAreTooFewToCallTheirGridACause() {
    const QString trace = generated(generator::Cause::Configuration, "planted.sqlite");
    QVERIFY(!trace.isEmpty());
    const auto d = run({"causal", trace, "--json", "-"}).document();
    const auto& first = d.at("contributions").at(0);
    QVERIFY2(first.at("label").get<std::string>().find("grid") != std::string::npos, first.dump().c_str());
    QCOMPARE(first.at("role").get<std::string>(), std::string("associated"));
  }

  void aTraceWithoutCauseIsReportedToHaveNone() {
    const auto d = run({"causal", trace_, "--json", "-"}).document();
    for (const auto& c : d.at("contributions")) QVERIFY2(c.at("role") != "cause", c.dump().c_str());
    QVERIFY2(d.at("sentences").dump().find("othing recorded explains") != std::string::npos,
             d.at("sentences").dump().c_str());
  }

  void aFilterDoesNotChangeWhatATableIsAskedAbout() {
    QFile table(file("plain.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("a,b,score\n");
    for (int i = 0; i < 200; ++i)
      table.write(
          qPrintable(QString("%1,%2,%3\n").arg(i % 17).arg(i * 7 % 23).arg(i % 17 + 0.1 * (i * 13 % 29))));
    table.close();
    const auto plain = run({"causal", file("plain.csv"), "--json", "-"}).document();
    const auto filtered = run({"causal", file("plain.csv"), "--where", "b >= 0", "--json", "-"}).document();
    QCOMPARE(plain.at("target").get<std::string>(), std::string("score"));
    for (const char* key : {"target", "reading", "n", "sentences"})
      QCOMPARE(filtered.at(key).dump(), plain.at(key).dump());
  }

  // The rows of a table without times have no order in time: the import adds no columns derived from it, such
  // as the first launch of a configuration.
  void aTableHasTheSameAnswerWithAndWithoutImport_data() {
    QTest::addColumn<QString>("sample");
    QTest::newRow("fleet") << "variability/gpu-fleet/sgemm-longhorn-agg.csv";
    QTest::newRow("few rows") << "variability/gpu-fleet/resnet-ls6-agg.csv";
    QTest::newRow("graph") << "causal/cl_linear_1/data.csv.gz";
    QTest::newRow("counters") << "causal/gpu24_clean_s0/data.csv.gz";
  }
  void aTableHasTheSameAnswerWithAndWithoutImport() {
    QFETCH(QString, sample);
    const QString table = real_data(sample.toUtf8().constData());
    if (table.isEmpty()) QSKIP("the real sample is not here");
    const auto answer = [&](const QStringList& more) {
      return run(QStringList{"causal", table, "--bootstrap", "20", "--json", "-"} + more).document();
    };
    const auto read = answer({}), imported = answer({"--where", "row >= 0"});
    for (const char* key : {"reading", "n"}) QCOMPARE(imported.at(key).dump(), read.at(key).dump());
    QCOMPARE(imported.at("contributions").size(), read.at("contributions").size());
    for (std::size_t i = 0; i < read.at("contributions").size(); ++i) {
      const auto &own = read.at("contributions")[i], &other = imported.at("contributions")[i];
      QCOMPARE(other.at("role").dump(), own.at("role").dump());
      for (const char* key : {"percent", "ci_low", "ci_high"})
        QVERIFY2(std::fabs(other.at(key).get<double>() - own.at(key).get<double>()) < 1e-6,
                 (own.dump() + "\n" + other.dump()).c_str());
    }
  }

  void theReportOfATableHasTheAnswerOfCausal() {
    QFile table(file("fleet.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("uuid,clock,power,perf\n");
    for (int i = 0; i < 1'200; ++i) {
      const int gpu = i % 60, clock = 1'300 + gpu * 7 % 60;
      table.write(qPrintable(QString("GPU-%1,%2,%3,%4\n")
                                 .arg(gpu * 37 % 60) // the order of the rows is not that of the names
                                 .arg(clock + i * 31 % 5)
                                 .arg(290 + gpu * 17 % 9 + i % 3)
                                 .arg(5'000 - clock + gpu * gpu * 29 % 97 + i * 37 % 23)));
    }
    table.close();
    const auto sentences = run({"causal", file("fleet.csv"), "--json", "-"}).document().at("sentences");
    QVERIFY(sentences.size() > 1);
    QCOMPARE(run({"report", file("fleet.csv"), "-o", file("fleet.html")}).code, 0);
    QFile page(file("fleet.html"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QString html = QString::fromUtf8(page.readAll());
    for (const auto& sentence : sentences) {
      const auto text = QString::fromStdString(sentence.get<std::string>());
      QVERIFY2(html.contains(text.toHtmlEscaped()), qPrintable(text));
    }
  }

  // As in the window: if the selection is too small, the answer is about all launches of its kernels.
  void aSessionWithASmallSelectionIsAnsweredAboutItsKernels() {
    const QString trace = generated(generator::Cause::Migration, "widened.sqlite");
    const auto ranked =
        run({"bins", trace, "--width", "50us", "--top", "1", "--why", "--json", "-"}).document();
    const auto begin = ranked.at("kept").at(0).at("start_ns").get<std::int64_t>();
    SessionFile session;
    session.files = QStringList{trace};
    session.intervals = {{{begin}, {begin + 50'000}}};
    QVERIFY(write_session(session, file("small.jsession")).has_value());
    const auto asked = run({"causal", file("small.jsession"), "--json", "-"});
    QVERIFY2(asked.code == 0, qPrintable(asked.err));
    const auto answer = asked.document();
    const auto remark = QString::fromStdString(answer.value("remark", std::string()));
    QVERIFY2(remark.contains("about all launches of the selected kernels"), qPrintable(remark));
    const auto where = QString::fromStdString(answer.at("options").at("where").get<std::string>());
    QVERIFY2(where.startsWith("kernel in ("), qPrintable(where));
    const auto direct = run({"causal", trace, "--where", where, "--json", "-"}).document();
    QCOMPARE(answer.at("sentences").dump(), direct.at("sentences").dump());
    const auto moment = QString("start >= %1 and start < %2").arg(begin).arg(begin + 50'000);
    const auto compared =
        run({"causal", trace, "--where", moment, "--against", "rest", "--json", "-"}).document();
    QCOMPARE(answer.at("contrast").at("sentences").dump(), compared.at("sentences").dump());
    QCOMPARE(run({"report", file("small.jsession"), "-o", file("small.html")}).code, 0);
    QFile page(file("small.html"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QString html = QString::fromUtf8(page.readAll());
    QVERIFY(html.contains("about all launches of the selected kernels"));
    const auto headline = QString::fromStdString(compared.at("sentences").at(0).get<std::string>());
    QVERIFY2(html.contains(headline.toHtmlEscaped()), qPrintable(headline));
    auto filtered = session;
    filtered.filter = "stream >= 0";
    QVERIFY(write_session(filtered, file("filtered.jsession")).has_value());
    const auto kept = run({"causal", file("filtered.jsession"), "--json", "-"}).document();
    QVERIFY(kept.at("options").at("where").get<std::string>().starts_with("(stream >= 0) and kernel in ("));
    QVERIFY(kept.at("remark").get<std::string>().ends_with("that meet the filter, at any time."));
    session.causal.against = "stream >= 0"; // all launches have a stream, so the filter accepts all peers
    QVERIFY(write_session(session, file("peers.jsession")).has_value());
    const auto with_peers = run({"causal", file("peers.jsession")});
    QVERIFY2(with_peers.out.startsWith(headline), qPrintable(with_peers.out));
    QVERIFY(with_peers.out.contains("Here, \"elsewhere\" means only the launches with stream >= 0."));
    for (const auto& sentence : compared.at("sentences"))
      QCOMPARE(with_peers.out.count(QString::fromStdString(sentence.get<std::string>())), 1);
    session.causal.against = "no_such_column = 1";
    QVERIFY(write_session(session, file("peers.jsession")).has_value());
    const auto impossible = run({"causal", file("peers.jsession")});
    QVERIFY(impossible.code != 0);
    QVERIFY2(impossible.err.contains("no_such_column"), qPrintable(impossible.err));
    session.causal.against.clear();
    QCOMPARE(run({"render", file("small.jsession"), "--view", "causal", "-o", file("small.png")}).code, 0);
    session.intervals.clear();
    session.causal.target = "own_duration"; // a metric that is a column in the window
    session.views["columns"] = {
        {"metrics", {{{"name", "own duration"}, {"text", "value(kernels, duration)"}}}}};
    QVERIFY(write_session(session, file("metric.jsession")).has_value());
    const auto of_metric = run({"causal", file("metric.jsession"), "--bootstrap", "5", "--json", "-"});
    QVERIFY2(of_metric.code == 0, qPrintable(of_metric.err));
    QCOMPARE(of_metric.document().at("target").get<std::string>(), std::string("own_duration"));
    const auto own = run({"causal", trace, "--where", moment});
    QCOMPARE(own.code, 2); // a filter of the command line is not extended
  }

  void aTableWithDurationsIsExplainedAsLaunches() {
    QFile table(file("launches.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("Kernel;Start (ns);Duration (ns);Power (W)\n");
    for (int i = 0; i < 300; ++i)
      table.write(qPrintable(QString("gemm;%1;%2;%3\n")
                                 .arg(1000000 + i * 40000)
                                 .arg(19000 + i * 13 % 700)
                                 .arg(80 + i * 7 % 11)));
    table.close();
    const auto d = run({"causal", file("launches.csv"), "--features", "Power (W)", "--do", "Power (W)=85",
                        "--json", "-"})
                       .document();
    QCOMPARE(d.at("target").get<std::string>(), std::string("kernel_variability"));
    QCOMPARE(d.at("n").get<int>(), 300);
    QCOMPARE(d.at("interventions").at(0).at("feature").get<std::string>(), std::string("power"));
    const auto column =
        run({"causal", file("launches.csv"), "--target", "Power (W)", "--json", "-"}).document();
    QCOMPARE(column.at("target").get<std::string>(), std::string("power")); // as in the window
    const auto refused = run({"causal", file("launches.csv"), "--features", "Powr"});
    QVERIFY2(refused.code != 0 && refused.err.contains("Powr"), qPrintable(refused.err));
  }

  void aFeatureIsFoundWithoutTheEndingOfItsUnit() {
    const auto d = run({"causal", trace_, "--features", "gap", "--json", "-"}).document();
    const auto& features = d.at("features");
    QVERIFY(std::any_of(features.begin(), features.end(),
                        [](const auto& f) { return f.at("name").template get<std::string>() == "gap_ns"; }));
    QVERIFY(run({"causal", trace_, "--features", "gab"}).code != 0);
  }

  // A clock that a table gives in MHz is stored in Hz.
  void valuesAreSetInTheUnitOfTheTitleOrInTheirOwn() {
    QFile table(file("clocks.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("kernel,duration_ns,sm_clock_mhz\n");
    for (int i = 0; i < 400; ++i) {
      const int clock = 1000 + (i * 37) % 500;
      table.write(qPrintable(QString("gemm,%1,%2\n").arg(30'000'000 / clock + (i * 7919) % 3000).arg(clock)));
    }
    table.close();
    const auto set = [&](const QString& requested) {
      return run(
          {"causal", file("clocks.csv"), "--target", "kernel_variability", "--do", requested, "--json", "-"});
    };
    for (const char* requested : {"sm_clock_mhz=1400", "sm_clock_mhz=1400MHz", "sm_clock=1.4GHz",
                                  "sm_clock=1.4 GHz", "sm_clock=1400000000"}) {
      const auto reported = set(requested).document().at("interventions").at(0);
      QCOMPARE(reported.at("value").get<double>(), 1.4e9);
      QVERIFY(!reported.at("extrapolates").get<bool>());
    }
    QVERIFY(set("sm_clock=3ns").err.contains("sm_clock is in Hz, not in \"ns\""));
    for (const char* requested : {"sm_clock", "=3", "sm_clock=", "sm_clock=fast"})
      QVERIFY2(set(requested).err.contains("is not NAME=VALUE"), requested);
    QFile rates(file("rates.csv")); // a table that is not of launches keeps its units
    QVERIFY(rates.open(QIODevice::WriteOnly));
    rates.write("sm_clock_mhz,rate\n");
    for (int i = 0; i < 400; ++i) {
      const int clock = 1000 + (i * 37) % 500;
      rates.write(qPrintable(QString("%1,%2\n").arg(clock).arg(3 * clock + (i * 7919) % 300)));
    }
    rates.close();
    const auto as_it_is = run({"causal", file("rates.csv"), "--do", "sm_clock_mhz=1.4GHz", "--json", "-"});
    QCOMPARE(as_it_is.document().at("interventions").at(0).at("value").get<double>(), 1'400.0);
  }

  void aColumnNamedKernelNamesTheKernels() {
    QFile table(file("kernels.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("kernel,batch,duration_us\n");
    for (int i = 0; i < 300; ++i)
      table.write(qPrintable(QString("%1,%2,%3\n")
                                 .arg(i % 3 ? "gemm" : "softmax")
                                 .arg(i % 7)
                                 .arg((i % 3 ? 400 : 30) + i * 13 % 5)));
    table.close();
    const auto answer = [&](const QStringList& more) {
      return run(QStringList{"causal", file("kernels.csv"), "--json", "-"} + more).document();
    };
    const auto hinted = [](const json& document) {
      const auto& warnings = document.at("warnings");
      return std::any_of(warnings.begin(), warnings.end(), [](const auto& w) {
        return w.at("code") == "kernel-column" &&
               w.at("text").template get<std::string>().find("--kernel-column") != std::string::npos;
      });
    };
    const auto found = answer({});
    QVERIFY(!hinted(found));
    QCOMPARE(found.at("target").get<std::string>(), std::string("kernel_variability"));
    QCOMPARE(found.at("sentences").dump(), answer({"--kernel-column", "kernel"}).at("sentences").dump());
    QVERIFY(hinted(answer({"--map", "kernel="})));
  }

  void aTableThatOnlyTheImporterReadsIsExplainedToo() {
    QFile table(file("hint.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("sep=;\na;score\n");
    for (int i = 0; i < 200; ++i)
      table.write(qPrintable(QString("%1;%2\n").arg(i % 17).arg(2 * (i % 17) + i * 13 % 5)));
    table.close();
    const auto d = run({"causal", file("hint.csv"), "--json", "-"}).document();
    QCOMPARE(d.at("target").get<std::string>(), std::string("score"));
    QCOMPARE(d.at("n").get<int>(), 200);
  }

  void causalExaminesASampleOfManyLaunches() {
    const auto d =
        run({"causal", trace_, "--max-rows", "1000", "--bootstrap", "5", "--json", "-"}).document();
    const auto& warnings = d.at("warnings");
    QVERIFY(std::any_of(warnings.begin(), warnings.end(),
                        [](const auto& w) { return w.at("code") == "sample"; }));
    QVERIFY(d.at("n").get<int>() <= 1'100);
    const auto former = run({"causal", trace_, "--most-rows", "1000", "--bootstrap", "5", "--json", "-"});
    QCOMPARE(former.document().at("n").dump(), d.at("n").dump());
    QVERIFY(!run({"causal", "--help"}).out.contains("--most-rows"));
    const auto refused = run({"causal", trace_, "--max-rows", "1000", "--do", "grid_x=4", "--row", "3"});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("--max-rows 0"), qPrintable(refused.err));
  }

  void aFirstAnswerIsMarked() {
    const auto first = run({"causal", trace_, "--provisional", "--json", "-"}).document();
    QVERIFY(first.at("provisional").get<bool>());
    QCOMPARE(first.at("bootstrap").get<int>(), 20);
    QVERIFY(first.at("n").get<int>() <= 11'000);
    QVERIFY(run({"causal", trace_, "--provisional"}).out.startsWith("This first answer is from "));
    QVERIFY(
        !run({"causal", trace_, "--bootstrap", "5", "--json", "-"}).document().at("provisional").get<bool>());
  }

  void aTableAcceptsAFilterOfItsRows() {
    QFile table(file("table.csv"));
    QVERIFY(table.open(QIODevice::WriteOnly));
    table.write("a,b,target\n");
    for (int i = 0; i < 200; ++i)
      table.write(QString("%1,%2,%3\n").arg(i % 7).arg(i % 11).arg(3 * (i % 7) + (i * 37) % 5).toUtf8());
    table.close();
    // If the target cannot be explained, no other column replaces it.
    QFile level(file("level.csv"));
    QVERIFY(level.open(QIODevice::WriteOnly));
    level.write("a,b,level\n");
    for (int i = 0; i < 200; ++i)
      level.write(QString("%1,%2,7\n").arg(i % 7).arg(2 * (i % 7) + i % 3).toUtf8());
    level.close();
    const auto same = run({"causal", file("level.csv")});
    QCOMPARE(same.code, 2);
    QVERIFY2(same.err.contains("the target \"level\" cannot be explained: constant"), qPrintable(same.err));
    QVERIFY2(same.err.contains("--target"), qPrintable(same.err));
    const auto of_kernels = run({"causal", file("level.csv"), "--kernel-column", "a"});
    QCOMPARE(of_kernels.code, 2);
    QVERIFY2(of_kernels.err.contains("the target \"level\" cannot be explained: constant"),
             qPrintable(of_kernels.err));
    const auto some =
        run({"causal", file("table.csv"), "--target", "target", "--where", "a > 3", "--json", "-"});
    QVERIFY2(some.code == 0, qPrintable(some.err));
    QVERIFY(some.document().at("n").get<int>() < 200);
    const auto outcome = run({"causal", file("table.csv"), "--target", "target", "--json", "-"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    const auto d = outcome.document();
    QCOMPARE(d.at("edges").size(), std::size_t(1));
    QCOMPARE(d.at("edges").at(0).at("from").get<std::string>(), std::string("a"));
    QVERIFY2(d.at("sentences").dump().find("do not identify the direction") != std::string::npos,
             d.at("sentences").dump().c_str());
    // Once the order of the tiers is given, the cause is named.
    QFile tiers(file("tiers.csv"));
    QVERIFY(tiers.open(QIODevice::WriteOnly));
    tiers.write("column,tier\na,1\nb,1\ntarget,5\n");
    tiers.close();
    const auto reported =
        run({"causal", file("table.csv"), "--target", "target", "--tiers", file("tiers.csv"), "--json", "-"});
    QVERIFY2(reported.code == 0, qPrintable(reported.err));
    QCOMPARE(reported.document().at("contributions").at(0).at("feature").get<std::string>(),
             std::string("a"));
  }
};

QTEST_GUILESS_MAIN(CommandLineCausalTest)
#include "command_line_causal_test.moc"
