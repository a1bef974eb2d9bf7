// Profiles of TAU: functions, call paths, parameters, user events, metrics in folders, MPI and GPU threads.

#include <filesystem>

#include "core/import/formats/tau/function_name.h"
#include "core/import/formats/tau/message_sizes.h"
#include "core/import/formats/tau/thread_profile.h"
#include "tests/core/import/formats/table/table_support.h"
#include "tests/generator/tau_run.h"

namespace jitterscope::import {
namespace {

class Tau : public TableTest {
protected:
  /// Writes the files of a folder, by name, and imports it.
  Expected<store::TraceData> import_folder(const std::vector<std::pair<std::string, std::string>>& files) {
    const auto folder = folder_.path("run" + std::to_string(runs_++));
    for (const auto& [name, text] : files) {
      const auto path = std::filesystem::path(folder) / name;
      std::filesystem::create_directories(path.parent_path());
      write_bytes(path.string(), text);
    }
    return import_files({folder}, Job{});
  }
  store::TraceData import_good_folder(const std::vector<std::pair<std::string, std::string>>& files) {
    auto data = import_folder(files);
    if (!data) ADD_FAILURE() << describe(data.error());
    return data ? std::move(*data) : store::TraceData{};
  }
  int runs_ = 0;
};

const std::string kHead =
    "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name>"
    "<value>TIME</value></attribute><attribute><name>Hostname</name><value>a&lt;1&gt;</value>"
    "</attribute></metadata>\n";
const std::string kProfile =
    "7 templated_functions_MULTI_TIME\n" + kHead + R"(".TAU application" 1 5 10 120.5 0 GROUP="TAU_DEFAULT" 
"int foo(int) C [{foo.c} {3,1}-{7,1}]  " 3 0 60 60 0 GROUP="TAU_USER" 
"int foo(int) C [{foo.c} {3,1}-{7,1}]   [ <size> = <100> ]  " 1 0 28 28 0 GROUP="TAU_PARAM | TAU_USER" 
"int foo(int) C [{foo.c} {3,1}-{7,1}]   [ <size> = <10000> ]  " 1 0 18 18 0 GROUP="TAU_PARAM | TAU_USER" 
"MPI_Bcast()  " 4 0 50.5 50.5 0 GROUP="MPI" 
".TAU application => MPI_Bcast()  " 3 0 30.5 30.5 0 GROUP="TAU_CALLPATH|MPI" 
".TAU application => int foo(int) C [{foo.c} {3,1}-{7,1}]   => MPI_Bcast()  " 1 0 20 20 0 GROUP="TAU_CALLPATH|MPI" 
0 aggregates
2 userevents
# eventname numevents max min mean sumsqr
"Message size for broadcast" 4 12 4 8 288
"Memory used : .TAU application" 2 3 1 2 10
)";

std::map<std::string, std::int64_t> durations_by_path(const store::TraceData& data) {
  std::map<std::string, std::int64_t> out;
  const auto& durations = launch_durations(data);
  for (std::size_t row = 0; row < durations.size(); ++row)
    if (durations[row] >= 0) out[text_at(data, "path", row)] += durations[row];
  return out;
}

TEST_F(Tau, RowsAddUpToTheTimeOfTheThread) {
  const auto data = import_good_text(kProfile, "profile.3.0.0");
  EXPECT_EQ(data.manifest.sources[0].format, "TAU profile");
  EXPECT_TRUE(data.manifest.launch_order);
  std::int64_t sum = 0;
  for (const auto duration : launch_durations(data))
    if (duration > 0) sum += duration;
  EXPECT_EQ(sum, 120'500);
  EXPECT_EQ(reported(data, "sums-over-launches"), 1);
}

TEST_F(Tau, CallPathsAndParametersReplaceTheirFunction) {
  const auto data = import_good_text(kProfile, "profile.3.0.0");
  const auto paths = durations_by_path(data);
  EXPECT_EQ(paths.at(".TAU application/MPI_Bcast()"), 30'500);
  EXPECT_EQ(paths.at(".TAU application/int foo(int) C [{foo.c} {3,1}-{7,1}]/MPI_Bcast()"), 20'000);
  // foo: two sizes, and 14 µs of a call without a size.
  EXPECT_EQ(launches_by_kernel(data).at("foo"), 3);
  const auto& sizes = numbers(data, "size");
  const auto& durations = launch_durations(data);
  std::map<double, std::int64_t> by_size;
  std::int64_t rest = 0;
  for (std::size_t row = 0; row < sizes.size(); ++row)
    if (sizes[row] == sizes[row])
      by_size[sizes[row]] = durations[row];
    else if (text_at(data, "row_kind", row) == "function" && durations[row] != 10'000)
      rest = durations[row];
  EXPECT_EQ(by_size, (std::map<double, std::int64_t>{{100, 28'000}, {10'000, 18'000}}));
  EXPECT_EQ(rest, 14'000);
}

TEST_F(Tau, MessageSizesBelongToTheirOperation) {
  const auto data = import_good_text(kProfile, "profile.3.0.0");
  const auto &messages = numbers(data, "messages"), &bytes = numbers(data, "message_bytes"),
             &deviation = numbers(data, "message_bytes_deviation"), &calls = numbers(data, "calls");
  double all = 0;
  for (std::size_t row = 0; row < messages.size(); ++row) {
    if (!(messages[row] > 0)) continue;
    EXPECT_EQ(text_at(data, "mpi_operation", row), "MPI_Bcast");
    EXPECT_EQ(bytes[row], 8);
    EXPECT_NEAR(deviation[row], std::sqrt(288.0 / 4 - 64), 1e-12);
    EXPECT_EQ(messages[row], calls[row]);
    all += messages[row];
  }
  EXPECT_EQ(all, 4);
}

TEST_F(Tau, UserEventsAreRowsWithoutADuration) {
  const auto data = import_good_text(kProfile, "profile.3.0.0");
  const auto& counts = numbers(data, "event_count");
  const auto& durations = launch_durations(data);
  int events = 0;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    if (!(counts[row] > 0)) continue;
    ++events;
    EXPECT_EQ(durations[row], store::kMissingDuration);
    EXPECT_EQ(text_at(data, "row_kind", row), "event");
  }
  EXPECT_EQ(events, 2);
  EXPECT_EQ(launches_by_kernel(data).at("Memory used"), 1);
}

TEST_F(Tau, RanksAndHostsAreThoseOfTheFiles) {
  generator::TauOptions options;
  options.ranks = 12; // "profile.10.0.0" precedes "profile.2.0.0" among the names
  options.ranks_per_host = 6;
  ASSERT_TRUE(generator::write_tau(options, folder_.path("ring")));
  const auto data = import_good({folder_.path("ring")});
  std::vector<std::int32_t> ranks;
  std::set<std::string> hosts;
  for (const auto& resource : data.resources) {
    if (resource.kind == store::ResourceKind::Process) ranks.push_back(resource.rank);
    if (resource.kind == store::ResourceKind::Host) hosts.insert(resource.name);
  }
  EXPECT_EQ(ranks, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(hosts, (std::set<std::string>{"host0", "host1"}));
}

TEST_F(Tau, MetricsOfFoldersAreColumnsOfOneRow) {
  generator::TauOptions options;
  options.ranks = 2;
  options.metrics = {"PAPI_TOT_INS", "TIME"};
  ASSERT_TRUE(generator::write_tau(options, folder_.path("ring")));
  const auto data = import_good({folder_.path("ring")});
  const auto& durations = launch_durations(data);
  const auto& counts = numbers(data, "papi_tot_ins");
  int both = 0;
  for (std::size_t row = 0; row < durations.size(); ++row) {
    if (durations[row] < 0) continue;
    ++both;
    EXPECT_NEAR(counts[row], static_cast<double>(durations[row]), 1); // 1,000 counts in each µs
  }
  EXPECT_EQ(both, 2 * 8);
}

TEST_F(Tau, InclusiveTimesAreColumns) {
  const auto data = import_good_folder({{"MULTI__TIME/profile.0.0.0", kProfile},
                                        {"MULTI__P_VIRTUAL_TIME/profile.0.0.0",
                                         "1 templated_functions_MULTI_P_VIRTUAL_TIME\n" + kHead +
                                             "\".TAU application\" 1 5 7 90 0 GROUP=\"TAU_DEFAULT\"\n"}});
  const auto top = [&](const char* name) { return numbers(data, name)[0]; };
  EXPECT_EQ(launch_durations(data)[0], 10'000);
  EXPECT_EQ(top("inclusive_duration"), 120'500);
  EXPECT_EQ(top("p_virtual_time_duration"), 7'000);
  EXPECT_EQ(top("p_virtual_time_inclusive_duration"), 90'000);
  EXPECT_EQ(top("subroutine_calls"), 5);
}

TEST_F(Tau, CountersAloneHaveNoDuration) {
  auto text = kProfile;
  text.replace(text.find("MULTI_TIME"), 10, "MULTI_PAPI_FP_OPS");
  const auto data = import_good_text(text, "profile.0.0.0");
  EXPECT_EQ(reported(data, "no-time"), 1);
  for (const auto duration : launch_durations(data)) EXPECT_EQ(duration, store::kMissingDuration);
}

TEST_F(Tau, ThreadsOfAGpuHaveKernelsAndCopies) {
  generator::TauOptions options;
  options.ranks = 2;
  options.gpu = true;
  ASSERT_TRUE(generator::write_tau(options, folder_.path("ring")));
  const auto data = import_good({folder_.path("ring")});
  EXPECT_EQ(launches_by_kernel(data).at("axpy"), 2);
  std::map<std::string, int> kinds;
  for (std::size_t row = 0; row < launches_of(data); ++row) ++kinds[text_at(data, "row_kind", row)];
  EXPECT_EQ(kinds.at("kernel"), 2);
  EXPECT_EQ(kinds.at("memory operation"), 2);
  EXPECT_EQ(kinds.at("idle GPU"), 2);
  int gpus = 0;
  for (const auto& device : data.manifest.devices) gpus += device.name.starts_with("GPU ");
  EXPECT_EQ(gpus, 2);
}

TEST_F(Tau, SamplesHaveNoDuration) {
  const auto data =
      import_good_text("2 templated_functions_MULTI_TIME\n" + kHead +
                           "\".TAU application\" 1 0 100 100 0 GROUP=\"TAU_DEFAULT\"\n"
                           "\"[SAMPLE] foo [{foo.c} {3}]\" 9 0 90 90 0 GROUP=\"TAU_SAMPLE\"\n0 aggregates\n",
                       "profile.0.0.0");
  EXPECT_EQ(launch_durations(data), (Integers{100'000, store::kMissingDuration}));
  EXPECT_EQ(reported(data, "samples"), 1);
}

TEST_F(Tau, CompressedFilesAndArchivesAreRead) {
  REQUIRE_REAL_DATA(folder, "tau/cpi-mpi-4ranks");
  const auto archive = folder_.path("cpi.tar.gz");
  ASSERT_EQ(std::system(("tar -czf " + archive + " -C " + folder + " .").c_str()), 0);
  const auto from_archive = import_good({archive}), from_folder = import_good({folder});
  EXPECT_EQ(launch_durations(from_archive), launch_durations(from_folder));
}

// Sums by awk: exclusive times of the functions without call paths, and inclusive times of the top level.
TEST_F(Tau, RealProfilesHaveTheSumsOfTheirFunctions) {
  struct {
    const char* folder;
    std::int64_t time;
    std::size_t rows;
    int ranks;
  } const kOracles[] = {{"tau/cpi-mpi-4ranks", 214'047'000, 56, 4},
                        {"tau/wrap-2ranks", 2'098'700'000, 14, 2}};
  for (const auto& oracle : kOracles) {
    REQUIRE_REAL_DATA(folder, oracle.folder);
    const auto data = import_good({folder});
    std::int64_t sum = 0;
    for (const auto duration : launch_durations(data))
      if (duration > 0) sum += duration;
    EXPECT_EQ(sum, oracle.time) << oracle.folder;
    EXPECT_EQ(launches_of(data), oracle.rows) << oracle.folder;
    int ranks = 0;
    for (const auto& resource : data.resources) ranks += resource.rank >= 0;
    EXPECT_EQ(ranks, oracle.ranks);
  }
}

TEST_F(Tau, DamageIsSurvived) {
  expect_damage_is_survived(kProfile, 5);
}

TEST_F(Tau, TruncationIsReported) {
  const auto data =
      import_good_text(kProfile.substr(0, kProfile.find("\".TAU application => int foo")), "profile.0.0.0");
  EXPECT_EQ(reported(data, "missing-lines"), 1);
}

TEST_F(Tau, HostileFoldersGiveATraceOrAnError) {
  const std::string title = "1 templated_functions_MULTI_TIME\n";
  const std::string huge = title + kHead +
                           "\"f\" 1e300 1e300 1e300 1e300 0 GROUP=\"MPI\"\n0 aggregates\n"
                           "1 userevents\n# x\n\"Message size sent to all nodes\" 1e300 1e300 "
                           "1e300 1e300 1e308\n";
  const std::string wrong = title + kHead +
                            "\"f\" nan inf -1 x 0\nf 1 2 3\n\"\" 1 1 1 1 1\n99999999999999999999 "
                            "aggregates\n\"MPI_Send()\" 1 0 1 1 0\n";
  for (const auto& text : {huge, wrong, title, title + "\n\n", title + "<metadata><name></name><value>",
                           std::string("99999999999999999999 templated_functions\n\"f\" 1 1 1 1 0\n")}) {
    const auto data = import_folder({{"profile.0.0.0", text},
                                     {"profile.99999999999999999999.0.0", text},
                                     {"profile.9223372036854775807.0.0", kProfile},
                                     {"profile.x", text},
                                     {"MULTI__TIME/profile.0.0.0", text}});
    ASSERT_TRUE(data || !data.error().message.empty());
    const auto written = data ? store::write_store(*data, folder_.path("hostile.jts")) : Expected<void>();
    EXPECT_TRUE(written);
  }
}

TEST_F(Tau, AProfileOfTooManyFunctionsIsRefused) {
  std::string text = "500000 templated_functions_MULTI_TIME\n" + kHead;
  for (int i = 0; i <= 400'000; ++i) text += fmt::format("\"f{}\" 1 0 1 1 0\n", i);
  const auto error = error_of(text, "profile.0.0.0");
  EXPECT_NE(error.message.find("400,000"), std::string::npos);
  EXPECT_NE(error.hint.find("TAU_CALLPATH_DEPTH"), std::string::npos);
}

TEST_F(Tau, AThreadTwiceIsReadOnce) {
  const auto data = import_good_folder({{"profile.0.0.0", kProfile}, {"copy.0.0.0", kProfile}});
  EXPECT_EQ(reported(data, "same-thread"), 1);
  const auto alone = import_good_text(kProfile, "profile.0.0.0");
  EXPECT_EQ(launches_of(data), launches_of(alone));
}

TEST_F(Tau, FilesWithoutNumbersAreNodesOfTheirOwn) {
  const auto data = import_good_folder({{"profile.4.0.0", kProfile}, {"other.txt", kProfile}});
  EXPECT_EQ(reported(data, "unknown-thread"), 1);
  std::set<std::int32_t> ranks;
  for (const auto& resource : data.resources)
    if (resource.kind == store::ResourceKind::Process) ranks.insert(resource.rank);
  EXPECT_EQ(ranks, (std::set<std::int32_t>{4, 5}));
}

TEST_F(Tau, OtherFormatsOfTauAreRefusedByName) {
  EXPECT_NE(
      error_of("<profile_xml>\n<thread id=\"0.0.0\">", "snapshot.0.0.0").message.find("TAU profile in XML"),
      std::string::npos);
  EXPECT_NE(error_of(std::string("\0P\0P\0K\0\0\0\1", 10), "run.ppk").message.find("packed TAU profile"),
            std::string::npos);
  const auto data = import_folder({{"tauprofile.xml", "<profile_xml>\n"}});
  ASSERT_FALSE(data);
  EXPECT_NE(data.error().hint.find("TAU_PROFILE_FORMAT=profile"), std::string::npos);
}

TEST(TauNames, PathsAndParametersAreSplit) {
  const auto name = tau::function_name(".TAU application => main   => foo()  [ <n> = <4>, <m> = <x> ]  ");
  EXPECT_EQ(name.path, (std::vector<std::string>{".TAU application", "main"}));
  EXPECT_EQ(name.function, "foo()");
  EXPECT_EQ(name.variant(), "n = 4, m = x");
  EXPECT_EQ(tau::function_name("foo [ <").function, "foo [ <");
  EXPECT_EQ(tau::without_place("int foo(int) C [{foo.c} {3,1}-{7,1}]"), "int foo(int)");
}

TEST(TauNames, PartsAreViewsOfTheName) {
  const auto parts = tau::parts_of(" a => b => c [ <n> = <4> ] ");
  EXPECT_EQ(parts.callers, "a => b");
  EXPECT_EQ(parts.function, "c");
  EXPECT_EQ(parts.parameters, "<n> = <4> ]");
  EXPECT_EQ(tau::parts_of("operator[]").function, "operator[]");
  EXPECT_TRUE(tau::parts_of("f [ <n = 4> ]").parameters.empty());
}

TEST(TauNames, KindsFollowGroups) {
  using tau::RowKind;
  EXPECT_EQ(tau::kind_of("f", "TAU_CALLPATH | MPI", false), RowKind::mpi);
  EXPECT_EQ(tau::kind_of("f", "TAU_MPI", false), RowKind::function);
  EXPECT_EQ(tau::kind_of("k", "TAU_GPU_KERNEL", false), RowKind::kernel);
  EXPECT_EQ(tau::kind_of("hipLaunchKernel", "TAU_GPU_API", false), RowKind::gpu_call);
  EXPECT_EQ(tau::kind_of("axpy", "TAU_USER", true), RowKind::kernel); // a queue of ROCm
  EXPECT_EQ(tau::kind_of("CopyHostToDevice", "TAU_USER", true), RowKind::copy);
}

tau::Event event(const std::string& name, double count, double bytes) {
  return {name, count, bytes, bytes, bytes, count * bytes * bytes};
}

TEST(TauSizes, SendsShareTheirMessagesByCalls) {
  const std::vector<tau::OperationCalls> operations = {
      {"MPI_Isend", 30}, {"MPI_Send", 10}, {"MPI_Recv", 5}, {"MPI_Waitall", 10}, {"MPI_Irecv", 35}};
  const std::vector<tau::Event> events = {event("Message size sent to all nodes", 40, 100),
                                          event("Message size received from all nodes", 40, 50)};
  const auto sizes = tau::sizes_of(operations, events);
  EXPECT_TRUE(sizes.shared);
  EXPECT_EQ(sizes.of.at("MPI_Isend").count, 30);
  EXPECT_EQ(sizes.of.at("MPI_Send").count, 10);
  EXPECT_EQ(sizes.of.at("MPI_Send").mean(), 100);
  EXPECT_EQ(sizes.of.at("MPI_Recv").count, 5);
  EXPECT_EQ(sizes.of.at("MPI_Waitall").count, 35);
  EXPECT_FALSE(sizes.of.contains("MPI_Irecv"));
}

TEST(TauSizes, CallPathsOfEventsStateTheOperation) {
  const std::vector<tau::OperationCalls> operations = {{"MPI_Isend", 30}, {"MPI_Send", 10}};
  const std::vector<tau::Event> events = {
      event("Message size sent to all nodes", 40, 100),
      event("Message size sent to all nodes : main => MPI_Isend()", 30, 120),
      event("Message size sent to all nodes : main => f => MPI_Send()", 10, 40)};
  const auto sizes = tau::sizes_of(operations, events);
  EXPECT_FALSE(sizes.shared);
  EXPECT_EQ(sizes.of.at("MPI_Isend").mean(), 120);
  EXPECT_EQ(sizes.of.at("MPI_Send").mean(), 40);
}

TEST(TauSizes, OldVersionsRecordAllReduceAsGather) {
  const std::vector<tau::Event> events = {event("Message size for gather", 7, 8)};
  const std::vector<tau::OperationCalls> reduce = {{"MPI_Allreduce", 7}};
  EXPECT_EQ(tau::sizes_of(reduce, events).of.at("MPI_Allreduce").mean(), 8);
  const std::vector<tau::OperationCalls> both = {{"MPI_Allreduce", 7}, {"MPI_Gather", 7}};
  EXPECT_FALSE(tau::sizes_of(both, events).of.contains("MPI_Allreduce"));
}

TEST(TauSizes, ReceiversAreOfSumsOverCallPaths) {
  EXPECT_EQ(tau::receiver_of("Message size sent to node 12"), 12);
  EXPECT_FALSE(tau::receiver_of("Message size sent to node 12 : main => MPI_Send()"));
  EXPECT_FALSE(tau::receiver_of("Message size sent to node x"));
}

TEST(TauPartition, OverlappingPartsAreLeftOut) {
  tau::ProfileFile file;
  file.metric = "TIME";
  file.functions = {{"f", "TAU_USER", 2, 0, 10, 10}, // recursive: f => f contains the inner calls again
                    {"main => f", "TAU_CALLPATH", 1, 0, 10, 10},
                    {"main => f => f", "TAU_CALLPATH", 1, 0, 10, 10}};
  tau::ThreadProfile profile;
  profile.add(file);
  RowIssues issues;
  const auto rows = profile.disjoint_rows(issues);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(profile.functions()[rows[0]].name, "f");
  EXPECT_EQ(issues.rows_of("overlapping-parts"), 2);
}

} // namespace
} // namespace jitterscope::import
