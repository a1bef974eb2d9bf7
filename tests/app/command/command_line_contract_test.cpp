#include <QImage>

#include "tests/app/command/command_line.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// What scripts rely on: errors as JSON, options in documents, names that are unique.
class CommandLineContractTest : public QObject, CommandLine {
  Q_OBJECT

  QString table(const char* name, const QByteArray& text) {
    QFile out(file(name));
    return out.open(QIODevice::WriteOnly) && out.write(text) == text.size() ? out.fileName() : QString();
  }
  /// Rows of `count` devices; `slow` takes 20 % longer.
  QString devices(const char* name, int count, int slow) {
    QByteArray text = "device,duration_us\n";
    for (int row = 0; row < 200 * count; ++row) {
      const int device = row % count, noise = row * 7919 % 101;
      text += QString("%1,%2\n").arg(device).arg((device == slow ? 120 : 100) + 0.01 * noise).toUtf8();
    }
    return table(name, text);
  }

private slots:
  void initTestCase() { make_trace(); }

  void errorsInOptionsAreWrittenAsJson() {
    const auto output = file("error.json");
    for (const QStringList& arguments :
         {QStringList{"efficiency", trace_, "--by", "colour"}, QStringList{"bins", trace_, "--colour"},
          QStringList{"causal", trace_, "--bootstrap", "-1"}, QStringList{"bins"}}) {
      QFile::remove(output);
      const auto outcome = run(QStringList(arguments) << "--json" << output);
      QCOMPARE(outcome.code, 1);
      QVERIFY2(outcome.err.startsWith("jitterscope: "), qPrintable(outcome.err));
      QFile written(output);
      QVERIFY2(written.open(QIODevice::ReadOnly), qPrintable(arguments.join(' ')));
      const auto document = json::parse(written.readAll().toStdString(), nullptr, false);
      QCOMPARE(document.size(), std::size_t(1));
      QVERIFY(!document.at("error").at("message").get<std::string>().empty());
    }
    QCOMPARE(run({"bins", "--help", "--json", output}).code, 0);
  }

  void theHelpPageNamesEveryKey() {
    QFile page(JITTERSCOPE_SOURCE_DIR "/resources/help/json.md");
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray text = page.readAll();
    const auto fleet = devices("fleet.csv", 4, 1);
    for (const QStringList& arguments :
         {QStringList{"info", trace_, "--columns"},
          {"info", fleet},
          {"bins", trace_, "--why"},
          {"causal", trace_},
          {"causal", fleet},
          {"causal", trace_, "--against", "rest", "--where", "duration > 20us"},
          {"devices", fleet},
          {"compare", fleet, devices("later.csv", 4, 2), "--fail-if", "q < 0"},
          {"efficiency", trace_},
          {"metric", trace_, "--metric", "gpu-busy"},
          {"cut", trace_, "--range", "0:5ms", "-o", file("key.jts")},
          {"export", trace_, "--to", "csv", "-o", file("key.csv")},
          {"import", trace_, "-o", file("key2.jts")},
          {"render", trace_, "--view", "bins", "-o", file("key.png")},
          {"report", trace_, "-o", file("key.html")}}) {
      const auto answer = run(arguments + QStringList{"--json", "-"});
      QVERIFY2(answer.code == 0, qPrintable(arguments.join(' ') + ": " + answer.err));
      const auto document = answer.document();
      for (const auto& [key, value] : document.items())
        QVERIFY2(text.contains('`' + QByteArray::fromStdString(key) + '`'),
                 qPrintable(arguments.front() + ": " + QString::fromStdString(key)));
    }
  }

  void documentsStateTheOptionsThatWereGiven() {
    const auto info = run({"info", trace_, "--columns", "--json", "-"}).document();
    QVERIFY(info.at("options").at("columns") == true);
    QVERIFY(info.at("schema_version") == 1);
    const auto bins =
        run({"bins", trace_, "--where", "duration > 1us", "--top", "3", "--json", "-"}).document();
    QVERIFY(bins.at("options").at("where") == "duration > 1us" && bins.at("options").at("top") == "3");
    const auto picture = run({"render", trace_, "--view", "bins", "--where", "duration > 1us", "-o",
                              file("p.svg"), "--json", "-"})
                             .document();
    QVERIFY(picture.at("options").at("where") == "duration > 1us");
    const auto imported = run({"import", trace_, "-o", file("i.jts"), "--json", "-"}).document();
    QCOMPARE(imported.at("inputs")[0].at("sha256").get<std::string>().size(), std::size_t(64));
    const auto own = devices("own.csv", 4, 1);
    for (const auto& answer : {run({"devices", own, "--target", "duration_us", "--json", "-"}).document(),
                               run({"import", own, "-o", file("own.jts"), "--json", "-"}).document()})
      QCOMPARE(answer.at("inputs")[0].at("sha256").get<std::string>().size(), std::size_t(64));
    QVERIFY(run({"help", "--json", "-"}).document().at("schema_version") == 1);
  }

  void ownKernelsCanCountAsCommunication() {
    const auto own = table("own_collectives.csv", "kernel,device,start_ns,end_ns\ngemm,0,0,100\n"
                                                  "one_shot_all_reduce,0,100,150\ngemm,0,150,200\n");
    const auto useful = [&](const QString& trace, const QStringList& options) {
      const auto outcome = run(QStringList{"efficiency", trace, "--json", "-"} + options);
      return outcome.code == 0 ? outcome.document().at("device").at("parallel").get<double>() : -1.0;
    };
    const QStringList chosen = {"--collective-kernels", "all_?reduce"};
    QCOMPARE(useful(own, {}), 1.0);
    QCOMPARE(useful(own, chosen), 0.75);
    QCOMPARE(useful(own, QStringList(chosen) << "--collectives-as"
                                             << "useful"),
             1.0);
    for (const auto& [options, of_store] : {std::pair{QStringList(), 1.0}, {chosen, 0.75}}) {
      const auto store = file(options.isEmpty() ? "all.jts" : "chosen.jts");
      QCOMPARE(run(QStringList{"import", own, "-o", store} + options).code, 0);
      QCOMPARE(useful(store, {}), of_store);
      QCOMPARE(useful(store, chosen), 0.75); // a changed copy of the store
      QCOMPARE(useful(store, {"--collective-kernels", ""}), 1.0);
      QCOMPARE(run({"info", store}).out.contains("names match all_?reduce"), of_store < 1);
      QCOMPARE(run({"cut", store, "--range", "0:150ns", "-o", file("part.jts"), "--overwrite"}).code, 0);
      QCOMPARE(useful(file("part.jts"), {}), of_store < 1 ? 2.0 / 3 : 1.0);
    }
    const auto invalid = run({"efficiency", own, "--collective-kernels", "("});
    QCOMPARE(invalid.code, 1);
    QVERIFY2(invalid.err.contains("the regular expression is not valid"), qPrintable(invalid.err));
  }

  void fewDevicesAreRanked() {
    for (const int count : {2, 4}) {
      const auto outcome = run({"devices", devices("few.csv", count, 1), "--json", "-"});
      QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
      const auto list = outcome.document().at("devices");
      QCOMPARE(list.size(), static_cast<std::size_t>(count));
      QVERIFY(list[0].at("name") == "1");
      QVERIFY2(list[0].at("difference_percent").get<double>() > 5, list.dump().c_str());
      QVERIFY(list[0].at("geometric_mean").get<double>() > list[1].at("geometric_mean").get<double>());
      QVERIFY(list[0].at("ci_low").get<double>() < list[0].at("ci_high").get<double>());
    }
    const auto printed = run({"devices", file("few.csv")}).out;
    QVERIFY2(printed.contains("of the logarithm of duration") && printed.contains("geometric mean  GPUs") &&
                 printed.contains("note [few-groups]"),
             qPrintable(printed));
  }

  void groupsWithoutASharedConfigurationHaveNoDifference() {
    QByteArray text = "kernel,device,duration_us\n";
    for (int row = 0; row < 60; ++row)
      text +=
          QString("k%1,%2,%3\n").arg(row % 4).arg(row % 2).arg(10 * (row % 4 + 1) + 0.1 * (row / 4)).toUtf8();
    const auto own = table("apart.csv", text);
    const auto document = run({"devices", own, "--json", "-"}).document();
    QVERIFY(document.at("devices")[0].at("difference_percent").is_null());
    QVERIFY(document.at("variance_between").at("percent").is_null());
    const auto printed = run({"devices", own}).out;
    QVERIFY2(printed.contains("note [devices-not-compared]") && !printed.contains("+0.00"),
             qPrintable(printed));
  }

  void theVariabilityOfKernelsThatRanOnceIsUnknown() {
    const auto own = table("once.csv", "kernel,start_ns,end_ns\na,0,10\nb,20,35\nc,40,60\nc,70,99\n");
    const auto report = run({"report", own, "-o", file("once.html")});
    QVERIFY2(report.code == 0, qPrintable(report.err));
    QFile page(file("once.html"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    QCOMPARE(page.readAll().count("<td>–</td></tr>"), 2); // of a and b; the last column is the variability
  }

  // An axis of logarithms has no place for values that are not positive: only a session may choose it.
  void aPictureOfADistributionShowsAllValues() {
    const auto own =
        table("signs.csv", "kernel,start_ns,end_ns,delta\nk,0,10,-5\nk,20,35,3\nk,40,60,-1\nk,70,99,2\n");
    const auto picture = [this](const QString& input) {
      const auto made =
          run({"render", input, "--view", "distribution", "--column", "delta", "-o", file("signs.png")});
      return made.code == 0 ? QImage(file("signs.png")) : QImage();
    };
    const auto of_session = [&](bool log) {
      const nlohmann::json session = {{"jitterscope_session", 1},
                                      {"files", {{{"path", own.toStdString()}}}},
                                      {"distribution", {{"column", "delta"}, {"log", log}}}};
      return picture(table("signs.jsession", QByteArray::fromStdString(session.dump())));
    };
    const auto shown = picture(own);
    QVERIFY(!shown.isNull());
    QCOMPARE(shown, of_session(false));
    QVERIFY(shown != of_session(true));
  }

  void theHeaderOfTheDurationsIsATarget() {
    QByteArray text = "uuid,runtime_ms,power\n";
    for (int row = 0; row < 600; ++row)
      text +=
          QString("n%1,%2,%3\n").arg(row % 3).arg(1 + row % 3 + 0.01 * (row / 3)).arg(200 + row % 7).toUtf8();
    const auto own = table("fleet.csv", text);
    const auto compared = run({"devices", own, "--target", "runtime_ms", "--json", "-"});
    QVERIFY2(compared.code == 0, qPrintable(compared.err));
    QVERIFY(compared.document().at("target") == "duration");
    const auto explained = run({"causal", own, "--target", "runtime_ms"});
    QVERIFY2(explained.code == 0, qPrintable(explained.err));
    const auto unknown = run({"devices", own, "--target", "runtime"});
    QVERIFY2(unknown.code == 1 && unknown.err.contains("Columns that can be compared: duration"),
             qPrintable(unknown.err));
  }

  void kernelsOfOneShortNameHaveDifferentLines() {
    QByteArray text = "kernel,start [ns],duration [ns]\n";
    for (int i = 0; i < 100; ++i)
      text += QString("\"void f<int>(int)\",%1,%2\n\"void f<long>(long)\",%3,%4\ng,%5,70\n")
                  .arg(1'000 * i)
                  .arg(100 + i % 3)
                  .arg(1'000 * i + 300)
                  .arg(200 + i % 3)
                  .arg(1'000 * i + 600)
                  .toUtf8();
    const auto a = table("a.csv", text), b = table("b.csv", text);
    const auto out = run({"compare", a, b, "--all"}).out;
    QVERIFY2(out.contains("f<int>") && out.contains("f<long>"), qPrintable(out));
    QVERIFY2(!out.contains("0 registers") && !out.contains("(0, 0, 0)"), qPrintable(out));
  }

  void peersThatDoNotExistAreErrors() {
    const auto typed = run({"causal", trace_, "--against", "run=other", "--where", "duration > 1us"});
    QVERIFY2(typed.code == 1 && typed.err.contains("one run"), qPrintable(typed.err));
    const auto none = run({"causal", trace_, "--against", "duration > 1000s", "--where", "duration > 1us"});
    QVERIFY2(none.code == 1 && none.err.contains("no launch meets"), qPrintable(none.err));
    QCOMPARE(run({"causal", trace_, "--against", "rest", "--where", "stream = 7"}).code, 0);
    const auto unknown = run({"devices", devices("few.csv", 3, 1), "--target", "nope"});
    QVERIFY2(unknown.code == 1 && unknown.err.contains("nope"), qPrintable(unknown.err));
  }

  void timesAndPlacesNeedWhatTheyState() {
    const auto cut = run({"cut", trace_, "--range", "0.9:1.5", "-o", file("cut.jts")});
    QCOMPARE(cut.code, 1);
    QVERIFY2(cut.err.contains("0.9s"), qPrintable(cut.err));
    const auto mapped = run({"bins", devices("d.csv", 4, 1), "--map", "device=device", "--by", "device"});
    QCOMPARE(mapped.code, 2);
    QVERIFY2(mapped.err.contains("without times"), qPrintable(mapped.err));
    const auto nothing = run({"bins", trace_, "--where", "duration > 1000s"});
    QCOMPARE(nothing.code, 0);
    QVERIFY2(nothing.out.contains("no launch of the selection"), qPrintable(nothing.out));
  }
};

QTEST_MAIN(CommandLineContractTest)
#include "command_line_contract_test.moc"
