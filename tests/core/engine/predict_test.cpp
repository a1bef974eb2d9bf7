// The operation "predict" on stores with counters and with network curves.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/engine/messages/model_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/operations/operations.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/core/import/temporary_files.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

/// Options of a recording on this GPU, perhaps with changes.
PredictOptions of_gpu(const std::string& gpu, std::optional<bool> fit = {},
                      const WhatIfOptions& what_if = {}) {
  PredictOptions options;
  options.gpu = gpu;
  options.fit = fit;
  options.what_if = std::make_unique<WhatIfOptions>(what_if);
  return options;
}

PredictOptions with_model(PredictOptions options, const std::string& file) {
  options.model = file;
  return options;
}

PredictOptions at_nodes(std::vector<double> nodes, const std::string& scaling = {}) {
  PredictOptions options;
  options.nodes = std::move(nodes);
  options.scaling = scaling;
  return options;
}

class PredictTest : public testing::Test {
protected:
  std::string store_of(const std::vector<std::string>& files) {
    const auto data = import::import_files(files, Job{});
    EXPECT_TRUE(data) << describe(data.error());
    const auto path = folder_.path("s" + std::to_string(stores_++) + ".jts");
    EXPECT_TRUE(data && store::write_store(*data, path));
    return path;
  }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path(name)) << text;
    return folder_.path(name);
  }

  Expected<Answer> ask(const std::string& store, const PredictOptions& options, const Job& job = {}) {
    Workspace workspace;
    const auto communicator = local_communicator();
    const Context context{workspace, *communicator, job, {}};
    const Job quiet;
    auto opened = run_operation({workspace, *communicator, quiet, {}}, OpenOptions{.stores = {store}});
    if (!opened) return opened;
    return run_operation(context, options);
  }

  json predicted(const std::string& store, const PredictOptions& options = {}) {
    const auto answer = ask(store, options);
    EXPECT_TRUE(answer) << describe(answer.error());
    return answer ? answer->document : json();
  }

  /// A table of rocprof: 60 kernels of an MI100 whose time grows with their instructions.
  std::string counters() {
    std::string text =
        "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,"
        "Arch_VGPR,Accum_VGPR,SGPR,wave_size,obj,SQ_WAVES,SQ_INSTS,SQ_INSTS_VMEM,"
        "TCP_TOTAL_CACHE_ACCESSES_sum,TCP_TCC_READ_REQ_sum,TCP_TCC_WRITE_REQ_sum,TCC_HIT_sum,"
        "TCC_MISS_sum,Start_Timestamp,End_Timestamp\n";
    std::int64_t now = 1'000'000;
    constexpr std::int64_t kWaves = 65'536;
    for (int i = 0; i < 60; ++i) {
      const int work = 50 + 40 * i;
      const std::int64_t duration = 90'000 + 700 * work * (i % 2 ? 2 : 1);
      text += std::to_string(i) + ",kernel_" + std::to_string(i) + ",0," + std::to_string(kWaves * 64) +
              ",256,0,0,24,0,32,64,0x1";
      for (const std::int64_t value : {kWaves, kWaves * work, kWaves * 8, kWaves * 32, kWaves * 16,
                                       kWaves * 16, kWaves * 8, kWaves * 24, now, now + duration})
        text += "," + std::to_string(value);
      text += "\n";
      now += duration + 5'000;
    }
    return file("pmc_perf.csv", text);
  }

  /// A Paraver trace of two ranks without kernels: 60 times 30 µs of computation, then a message of growing
  /// size. Messages take five times as long as the published model predicts within a node.
  std::string bursts(const std::string& send = "MPI_Send") {
    std::string text = "#Paraver (01/01/24 at 00:00):4000000_ns:0:1:2(1:1,1:1)\n";
    const auto add = [&](int kind, int task, const std::vector<std::int64_t>& rest) {
      text += std::to_string(kind) + ":" + std::to_string(task) + ":1:" + std::to_string(task) + ":1";
      for (const auto value : rest) text += ":" + std::to_string(value);
      text += "\n";
    };
    for (std::int64_t i = 0; i < 60; ++i) {
      const std::int64_t begin = 60'000 * i, sent = begin + 30'000, bytes = 100 * (i + 1);
      const std::int64_t end = sent + 3'000 + bytes;
      for (const int task : {1, 2}) {
        add(1, task, {begin, sent, 1});
        add(2, task, {sent, 50000001, task});
        add(2, task, {end, 50000001, 0});
      }
      add(3, 1, {sent, sent, 2, 1, 2, 1, sent, end, bytes, 7});
    }
    file("bursts.pcf", "STATES\n0 Idle\n1 Running\nEVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n"
                       "1 " +
                           send + "\n2 MPI_Recv\n0 Outside MPI\n");
    return file("bursts.prv", text);
  }

  import::TemporaryFolder folder_;
  int stores_ = 0;
};

double sum_of(const json& document, const char* key) {
  double sum = 0;
  for (const auto& k : document.at("kernels")) sum += k.at(key).get<double>();
  return sum;
}

TEST_F(PredictTest, KernelsHaveTheKeysOfTheContract) {
  const auto d = predicted(store_of({counters()}), of_gpu("MI100"));
  ASSERT_EQ(d.at("kernels").size(), 60u);
  for (const auto& k : d.at("kernels")) {
    for (const char* key :
         {"name", "measured_ns", "analytical_ns", "predicted_ns", "bottleneck", "mwp", "cwp", "extrapolated"})
      EXPECT_TRUE(k.contains(key)) << key;
    EXPECT_GT(k.at("analytical_ns").get<double>(), 0);
    EXPECT_EQ(k.at("inputs").at("memory_instructions"), 8);
    EXPECT_EQ(k.at("inputs").at("transactions"), 4);
    EXPECT_EQ(k.at("terms").at("levels").size(), 3u);
  }
  const auto& v = d.at("validation");
  EXPECT_EQ(v.at("folds"), 5);
  EXPECT_EQ(v.at("rows"), 60);
  EXPECT_TRUE(v.at("analytical_median_percent").is_number());
  EXPECT_TRUE(v.at("corrected_median_percent").is_number());
  EXPECT_TRUE(v.at("corrected_p95_percent").is_number());
}

TEST_F(PredictTest, TheSameFilesGiveTheSameAnswer) {
  const auto store = store_of({counters()});
  EXPECT_EQ(predicted(store, of_gpu("MI100")).dump(), predicted(store, of_gpu("MI100")).dump());
}

TEST_F(PredictTest, ASavedModelIsAppliedAndABadOneRefused) {
  const auto store = store_of({counters()});
  const auto fitted = predicted(store, of_gpu("MI100", true));
  const auto model = file("m.json", fitted.at("model").get<std::string>());
  const auto applied = predicted(store, with_model(of_gpu("MI100"), model));
  auto of_training = applied.at("validation");
  const auto here = of_training.at("here");
  of_training.erase("here");
  EXPECT_EQ(of_training, fitted.at("validation"));
  EXPECT_EQ(here.at("rows"), of_training.at("rows"));
  EXPECT_LT(here.at("corrected_mean_percent").get<double>(),
            of_training.at("corrected_mean_percent").get<double>())
      << "on its own training data";
  EXPECT_FALSE(applied.at("model_provenance").at("inputs").empty());
  if (applied.at("validation").at("applied").get<bool>()) {
    EXPECT_NE(sum_of(applied, "predicted_ns"), sum_of(applied, "analytical_ns"));
  }
  // On another GPU the correction does not apply.
  const auto other = predicted(store, with_model(of_gpu("MI100", {}, {.gpu = "MI210"}), model));
  EXPECT_EQ(sum_of(other, "predicted_ns"), sum_of(other, "analytical_ns"));
  // Every kernel is marked as extrapolated, including those that the correction would not have changed.
  for (const auto& k : other.at("kernels")) EXPECT_TRUE(k.at("extrapolated").get<bool>()) << k.at("name");
  const auto bad = ask(store, with_model(of_gpu("MI100"), file("bad.json", "{\"format\": \"other\"}")));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, ErrorKind::BadInput);
}

TEST_F(PredictTest, WhatIfChangesTimesAndRefusesNonsense) {
  const auto store = store_of({counters()});
  const auto sum = [&](const WhatIfOptions& what_if) {
    return sum_of(predicted(store, of_gpu("MI100", false, what_if)), "analytical_ns");
  };
  const double before = sum({});
  EXPECT_LT(sum({.gpu = "MI300X"}), before);
  EXPECT_LT(sum({.hit_rates = {{.level = "L1", .rate = 1}, {.level = "L2", .rate = 1}}}), before);
  EXPECT_NEAR(sum({.block = 128}), before, 0.5 * before);
  for (const auto& what_if : {WhatIfOptions{.gpu = "Voodoo2"}, WhatIfOptions{.block = 100000},
                              WhatIfOptions{.hit_rates = {{.level = "L1", .rate = 2}}},
                              WhatIfOptions{.hit_rates = {{.level = "L9", .rate = 0.5}}}}) {
    const auto refused = ask(store, of_gpu("MI100", {}, what_if));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::BadUse);
  }
  EXPECT_FALSE(ask(store, of_gpu("Voodoo2")));
  auto fast = of_gpu("MI100");
  fast.mode = "fast";
  EXPECT_FALSE(ask(store, fast));
}

TEST_F(PredictTest, StopsWhenItIsCancelled) {
  Job job;
  int asked = 0;
  job.cancelled = [&] { return ++asked > 20; };
  const auto answer = ask(store_of({counters()}), of_gpu("MI100"), job);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::Cancelled);
}

TEST_F(PredictTest, NetworksOfOsuOutputWithoutAnyLaunch) {
  std::string text = "# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n";
  for (std::int64_t n = 1; n <= 4194304; n *= 2)
    text +=
        std::to_string(n) + " " +
        std::to_string(n <= 4096 ? 2 + static_cast<double>(n) / 2000 : 9 + static_cast<double>(n) / 10000) +
        "\n";
  const auto d = predicted(store_of({file("osu_latency_nodes.txt", text)}));
  EXPECT_TRUE(d.at("kernels").empty());
  ASSERT_EQ(d.at("network").size(), 1u);
  const auto& n = d.at("network")[0];
  EXPECT_EQ(n.at("distance"), "inter-node");
  EXPECT_EQ(n.at("regimes").size(), 2u);
  EXPECT_LT(n.at("held_out_median_percent").get<double>(), 1);
}

TEST_F(PredictTest, AMeasuredBandwidthReplacesThatOfTheDataSheet) {
  const auto stream =
      file("stream.txt", "BabelStream\nUsing HIP device AMD Instinct MI100\nCopy 600000.0 0.1 0.1 0.1\n");
  const auto table = counters();
  const auto d = predicted(store_of({table, stream}), of_gpu("MI100", false));
  EXPECT_EQ(d.at("gpus")[0].at("levels")[2].at("bandwidth_bytes_per_second"), 600e9);
  const auto plain = predicted(store_of({table}), of_gpu("MI100", false));
  EXPECT_GT(sum_of(d, "analytical_ns"), sum_of(plain, "analytical_ns"));
  const auto host =
      file("host.txt", "STREAM version $Revision: 5.10 $\nFunction    Best Rate MB/s  Avg time     "
                       "Min time     Max time\nCopy:  12016.6  0.013346  0.013315  0.013414\n");
  const auto with_host = predicted(store_of({table, host}), of_gpu("MI100", false));
  EXPECT_EQ(sum_of(with_host, "analytical_ns"), sum_of(plain, "analytical_ns"));
}

TEST_F(PredictTest, ComputationOfTheHostIsDividedAmongMoreNodes) {
  const auto d = predicted(store_of({bursts()}), at_nodes({4, 1}));
  EXPECT_TRUE(d.at("missing").is_null()); // a burst has no counters of kernels
  const auto& runs = d.at("run").at("runs");
  ASSERT_EQ(runs.size(), 3u);
  const auto part = [&](std::size_t run, const char* name) { return runs[run].at(name).get<double>(); };
  EXPECT_EQ(part(0, "computation_ns"), 60 * 30'000);
  EXPECT_EQ(part(1, "computation_ns"), 60 * 7'500);
  EXPECT_EQ(part(0, "kernels_ns"), 0);
  EXPECT_EQ(part(2, "total_ns"), part(0, "total_ns"));
  // The part of a call that is not transfer waits for computation.
  EXPECT_LT(part(1, "messages_ns"), part(0, "messages_ns") / 2);
  EXPECT_EQ(part(1, "other_ns"), part(0, "other_ns"));
  bool said = false;
  for (const auto& note : d.at("run").at("notes"))
    said = said || note.get<std::string>().find("no serial part") != std::string::npos;
  EXPECT_TRUE(said);
  const auto weak = predicted(store_of({bursts()}), at_nodes({4}, "weak"));
  EXPECT_EQ(weak.at("run").at("runs")[1].at("computation_ns"), 60 * 30'000);
}

TEST_F(PredictTest, CallsOfARunAreListedByOperation) {
  const auto d = predicted(store_of({bursts()}), at_nodes({4}));
  const auto& runs = d.at("run").at("runs");
  for (const auto& run : runs) {
    ASSERT_EQ(run.at("calls").size(), 1u); // the calls of one rank
    const auto& calls = run.at("calls")[0];
    EXPECT_EQ(calls.at("count"), 60);
    const auto time = [&](const char* name) { return calls.at(name).get<double>(); };
    EXPECT_NEAR(time("transfer_ns") + time("waiting_ns"), run.at("messages_ns").get<double>(), 1);
    EXPECT_NEAR(time("transfer_recorded_ns") + time("waiting_recorded_ns"),
                runs[0].at("messages_ns").get<double>(), 1);
  }
  EXPECT_NEAR(runs[1].at("calls")[0].at("waiting_ns").get<double>(),
              runs[0].at("calls")[0].at("waiting_ns").get<double>() / 4, 1);
}

// The second rank ends after a tenth of the run: that it is idle afterwards does not make the run longer.
TEST_F(PredictTest, ARankThatEndsEarlyDoesNotLengthenTheRun) {
  std::string text = "#Paraver (01/01/24 at 00:00):1000000_ns:0:1:2(1:1,1:1)\n";
  text += "1:1:1:1:1:0:1000000:1\n1:1:2:1:1:0:100000:1\n";
  const auto d = predicted(store_of({file("early.prv", text)}), at_nodes({4}));
  const auto& runs = d.at("run").at("runs");
  EXPECT_EQ(runs[0].at("total_ns"), 1'000'000);
  EXPECT_EQ(runs[1].at("total_ns"), 250'000);
  EXPECT_EQ(runs[0].at("process"), runs[1].at("process"));
}

TEST_F(PredictTest, CollectivesOnMoreNodesCrossTheNetwork) {
  std::string text = "#Paraver (01/01/24 at 00:00):1000000_ns:0:1:2(1:1,1:1)\n";
  const std::int64_t sent = 800'000, end = 900'000, bytes = 64;
  for (const int task : {1, 2}) {
    const auto place = fmt::format("{0}:1:{0}:1", task);
    text += fmt::format("1:{}:0:{}:1\n", place, sent);
    text += fmt::format("2:{}:{}:50000002:10:50100001:{}:50100002:{}\n", place, sent, bytes, bytes);
    text += fmt::format("2:{}:{}:50000002:0\n", place, end);
  }
  file("c.pcf", "STATES\n0 Idle\n1 Running\nEVENT_TYPE\n9 50000002 MPI Collective Comm\nVALUES\n10 "
                "MPI_Allreduce\n0 Outside MPI\n");
  const auto d = predicted(store_of({file("c.prv", text)}), at_nodes({2}, "weak"));
  const auto transfer = [&](std::size_t run) {
    const auto& calls = d.at("run").at("runs")[run].at("calls");
    EXPECT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls.at(0).at("operation"), "MPI_Allreduce");
    return calls.at(0).at("transfer_ns").get<double>();
  };
  // Ring: 2 (p − 1) α + 2 (p − 1)/p · n β, within a socket of Summit for 2 ranks, between nodes of Lassen
  // for 4.
  EXPECT_NEAR(transfer(0), 1e3 * (2 * 0.629309486 + bytes * 0.000621256175), 5);
  EXPECT_NEAR(transfer(1), 1e3 * (6 * 1.54512082 + 1.5 * bytes * 0.000883596657), 30);
}

TEST_F(PredictTest, MessagesAreCorrectedAndTheirModelCanBeSaved) {
  const auto store = store_of({bursts()});
  const auto fitted = predicted(store);
  const auto& v = fitted.at("mpi").at("validation");
  EXPECT_EQ(v.at("rows"), 60);
  EXPECT_EQ(v.at("split"), "grouped by size (powers of two)");
  ASSERT_TRUE(v.at("applied").get<bool>()) << v;
  EXPECT_LT(v.at("corrected_mean_percent").get<double>(), v.at("analytical_mean_percent").get<double>());
  const auto applied =
      predicted(store, with_model({}, file("m.json", fitted.at("message_model").get<std::string>())));
  double before = 0, after = 0;
  for (const auto& m : applied.at("mpi").at("messages")) {
    const double measured = m.at("measured_ns"), analytical = m.at("analytical_ns"),
                 predicted = m.at("predicted_ns");
    before += std::abs(analytical / measured - 1), after += std::abs(predicted / measured - 1);
  }
  EXPECT_LT(after, before / 2);
  EXPECT_FALSE(applied.contains("message_model"));
  const auto plain = predicted(store, of_gpu({}, false));
  EXPECT_TRUE(plain.at("mpi").at("validation").is_null());
}

std::string real(const char* relative) {
  const auto path = std::filesystem::path(JITTERSCOPE_DATA_DIR) / relative;
  return std::filesystem::exists(path) ? path.string() : std::string();
}

// In these files the rate of osu_bw is three times that of osu_latency.
TEST_F(PredictTest, NonBlockingMessagesHaveTheRateOfTheBandwidthBenchmark) {
  std::string latency = "# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n",
              bandwidth = "# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n";
  for (std::int64_t n = 1; n <= 1 << 20; n *= 2) {
    latency += fmt::format("{} {}\n", n, 2 + static_cast<double>(n) / 1000);
    bandwidth += fmt::format("{} 3000\n", n);
  }
  const auto measured = file("osu_latency.txt", latency), rates = file("osu_bw.txt", bandwidth);
  for (const bool nonblocking : {false, true}) {
    const auto d = predicted(store_of({bursts(nonblocking ? "MPI_Isend" : "MPI_Send"), measured, rates}),
                             of_gpu({}, false));
    ASSERT_FALSE(d.at("mpi").at("messages").empty());
    for (const auto& m : d.at("mpi").at("messages")) {
      EXPECT_EQ(m.at("pipelined"), nonblocking);
      EXPECT_NEAR(m.at("predicted_ns").get<double>(),
                  2'000 + m.at("bytes").get<double>() / (nonblocking ? 3 : 1), 1);
    }
    EXPECT_FALSE(d.at("mpi").at("summed").get<bool>());
    EXPECT_TRUE(d.at("mpi").at("assumptions").empty());
  }
}

TEST_F(PredictTest, MissingCountersAreNamedWithTheCommandThatRecordsThem) {
  const auto table = real("ncu/wide-a100/profile.raw.base-units.csv");
  if (table.empty()) GTEST_SKIP() << "the real trace is not available";
  const auto d = predicted(store_of({table}));
  EXPECT_TRUE(d.at("kernels").empty());
  EXPECT_TRUE(d.at("validation").is_null());
  EXPECT_EQ(d.at("missing").at("inputs").size(), 7u);
  EXPECT_NE(d.at("missing").at("command").get<std::string>().find("ncu --csv --page raw"), std::string::npos);
}

/// Test kernels and kernels of PyTorch, measured on an H100 (tests/generator/gpu).
TEST_F(PredictTest, KernelsOfAnH100FromTheirCounters) {
  const std::string folder = JITTERSCOPE_SOURCE_DIR "/tests/generator/gpu/";
  const auto own = predicted(store_of({folder + "h100-kernels.csv"}));
  EXPECT_EQ(own.at("gpus").at(0).at("name"), "H100-80GB-HBM3"); // named in the table
  EXPECT_TRUE(own.at("warnings").empty()) << own.at("warnings").dump();
  const auto& v = own.at("validation");
  EXPECT_EQ(v.at("rows"), 223);
  EXPECT_LT(v.at("analytical_median_percent").get<double>(), 13);
  EXPECT_LT(v.at("corrected_mean_percent").get<double>(), v.at("analytical_mean_percent").get<double>());
  std::set<std::string> bottlenecks;
  for (const auto& kernel : own.at("kernels")) {
    bottlenecks.insert(kernel.at("bottleneck").get<std::string>());
    const auto name = kernel.at("name").get<std::string>();
    if (name.find("nothing") != std::string::npos) {
      EXPECT_NEAR(kernel.at("analytical_ns").get<double>() / kernel.at("measured_ns").get<double>(), 1, 0.15);
    }
  }
  EXPECT_EQ(bottlenecks, (std::set<std::string>{"DRAM", "L1", "L2", "compute", "dispatch", "latency"}));
  const auto pytorch = predicted(store_of({folder + "h100-pytorch.csv"})).at("validation");
  EXPECT_EQ(pytorch.at("rows"), 190);
  EXPECT_LT(pytorch.at("analytical_median_percent").get<double>(), 26);
  EXPECT_LT(pytorch.at("corrected_median_percent").get<double>(), 12);
}

TEST_F(PredictTest, MixbenchFromItsCounters) {
  const auto mi200 = real("rocm/mixbench-mi200/pmc_perf.csv"),
             mi100 = real("rocm/mixbench-mi100/pmc_perf.csv");
  if (mi200.empty()) GTEST_SKIP() << "the real trace is not available";
  const auto v = predicted(store_of({mi200})).at("validation");
  EXPECT_EQ(v.at("rows"), 167);
  EXPECT_LT(v.at("analytical_median_percent").get<double>(), 7.5);
  EXPECT_TRUE(v.at("applied").get<bool>());
  EXPECT_LT(v.at("corrected_median_percent").get<double>(), 2);
  RecordProperty("mi200", v.dump());
  const auto w = predicted(store_of({mi100})).at("validation");
  EXPECT_LT(w.at("analytical_median_percent").get<double>(), 11.5);
  EXPECT_TRUE(w.at("applied").get<bool>());
  RecordProperty("mi100", w.dump());
}

} // namespace
} // namespace jitterscope::engine
