// The operation "predict" on profiles without times: messages by their mean sizes, and the run of the slowest
// rank.

#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/engine/messages/model_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/model/message_list.h"
#include "core/engine/operations/operations.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/core/import/temporary_files.h"
#include "tests/generator/tau_run.h"
#include "tests/support/real_data.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

class Profile : public testing::Test {
protected:
  Profile() {
    options_.ranks = 4, options_.ranks_per_host = 2, options_.receivers = true;
    options_.alpha_us = 3, options_.bytes_per_us = 8'000;
  }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path(name)) << text;
    return folder_.path(name);
  }

  std::string ring() {
    const auto path = folder_.path("ring" + std::to_string(runs_++));
    EXPECT_TRUE(generator::write_tau(options_, path));
    return path;
  }

  /// Output of osu_latency: T = alpha + n / rate.
  std::string latency(double alpha, double rate) {
    std::string text = "# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n";
    for (double n = 1; n <= 4'194'304; n *= 2) text += fmt::format("{} {:.9g}\n", n, alpha + n / rate);
    return file("osu_latency_nodes.txt", text);
  }
  std::string bandwidth(double rate) {
    std::string text = "# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n";
    for (double n = 1; n <= 4'194'304; n *= 2) text += fmt::format("{} {:.9g}\n", n, rate);
    return file("osu_bw_nodes.txt", text);
  }

  json predicted(const std::vector<std::string>& files, const PredictOptions& options = {}) {
    const auto data = import::import_files(files, Job{});
    EXPECT_TRUE(data) << describe(data.error());
    const auto store = folder_.path("s" + std::to_string(runs_++) + ".jts");
    EXPECT_TRUE(data && store::write_store(*data, store));
    Workspace workspace;
    const auto communicator = local_communicator();
    const Job job;
    const Context context{workspace, *communicator, job, {}};
    EXPECT_TRUE(run_operation(context, OpenOptions{.stores = {store}}));
    const auto answer = run_operation(context, options);
    EXPECT_TRUE(answer) << describe(answer.error());
    return answer ? answer->document : json();
  }

  static json message(const json& document, const std::string& operation) {
    for (const auto& m : document.at("mpi").at("messages"))
      if (m.at("operation") == operation) return m;
    ADD_FAILURE() << operation;
    return {};
  }

  static bool assumes(const json& document, const char* text) {
    for (const auto& assumption : document.at("mpi").at("assumptions"))
      if (assumption.get<std::string>().find(text) != std::string::npos) return true;
    return false;
  }

  generator::TauOptions options_;
  import::TemporaryFolder folder_;
  int runs_ = 0;
};

TEST_F(Profile, MessagesOfMeanSizeHaveTheTimeOfTheNetwork) {
  const auto d = predicted({ring(), latency(3, 8'000)});
  EXPECT_TRUE(d.at("missing").is_null()) << "functions have no counters of kernels";
  const auto sends = message(d, "MPI_Isend"), reduce = message(d, "MPI_Allreduce");
  EXPECT_EQ(sends.at("bytes"), 65'536);
  EXPECT_NEAR(sends.at("predicted_ns").get<double>(), sends.at("measured_ns").get<double>(), 5);
  EXPECT_EQ(sends.at("pipelined"), false);
  EXPECT_EQ(reduce.at("count"), 4 * 100);
  EXPECT_NEAR(reduce.at("predicted_ns").get<double>(), reduce.at("measured_ns").get<double>(), 5);
  EXPECT_TRUE(assumes(d, "mean size"));
  EXPECT_TRUE(assumes(d, "all 4 ranks"));
  EXPECT_FALSE(assumes(d, "receivers"));
}

TEST(NonBlockingSends, AreThoseThatDoNotWait) {
  for (const char* name : {"MPI_Isend", "mpi_isend", "MPI_Issend", "MPI_Start", "MPI_Startall"})
    EXPECT_TRUE(is_nonblocking_send(name)) << name;
  for (const char* name : {"MPI_Send", "MPI_Ssend", "MPI_Irecv", "MPI_Sendrecv", "ncclSend", ""})
    EXPECT_FALSE(is_nonblocking_send(name)) << name;
}

TEST_F(Profile, MessagesToKnownReceiversAreWithinOrBetweenHosts) {
  const auto d = predicted({ring(), latency(3, 8'000)});
  std::map<std::string, std::int64_t> counts;
  for (const auto& m : d.at("mpi").at("messages"))
    if (m.at("operation") == "MPI_Isend") counts[m.at("distance")] += m.at("count").get<std::int64_t>();
  // Ranks 0 and 1 are on one host, 2 and 3 on the other: 1 → 2 and 3 → 0 leave their host.
  EXPECT_EQ(counts, (std::map<std::string, std::int64_t>{{"intra-socket", 200}, {"inter-node", 200}}));
  options_.receivers = false;
  const auto unknown = predicted({ring(), latency(3, 8'000)});
  EXPECT_EQ(message(unknown, "MPI_Isend").at("distance"), "inter-node");
  EXPECT_TRUE(assumes(unknown, "on another node"));
}

TEST_F(Profile, NonBlockingMessagesHaveTheRateOfTheBandwidthBenchmark) {
  const auto d = predicted({ring(), latency(3, 8'000), bandwidth(16'000)});
  const auto sends = message(d, "MPI_Isend");
  EXPECT_EQ(sends.at("pipelined"), true);
  EXPECT_NEAR(sends.at("predicted_ns").get<double>(), 1e3 * (3 + 65'536 / 16'000.0), 5);
  const auto reduce = message(d, "MPI_Allreduce"); // blocking
  EXPECT_NEAR(reduce.at("predicted_ns").get<double>(), reduce.at("measured_ns").get<double>(), 5);
  ASSERT_EQ(d.at("network").size(), 1u);
  EXPECT_EQ(d.at("network")[0].at("pipelined")[0].at("maximum_bytes_per_us"), 16'000);
}

TEST_F(Profile, TheRunIsThatOfTheSlowestRank) {
  PredictOptions options;
  options.nodes = {4};
  const auto d = predicted({ring(), latency(3, 8'000)}, options);
  const auto& runs = d.at("run").at("runs");
  ASSERT_EQ(runs.size(), 2u);
  const auto part = [&](std::size_t run, const char* name) { return runs[run].at(name).get<double>(); };
  EXPECT_GE(part(0, "computation_ns"), 100 * 500e3);
  EXPECT_EQ(part(0, "other_ns"), 21e6) << "MPI_Init and MPI_Finalize";
  EXPECT_NEAR(part(0, "total_ns"), part(0, "computation_ns") + part(0, "messages_ns") + part(0, "other_ns"),
              1);
  EXPECT_NEAR(part(1, "computation_ns"), part(0, "computation_ns") / 4, 1);
  EXPECT_EQ(part(1, "other_ns"), part(0, "other_ns"));
  // On four times as many nodes the all-reduce has 16 ranks: 30 (α + n/16 β).
  for (const auto& calls : runs[1].at("calls"))
    if (calls.at("operation") == "MPI_Allreduce") {
      EXPECT_EQ(calls.at("count"), 100);
      EXPECT_NEAR(calls.at("transfer_ns").get<double>(), 100 * 30e3 * (3 + 0.5 / 8'000), 200);
    } else if (calls.at("operation") == "MPI_Wait") {
      EXPECT_EQ(calls.at("transfer_ns"), 0); // all messages are received by MPI_Recv
      EXPECT_NEAR(calls.at("waiting_ns").get<double>(), 100 * 1e3 / 4, 1);
    }
}

TEST_F(Profile, ReceivedMessagesAreTransferOfTheReceiver) {
  const auto d = predicted({ring(), latency(3, 8'000)});
  for (const auto& calls : d.at("run").at("runs")[0].at("calls")) {
    if (calls.at("operation") != "MPI_Recv") continue;
    EXPECT_NEAR(calls.at("waiting_ns").get<double>(), 0, 500);
  }
}

TEST_F(Profile, AnotherGpuIsNotPredicted) {
  options_.gpu = true;
  PredictOptions options;
  options.what_if = std::make_unique<WhatIfOptions>(WhatIfOptions{.gpu = "A100"});
  options.nodes = {2};
  const auto d = predicted({ring()}, options);
  EXPECT_EQ(d.at("run").at("runs").size(), 2u);
  EXPECT_TRUE(d.at("kernels").empty());
  bool stated = false;
  for (const auto& note : d.at("run").at("notes"))
    stated = stated || note.get<std::string>().find("another GPU is not predicted") != std::string::npos;
  EXPECT_TRUE(stated);
}

TEST_F(Profile, RealProfileOfFourRanks) {
  REQUIRE_REAL_DATA(folder, "tau/cpi-mpi-4ranks");
  const auto d = predicted({folder});
  const auto broadcast = message(d, "MPI_Bcast"), reduce = message(d, "MPI_Reduce");
  EXPECT_EQ(broadcast.at("count"), 4);
  EXPECT_EQ(broadcast.at("bytes"), 4);
  EXPECT_EQ(reduce.at("bytes"), 8);
  EXPECT_EQ(broadcast.at("measured_ns").get<double>(), 1e3 * (218 + 333 + 418 + 406) / 4);
  // Tree of two levels with the published parameters of Summit: 2 (α + n β).
  EXPECT_NEAR(broadcast.at("predicted_ns").get<double>(), 2e3 * (0.629309486 + 4 * 0.000621256175), 1e-6);
  EXPECT_EQ(d.at("run").at("runs")[0].at("process"), "rank 1");
  EXPECT_EQ(d.at("run").at("runs")[0].at("total_ns"), 55'329'000);
  EXPECT_EQ(d.at("mpi").at("validation"), nullptr);
}

TEST_F(Profile, AProfileWithoutSizesStatesWhatIsMissing) {
  const auto folder = folder_.path("plain");
  std::filesystem::create_directories(folder);
  for (const int rank : {0, 1})
    std::ofstream(fmt::format("{}/profile.{}.0.0", folder, rank))
        << "2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n"
           "\"main()\" 1 9 100 190 0 GROUP=\"TAU_DEFAULT\"\n\"MPI_Allreduce()\" 9 0 90 90 0 GROUP=\"MPI\"\n"
           "0 aggregates\n";
  const auto d = predicted({folder});
  ASSERT_FALSE(d.at("mpi").is_null());
  EXPECT_TRUE(d.at("mpi").at("messages").empty());
  EXPECT_EQ(d.at("mpi").at("unknown_bytes"), 18);
  EXPECT_EQ(d.at("run").at("runs")[0].at("messages_ns"), 90'000);
}

} // namespace
} // namespace jitterscope::engine
