// Folders and mixed files: a file that cannot be imported is left out and reported, and has no other effect.

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <sys/stat.h>

#include "core/import/input/input.h"
#include "core/import/records/left_out.h"
#include "tests/core/import/formats/rocm/rocm_support.h"
#include "tests/core/import/small_trace.h"
#include "tests/core/import/trace_text.h"

namespace jitterscope::import {
namespace {

// A database with resources, calls and names, for which the reader notices only at the end that nothing ran
// on a GPU.
const std::string kCallsOnly = R"(
  CREATE TABLE StringTable (_id_ INTEGER, value TEXT);
  INSERT INTO StringTable VALUES (1, 'a');
  CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start INTEGER, end INTEGER, name INTEGER);
  CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE (id INTEGER, name INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_DEVICE VALUES (0, 1);
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, cbid INTEGER, processId INTEGER,
                                            threadId INTEGER, correlationId INTEGER, returnValue INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 13, 99, 98, 1, 0), (30, 40, 13, 99, 98, 2, 0);
)";

class Folder : public MadeFiles {
protected:
  Folder() {
    std::filesystem::create_directories(folder_.path("in"));
    run_sql(folder_.path("in/good.sqlite"), kSmallTrace);
  }
  store::TraceData whole() { return import_good({folder_.path("in")}); }
  store::TraceData good_alone() { return import_good({folder_.path("in/good.sqlite")}); }
};

TEST_F(Folder, AFileThatFailsLeavesNoRows) {
  run_sql(folder_.path("in/bad.sqlite"), kCallsOnly); // read before good.sqlite
  const auto data = whole();
  const auto alone = good_alone();
  EXPECT_EQ(reported(data, "file-left-out"), 1);
  EXPECT_EQ(data.resources.size(), alone.resources.size());
  EXPECT_EQ(data.manifest.devices.size(), alone.manifest.devices.size());
  for (const char* table :
       {"kernels", "configurations", "launches", "calls", "transfers", "ranges", "counters"})
    EXPECT_EQ(data.find(table)->rows(), alone.find(table)->rows()) << table;
  EXPECT_EQ(data.find("launches")->columns.size(), alone.find("launches")->columns.size());
}

TEST_F(Folder, AFileThatFailsIsAnErrorWhenItIsNamed) {
  run_sql(folder_.path("in/bad.sqlite"), kCallsOnly);
  EXPECT_NE(refusal_of(folder_.path("in/bad.sqlite")).message.find("contains neither kernels nor copies"),
            std::string::npos);
}

TEST_F(Folder, RanksAreInNamesOfFilesAndFolders) {
  std::filesystem::create_directories(folder_.path("in/rank_4"));
  std::filesystem::rename(folder_.path("in/good.sqlite"), folder_.path("in/prof_rank1.sqlite"));
  run_sql(folder_.path("in/rank_4/prof.sqlite"),
          kSmallTrace + "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1");
  const auto data = whole();
  std::set<std::int32_t> ranks;
  for (const auto& resource : data.resources)
    if (resource.kind == store::ResourceKind::Process) ranks.insert(resource.rank);
  EXPECT_EQ(ranks, (std::set<std::int32_t>{1, 4}));
  EXPECT_EQ(reported(data, "rank-from-name"), 2);
}

TEST_F(Folder, UnknownFilesAreLeftOutAndReported) {
  write_bytes(folder_.path("in/README.md"), "# Notes\n\nNothing of a profiler.\n");
  write_bytes(folder_.path("in/report.nsys-rep"), "NVIDIA Tegra Profiler Report 1.\n and more");
  const auto data = whole();
  expect_reported(data, {{"left-out", 1}, {"not-exported", 1}});
  EXPECT_EQ(data.find("launches")->rows(), good_alone().find("launches")->rows());
}

// Each kind has its own export command.
TEST_F(Folder, ReportsOfSeveralToolsAreReportedWithTheirCommands) {
  write_bytes(folder_.path("in/a.nsys-rep"), "NVIDIA Tegra Profiler Report 1.\n and more");
  write_bytes(folder_.path("in/b.ncu-rep"), std::string("NVR\0 and more", 13));
  const auto data = whole();
  const auto report = report_of(data);
  EXPECT_NE(report.find("nsys export --type sqlite"), std::string::npos) << report;
  EXPECT_NE(report.find("ncu --import"), std::string::npos) << report;
}

TEST_F(Folder, CopiesThatAKilledProcessLeftAreRemoved) {
  const auto* const before = std::getenv("TMPDIR");
  const std::string chosen = before ? before : "";
  std::filesystem::create_directories(folder_.path("tmp"));
  ::setenv("TMPDIR", folder_.path("tmp").c_str(), 1);
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto* name :
       {"jitterscope-copy-left01", "jitterscope-copy-left01-wal", "jitterscope-copy-young1", "other"}) {
    write_bytes(folder_.path("tmp/") + name, "x");
    if (std::string_view(name).find("young") == std::string_view::npos)
      std::filesystem::last_write_time(folder_.path("tmp/") + name, long_ago);
  }
  const auto there = [&](const std::string& name) {
    return std::filesystem::exists(folder_.path("tmp/") + name);
  };
  {
    const auto used = Input::from_memory("a", "text").local(Job{});
    ASSERT_TRUE(used.has_value());
    std::filesystem::last_write_time(used->path(), long_ago);
    EXPECT_FALSE(there("jitterscope-copy-left01"));
    EXPECT_FALSE(there("jitterscope-copy-left01-wal"));
    EXPECT_TRUE(there("jitterscope-copy-young1"));
    EXPECT_TRUE(there("other"));
    const auto second = Input::from_memory("b", "text").local(Job{});
    EXPECT_TRUE(std::filesystem::exists(used->path())); // the file still exists, because it is in use
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path("tmp")), {}), 2);
  if (before)
    ::setenv("TMPDIR", chosen.c_str(), 1);
  else
    ::unsetenv("TMPDIR");
}

TEST_F(Folder, ThingsThatAreNotFilesAreReported) {
  std::filesystem::create_directories(folder_.path("elsewhere"));
  std::filesystem::create_symlink("nowhere", folder_.path("in/broken.sqlite"));
  std::filesystem::create_directory_symlink("../elsewhere", folder_.path("in/linked"));
  ASSERT_EQ(::mkfifo(folder_.path("in/pipe").c_str(), 0600), 0);
  // The link to the same file is not counted as left out.
  std::filesystem::create_symlink("good.sqlite", folder_.path("in/again.sqlite"));
  const auto data = whole();
  EXPECT_EQ(reported(data, "file-left-out"), 3) << report_of(data);
  EXPECT_EQ(data.find("launches")->rows(), good_alone().find("launches")->rows());
}

TEST_F(Folder, OfAnOldDatabaseOfHpcToolkitSaysWhatToDo) {
  std::filesystem::remove(folder_.path("in/good.sqlite"));
  write_bytes(folder_.path("in/experiment.xml"),
              "<?xml version=\"1.0\"?>\n<HPCToolkitExperiment version=\"2.0\">\n");
  const auto refused = describe(refusal_of(folder_.path("in")));
  EXPECT_NE(refused.find("2022.10"), std::string::npos) << refused;
}

TEST_F(Folder, OfReportsAloneNamesTheExportCommand) {
  std::filesystem::remove(folder_.path("in/good.sqlite"));
  write_bytes(folder_.path("in/README.md"), "# Notes\n");
  write_bytes(folder_.path("in/report.nsys-rep"), "NVIDIA Tegra Profiler Report 1.\n and more");
  const auto refused = refusal_of(folder_.path("in"));
  EXPECT_NE(refused.hint.find("nsys export --type sqlite"), std::string::npos);
  EXPECT_NE(refused.file.find("report.nsys-rep"), std::string::npos);
}

// One damaged file among many does not affect the others.
TEST_F(Folder, DamagedAndEmptyFilesAreLeftOutAndReported) {
  write_bytes(folder_.path("in/broken.json.gz"), std::string("\x1f\x8b\x08\0", 4) + std::string(100, 'g'));
  write_bytes(folder_.path("in/broken.zip"), std::string("PK\3\4", 4) + std::string(20, '\1'));
  write_bytes(folder_.path("in/rank_3.json"), "");
  const auto data = whole();
  EXPECT_EQ(reported(data, "file-left-out"), 3) << report_of(data);
  for (const char* file : {"in/broken.json.gz: ", "in/broken.zip: ", "in/rank_3.json: the file is empty"})
    EXPECT_NE(report_of(data).find(file), std::string::npos) << report_of(data);
  EXPECT_EQ(data.find("launches")->rows(), good_alone().find("launches")->rows());
  std::filesystem::remove(folder_.path("in/good.sqlite"));
  EXPECT_NE(refusal_of(folder_.path("in")).file.find("/in/"), std::string::npos); // names one of the files
  for (const auto* name : {"in/broken.json.gz", "in/broken.zip"}) std::filesystem::remove(folder_.path(name));
  EXPECT_NE(refusal_of(folder_.path("in")).message.find("empty"), std::string::npos);
}

TEST_F(Folder, TheReportNamesSomeOfManyEmptyFiles) {
  for (int rank = 0; rank < 30; ++rank) write_bytes(folder_.path(fmt::format("in/rank_{}.json", rank)), "");
  const auto report = report_of(whole());
  EXPECT_NE(report.find("(30)"), std::string::npos) << report;
  std::int64_t named = 0;
  for (auto at = report.find("the file is empty"); at != std::string::npos; ++named)
    at = report.find("the file is empty", at + 1);
  EXPECT_EQ(named, kNamedFiles) << report;
  EXPECT_NE(report.find("…"), std::string::npos) << report;
}

// A machine that crashed leaves zeros in place of text.
TEST_F(Folder, ZerosAfterATextDoNotHideIt) {
  const std::string zeros(5'000, '\0');
  const auto launches = [&](const std::string& text) {
    const auto data = import_text(text + zeros);
    EXPECT_EQ(reported(data, "zeros-behind"), 1) << text;
    return data.find("launches")->rows();
  };
  EXPECT_EQ(launches("kernel,start_ns,end_ns\na,10,20\nb,30,40\n"), 2u);
  EXPECT_EQ(launches("Time (%),Total Time (ns),Instances,Name\n60,5,2,a\n40,4,1,b\n"), 2u);
  EXPECT_EQ(launches(R"([{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2}])"), 1u);
  EXPECT_EQ(launches("Kind,Agent_Id,Kernel_Name,Start_Timestamp,End_Timestamp\nKERNEL_DISPATCH,1,k,5,9\n"),
            1u);
}

TEST_F(Folder, ATableAmongTracesIsLeftOutWhenFoundAndRefusedWhenNamed) {
  write_bytes(folder_.path("in/table.csv"), "a,b\n1,2\n3,4\n5,6\n");
  const auto data = whole();
  EXPECT_EQ(reported(data, "no-common-axis"), 1);
  EXPECT_FALSE(data.manifest.launch_order);
  EXPECT_EQ(data.find("launches")->find("a"), nullptr);
  const auto named = import_files({folder_.path("in/good.sqlite"), folder_.path("in/table.csv")}, Job{});
  ASSERT_FALSE(named.has_value());
  EXPECT_NE(named.error().message.find("cannot share a time axis"), std::string::npos);
  EXPECT_NE(named.error().file.find("table.csv"), std::string::npos);
}

TEST_F(Folder, TheFirstLaunchOfAConfigurationIsMarkedInTablesToo) {
  ImportOptions options;
  options.kernel_column = "kernel";
  const auto data = import_files({made("t.csv", "kernel,x\na,1\nb,2\na,3\nb,4\nc,5\n")}, Job{}, options);
  ASSERT_TRUE(data.has_value()) << describe(data.error());
  EXPECT_EQ(column<std::uint8_t>(*data, "launches", "flags"),
            (Codes{store::kLaunchFirst, store::kLaunchFirst, 0, 0, store::kLaunchFirst}));
}

} // namespace
} // namespace jitterscope::import
