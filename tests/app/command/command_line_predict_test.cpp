#include <QDir>
#include <QFile>
#include <QTest>

#include <cmath>

#include "app/model/model_answer.h"
#include "tests/app/command/command_line.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// `predict` with tables of counters and with outputs of network benchmarks.
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
    auto of_training = applied.document().at("validation");
    QCOMPARE(of_training.at("here").at("rows").dump(), of_training.at("rows").dump());
    of_training.erase("here"); // the error on these launches
    QCOMPARE(of_training.dump(), fitted.document().at("validation").dump());
    QVERIFY(!applied.document().at("model_provenance").at("inputs").empty());
    write(file("bad.json"), "{\"format\": \"other\"}");
    QCOMPARE(run({"predict", table, "--gpu", "MI100", "--model", file("bad.json")}).code, 2);
    QCOMPARE(run({"predict", table, "--gpu", "MI100", "--model", model, "--fit", file("m2.json")}).code, 1);
    QCOMPARE(run({"predict", table, "--gpu", "MI100", "--fit", table}).code, 1); // would overwrite an input
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
    if (table.isEmpty()) QSKIP("the real trace is not available");
    const auto refused = run({"predict", table});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("7 are missing: smsp__inst_executed.sum") &&
                 refused.err.contains(" and 4 more"),
             qPrintable(refused.err));
    QVERIFY(refused.err.contains("ncu --csv --page raw") && refused.err.contains("--metrics"));
    const auto error = run({"predict", table, "--json", "-"}).document();
    QCOMPARE(error.at("error").at("kind").get<std::string>(), std::string("bad-input"));
  }

  void mixbenchIsPredictedFromItsCounters() {
    const QString mi200 = real_data("rocm/mixbench-mi200/pmc_perf.csv");
    if (mi200.isEmpty()) QSKIP("the real trace is not available");
    const auto v = run({"predict", mi200, "--json", "-"}).document().at("validation");
    QCOMPARE(v.at("rows").get<int>(), 167);
    QVERIFY(v.at("analytical_median_percent").get<double>() < 10);
    QVERIFY(v.at("applied").get<bool>());
    QVERIFY(v.at("corrected_median_percent").get<double>() < v.at("analytical_median_percent").get<double>());
  }

  /// Two ranks: 60 messages of growing size. Each receive starts 100 ns after its send, and both end 2 µs + 1
  /// ns per byte later.
  QString messages() {
    QByteArray records;
    const auto event = [&](int task, qint64 time, int value) {
      records += QString("2:%1:1:%1:1:%2:50000001:%3\n").arg(task).arg(time).arg(value).toUtf8();
    };
    for (int i = 0; i < 60; ++i) {
      const qint64 sent = 50'000 * (i + 1), bytes = 100 * (i + 1), end = sent + 100 + 2'000 + bytes;
      event(1, sent, 1), event(1, end, 0), event(2, sent + 100, 2), event(2, end, 0);
      records += QString("3:1:1:1:1:%1:%1:2:1:2:1:%2:%3:%4:7\n")
                     .arg(sent)
                     .arg(sent + 100)
                     .arg(end)
                     .arg(bytes)
                     .toUtf8();
    }
    const auto path = file("messages.prv");
    write(path, "#Paraver (01/01/24 at 00:00):4000000_ns:0:1:2(1:1,1:1)\n" + records);
    write(file("messages.pcf"),
          "EVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n1 MPI_Send\n2 MPI_Recv\n0 Outside MPI\n");
    return path;
  }

  QString network() {
    QByteArray text = "# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n";
    for (qint64 n = 1; n <= 65536; n *= 2)
      text += QByteArray::number(n) + " " + QByteArray::number(2 + n / 1000.0, 'f', 4) + "\n";
    const auto path = file("osu_latency_socket.txt");
    write(path, text);
    return path;
  }

  void messagesArePredictedFromTheMomentThatBothSidesAreReady() {
    const auto document = run({"predict", messages(), network(), "--json", "-"}).document();
    const auto& mpi = document.at("mpi");
    QVERIFY(mpi.at("measured_network").get<bool>());
    QCOMPARE(mpi.at("ranks").get<int>(), 2);
    int count = 0;
    for (const auto& m : mpi.at("messages")) {
      count += m.at("count").get<int>();
      const double bytes = m.at("bytes").get<double>();
      QVERIFY(std::abs(m.at("measured_ns").get<double>() - (2'000 + bytes)) < 1e-6);
      QVERIFY(std::abs(m.at("waited_ns").get<double>() - 100) < 1e-6);
      QVERIFY(std::abs(m.at("analytical_ns").get<double>() / m.at("measured_ns").get<double>() - 1) < 0.02);
      QCOMPARE(m.at("concurrency").get<double>(), 1.0);
    }
    QCOMPARE(count, 60);
  }

  void aRunIsPredictedFromItsParts() {
    const auto document = run({"predict", messages(), network(), "--what-if", "nodes=8", "--what-if",
                               "message-size=2", "--json", "-"})
                              .document();
    const auto& runs = document.at("run").at("runs");
    QCOMPARE(runs.size(), std::size_t(3));
    for (const auto& r : runs) {
      double sum = 0;
      for (const char* part :
           {"kernels_ns", "copies_ns", "messages_ns", "computation_ns", "overlapped_ns", "other_ns"})
        sum += r.at(part).get<double>();
      QVERIFY(std::abs(sum - r.at("total_ns").get<double>()) < 1e-6);
      QVERIFY(!r.at("terms").empty());
    }
    // From the start of the first call to the end of the last. The sender is in a call while its message is
    // in flight.
    QCOMPARE(runs[0].at("total_ns").get<double>(), 59.0 * 50'000 + 100 + 2'000 + 6'000);
    QCOMPARE(runs[0].at("messages_ns").get<double>(), 60.0 * 2'100 + 100.0 * 60 * 61 / 2);
    for (const auto& r : runs) QCOMPARE(r.at("kernels_ns").get<double>(), 0.0); // bursts are not kernels
    QVERIFY(runs[1].at("total_ns").get<double>() <
            runs[0].at("total_ns").get<double>()); // a quarter of the bytes
    QVERIFY(runs[2].at("total_ns").get<double>() > runs[0].at("total_ns").get<double>());
    for (const char* bad : {"nodes=0", "nodes=x", "message-size=-1"})
      QVERIFY2(run({"predict", messages(), "--what-if", bad}).code == 1, bad);
    QCOMPARE(run({"predict", messages(), "--scaling", "other"}).code, 1);
  }

  void profilesStateWhatIsAssumed() {
    const auto folder = file("tau");
    QVERIFY(QDir().mkpath(folder));
    for (int rank = 0; rank < 2; ++rank)
      write(QString("%1/profile.%2.0.0").arg(folder).arg(rank),
            "3 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n"
            "\"main()\" 1 20 1000 1300 0 GROUP=\"TAU_DEFAULT\"\n"
            "\"MPI_Isend()\" 10 0 100 100 0 GROUP=\"MPI\"\n"
            "\"MPI_Allreduce()\" 10 0 200 200 0 GROUP=\"MPI\"\n0 aggregates\n2 userevents\n# eventname\n"
            "\"Message size sent to all nodes\" 10 1000 1000 1000 1e7\n"
            "\"Message size for all-reduce\" 10 8 8 8 640\n");
    const auto printed = run({"predict", folder, network()});
    QCOMPARE(printed.code, 0);
    for (const char* text : {"MPI_Isend, intra-socket", "mean size", "all 2 ranks", "receivers of messages",
                             "2 × nodes, same problem"})
      QVERIFY2(printed.out.contains(text), qPrintable(printed.out));
    const auto document = run({"predict", folder, network(), "--json", "-"}).document();
    QVERIFY(document.at("mpi").at("summed").get<bool>());
    QVERIFY(document.at("missing").is_null());
    QCOMPARE(document.at("run").at("runs")[0].at("total_ns").get<double>(), 1.3e6);
    const auto shown = model_data_of(document, {});
    QCOMPARE(shown.messages.size(), std::size_t(2));
    QVERIFY(shown.messageNotes.join(' ').contains("mean size"));
    QCOMPARE(shown.runs.size(), std::size_t(3));
    for (const auto& term : shown.messages.front().terms) QVERIFY(term.name != "Waiting before");
  }

  void nonBlockingMessagesShowTheRateOfTheBandwidthBenchmark() {
    QByteArray text = "# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n";
    for (qint64 n = 1; n <= 65536; n *= 2) text += QByteArray::number(n) + " 4000\n";
    write(file("osu_bw_socket.txt"), text);
    auto trace = messages();
    write(file("messages.pcf"),
          "EVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n1 MPI_Isend\n2 MPI_Recv\n0 Outside MPI\n");
    const auto printed = run({"predict", trace, network(), file("osu_bw_socket.txt")});
    QVERIFY2(printed.out.contains("up to 4000.0 MB/s for 1 pair"), qPrintable(printed.out));
    QVERIFY(!printed.out.contains("start-up times are unknown"));
    QVERIFY(run({"predict", file("osu_bw_socket.txt")}).out.contains("start-up times are unknown"));
    const auto document =
        run({"predict", trace, network(), file("osu_bw_socket.txt"), "--json", "-"}).document();
    for (const auto& m : document.at("mpi").at("messages")) {
      QVERIFY(m.at("pipelined").get<bool>());
      QVERIFY(std::abs(m.at("analytical_ns").get<double>() - 2'000 - m.at("bytes").get<double>() / 4) < 1);
    }
    const auto shown = model_data_of(document, {});
    bool stated = false;
    for (const auto& term : shown.messages.front().terms) stated = stated || term.name == "Non-blocking";
    QVERIFY(stated);
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
    const auto printed = run({"predict", path}).out;
    QVERIFY(printed.contains("held-out sizes"));
    for (const char* sizes : {"\n  up to     4096 B:", "\n  larger sizes:"})
      QVERIFY2(printed.contains(sizes), qPrintable(printed));
    QVERIFY(run({"info", path}).out.contains("OSU MPI Latency Test v7.5: 23 message sizes"));
  }

  void tracesWithoutCountersStateWhatIsMissing() {
    make_trace();
    const auto refused = run({"predict", trace_, "--gpu", "A100"});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("needs hardware counters"), qPrintable(refused.err));
  }
};

QTEST_GUILESS_MAIN(CommandLinePredictTest)
#include "command_line_predict_test.moc"
