// Files that cannot be imported have messages with cause and action; several files share one time axis.

#include "core/import/registry.h"

#include <sys/stat.h>

#include "tests/core/import/import_support.h"
#include "tests/core/import/small_trace.h"
#include "tests/core/import/temporary_files.h"

namespace jitterscope::import {
namespace {

using store::ResourceKind;
using namespace std::string_literals;

class Refused : public testing::Test {
protected:
  Error refusal(const std::string& bytes) {
    write_bytes(folder_.path("file"), bytes);
    return refusal_of(folder_.path("file"));
  }
  static Error refusal_of(const std::string& path) {
    const auto data = import_files({path}, Job{});
    EXPECT_FALSE(data.has_value()) << path;
    if (data) return {};
    EXPECT_EQ(data.error().kind, ErrorKind::BadInput);
    EXPECT_EQ(data.error().file, path);
    EXPECT_FALSE(data.error().hint.empty());
    return data.error();
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryFolder folder_;
};

// Opening a pipe would wait for a writer forever.
TEST_F(Refused, PipesAreNotFiles) {
  ASSERT_EQ(::mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(has(refusal_of(folder_.path("pipe")).message, "not a regular file"));
  write_bytes(folder_.path("table.csv"), "kernel,time_ns\na,5\nb,6\n");
  const auto with_events = import_files({folder_.path("")}, Job{});
  ASSERT_TRUE(with_events.has_value());
  EXPECT_EQ(launch_durations(*with_events), (Integers{5, 6}));
}

TEST_F(Refused, ReportsOfTheProfilersNameTheExportCommand) {
  const auto nsys = refusal(std::string("NVIDIA Tegra Profiler Report 1.\n\x01\x02", 34));
  EXPECT_TRUE(has(nsys.message, ".nsys-rep"));
  EXPECT_TRUE(has(nsys.hint, "nsys export --type sqlite"));
  const auto ncu = refusal(std::string("NVR\0\x01\x02", 6));
  EXPECT_TRUE(has(ncu.message, ".ncu-rep"));
  EXPECT_TRUE(has(ncu.hint, "ncu --import"));
}

TEST_F(Refused, OtherFilesStateWhatTheyAre) {
  EXPECT_TRUE(has(refusal("version https://git-lfs.github.com/spec/v1\noid").hint, "git lfs pull"));
  EXPECT_TRUE(has(refusal("").message, "empty"));
  const auto tar = reader_for(
      Input::from_memory("runs.zip: a.tgz", "runs/a.csv" + std::string(247, '\0') + "ustar\00000"));
  EXPECT_TRUE(!tar && has(tar.error().message, "tar archive inside"));
  EXPECT_TRUE(has(refusal("hello").message, "kind of file is unknown"));
  EXPECT_TRUE(has(refusal("PAR1\x15\x04"s).hint, "nsys export --type sqlite"));
  EXPECT_TRUE(has(refusal("ARROW1\0\0"s).hint, "nsys export --type sqlite"));
  EXPECT_TRUE(has(refusal("HPCRUN-profile____"s).hint, "hpcprof"));
  EXPECT_TRUE(has(refusal("<?xml version=\"1.0\"?>\n<HPCToolkitExperiment version=\"2.0\">\n").message,
                  "before 2022.10"));
  EXPECT_TRUE(has(refusal("PROJECTIONS_ID\nVERSION 11.0\n").message, "Projections"));
  EXPECT_TRUE(
      has(refusal("# callgrind format\nversion: 1\nevents: Ir\nfn=main\n4 6\n").message, "callgrind"));
  EXPECT_TRUE(
      has(refusal(R"({"schema": "1.1.1", "nodes": [{"id": 1, "name": "op", "ctrl_deps": 1}]})").message,
          "execution trace"));
  EXPECT_TRUE(has(refusal("<?xml version=\"1.0\"?>\n<session name=\"com.nvidia.viper.session\"/>\n").message,
                  "Visual Profiler"));
  EXPECT_TRUE(has(refusal("model: resnet\nlayers: [64, 128, 256]\nsizes: [1, 2, 3]\n").message, "settings"));
  EXPECT_TRUE(has(refusal("- name: a, b\n- count: 3, 4\n- share: 5, 6\n").message, "settings"));
  EXPECT_TRUE(has(refusal("[run]\nsizes = 1, 2\nmore = 3, 4\n").message, "settings"));
  EXPECT_TRUE(has(refusal("\n\x10\x08\x01\x12 and more").hint, "--output-format csv"));
  EXPECT_TRUE(has(refusal("SKIPPED: r.sqlite does not contain CUDA trace data.\n").message, "found no data"));
  EXPECT_TRUE(has(refusal("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - no permission\n").message,
                  "not allowed"));
  EXPECT_TRUE(has(refusal("kernel,time\n").message, "rows are missing"));
  EXPECT_TRUE(has(refusal("\n \n").message, "only white space"));
  EXPECT_TRUE(has(
      refusal("{\"Type\":79,\"Event\":{\"startNs\":\"300\",\"endNs\":\"302\",\"correlationId\":1}}\n").hint,
      "nsys export --type sqlite"));
  EXPECT_TRUE(has(refusal("\"Kernel Name\",\"k(float *)\"\n\"#\",\"Address\",\"Source\",\"Warp Stall "
                          "Sampling (All Samples)\",\"# "
                          "Samples\"\n\"1\",\"140\",\"MOV R1, c[0x0][0x28]\",\"0\",\"0\"\n")
                      .message,
                  "instructions, not launches"));
  EXPECT_TRUE(
      has(refusal("[770] app@127.0.0.1\n  scale(float *) (1056, 1, 1)x(256, 1, 1), Context 1, Stream 7, "
                  "Device 0, CC 9.0\n    Section: GPU Speed Of Light Throughput\n    ------- ------ -----\n"
                  "    Metric Name Metric Unit Metric Value\n    ------- ------ -----\n"
                  "    Duration             us        41.89\n")
              .hint,
          "ncu --csv --page raw"));
  EXPECT_TRUE(has(refusal("ROCPROFV3 SUMMARY:\n\n|   NAME   |     DOMAIN      |  CALLS  |\n|---|---|---|\n| "
                          "k | KERNEL_DISPATCH | 10 "
                          "|\n")
                      .hint,
                  "rocprofv3 --kernel-trace"));
  EXPECT_TRUE(
      has(refusal("{\"Type\":\"String\",\"id\":1}\n{\"Type\":79,\"CudaEvent\":{\"startNs\":\"1\"}}\n").hint,
          "nsys export --type sqlite"));
  EXPECT_TRUE(has(refusal("PAR1 and more").message, "Parquet"));
  EXPECT_TRUE(has(refusal("NVIDIA Tegra Profiler Report\na,b\n1,2\n3,4\n").message, "not been exported"));
  EXPECT_TRUE(has(refusal("\xFF\xFE\0\0k\0\0\0"s).message, "UTF-32"));
  EXPECT_TRUE(
      has(refusal("kernel,duration\nk,1 234\nh,2 234\n").message, "\"1 234\" in column \"duration\""));
  EXPECT_TRUE(has(refusal("<!DOCTYPE html><html>").message, "HTML"));
  EXPECT_TRUE(has(refusal("{\"a\":1}").message, "JSON"));
  EXPECT_TRUE(
      has(refusal("{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"k").message, "the end of its first event"));
  EXPECT_TRUE(has(refusal("\x18\0\0\0\0\0\0\0\xa3\x7fK\"\t\0\0\0\x1a\x0d"
                          "brain.Event:2"s)
                      .message,
                  "TensorBoard"));
  EXPECT_TRUE(has(refusal("{\n \"dlbVersion\": \"3.5\", \"Application\": {}}").message, "TALP"));
  EXPECT_TRUE(has(refusal("<profile_xml>\n<thread>").message, "TAU profile in XML"));
  EXPECT_TRUE(has(refusal("kernel,colour\na,red\nb,blue\n").message, "none of its columns contains numbers"));
  EXPECT_TRUE(has(refusal("kernel    time_ms  grid \n  axpy   1.5  64\r\ngemm     12.25     128\n").message,
                  "separated by spaces"));
  EXPECT_TRUE(has(refusal("Dear  reader,\nthis is a letter of  5 lines\nand no  table\n").message,
                  "kind of file is unknown"));
  EXPECT_TRUE(has(
      refusal("[{\"frame\":{\"name\":\"ROOT\"},\"metrics\":{\"count\":0,\"time (ns)\":0},\"children\":[]}]")
          .message,
      "Proton"));
  EXPECT_TRUE(has(refusal("[{\"Start (ns)\":\"x\",\"Name\":\"k\"}]").hint, "--format csv"));
  EXPECT_TRUE(
      has(refusal("\n ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n Time (%)\n").hint, "--format csv"));
  EXPECT_TRUE(has(refusal("\x1f\x8b\x08").message, "compressed data is damaged"));
  EXPECT_TRUE(has(refusal("SQLite for").message, "truncated"));
  EXPECT_TRUE(has(refusal_of(folder_.path("")).message, "nothing that can be imported"));
  EXPECT_TRUE(has(refusal_of(folder_.path("absent")).message, "does not exist"));
}

TEST_F(Refused, WorkbooksStateWhatTheyAre) {
  // A zip archive that holds an empty xl/workbook.xml.
  const auto workbook =
      "PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00!\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0f\x00\x00\x00xl/workbook.xmlPK\x01\x02\x14\x03\x14\x00\x00\x00\x00\x00\x00\x00!\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0f\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00\x00\x00\x00xl/workbook.xmlPK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00=\x00\x00\x00-\x00\x00\x00\x00\x00"s;
  EXPECT_TRUE(has(refusal(workbook).message, "spreadsheet"));
}

// A zip archive of one uncompressed member (PKWARE APPNOTE 4.3); `locked`: marked as having a password, in
// its header only.
std::string zip_of(const std::string& name, const std::string& content, bool locked) {
  std::string bytes;
  const auto put = [&](std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  };
  const auto describe_member = [&] {
    put(20, 2), put(locked ? 1 : 0, 2), put(0, 2), put(0, 2), put(0x21, 2), put(0, 4);
    put(content.size(), 4), put(content.size(), 4), put(name.size(), 2), put(0, 2);
  };
  put(0x04034b50, 4), describe_member();
  bytes += name + content;
  const auto directory = bytes.size();
  put(0x02014b50, 4), put(20, 2), describe_member();
  put(0, 2), put(0, 2), put(0, 2), put(0, 4), put(0, 4);
  bytes += name;
  const auto size = bytes.size() - directory;
  put(0x06054b50, 4), put(0, 2), put(0, 2), put(1, 2), put(1, 2), put(size, 4), put(directory, 4), put(0, 2);
  return bytes;
}

TEST_F(Refused, ArchivesStateWhyTheyCannotBeRead) {
  const auto locked = refusal(zip_of("trace.csv", std::string(12, 'x') + "kernel,duration_ns\nk,5\n", true));
  EXPECT_TRUE(has(locked.message, "password")) << locked.message;
  EXPECT_EQ(locked.place, "trace.csv");
  EXPECT_TRUE(has(refusal(zip_of("archive/data.pkl", "", false)).message, "PyTorch saved"));
}

TEST_F(Refused, OtherHdf5FilesStateWhatTheyAre) {
  const auto damaged = refusal("\x89HDF\r\n\x1a\n"s + std::string(600, '\0'));
  EXPECT_TRUE(has(damaged.message, "HDF5")) << damaged.message;
  EXPECT_FALSE(damaged.hint.empty());
}

TEST_F(Refused, OtherDatabasesStateWhatTheyAre) {
  run_sql(folder_.path("nvprof"),
          "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (_id_ INTEGER); CREATE TABLE "
          "CUPTI_ACTIVITY_KIND_KERNEL (_id_ INTEGER); CREATE TABLE StringTable (_id_ INTEGER, value TEXT)");
  EXPECT_TRUE(has(refusal_of(folder_.path("nvprof")).message, "neither kernels nor copies"));
  run_sql(folder_.path("other"), "CREATE TABLE StringIds (id INTEGER, value TEXT)");
  EXPECT_TRUE(has(refusal_of(folder_.path("other")).message, "not one of a supported profiler"));
}

TEST_F(Refused, RealFilesWithoutGpuRows) {
  REQUIRE_REAL_DATA(no_tables, "nsys/no-gpu-rows/v3.25.0_no_cuda_tables.sqlite");
  REQUIRE_REAL_DATA(runtime_only, "nsys/no-gpu-rows/v3.20.3_runtime_only.sqlite");
  REQUIRE_REAL_DATA(wsl, "nsys/no-gpu-rows/v3.1.7_runtime_only_wsl.sqlite");
  REQUIRE_REAL_DATA(no_kernels, "nsys/rtx3090-20runs/report6.sqlite");
  REQUIRE_REAL_DATA(not_nsight, "nsys/no-gpu-rows/not_nsight_at_all.sqlite");
  REQUIRE_REAL_DATA(pointer, "nsys/no-gpu-rows/git_lfs_pointer.sqlite");
  const auto cuda = refusal_of(no_tables);
  EXPECT_TRUE(has(cuda.message, "schema 3.25.0") && has(cuda.message, "without any CUDA activity"))
      << cuda.message;
  EXPECT_TRUE(has(cuda.hint, "nsys profile --trace=cuda"));
  EXPECT_TRUE(has(refusal_of(runtime_only).message, "2 CUDA calls but no kernel"));
  EXPECT_TRUE(has(refusal_of(wsl).message, "2307 CUDA calls but no kernel"));
  EXPECT_TRUE(has(refusal_of(wsl).hint, "WSL"));
  EXPECT_TRUE(has(refusal_of(no_kernels).message, "2 CUDA calls but no kernel"));
  EXPECT_TRUE(has(refusal_of(not_nsight).message, "not one of a supported profiler"));
  EXPECT_TRUE(has(refusal_of(pointer).message, "Git LFS"));
}

TEST_F(Refused, NoFileAndTheSameFileTwice) {
  run_sql(folder_.path("a"), kSmallTrace);
  EXPECT_EQ(import_files({}, Job{}).error().kind, ErrorKind::BadUse);
  EXPECT_EQ(import_files({folder_.path("a"), folder_.path("./a")}, Job{}).error().kind, ErrorKind::BadUse);
}

class SeveralFiles : public testing::Test {
protected:
  std::string make(const std::string& name, const std::string& sql) {
    run_sql(folder_.path(name), kSmallTrace + sql);
    return folder_.path(name);
  }
  static std::string started(std::int64_t utc) {
    return "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER); INSERT INTO "
           "TARGET_INFO_SESSION_START_TIME "
           "VALUES (" +
           std::to_string(utc) + ");";
  }
  static std::string gpu(const std::string& uuid) {
    return "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, uuid TEXT, cuDevice INTEGER); INSERT INTO "
           "TARGET_INFO_GPU "
           "VALUES (0,'GPU','" +
           uuid + "',0);";
  }
  static std::int64_t count(const store::TraceData& data, ResourceKind kind) {
    return std::count_if(data.resources.begin(), data.resources.end(),
                         [&](const store::Resource& r) { return r.kind == kind; });
  }
  TemporaryFolder folder_;
};

TEST_F(SeveralFiles, AreAlignedByAbsoluteTime) {
  const auto data = import_good(
      {make("a", started(1'700'000'000'000'005'000)), make("b", started(1'700'000'000'000'000'000))});
  EXPECT_EQ(launch_starts(data), (Integers{1000, 3000, 6000, 6000, 8000, 11000}));
  EXPECT_EQ(data.manifest.origin_utc_ns, 1'700'000'000'000'000'000);
  ASSERT_EQ(data.manifest.sources.size(), 2u);
  EXPECT_EQ(data.manifest.sources[0].shift_ns, 5'000);
  EXPECT_EQ(data.manifest.sources[1].shift_ns, 0);
  EXPECT_EQ(data.manifest.sources[0].sha256.size(), 64u);
  EXPECT_FALSE(data.manifest.sources[0].alignment.empty());
  EXPECT_EQ(reported(data, "alignment-unknown"), 0);
  EXPECT_EQ(column<std::uint32_t>(data, "kernels", "name").size(), 1u); // names and kernels are shared
}

TEST_F(SeveralFiles, WithoutAbsoluteTimeAreLaidOnTopOfEachOtherAndDoubted) {
  const auto data = import_good({make("a", started(1'700'000'000'000'005'000)), make("b", "")});
  EXPECT_EQ(launch_starts(data), (Integers{1000, 1000, 3000, 3000, 6000, 6000}));
  EXPECT_EQ(data.manifest.origin_utc_ns, -1);
  EXPECT_EQ(reported(data, "alignment-unknown"), 1);
}

// A file without a recording date does not affect the alignment of the others.
TEST_F(SeveralFiles, OfWhichOneDoesNotKnowItsTimeKeepThatOfTheOthers) {
  const auto data = import_good({make("a", started(1'700'000'000'000'005'000)),
                                 make("b", started(1'700'000'000'000'000'000)), make("c", "")});
  EXPECT_EQ(data.manifest.sources[0].shift_ns, 5'000);
  EXPECT_EQ(data.manifest.sources[1].shift_ns, 0);
  EXPECT_EQ(data.manifest.sources[2].shift_ns, 0);
  expect_reported(data, {{"alignment-unknown", 1}, {"captures-apart", 0}});
  const auto apart = import_good({make("d", started(1'700'000'000'000'000'000)),
                                  make("e", started(1'700'000'100'000'000'000)), make("f", "")});
  EXPECT_EQ(reported(apart, "captures-apart"), 1);
}

TEST_F(SeveralFiles, ThatAreFarApartAreDoubted) {
  const auto data = import_good(
      {make("a", started(1'700'000'000'000'000'000)), make("b", started(1'700'000'100'000'000'000))});
  EXPECT_EQ(reported(data, "captures-apart"), 1);
}

TEST_F(SeveralFiles, OfTheSameCaptureAreDoubted) {
  const auto utc = started(1'700'000'000'000'000'000);
  EXPECT_EQ(reported(import_good({make("a", utc), make("b", utc)}), "same-capture"), 1);
  const std::string longer = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1 WHERE rowid = 1;";
  EXPECT_EQ(reported(import_good({make("c", utc), make("d", utc + longer)}), "same-capture"), 0);
  EXPECT_EQ(reported(import_good({make("rank0", utc), make("rank1", utc + "CREATE TABLE other (a);")}),
                     "same-capture"),
            0);
}

TEST_F(SeveralFiles, OfOneNodeShareItsHostAndDevice) {
  const auto data = import_good({make("a", gpu("aa-1")), make("b", gpu("aa-1"))});
  EXPECT_EQ(count(data, ResourceKind::Host), 1);
  EXPECT_EQ(count(data, ResourceKind::Process), 2);
  EXPECT_EQ(data.manifest.devices.size(), 1u);
  EXPECT_EQ(column<float>(data, "launches", "concurrency")[0], 1.0f); // both run at once on one GPU
}

TEST_F(SeveralFiles, OfTwoNodesDoNot) {
  const auto data = import_good({make("a", gpu("aa-1")), make("b", gpu("bb-2"))});
  EXPECT_EQ(count(data, ResourceKind::Host), 2);
  EXPECT_EQ(data.manifest.devices.size(), 2u);
  EXPECT_EQ(data.resources.front().name, "host of a");
  EXPECT_EQ(column<float>(data, "launches", "concurrency")[0], 0.0f);
}

TEST_F(SeveralFiles, RealRunsOfOneMachine) {
  REQUIRE_REAL_DATA(seven, "nsys/rtx3090-20runs/report7.sqlite");
  REQUIRE_REAL_DATA(eight, "nsys/rtx3090-20runs/report8.sqlite");
  const auto data = import_good({eight, seven});
  EXPECT_EQ(count(data, ResourceKind::Host), 1);
  EXPECT_EQ(data.manifest.devices.size(), 1u);
  EXPECT_EQ(launch_starts(data).front(), 438'910'465);
  EXPECT_EQ(data.manifest.sources[0].shift_ns, 1759566083234470911 - 1759566014563152453);
  EXPECT_EQ(reported(data, "captures-apart"), 1);
}

} // namespace
} // namespace jitterscope::import
