// Results of benchmarks of a machine: MT4G, OSU, BabelStream.

#include <cmath>
#include <filesystem>

#include "core/import/machine_file.h"
#include "core/store/format/store.h"
#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

class Machines : public TableTest {
protected:
  store::Machine machine_of(const std::string& text, const std::string& name) {
    return import_good_text(text, name).manifest.machine;
  }
  const NetworkMeasurement& only(const store::Machine& machine) {
    EXPECT_EQ(machine.networks.size(), 1u);
    return machine.networks.front();
  }
};

const std::string kMt4g = R"({
 "compute": {"concurrentKernels": true, "maxBlocksPerMultiProcessor": 2, "maxThreadsPerBlock": 1024,
  "maxThreadsPerMultiProcessor": 2048, "multiProcessorCount": 304, "numXCDs": 8, "numberOfCoresPerMultiProcessor": 64,
  "regsPerMultiProcessor": 65536, "warpSize": 64},
 "general": {"clockRate": {"unit": "kHz", "value": 2100000}, "name": "AMD Instinct MI300X VF", "vendor": "AMD"},
 "memory": {
  "constant": {"l1.5": {"latency": {"mean": 1}}},
  "l1": {"latency": {"mean": 116.0, "unit": "cycles"}, "lineSize": {"confidence": 0.99, "size": 128, "unit": "bytes"},
         "size": {"confidence": 0.51, "size": 32768, "unit": "bytes"}},
  "l2": {"amount": 1, "latency": {"mean": 287.5}, "readBandwidth": {"unit": "GiB/s", "value": 14365.0},
         "size": {"unit": "bytes", "value": 4194304}},
  "l3": {"amount": 1, "readBandwidth": {"unit": "GiB/s", "value": 5400.0}, "size": {"confidence": 0.2, "size": 99}},
  "main": {"latency": {"mean": 899.7}, "readBandwidth": {"unit": "GiB/s", "value": 3690.0},
           "totalGlobalMem": {"unit": "bytes", "value": 206141652992}},
  "shared": {"sharedMemPerMultiProcessor": {"unit": "bytes", "value": 19922944}}}})";

TEST_F(Machines, Mt4gOfASeveralDieGpu) {
  const auto data = import_good_text(kMt4g, "MI300X.json");
  ASSERT_EQ(data.manifest.machine.gpus.size(), 1u);
  const auto& gpu = data.manifest.machine.gpus.front();
  EXPECT_EQ(gpu.name, "AMD Instinct MI300X VF");
  EXPECT_EQ(gpu.clock_hz, 2.1e9);
  EXPECT_EQ(gpu.multiprocessors, 304);
  EXPECT_EQ(gpu.warp_size, 64);
  EXPECT_EQ(gpu.max_warps, 32);
  EXPECT_EQ(gpu.max_blocks, 0);        // HIP reports 2 for every GPU
  EXPECT_EQ(gpu.shared_memory, 65536); // HIP reports the value of all compute units
  ASSERT_EQ(gpu.levels.size(), 4u);
  EXPECT_EQ(gpu.levels[0].latency, 116);
  EXPECT_EQ(gpu.levels[0].transaction, 128);
  EXPECT_EQ(gpu.levels[0].size, 304.0 * 32768);
  EXPECT_TRUE(std::isnan(gpu.levels[0].bandwidth));
  EXPECT_EQ(gpu.levels[1].bandwidth, 14365.0 * kGiB);
  EXPECT_EQ(gpu.levels[1].size, 8 * 4194304.0); // the value of one die
  EXPECT_EQ(gpu.levels[2].name, "L3");
  EXPECT_TRUE(std::isnan(gpu.levels[2].latency));
  EXPECT_TRUE(std::isnan(gpu.levels[2].size)); // the file states a confidence of only 0.2
  EXPECT_EQ(gpu.levels[3].name, "DRAM");
  EXPECT_EQ(gpu.levels[3].latency, 899.7);
  expect_reported(data, {{"hip-artefact", 2}, {"one-die", 1}, {"low-confidence", 1}});
}

TEST_F(Machines, Mt4gInOtherUnits) {
  const auto with = [&](std::initializer_list<std::pair<std::string, std::string>> changes) {
    auto text = kMt4g;
    for (const auto& [from, to] : changes) text.replace(text.find(from), from.size(), to);
    return import_good_text(text, "MI300X.json");
  };
  const auto other = with({{R"("unit": "kHz", "value": 2100000)", R"("unit": "MHz", "value": 2100)"},
                           {R"("unit": "GiB/s", "value": 3690.0)", R"("unit": "GB/s", "value": 5300.0)"},
                           {R"("size": 32768, "unit": "bytes")", R"("size": 32, "unit": "KiB")"}});
  const auto& gpu = other.manifest.machine.gpus.front();
  EXPECT_EQ(gpu.clock_hz, 2.1e9);
  EXPECT_EQ(gpu.levels[3].bandwidth, 5.3e12);
  EXPECT_EQ(gpu.levels[0].size, 304.0 * 32768);
  const auto unknown =
      with({{R"("unit": "GiB/s", "value": 3690.0)", R"("unit": "furlongs", "value": 3690.0)"}});
  EXPECT_TRUE(std::isnan(unknown.manifest.machine.gpus.front().levels[3].bandwidth));
  EXPECT_EQ(reported(unknown, "unknown-unit"), 1);
}

TEST_F(Machines, Mt4gOf2022) {
  const auto data = import_good_text(
      "GPU_INFORMATION; GPU_vendor; \"Nvidia\"; GPU_name; \"NVIDIA X\"\n"
      "COMPUTE_RESOURCE_INFORMATION; CUDA_compute_capability; \"8.00\"; Number_of_streaming_multiprocessors; "
      "76; "
      "Number_of_cores_in_GPU; 4864; Number_of_cores_per_SM; 64\n"
      "REGISTER_INFORMATION; Registers_per_thread_block; 65536; \"32-bit registers\"; Registers_per_SM; "
      "65536; "
      "\"32-bit registers\"\n"
      "ADDITIONAL_INFORMATION; Memory_Clock_Frequency; 1.215; \"GHz\"; Memory_Bus_Width; 5120; \"bit\"; "
      "GPU_Clock_Rate; 1.410; \"GHz\"\n"
      "L1_DATA_CACHE; Size; 21.5; KiB; \"=\"; Cache_Line_Size; 32; \"B\"; Load_Latency; 40; \"cycles\"; "
      "Load_Latency; "
      "14; \"nanoseconds\"; Shared_On; \"SM-level\"\n"
      "L2_DATA_CACHE; Size; 40; MiB; \">=\"; Load_Latency; 93; \"nanoseconds\"; Load_Latency; 260; "
      "\"cycles\"\n"
      "MAIN_MEMORY; Size; 39.59; GiB; \"=\"; Load_Latency; 520; \"cycles\"; Load_Latency; 300; "
      "\"nanoseconds\"\n",
      "GPU_Memory_Topology.csv");
  ASSERT_EQ(data.manifest.machine.gpus.size(), 1u);
  const auto& gpu = data.manifest.machine.gpus.front();
  EXPECT_EQ(gpu.name, "NVIDIA X");
  EXPECT_EQ(gpu.multiprocessors, 76);
  EXPECT_EQ(gpu.lanes, 64);
  EXPECT_EQ(gpu.registers, 65536);
  EXPECT_NEAR(gpu.clock_hz, 1.41e9, 1);
  EXPECT_EQ(gpu.levels[0].latency, 40);
  EXPECT_EQ(gpu.levels[0].size, 76 * 21.5 * 1024);
  EXPECT_EQ(gpu.levels[1].latency, 260);
  EXPECT_EQ(gpu.levels[1].size, 40.0 * 1024 * 1024);
  EXPECT_EQ(gpu.levels[2].latency, 520);
  EXPECT_TRUE(std::isnan(gpu.levels[2].bandwidth));
  EXPECT_EQ(reported(data, "no-bandwidths"), 1);
}

TEST_F(Machines, OsuOfAllGenerations) {
  const struct {
    const char* text;
    const char* name;
    const char* tool;
    NetworkQuantity quantity;
    BufferMemory memory;
    bool point_to_point;
  } kCases[] = {
      {"# OSU MPI-CUDA Latency Test v5.6.3\n# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)\n# "
       "Size          "
       "Latency (us)\n0                       0.21\n1                       3.25\n",
       "OSU MPI-CUDA Latency Test", "v5.6.3", NetworkQuantity::latency, BufferMemory::device, true},
      {"# OSU MPI Latency Test v7.2\n# Size          Latency (us)\n# Datatype: MPI_CHAR.\n0  0.21\n1  3.25\n",
       "OSU MPI Latency Test", "v7.2", NetworkQuantity::latency, BufferMemory::unknown, true},
      {"# OSU MPI Latency Test v7.5\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)        "
       "Validation\n0  0.21  Pass\n1  3.25 "
       " Pass\n",
       "OSU MPI Latency Test", "v7.5", NetworkQuantity::latency, BufferMemory::unknown, true},
      {"srun -n 2 osu_bw -m 4194304 H H\n# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n0 "
       "0.21\n1 3.25\n",
       "OSU MPI Bandwidth Test", "v7.5", NetworkQuantity::bandwidth, BufferMemory::host, true},
      {"# OSU MPI Allreduce Latency Test v5.9\n# Size       Avg Latency(us)   Min Latency(us)   Max "
       "Latency(us)  Iterations\n0 0.21 "
       "0.2 0.3 1000\n1 3.25 3 4 1000\n",
       "OSU MPI Allreduce Latency Test", "v5.9", NetworkQuantity::latency, BufferMemory::unknown, false},
      {"# OSU MPI Non-blocking Allreduce Latency Test v7.5\n# Overall = Coll. Init + Compute + MPI_Test + "
       "MPI_Wait\n\n# Size           "
       "Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)\n0 9 8 0.21 90\n1 9 8 3.25 88\n",
       "OSU MPI Non-blocking Allreduce Latency Test", "v7.5", NetworkQuantity::latency, BufferMemory::unknown,
       false},
      {"# OSU MPI Bi-Directional Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n0 0.21\n1 3.25\n",
       "OSU MPI Bi-Directional Bandwidth Test", "v7.5", NetworkQuantity::bandwidth, BufferMemory::unknown,
       false},
      {"# OSU MPI_Put Latency Test v7.0\n# Window creation: MPI_Win_allocate\n# Size          Latency "
       "(us)\n0 0.21\n1 3.25\n",
       "OSU MPI_Put Latency Test", "v7.0", NetworkQuantity::latency, BufferMemory::unknown, false}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.text);
    const auto machine = machine_of(c.text, "out.txt");
    const auto& m = only(machine);
    EXPECT_EQ(m.name, c.name);
    EXPECT_EQ(m.tool, c.tool);
    EXPECT_EQ(m.quantity, c.quantity);
    EXPECT_EQ(m.memory, c.memory);
    EXPECT_EQ(m.point_to_point, c.point_to_point);
    ASSERT_EQ(m.points.size(), 2u);
    EXPECT_EQ(m.points[0].bytes, 0);
    EXPECT_EQ(m.points[0].value, 0.21);
    EXPECT_EQ(m.points[1].bytes, 1);
    EXPECT_EQ(m.points[1].value, 3.25);
  }
}

TEST_F(Machines, OsuOfSeveralPairs) {
  const auto machine =
      machine_of("# OSU MPI Multiple Bandwidth / Message Rate Test v5.6\n# [ pairs: 4 ] [ window size: 64 ]\n"
                 "# Size                  MB/s        Messages/s\n1 14.5 14500000\n2 29.1 14550000\n",
                 "osu_mbw_mr.out");
  EXPECT_EQ(only(machine).pairs, 4);
  EXPECT_EQ(only(machine).quantity, NetworkQuantity::bandwidth);
  EXPECT_EQ(only(machine).points[1].value, 29.1);
  EXPECT_TRUE(only(machine).point_to_point);
}

TEST_F(Machines, NoiseAroundAndBetweenRows) {
  const auto data =
      import_good_text("slurm: job 4711 started\n[n001:1] UCX WARN no device\n"
                       "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n1 2.5\n"
                       "2 more processes have sent help message help-mpi-btl-openib.txt\n"
                       "[n001:1] UCX  WARN  transport\n2 2.75\n10.0.0.1 joined\n\n4 3\r\n"
                       "8 nan\n16 -1\n32 3.5 Fail\n"
                       "# OSU MPI Bandwidth Test v5.8\n# Size Bandwidth (MB/s)\nsrun: error: node failed\n",
                       "job.log");
  ASSERT_EQ(data.manifest.machine.networks.size(), 1u);
  const auto& points = data.manifest.machine.networks[0].points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[2].bytes, 4);
  EXPECT_EQ(points[2].value, 3);
  expect_reported(data, {{"noise", 4}, {"failed-run", 1}, {"validation-failed", 1}});
}

TEST_F(Machines, PlacesOfOsuRunsFromNamesOfFiles) {
  const std::string text = "# OSU MPI Latency Test v7.5\n# Size Avg Latency(us)\n1 2\n";
  EXPECT_EQ(only(machine_of(text, "osu_latency_D_D_internode.txt")).memory, BufferMemory::device);
  EXPECT_EQ(only(machine_of(text, "osu_latency_D_D_internode.txt")).distance, Distance::inter_node);
  EXPECT_EQ(only(machine_of(text, "latency-hh.sockets.log")).memory, BufferMemory::host);
  EXPECT_EQ(only(machine_of(text, "latency-hh.sockets.log")).distance, Distance::inter_socket);
  EXPECT_EQ(only(machine_of(text, "cores.log")).distance, Distance::intra_socket);
  EXPECT_EQ(only(machine_of(text, "latency.log")).distance, Distance::unknown);
}

TEST_F(Machines, AnOsuRunThatFailedIsAnError) {
  const auto error = error_of("# OSU MPI-CUDA Non-blocking Allreduce Latency Test v7.5\n# Size Overall(us) "
                              "Compute(us) Pure Comm.(us) Overlap(%)\n",
                              "x.txt");
  EXPECT_EQ(error.kind, ErrorKind::BadInput);
  EXPECT_NE(error.message.find("no rows"), std::string::npos);
  EXPECT_FALSE(error.file.empty());
}

TEST_F(Machines, BabelStreamAndItsPredecessorAndStream) {
  const auto data = import_good_text(
      "prolog: node ready\nBabelStream\nVersion: 5.0\nImplementation: CUDA\nRunning kernels 100 times\n"
      "Precision: double\nArray size: 268.4 MB (=0.3 GB)\nTotal size: 805.3 MB (=0.8 GB)\n"
      "Using CUDA device NVIDIA A100-SXM4-40GB\nDriver: 12040\n"
      "Function    MBytes/sec  Min (sec)   Max         Average     \n"
      "Copy        1404234.5   0.00038     0.00039     0.00038     \n"
      "Triad       1380000.0   0.00058     0.00059     0.00058     \n"
      "GPU-STREAM\nVersion: 2.0\nImplementation: OpenCL\nUsing OpenCL device gfx906\n"
      "Function    MBytes/sec  Min (sec)   Max         Average     \nDot 500000.0 0.1 0.1 0.1\n",
      "stream.txt");
  const auto& b = data.manifest.machine.bandwidths;
  ASSERT_EQ(b.size(), 3u);
  EXPECT_EQ(b[0].name, "BabelStream Copy");
  EXPECT_EQ(b[0].device, "NVIDIA A100-SXM4-40GB");
  EXPECT_NEAR(b[0].bytes_per_second, 1404234.5e6, 1);
  EXPECT_NEAR(b[0].array_bytes, 268.4e6, 1);
  EXPECT_EQ(b[2].name, "GPU-STREAM Dot");
  EXPECT_EQ(b[2].device, "gfx906");
  const auto csv = machine_of(
      "function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime\n"
      "Copy,100,33554432,8,1404234.5,0.00038,0.00039,0.00038\n",
      "stream.csv");
  ASSERT_EQ(csv.bandwidths.size(), 1u);
  EXPECT_EQ(csv.bandwidths[0].array_bytes, 33554432.0 * 8);
  const auto stream = machine_of("-------------\nSTREAM version $Revision: 5.10 $\nFunction    Best Rate "
                                 "MB/s  Avg time     Min time     Max time\n"
                                 "Copy:          180000.5     0.1  0.1  0.1\n",
                                 "cpu.txt");
  ASSERT_EQ(stream.bandwidths.size(), 1u);
  EXPECT_EQ(stream.bandwidths[0].name, "STREAM Copy");
  EXPECT_EQ(stream.bandwidths[0].device, "host"); // no GPU has this bandwidth
}

TEST_F(Machines, AreKeptInStoresAndNextToTraces) {
  write_bytes(folder_.path("gpu.json"), kMt4g);
  write_bytes(folder_.path("osu.txt"), "# OSU MPI Latency Test v7.5\n# Size Avg Latency(us)\n1 2\n2 2.5\n");
  write_bytes(folder_.path("table.csv"), "kernel,duration_us\nk,1\nk,2\n");
  const auto data =
      import_files({folder_.path("gpu.json"), folder_.path("table.csv"), folder_.path("osu.txt")}, Job{});
  ASSERT_TRUE(data) << describe(data.error());
  EXPECT_EQ(launches_of(*data), 2u);
  ASSERT_TRUE(store::write_store(*data, folder_.path("s.jts")));
  const auto store = store::Store::open(folder_.path("s.jts"));
  ASSERT_TRUE(store) << describe(store.error());
  const auto& machine = store->manifest().machine;
  ASSERT_EQ(machine.gpus.size(), 1u);
  EXPECT_EQ(machine.gpus[0].levels[1].bandwidth, 14365.0 * kGiB);
  EXPECT_TRUE(std::isnan(machine.gpus[0].levels[2].latency));
  ASSERT_EQ(machine.networks.size(), 1u);
  EXPECT_EQ(machine.networks[0].points[1].value, 2.5);
  const auto again = machine_of_file(folder_.path("s.jts"), Job{});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->gpus.size(), 1u);
  EXPECT_FALSE(machine_of_file(folder_.path("table.csv"), Job{}));
  EXPECT_FALSE(machine_of_file(folder_.path("absent.json"), Job{}));
}

TEST_F(Machines, DamagedFilesGiveAMachineOrAnError) {
  expect_damage_is_survived(kMt4g, 5);
  expect_damage_is_survived(
      "# OSU MPI Latency Test v7.5\n# [ pairs: 4 ]\n# Size Avg Latency(us)\n1 2 Pass\n2 2.5 Pass\n");
  expect_damage_is_survived(
      "BabelStream\nUsing CUDA device X\nArray size: 268.4 MB\nCopy 1404234.5 0.00038 0.00039 0.00038\n");
  expect_damage_is_survived("GPU_INFORMATION; GPU_name; \"X\"\nCOMPUTE_RESOURCE_INFORMATION; Number_of_SM; "
                            "3\nL1_DATA_CACHE; Size; 2; KiB\n");
}

TEST_F(Machines, ValuesThatMakeNoSenseAreLeftOut) {
  auto text = kMt4g;
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("\"mean\": 116.0", "\"mean\": -3");
  replace("14365.0", "\"fast\"");
  replace("\"value\": 2100000", "\"value\": 1e400");
  replace("\"maxThreadsPerBlock\": 1024", "\"maxThreadsPerBlock\": -9e30");
  const auto data = import_text(text, "odd.json");
  if (!data) { // not every parser of JSON accepts 1e400
    EXPECT_EQ(data.error().kind, ErrorKind::BadInput);
    return;
  }
  const auto& gpu = data->manifest.machine.gpus.at(0);
  EXPECT_TRUE(std::isnan(gpu.levels[0].latency));
  EXPECT_TRUE(std::isnan(gpu.levels[1].bandwidth));
  EXPECT_EQ(gpu.max_threads_per_block, 0);
}

TEST_F(Machines, RealFilesOfMt4gAndOsu) {
  const std::filesystem::path data = JITTERSCOPE_DATA_DIR;
  if (!std::filesystem::exists(data / "mt4g")) GTEST_SKIP() << "the real files of MT4G are not available";
  int gpus = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data / "mt4g")) {
    if (entry.path().extension() != ".json") continue;
    const auto machine = machine_of_file(entry.path().string(), Job{});
    ASSERT_TRUE(machine) << describe(machine.error());
    const auto& gpu = machine->gpus.at(0);
    EXPECT_GT(gpu.clock_hz, 1e9) << gpu.name;
    EXPECT_GT(gpu.levels.back().latency, gpu.levels[1].latency) << gpu.name;
    EXPECT_GT(gpu.levels[1].bandwidth, gpu.levels.back().bandwidth) << gpu.name;
    ++gpus;
  }
  EXPECT_GE(gpus, 4);
  const auto a100 = machine_of_file((data / "mt4g" / "NVIDIA A100-PCIE-40GB.json").string(), Job{});
  ASSERT_TRUE(a100);
  EXPECT_EQ(a100->gpus[0].levels[1].latency, 220.95294117647057);
  EXPECT_NEAR(a100->gpus[0].levels[2].bandwidth / kGiB, 1098.2145096543795, 1e-9);
  EXPECT_EQ(a100->gpus[0].max_warps, 64);
  int curves = 0, failed = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data / "osu")) {
    const auto extension = entry.path().extension();
    if (extension != ".txt" && extension != ".log") continue;
    const auto machine = machine_of_file(entry.path().string(), Job{});
    failed += !machine;
    if (machine) {
      EXPECT_GE(machine->networks.at(0).points.size(), 21u) << entry.path();
      ++curves;
    }
  }
  EXPECT_EQ(curves, 18); // 10 of GH200, 8 of UIBK
  EXPECT_GE(failed, 5);  // a run without rows, logs of errors
}

} // namespace
} // namespace jitterscope::import
