// The trace as a database of Nsight Systems: table and column names and their order as in exports of the
// chosen version.

#include <algorithm>

#include <fmt/core.h>
#include <fmt/format.h>

#include "tests/generator/model.h"
#include "tests/generator/sqlite_writer.h"
#include "tests/generator/strings.h"

namespace jitterscope::generator {
namespace {

constexpr long long kUtcStart = 1'780'000'000'000'000'000; // ns, 2026-05-28
constexpr long long kMetricsTypeOfGpu0 = 281'479'271'677'952;

long long pid(int device) {
  return 4'200 + 37 * device;
}
long long global_pid(int device) {
  return (1LL << 48) | (pid(device) << 24);
}
long long global_tid(int device, bool loader) {
  return global_pid(device) | (pid(device) + (loader ? 9 : 0));
}
// The profiler numbers GPUs in the opposite order to CUDA, as on real machines.
long long gpu_id(const Options& options, int device) {
  return options.devices - 1 - device;
}
long long metrics_type(const Options& options, int device) {
  return kMetricsTypeOfGpu0 + gpu_id(options, device);
}

/// Optional columns of a version.
struct Layout {
  bool mangled, green_context, cluster, tensor, migration_cause, virtual_address, copy_count;
};
Layout layout_of(Schema schema) {
  switch (schema) {
  case Schema::V3_25_0:
    return {true, true, true, true, true, true, true};
  case Schema::V3_0_0:
    return {true, false, false, false, true, true, false};
  case Schema::None:
    break;
  }
  return {false, false, false, false, true, false, false};
}

class Database {
public:
  Database(const Options& options, Trace&& trace, RowSource more, const std::string& path)
      : options_(options), layout_(layout_of(options.schema)), trace_(std::move(trace)),
        more_(std::move(more)), writer_(path) {
    for (const auto& kernel : trace_.kernels)
      kernel_names_.push_back(
          {strings_.id(kernel.name), strings_.id(kernel.short_name), strings_.id(kernel.mangled)});
  }

  Expected<void> write() {
    const auto by_start = [](const auto& a, const auto& b) { return a.start < b.start; };
    std::stable_sort(trace_.launches.begin(), trace_.launches.end(), by_start);
    std::stable_sort(trace_.memory.begin(), trace_.memory.end(), by_start);
    std::stable_sort(trace_.calls.begin(), trace_.calls.end(), by_start);
    std::stable_sort(trace_.ranges.begin(), trace_.ranges.end(), by_start);
    kernels();
    copies();
    memsets();
    calls();
    ranges();
    if (options_.schema == Schema::V3_25_0) samples_as_table();
    if (options_.schema == Schema::V3_0_0) samples_as_json();
    target();
    strings();
    return writer_.finish();
  }

private:
  struct KernelNames {
    long long full, brief, mangled;
  };

  std::string activity_columns() const {
    return fmt::format(
        "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT "
        "NULL, {}streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER",
        layout_.green_context ? "greenContextId INTEGER, " : "");
  }
  int activity_count() const { return layout_.green_context ? 8 : 7; }

  void bind_activity(Insert& insert, long long start, long long duration, int device, int stream,
                     int correlation) {
    insert.integer(start).integer(start + duration).integer(device).integer(stream == 0 ? 0 : 1);
    if (layout_.green_context) insert.null();
    insert.integer(stream).integer(correlation).integer(global_pid(device));
  }

  void create_kernels() {
    writer_.run(fmt::format(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({}, demangledName INTEGER NOT NULL, shortName INTEGER NOT "
        "NULL, {}"
        "launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT "
        "NULL, gridY "
        "INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ "
        "INTEGER NOT "
        "NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, "
        "localMemoryPerThread INTEGER "
        "NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, "
        "graphNodeId "
        "INTEGER, sharedMemoryLimitConfig INTEGER{}{})",
        activity_columns(), layout_.mangled ? "mangledName INTEGER, " : "",
        layout_.cluster
            ? ", qmdBulkReleaseDone INTEGER, qmdPreexitDone INTEGER, qmdLastCtaDone INTEGER, graphId "
              "INTEGER, "
              "clusterX INTEGER, clusterY INTEGER, clusterZ INTEGER, clusterSchedulingPolicy INTEGER, "
              "maxPotentialClusterSize INTEGER, maxActiveClusters INTEGER"
            : "",
        layout_.tensor ? ", sharedMemoryRequestedPercentage INTEGER, tensorSizeMinusOneElements TEXT NOT NULL"
                       : ""));
  }

  void kernels() {
    create_kernels();
    const int columns =
        activity_count() + 19 + layout_.mangled + (layout_.cluster ? 10 : 0) + (layout_.tensor ? 2 : 0);
    Insert insert(writer_, "CUPTI_ACTIVITY_KIND_KERNEL", columns);
    long long grid_number = 0;
    for (const auto& row : trace_.launches) insert_launch(insert, row, ++grid_number);
    for (LaunchRow row; more_.launch && more_.launch(row);) insert_launch(insert, row, ++grid_number);
  }

  void insert_launch(Insert& insert, const LaunchRow& row, long long grid_number) {
    const auto& configuration = trace_.configurations[static_cast<std::size_t>(row.configuration)];
    const auto& kernel = trace_.kernels[static_cast<std::size_t>(configuration.kernel)];
    bind_activity(insert, row.start, row.duration, row.device, row.stream, row.correlation);
    const auto& names = kernel_names_[static_cast<std::size_t>(configuration.kernel)];
    insert.integer(names.full).integer(names.brief);
    if (layout_.mangled) insert.integer(names.mangled);
    insert.integer(1)
        .integer(0)
        .integer(kernel.registers)
        .integer(configuration.grid_x)
        .integer(1)
        .integer(1);
    insert.integer(kernel.block)
        .integer(1)
        .integer(1)
        .integer(kernel.static_shared)
        .integer(kernel.dynamic_shared);
    insert.integer(0).integer(0).integer(grid_number).integer(kernel.dynamic_shared + kernel.static_shared);
    insert.null().integer(0);
    for (int i = 0; layout_.cluster && i < 10; ++i) insert.null();
    if (layout_.tensor) insert.null().text("[]");
    insert.row();
  }

  void copies() {
    writer_.run(fmt::format(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY ({}, bytes INTEGER NOT NULL, copyKind INTEGER NOT "
        "NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, "
        "srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, "
        "graphNodeId INTEGER{}{})",
        activity_columns(), layout_.virtual_address ? ", virtualAddress INTEGER" : "",
        layout_.copy_count ? ", copyCount INTEGER" : ""));
    Insert insert(writer_, "CUPTI_ACTIVITY_KIND_MEMCPY",
                  activity_count() + 11 + layout_.virtual_address + layout_.copy_count);
    for (const auto& row : trace_.memory)
      if (row.kind != MemoryKind::Memset) insert_copy(insert, row);
    for (MemoryRow row; more_.copy && more_.copy(row);) insert_copy(insert, row);
  }

  void insert_copy(Insert& insert, const MemoryRow& row) {
    const bool migration = row.kind == MemoryKind::Migration;
    const bool to_host = row.kind == MemoryKind::DeviceToHost;
    bind_activity(insert, row.start, row.duration, row.device, row.stream, row.correlation);
    insert.integer(row.bytes).integer(static_cast<long long>(row.kind)).null();
    insert.integer(migration ? 7
                   : to_host ? 2
                             : 1)
        .integer(migration ? 7
                 : to_host ? 1
                           : 2)
        .null()
        .null()
        .null()
        .null();
    if (migration)
      insert.integer(2); // page fault
    else
      insert.null();
    insert.null();
    if (layout_.virtual_address) {
      if (migration)
        insert.integer(0x7F0000000000 + row.start % 4096 * 4096);
      else
        insert.null();
    }
    if (layout_.copy_count) insert.integer(1);
    insert.row();
  }

  void memsets() {
    writer_.run(fmt::format(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET ({}, value INTEGER NOT NULL, bytes INTEGER NOT NULL, "
        "graphNodeId INTEGER, memKind INTEGER)",
        activity_columns()));
    Insert insert(writer_, "CUPTI_ACTIVITY_KIND_MEMSET", activity_count() + 4);
    for (const auto& row : trace_.memory) {
      if (row.kind != MemoryKind::Memset) continue;
      bind_activity(insert, row.start, row.duration, row.device, row.stream, row.correlation);
      insert.integer(0).integer(row.bytes).null().integer(2).row();
    }
  }

  void calls() {
    writer_.run(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass "
        "INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue "
        "INTEGER "
        "NOT NULL, callchainId INTEGER)");
    const long long names[] = {strings_.id("cudaLaunchKernel_v7000"), strings_.id("cudaMemcpyAsync_v3020"),
                               strings_.id("cudaMemsetAsync_v3020"),
                               strings_.id("cudaDeviceSynchronize_v3020"), strings_.id("cudaMemcpy_v3020")};
    Insert insert(writer_, "CUPTI_ACTIVITY_KIND_RUNTIME", 8);
    for (const auto& row : trace_.calls) {
      insert.integer(row.start).integer(row.start + row.duration).integer(0);
      insert.integer(global_tid(row.device, row.loader_thread)).integer(row.correlation);
      insert.integer(names[static_cast<std::size_t>(row.name)]).integer(0).null().row();
    }
  }

  void ranges() {
    writer_.run(fmt::format(
        "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
        "rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid "
        "INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue "
        "REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText "
        "TEXT{})",
        options_.schema == Schema::V3_25_0 ? ", binaryData TEXT" : ""));
    Insert insert(writer_, "NVTX_EVENTS", options_.schema == Schema::V3_25_0 ? 20 : 19);
    constexpr int kDomain = 1, kDomainCreate = 75, kPushPop = 59;
    for (int device = 0; device < options_.devices; ++device) {
      insert.integer(100'000).null().integer(kDomainCreate).null().null().null().text("training");
      insert.integer(global_tid(device, false)).null().null().integer(kDomain).row();
    }
    const long long phases[] = {0, strings_.id("forward"), strings_.id("backward"), strings_.id("optimizer")};
    for (const auto& row : trace_.ranges) {
      insert.integer(row.start).integer(row.start + row.duration).integer(kPushPop).null().null().null();
      if (row.name == RangeName::Step)
        insert.text(fmt::format("step {}", row.step));
      else
        insert.null();
      insert.integer(global_tid(row.device, false)).null();
      if (row.name == RangeName::Step)
        insert.null();
      else
        insert.integer(phases[static_cast<std::size_t>(row.name)]);
      insert.integer(kDomain).row();
    }
  }

  void samples_as_table() {
    writer_.run("CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER NOT NULL, metricId INTEGER NOT "
                "NULL, value "
                "INTEGER NOT NULL);"
                "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL, "
                "typeName TEXT NOT "
                "NULL, metricId INTEGER NOT NULL, metricName TEXT NOT NULL)");
    Insert names(writer_, "TARGET_INFO_GPU_METRICS", 5);
    for (int device = 0; device < options_.devices; ++device)
      for (int metric = 0; metric < kMetrics; ++metric)
        names.integer(metrics_type(options_, device))
            .integer(kMetricsTypeOfGpu0)
            .text("")
            .integer(metric)
            .text(kMetricNames[static_cast<std::size_t>(metric)])
            .row();
    Insert insert(writer_, "GPU_METRICS", 4);
    for (const auto& row : trace_.samples)
      for (int metric = 0; metric < kMetrics; ++metric)
        insert.integer(row.time)
            .integer(metrics_type(options_, row.device))
            .integer(metric)
            .integer(row.values[static_cast<std::size_t>(metric)])
            .row();
  }

  void samples_as_json() {
    writer_.run("CREATE TABLE GENERIC_EVENT_SOURCES (sourceId INTEGER NOT NULL, data TEXT NOT NULL);"
                "CREATE TABLE GENERIC_EVENT_TYPES (typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL, data "
                "TEXT NOT NULL);"
                "CREATE TABLE GENERIC_EVENTS (rawTimestamp INTEGER NOT NULL, timestamp INTEGER, typeId "
                "INTEGER NOT NULL, "
                "data TEXT NOT NULL)");
    Insert(writer_, "GENERIC_EVENT_SOURCES", 2)
        .integer(kMetricsTypeOfGpu0)
        .text("{\n    \"Name\": \"GpuMetrics\"\n}\n")
        .row();
    Insert types(writer_, "GENERIC_EVENT_TYPES", 3);
    for (int device = 0; device < options_.devices; ++device)
      types.integer(metrics_type(options_, device))
          .integer(kMetricsTypeOfGpu0)
          .text("{\n    \"Name\": \"\"\n}\n")
          .row();
    Insert insert(writer_, "GENERIC_EVENTS", 4);
    for (const auto& row : trace_.samples) {
      std::string text = "{\n";
      for (std::size_t metric = 0; metric < kMetrics; ++metric)
        text += fmt::format("    \"{}\": \"{}\"{}\n", kMetricNames[metric], row.values[metric],
                            metric + 1 < kMetrics ? "," : "");
      insert.integer(row.time).null().integer(metrics_type(options_, row.device)).text(text + "}\n").row();
    }
  }

  void target() {
    writer_.run("CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, "
                "busLocation TEXT, "
                "isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, "
                "clockRate INTEGER, "
                "smCount INTEGER, pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT, cuDevice INTEGER);"
                "CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER)");
    Insert gpus(writer_, "TARGET_INFO_GPU", 15);
    Insert threads(writer_, "ThreadNames", 3);
    for (int device = 0; device < options_.devices; ++device) {
      const auto id = gpu_id(options_, device);
      gpus.integer(1LL << 48)
          .integer(id)
          .text("NVIDIA A100-SXM4-80GB")
          .text(fmt::format("0000:{:02x}:00.0", 3 + id));
      gpus.integer(1)
          .integer(41943040)
          .integer(85094825984)
          .integer(2039040000000)
          .integer(1410000000)
          .integer(108);
      gpus.integer(id)
          .text(fmt::format("{:08x}-7a6b-5c4d-3e2f-{:012x}", options_.seed & 0xFFFFFFFF, id + 1))
          .integer(0);
      gpus.text("GA100").integer(device).row();
      threads.integer(strings_.id("train")).integer(20).integer(global_tid(device, false)).row();
      threads.integer(strings_.id("data loader")).integer(20).integer(global_tid(device, true)).row();
    }
    if (options_.schema != Schema::None) session();
    if (options_.schema == Schema::V3_25_0) cuda_devices();
  }

  void session() {
    writer_.run(
        "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
        "CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER NOT NULL, duration INTEGER NOT NULL, startTime "
        "INTEGER NOT "
        "NULL, stopTime INTEGER NOT NULL);"
        "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT)");
    Insert processes(writer_, "PROCESSES", 3);
    for (int device = 0; device < options_.devices; ++device)
      processes.integer(global_pid(device)).integer(pid(device)).text("train").row();
    Insert(writer_, "ANALYSIS_DETAILS", 4)
        .integer(1LL << 48)
        .integer(trace_.end)
        .integer(9'000'000'000)
        .integer(9'000'000'000 + trace_.end)
        .row();
    Insert(writer_, "TARGET_INFO_SESSION_START_TIME", 3)
        .integer(kUtcStart)
        .text("2026-05-28T20:26:40")
        .text("2026-05-28T20:26:40")
        .row();
    const bool newest = options_.schema == Schema::V3_25_0;
    const char* meta = newest ? "META_DATA_EXPORT" : "EXPORT_META_DATA";
    writer_.run(fmt::format("CREATE TABLE {} (name TEXT NOT NULL, value TEXT)", meta));
    Insert versions(writer_, meta, 2);
    versions.text("EXPORT_PRODUCT_VERSION").text(newest ? "2026.2.1.210" : "2022.4.1.21").row();
    versions.text("EXPORT_SCHEMA_VERSION").text(newest ? "3.25.0" : "3.0.0").row();
  }

  void cuda_devices() {
    writer_.run("CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER "
                "NOT NULL, uuid "
                "TEXT, numMultiprocessors INTEGER)");
    Insert insert(writer_, "TARGET_INFO_CUDA_DEVICE", 5);
    for (int device = 0; device < options_.devices; ++device)
      insert.integer(gpu_id(options_, device)).integer(device).integer(pid(device)).null().integer(108).row();
  }

  void strings() {
    writer_.run("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
    Insert insert(writer_, "StringIds", 2);
    long long id = 0;
    for (const auto& text : strings_.texts()) insert.integer(id++).text(text).row();
  }

  const Options& options_;
  Layout layout_;
  Trace trace_;
  RowSource more_;
  SqliteWriter writer_;
  Strings strings_;
  std::vector<KernelNames> kernel_names_; // ids in table StringIds
};

} // namespace

Expected<void> write_database(const Options& options, Trace&& trace, const std::string& path) {
  return Database(options, std::move(trace), {}, path).write();
}

Expected<void> write_database(const Options& options, Trace&& rest, RowSource rows, const std::string& path) {
  return Database(options, std::move(rest), std::move(rows), path).write();
}

} // namespace jitterscope::generator
