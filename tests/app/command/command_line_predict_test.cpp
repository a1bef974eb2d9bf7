#include <QFile>
#include <QTest>

#include <cmath>

#include "tests/app/command/command_line.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// `predict` on tables of counters and on outputs of network benchmarks.
class CommandLinePredictTest : public QObject, CommandLine {
  Q_OBJECT

  void write(const QString& path, const QByteArray& text) {
    QFile out(path);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(text);
  }

  /// A table of rocprof: 60 kernels of an MI100 whose time grows with their instructions.
  QString counters() {
    QByteArray text =
        "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,"
        "Arch_VGPR,Accum_VGPR,SGPR,wave_size,obj,SQ_WAVES,SQ_INSTS,SQ_INSTS_VMEM,TCP_TOTAL_CACHE_ACCESSES_"
        "sum,"
        "TCP_TCC_READ_REQ_sum,TCP_TCC_WRITE_REQ_sum,TCC_HIT_sum,TCC_MISS_sum,Start_Timestamp,End_Timestamp\n";
    qint64 now = 1000000;
    for (int i = 0; i < 60; ++i) {
      const int waves = 16384 * 4, work = 50 + 40 * i;
      const qint64 duration = 90000 + 700 * work * (i % 2 ? 2 : 1);
      text += QString("%1,kernel_%2,0,%3,256,0,0,24,0,32,64,0x1,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13\n")
                  .arg(i)
                  .arg(i)
                  .arg(waves * 64)
                  .arg(waves)
                  .arg(qint64(waves) * work)
                  .arg(waves * 8)
                  .arg(waves * 32)
                  .arg(waves * 16)
                  .arg(waves * 16)
                  .arg(waves * 8)
                  .arg(waves * 24)
                  .arg(now)
                  .arg(now + duration)
                  .toUtf8();
      now += duration + 5000;
    }
    const auto path = file("pmc_perf.csv");
    write(path, text);
    return path;
  }

private slots:
  void kernelsHaveMeasuredAnalyticalAndPredictedTimes() {
    const auto document = run({"predict", counters(), "--gpu", "MI100", "--json", "-"}).document();
    QCOMPARE(document.at("kernels").size(), std::size_t(60));
    for (const auto& k : document.at("kernels")) {
      for (const char* key : {"name", "measured_ns", "analytical_ns", "predicted_ns", "bottleneck", "mwp",
                              "cwp", "extrapolated"})
        QVERIFY2(k.contains(key), key);
      QVERIFY(k.at("analytical_ns").get<double>() > 0);
      QVERIFY(k.at("terms").at("levels").size() == 3);
      QCOMPARE(k.at("inputs").at("memory_instructions").get<double>(), 8.0);
    }
    const auto& v = document.at("validation");
    QCOMPARE(v.at("folds").get<int>(), 5);
    for (const char* key : {"analytical_median_percent", "corrected_median_percent", "corrected_p95_percent"})
      QVERIFY2(v.at(key).is_number(), key);
    QVERIFY(!document.contains("model"));
    QCOMPARE(document.at("gpus")[0].at("name").get<std::string>(), std::string("MI100"));
  }

  void aSavedModelPredictsWhatItsFitPredicted() {
    const auto table = counters(), model = file("model.json");
    const auto fitted = run({"predict", table, "--gpu", "MI100", "--fit", model, "--json", "-"});
    QCOMPARE(fitted.code, 0);
    QVERIFY(QFile::exists(model));
    const auto applied = run({"predict", table, "--gpu", "MI100", "--model", model, "--json", "-"});
    QCOMPARE(applied.code, 0);
    QCOMPARE(applied.document().at("validation").dump(), fitted.document().at("validation").dump());
    QVERIFY(!applied.document().at("model_provenance").at("inputs").empty());
    write(file("bad.json"), "{\"format\": \"other\"}");
    QCOMPARE(run({"predict", table, "--gpu", "MI100", "--model", file("bad.json")}).code, 2);
    QCOMPARE(run({"predict", table, "--gpu", "MI100", "--model", model, "--fit", file("m2.json")}).code, 1);
    QCOMPARE(run({"predict", table, "--gpu", "MI100", "--fit", table}).code, 1); // would replace an input
  }

  void whatIfChangesThePrediction() {
    const auto table = counters();
    const auto sum = [&](const QStringList& more) {
      const auto d = run(QStringList{"predict", table, "--gpu", "MI100", "--json", "-"} + more).document();
      double all = 0;
      for (const auto& k : d.at("kernels")) all += k.at("analytical_ns").get<double>();
      return all;
    };
    const double before = sum({});
    QVERIFY(sum({"--what-if", "gpu=MI300X"}) < before);
    QVERIFY(sum({"--what-if", "hit-rate=L2:1", "--what-if", "hit-rate=1"}) < before);
    QVERIFY(std::abs(sum({"--what-if", "block=128"}) - before) < 0.5 * before);
    for (const char* bad :
         {"gpu=Voodoo2", "block=100000", "hit-rate=2", "hit-rate=L9:0.5", "block=x", "clock=2", "gpu="})
      QVERIFY2(run({"predict", table, "--gpu", "MI100", "--what-if", bad}).code == 1, bad);
  }

  void missingCountersAreNamedWithTheCommandThatRecordsThem() {
    const QString table = real_data("ncu/wide-a100/profile.raw.base-units.csv");
    if (table.isEmpty()) QSKIP("the real sample is not here");
    const auto refused = run({"predict", table});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("inputs missing: smsp__inst_executed.sum"), qPrintable(refused.err));
    QVERIFY(refused.err.contains("ncu --csv --page raw") && refused.err.contains("--metrics"));
    const auto error = run({"predict", table, "--json", "-"}).document();
    QCOMPARE(error.at("error").at("kind").get<std::string>(), std::string("bad-input"));
  }

  void mixbenchIsPredictedFromItsCounters() {
    const QString mi200 = real_data("rocm/mixbench-mi200/pmc_perf.csv");
    if (mi200.isEmpty()) QSKIP("the real sample is not here");
    const auto v = run({"predict", mi200, "--json", "-"}).document().at("validation");
    QCOMPARE(v.at("rows").get<int>(), 167);
    QVERIFY(v.at("analytical_median_percent").get<double>() < 10);
    QVERIFY(v.at("applied").get<bool>());
    QVERIFY(v.at("corrected_median_percent").get<double>() < v.at("analytical_median_percent").get<double>());
  }

  void networksOfOsuOutput() {
    QByteArray text = "# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n";
    for (qint64 n = 1; n <= 4194304; n *= 2)
      text += QByteArray::number(n) + " " +
              QByteArray::number(n <= 4096 ? 2 + n / 2000.0 : 9 + n / 10000.0, 'f', 4) + "\n";
    const auto path = file("osu_latency_nodes.txt");
    write(path, text);
    const auto outcome = run({"predict", path, "--json", "-"});
    QCOMPARE(outcome.code, 0);
    const auto network = outcome.document().at("network");
    QCOMPARE(network.size(), std::size_t(1));
    QCOMPARE(network[0].at("distance").get<std::string>(), std::string("inter-node"));
    QCOMPARE(network[0].at("regimes").size(), std::size_t(2));
    QVERIFY(network[0].at("held_out_median_percent").get<double>() < 1);
    QVERIFY(run({"predict", path}).out.contains("held-out sizes"));
    QVERIFY(run({"info", path}).out.contains("OSU MPI Latency Test v7.5: 23 sizes"));
  }

  void tracesWithoutCountersSayWhatIsMissing() {
    make_trace();
    const auto refused = run({"predict", trace_, "--gpu", "A100"});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("inputs missing"), qPrintable(refused.err));
  }
};

QTEST_GUILESS_MAIN(CommandLinePredictTest)
#include "command_line_predict_test.moc"
