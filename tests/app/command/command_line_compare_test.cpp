#include "tests/app/command/command_line.h"

#include <QXmlStreamReader>

#include <cmath>
#include <random>

using namespace jitterscope;
using namespace jitterscope::app;

/// Comparison of runs on the command line.
class CommandLineCompareTest : public QObject, CommandLine {
  Q_OBJECT

  /// A table of `launches` launches of each of the kernels "same", "slow" (by this factor) and "a, \"b\" &
  /// <c>".
  QString run_of(const QString& name, unsigned seed, double factor, int launches = 200) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    QFile out(file(name.toUtf8().constData()));
    if (!out.open(QIODevice::WriteOnly)) return {};
    out.write("kernel,start [ns],duration [ns]\n");
    std::int64_t start = 0;
    for (int i = 0; i < launches; ++i)
      for (const auto& [kernel, level] :
           {std::pair("same", 10'000.0), {"slow", 20'000 * factor}, {"\"a, \"\"b\"\" & <c>\"", 30'000.0}})
        out.write(QString("%1,%2,%3\n")
                      .arg(kernel)
                      .arg(start += 100'000)
                      .arg(std::llround(level * (1 + 0.005 * normal(random))))
                      .toUtf8());
    return out.fileName();
  }
  QString a_ = run_of("a.csv", 1, 1), b_ = run_of("b.csv", 2, 1.1), same_ = run_of("c.csv", 3, 1);

private slots:
  void theSlowerKernelIsNamed() {
    const auto answer = run({"compare", a_, b_, "--json", "-"});
    QVERIFY2(answer.code == 0, qPrintable(answer.err));
    const auto d = answer.document();
    QCOMPARE(d.at("kernels").size(), 3U);
    const auto& first = d.at("kernels")[0]; // it costs most time
    QVERIFY(first.at("name") == "slow");
    QVERIFY(first.at("verdict") == "slower");
    QVERIFY(first.at("n_a") == 200);
    QVERIFY(std::fabs(first.at("median_ratio").get<double>() - 1.1) < 0.003);
    QVERIFY(first.at("ci_low") < 1.1 && first.at("ci_high") > 1.1 && first.at("q") < 1e-4);
    QVERIFY(d.at("kernels")[1].at("verdict") == "same");
    QVERIFY(d.at("runs")[1].at("name") == "b");
    QVERIFY(d.at("new").empty() && d.at("gone").empty());
    const auto text = run({"compare", a_, b_}).out;
    QVERIFY2(text.contains("b compared with a: 1 slower, 0 faster, 2 same"), qPrintable(text));
  }

  void severalRunsAreEachComparedWithTheFirst() {
    const auto d = run({"compare", a_, b_, same_, "--json", "-"}).document();
    QCOMPARE(d.at("kernels").size(), 6U);
    for (const auto& kernel : d.at("kernels"))
      QVERIFY((kernel.at("verdict") == "slower") == (kernel.at("run") == "b" && kernel.at("name") == "slow"));
  }

  void repetitionsAreOneRun() {
    QStringList base, other;
    for (unsigned r = 0; r < 4; ++r) {
      base << run_of(QString("base%1.csv").arg(r), 10 + r, 1,
                     1); // a launch of each kernel in each repetition
      other << run_of(QString("other%1.csv").arg(r), 20 + r, 1.1, 1);
    }
    const auto d =
        run(QStringList{"compare"} + other + QStringList{"--baseline"} + base + QStringList{"--json", "-"})
            .document();
    QCOMPARE(d.at("kernels").size(), 3U);
    QVERIFY(d.at("runs")[0].at("repeated").get<bool>());
    QVERIFY(d.at("kernels")[0].at("name") == "slow");
    QVERIFY(d.at("kernels")[0].at("verdict") == "slower");
  }

  void aConditionDecidesTheExitCode() {
    const QStringList compare{"compare", a_, b_, "--fail-if"};
    QCOMPARE(run(compare + QStringList{"verdict = \"slower\" and median_ratio > 1.05"}).code, 5);
    QCOMPARE(run(compare + QStringList{"median_ratio > 1.2"}).code, 0);
    QCOMPARE(run(compare + QStringList{"change > 300us and name ~ /^sl/"}).code, 5);
    QCOMPARE(run({"compare", a_, same_, "--fail-if", "verdict = \"slower\""}).code, 0);
    const auto wrong = run(compare + QStringList{"medium_ratio > 1"});
    QCOMPARE(wrong.code, 1);
    QVERIFY2(wrong.err.contains("medium_ratio") && wrong.err.contains("--fail-if"), qPrintable(wrong.err));
    const auto d = run(compare + QStringList{"q < 0.01", "--json", "-"}).document();
    QVERIFY(d.at("fail_if").at("failed") == 1);
    QVERIFY(d.at("kernels")[0].at("failed").get<bool>() && !d.at("kernels")[1].at("failed").get<bool>());
  }

  // Too few launches for an interval: its columns have no values, but can be named.
  void aConditionMayNameColumnsWithoutValues() {
    const auto one = run_of("one.csv", 5, 1, 2), two = run_of("two.csv", 6, 1, 2);
    QCOMPARE(run({"compare", one, two, "--fail-if", "ci_low > 1 or q < 0.05"}).code, 0);
    QCOMPARE(run({"compare", one, two, "--fail-if", "verdict = \"few\""}).code, 5);
  }

  void aLargeChangeWithoutAVerdictIsNamed() {
    const auto few = run_of("few.csv", 4, 3, 5);
    const auto large = run({"compare", a_, few});
    QVERIFY2(large.out.contains("undecided, though large: slow changes from") &&
                 large.out.contains("a verdict needs 10 of each"),
             qPrintable(large.out));
    QVERIFY(!run({"compare", a_, b_}).out.contains("undecided"));
  }

  void runsWithoutACommonKernelAreNotCompared() {
    QFile out(file("other.csv"));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write("kernel,start [ns],duration [ns]\nelsewhere,0,100\nelsewhere,200,100\n");
    out.close();
    const auto answer = run({"compare", a_, out.fileName()});
    QCOMPARE(answer.code, 0);
    QVERIFY2(answer.out.contains("nothing can be compared") && answer.out.contains("only in this run"),
             qPrintable(answer.out));
  }

  // Repetitions in which a kernel takes no time have no median of logarithms.
  void kernelsWithoutTimeHaveNoRatio() {
    QStringList files;
    for (int r = 0; r < 6; ++r) {
      QFile out(file(QString("zero%1.csv").arg(r).toUtf8().constData()));
      QVERIFY(out.open(QIODevice::WriteOnly));
      out.write("kernel,start [ns],duration [ns]\nempty,0,0\nempty,10,0\nfull,20,100\n");
      files << out.fileName();
    }
    const QStringList compare =
        QStringList{"compare"} + files.mid(0, 3) + QStringList{"--baseline"} + files.mid(3);
    for (const char* ranks : {"1", "2"}) {
      const auto answer = run(compare + QStringList{"--ranks", ranks});
      QVERIFY2(answer.code == 0 && answer.out.contains("few      –"), qPrintable(answer.out + answer.err));
    }
  }

  void theTestsAreWrittenAsJUnit() {
    QCOMPARE(run({"compare", a_, b_, "--fail-if", "verdict = \"slower\"", "--junit", file("tests.xml")}).code,
             5);
    QFile in(file("tests.xml"));
    QVERIFY(in.open(QIODevice::ReadOnly));
    QXmlStreamReader xml(&in);
    QStringList tests, failed;
    while (!xml.atEnd()) {
      if (xml.readNext() != QXmlStreamReader::StartElement) continue;
      if (xml.name() == u"testsuite") QCOMPARE(xml.attributes().value("failures").toString(), "1");
      if (xml.name() == u"testcase") tests << xml.attributes().value("name").toString();
      if (xml.name() == u"failure") failed << tests.last();
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QCOMPARE(tests.size(), 3);
    QVERIFY(failed.size() == 1 && failed[0].startsWith("slow "));
    QVERIFY(tests.filter("a, \"b\" & <c>").size() == 1);
  }

  void theTableOpensAgain() {
    QCOMPARE(run({"compare", a_, b_, "--csv", file("kernels.csv")}).code, 0);
    const auto info = run({"info", file("kernels.csv"), "--kernel-column", "name", "--json", "-"}).document();
    QVERIFY(info.at("launches").at("count") == 3);
    QVERIFY(info.at("launches").at("kernels") == 3);
  }

  void whatCannotBeComparedIsAnError() {
    QCOMPARE(run({"compare", a_}).code, 1);
    QCOMPARE(run({"compare", a_, b_, "--junit", file("x.xml")}).code, 1);
    QCOMPARE(run({"compare", a_, b_, "--csv", a_}).code, 1);
    QCOMPARE(run({"compare", a_, b_, "--tolerance", "-1"}).code, 1);
    QCOMPARE(run({"compare", a_, file("missing.csv")}).code, 2);
    QFile without(file("without.csv"));
    QVERIFY(without.open(QIODevice::WriteOnly));
    without.write("kernel,registers\nx,1\ny,2\n");
    without.close();
    const auto refused = run({"compare", file("without.csv"), file("without.csv")});
    QVERIFY2(refused.code == 1 || refused.code == 2, qPrintable(refused.err));
  }
};

QTEST_GUILESS_MAIN(CommandLineCompareTest)
#include "command_line_compare_test.moc"
