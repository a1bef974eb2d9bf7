// Import speed of each kind of file, compared with pandas (if installed) and with its limit in the same run:
// a bare sqlite3 scan of the same columns, simdjson alone, or reading the file.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/os.h>
#include <simdjson.h>
#include <sys/resource.h>

#include "core/base/spill_memory.h"
#include "core/import/import.h"
#include "core/import/registry.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/json/cursor.h"
#include "core/store/format/store.h"
#include "tests/bench/csv_limits.h"
#include "tests/bench/measure.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::bench;

namespace {

struct File {
  std::string path;
  double rows = 0;
  double megabytes() const { return static_cast<double>(std::filesystem::file_size(path)) / 1e6; }
};

void head(const File& file, const char* what) {
  fmt::print("\n{}: {:.0f} rows, {:.1f} MB\n{:44} {:>8} {:>8} {:>10} {:>8} {:>10}\n", what, file.rows,
             file.megabytes(), "step", "wall s", "CPU s", "Mrow/s", "MB/s", "of limit");
}

// `limit`: CPU seconds of the physical limit, or of the tool that this step is compared with; 0 in the row of
// the limit itself.
void row(const File& file, const char* step, Cost cost, double limit) {
  fmt::print("{:44} {:8.3f} {:8.3f} {:10.2f} {:8.0f} {:>10}\n", step, cost.wall_s, cost.cpu_s,
             file.rows / cost.cpu_s / 1e6, file.megabytes() / cost.cpu_s,
             limit > 0 ? fmt::format("{:.2f}", limit / cost.cpu_s) : "");
}

double children_cpu() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Time of a Python program without that of importing pandas; empty if there is no pandas.
Cost pandas(const std::string& program) {
  if (std::system("/usr/bin/python3 -c 'import pandas' 2>/dev/null") != 0) return {};
  const auto cost = [](const std::string& text) -> Cost {
    const double cpu = children_cpu();
    const auto begin = std::chrono::steady_clock::now();
    if (std::system(
            fmt::format("/usr/bin/python3 -c \"import pandas as pd\n{}\" >/dev/null 2>&1", text).c_str()) !=
        0)
      return {};
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    return {wall.count(), children_cpu() - cpu};
  };
  const auto empty = cost("pass");
  Cost tries[3] = {cost(program), cost(program), cost(program)};
  std::sort(std::begin(tries), std::end(tries),
            [](const Cost& a, const Cost& b) { return a.wall_s < b.wall_s; });
  const auto full = tries[1];
  return full.cpu_s > empty.cpu_s ? Cost{full.wall_s - empty.wall_s, full.cpu_s - empty.cpu_s} : Cost{};
}

// Prints the cost of pandas, and how many times as long pandas takes as reading and as the whole import.
// `min_wall`: lower bound of the wall time of any reader, in s; 0: none.
void peer(const File& file, Cost theirs, Cost reading, Cost whole, double min_wall = 0) {
  if (theirs.cpu_s <= 0) {
    fmt::print("{:44} not installed\n", "pandas");
    return;
  }
  fmt::print("{:44} {:8.3f} {:8.3f} {:10.2f} {:8.0f}\n", "pandas, reading alone", theirs.wall_s, theirs.cpu_s,
             file.rows / theirs.cpu_s / 1e6, file.megabytes() / theirs.cpu_s);
  const auto ratio = [&](const char* what, Cost ours) {
    fmt::print("{:44} {:7.1f}x {:7.1f}x\n", what, theirs.wall_s / ours.wall_s, theirs.cpu_s / ours.cpu_s);
  };
  ratio("  pandas / reading", reading);
  ratio("  pandas / whole import", whole);
  if (min_wall > 0)
    fmt::print("{:44} {:7.1f}x\n", "  pandas / file, memory and fields alone", theirs.wall_s / min_wall);
}

// The work of the file's reader: rows into a draft, without sorting or derived columns.
// `kept`: receives the bytes of memory that the rows occupy.
void read_rows(const std::string& path, std::size_t* kept = nullptr) {
  const SpillMemory spill_memory;
  const Job job;
  const auto before = kept ? resident_bytes() : 0;
  const auto inputs = import::expand(path, job);
  if (!inputs) stop(inputs.error());
  const auto reader = import::reader_for(inputs->front());
  if (!reader) stop(reader.error());
  import::Draft draft;
  store::Source source;
  source.path = path;
  const import::Progress progress{job, 0, inputs->front().disk_bytes, inputs->front().disk_bytes};
  if (auto done = (*reader)->read(*inputs, draft, source, progress); !done) stop(done.error());
  if (kept) *kept = std::max(resident_bytes(), before) - before;
}

void import_all(const std::string& path, const std::string& store) {
  const SpillMemory spill_memory;
  auto data = import::import_files({path}, {});
  if (!data) stop(data.error());
  if (auto written = store::write_store(*data, store); !written) stop(written.error());
}

void sqlite(const File& file, const std::string& store) {
  head(file, "Nsight Systems SQLite");
  const auto scan = median_of(3, [&] { bare_scan(file.path); });
  row(file, "limit: bare sqlite3 scan, same columns", scan, 0);
  const auto reading = median_of(3, [&] { read_rows(file.path); });
  row(file, "rows into memory", reading, scan.cpu_s);
  const auto whole = median_of(3, [&] { import_all(file.path, store); });
  row(file, "import: sorted, context, report, store", whole, scan.cpu_s);
  peer(file,
       pandas(fmt::format("import sqlite3\npd.read_sql('select start,end,deviceId,streamId,correlationId,"
                          "globalPid,demangledName,shortName,gridX,gridY,gridZ,blockX,blockY,blockZ,"
                          "staticSharedMemory,dynamicSharedMemory,registersPerThread from "
                          "CUPTI_ACTIVITY_KIND_KERNEL', sqlite3.connect('{0}'))\npd.read_sql('select "
                          "start,end,globalTid,correlationId,nameId,returnValue from "
                          "CUPTI_ACTIVITY_KIND_RUNTIME', sqlite3.connect('{0}'))",
                          file.path)),
       reading, whole);
}

File write_chrome(const std::string& path, std::int64_t launches) {
  auto out = fmt::output_file(path);
  out.print("{{\"schemaVersion\": 1, \"traceEvents\": [\n");
  for (std::int64_t i = 0; i < launches; ++i) {
    const double at = 1712195495519.0 * 1e3 + static_cast<double>(i) * 12.5;
    out.print("  {{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 4711, "
              "\"tid\": 4711,"
              "\n    \"ts\": {:.3f}, \"dur\": {:.3f},\n    \"args\": {{\"External id\": {}, \"cbid\": 211, "
              "\"correlation\": "
              "{}}}\n  }},\n",
              at, 4.25, i, i + 1);
    out.print("  {{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void "
              "at::native::vectorized_elementwise_kernel<4, "
              "at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int)\", \"pid\": 0, "
              "\"tid\": 7,\n    "
              "\"ts\": {:.3f}, \"dur\": {:.3f},\n    \"args\": {{\"External id\": {}, \"queued\": 0, "
              "\"device\": 0, "
              "\"context\": 1, \"stream\": 7, \"correlation\": {}, \"registers per thread\": 32, \"shared "
              "memory\": 0, "
              "\"blocks per SM\": 1.5, \"warps per SM\": 6.25, \"grid\": [{}, 1, 1], \"block\": [128, 1, 1], "
              "\"est. achieved "
              "occupancy %\": 43}}\n  }}{}\n",
              at + 6, 3 + static_cast<double>(i % 17) / 8, i, i + 1, 64 + i % 5, i + 1 < launches ? "," : "");
  }
  out.print("]}}\n");
  return {path, 2 * static_cast<double>(launches)};
}

// As printed by nsys stats --report cuda_gpu_trace.
File write_nsys_stats(const std::string& path, std::int64_t rows) {
  auto out = fmt::output_file(path);
  out.print(
      "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes "
      "(MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n");
  for (std::int64_t i = 0; i < rows; ++i)
    out.print("{},{},{},{},{},1,{},1,1,{},{:.3f},0.000,,,,,NVIDIA H100 PCIe (0),1,,{},\"void "
              "at::native::vectorized_elementwise_kernel<{}, at::native::CUDAFunctor_add<float>, "
              "at::detail::Array<char*, 3> >(int)\"\n",
              300'000'000 + i * 12'500, 2'000 + i * 7'919 % 40'000, i + 1, 64 + i % 5, 1 + i % 3,
              128 << i % 3, 32 + i % 2, static_cast<double>(i % 4) * 1.024e-3, 7 + i % 4, 1 << i % 4);
  return {path, static_cast<double>(rows)};
}

// As printed by nsys stats --report cuda_api_trace: mostly launches, with other calls between them.
File write_nsys_calls(const std::string& path, std::int64_t rows) {
  static constexpr const char* kNames[] = {"cudaLaunchKernel_v7000", "cudaLaunchKernel_v7000",
                                           "cudaMemcpyAsync_v3020",  "cudaStreamSynchronize_v3020",
                                           "cudaLaunchKernel_v7000", "cudaEventRecord_v3020",
                                           "cuLaunchKernel",         "cudaLaunchKernel_v7000"};
  auto out = fmt::output_file(path);
  out.print("Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n");
  std::uint64_t random = 1;
  for (std::int64_t i = 0; i < rows; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    out.print("{},{},{},0,{},4711,{},20,python3\n", 300'000'000 + i * 12'500, 1'500 + i * 7'919 % 30'000,
              kNames[random >> 61], i + 1, 4711 + i % 3);
  }
  return {path, static_cast<double>(rows)};
}

// As written by ncu with all of its metrics, and more.
File write_wide(const std::string& path, std::int64_t columns, std::int64_t rows) {
  auto out = fmt::output_file(path);
  out.print("duration_ns");
  for (std::int64_t i = 1; i < columns; ++i) out.print(",metric_{}", i);
  for (std::int64_t row = 0; row < rows; ++row) {
    out.print("\n{}", 2'000 + row * 37 % 400);
    for (std::int64_t i = 1; i < columns; ++i)
      out.print(",{}{}", (i * 31 + row * 17) % 1'000, i % 3 == 0 ? ".5" : "");
  }
  out.print("\n");
  return {path, static_cast<double>(rows)};
}

// Launches with metrics, as written by users and autotuners.
File write_metrics(const std::string& path, std::int64_t rows) {
  auto out = fmt::output_file(path);
  out.print("kernel,duration_ns,power,temperature,clock,utilization\n");
  for (std::int64_t i = 0; i < rows; ++i)
    out.print("kernel_{},{},{:.3f},{:.2f},{:.1f},{:.4f}\n", i % 50, 2'000 + i * 7'919 % 40'000,
              150 + static_cast<double>(i * 31 % 150'000) / 1000, 40 + static_cast<double>(i % 4'000) / 100,
              1'400 + static_cast<double>(i * 17 % 5'000) / 10,
              static_cast<double>(i * 13 % 10'000) / 10'000);
  return {path, static_cast<double>(rows)};
}

// Launches with their times, as written by users' own tracers.
File write_timed(const std::string& path, std::int64_t rows) {
  auto out = fmt::output_file(path);
  out.print("start_ns,end_ns,kernel,gpu,stream,power\n");
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto start = 300'000'000 + i * 12'500;
    out.print("{},{},\"void gemm_kernel<{}, float>(int)\",{},{},{:.3f}\n", start,
              start + 2'000 + i * 7'919 % 10'000, i % 50, i % 2, 7 + i % 4,
              150 + static_cast<double>(i * 31 % 150'000) / 1000);
  }
  return {path, static_cast<double>(rows)};
}

// One pass over all events that touches name, start and duration.
void simdjson_alone(const std::string& path) {
  simdjson::padded_string text;
  if (simdjson::padded_string::load(path).get(text)) std::exit(3);
  simdjson::ondemand::parser parser;
  auto document = parser.iterate(text);
  double sum = 0;
  std::size_t letters = 0;
  for (auto event : document["traceEvents"].get_array()) {
    letters += std::string_view(event["name"]).size();
    sum += double(event["ts"]) + double(event["dur"]);
  }
  if (sum == 42 && letters == 42) std::puts("");
}

void cut_elements(const std::string& path) {
  auto stream = import::open_file(path);
  if (!stream) stop(stream.error());
  import::json::Cursor cursor(**stream, path);
  if (auto opened = cursor.open(); !opened) stop(opened.error());
  std::size_t bytes = 0;
  for (;;) {
    const auto key = cursor.member();
    if (!key) stop(key.error());
    if (!*key) break;
    if (**key != "traceEvents") {
      if (auto skipped = cursor.skip(); !skipped) stop(skipped.error());
      continue;
    }
    if (auto opened = cursor.open(); !opened) stop(opened.error());
    for (;;) {
      const auto chunk = cursor.elements();
      if (!chunk) stop(chunk.error());
      if (!*chunk) break;
      bytes += (*chunk)->size;
    }
  }
  if (bytes == 42) std::puts("");
}

void chrome(const File& file, const test::TemporaryFolder& folder) {
  head(file, "PyTorch trace (JSON)");
  const auto alone = median_of(3, [&] { simdjson_alone(file.path); });
  row(file, "limit: simdjson alone, name and times", alone, 0);
  row(file, "elements cut at their borders", median_of(3, [&] { cut_elements(file.path); }), alone.cpu_s);
  const auto reading = median_of(3, [&] { read_rows(file.path); });
  row(file, "rows into memory", reading, alone.cpu_s);
  const auto whole = cost_of([&] { import_all(file.path, folder.file("json.jts")); });
  row(file, "import: sorted, context, report, store", whole, alone.cpu_s);
  peer(file,
       pandas(fmt::format("import json\npd.DataFrame(json.load(open('{}'))['traceEvents'])", file.path)),
       reading, whole);
}

File write_csv(const std::string& path, std::int64_t rows) {
  auto out = fmt::output_file(path);
  out.print("a,b,c,d,e,f,g,h,i,j,k,l,m,duration_ns\n");
  for (std::int64_t i = 0; i < rows; ++i)
    out.print("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", i * 1'234, i % 977, i % 13, i * 7 % 100'000,
              i % 3, 1024 + i % 7, i * 31 % 1'000'003, 128, i % 2, 48, i * 17 % 65'536, i % 64, i * 3,
              2'000 + i * 7'919 % 40'000);
  return {path, static_cast<double>(rows)};
}

void read_file(const std::string& path) {
  auto stream = import::open_file(path);
  if (!stream) stop(stream.error());
  std::vector<char> buffer(std::size_t{1} << 20);
  std::size_t sum = 0;
  for (;;) {
    const auto got = (*stream)->read(buffer);
    if (!got) stop(got.error());
    if (*got == 0) break;
    sum += *got + static_cast<std::size_t>(buffer[*got / 2]);
  }
  if (sum == 42) std::puts("");
}

void split_records(const std::string& path) {
  auto stream = import::open_file(path);
  if (!stream) stop(stream.error());
  import::CsvReader reader(**stream, path);
  std::size_t fields = 0;
  for (;;) {
    const auto more = reader.next();
    if (!more) stop(more.error());
    if (!*more) break;
    fields += reader.fields().size();
  }
  if (fields == 42) std::puts("");
}

void csv(const File& file, const char* what, const test::TemporaryFolder& folder) {
  head(file, what);
  const auto read = median_of(3, [&] { read_file(file.path); });
  row(file, "limit: reading the file", read, 0);
  std::size_t kept = 0;
  read_rows(file.path, &kept);
  const auto limits = csv_limits(file.path, kept);
  row(file, "the same on all processors", limits.file, read.cpu_s);
  row(file, fmt::format("its rows' memory touched, {:.0f} MB, on all", limits.kept_megabytes).c_str(),
      limits.memory, read.cpu_s);
  row(file, "its fields and numbers, in cache, on all", limits.fields, read.cpu_s);
  row(file, "its numbers by from_chars, in cache, on all", limits.from_chars, read.cpu_s);
  row(file, "records split into fields", median_of(3, [&] { split_records(file.path); }), read.cpu_s);
  const auto reading = median_of(7, [&] { read_rows(file.path); });
  row(file, "rows into memory", reading, read.cpu_s);
  const auto whole = cost_of([&] { import_all(file.path, folder.file("csv.jts")); });
  row(file, "import: columns, report, store", whole, read.cpu_s);
  peer(file, pandas(fmt::format("pd.read_csv('{}')", file.path)), reading, whole, limits.wall_s());
}

// Prints the times of importing a wide table, which should be proportional to the number of columns.
void wide(std::int64_t columns, std::int64_t rows, const test::TemporaryFolder& folder) {
  const auto file = write_wide(folder.file(fmt::format("wide{}.csv", columns)), columns, rows);
  const auto store = folder.file("wide.jts");
  head(file, fmt::format("Table (CSV) of {} columns", columns).c_str());
  const auto reading = median_of(3, [&] { read_rows(file.path); });
  row(file, "rows into memory", reading, 0);
  const auto whole = median_of(3, [&] { import_all(file.path, store); });
  row(file, "import: columns, report, store", whole, 0);
  row(file, "store opened",
      median_of(3,
                [&] {
                  if (const auto opened = store::Store::open(store); !opened) stop(opened.error());
                }),
      0);
  peer(file, pandas(fmt::format("pd.read_csv('{}')", file.path)), reading, whole);
}

double launches_in(const std::string& store) {
  const auto opened = store::Store::open(store);
  if (!opened) stop(opened.error());
  return static_cast<double>(opened->table("launches").rows);
}

} // namespace

// jitterscope-bench-import [LAUNCHES [sqlite|json|csv]]   files of that many launches
// jitterscope-bench-import FILE.sqlite STORE             an existing file, imported into STORE
// jitterscope-bench-import rows FILE [TIMES]             only the reading of a file, for profilers
// jitterscope-bench-import whole FILE STORE              only its import, for `time -v`
int main(int argc, char** argv) {
  if (argc > 2 && std::string(argv[1]) == "rows") {
    for (int i = 0; i < (argc > 3 ? std::atoi(argv[3]) : 1); ++i) {
      const auto cost = cost_of([&] { read_rows(argv[2]); });
      fmt::print("rows into memory: {:.4f} s, {:.4f} CPU s\n", cost.wall_s, cost.cpu_s);
    }
    return 0;
  }
  if (argc == 4 && std::string(argv[1]) == "whole") {
    import_all(argv[2], argv[3]);
    return 0;
  }
  const std::string kind = argc > 2 ? argv[2] : "";
  const auto requested = [&](const char* one) { return kind.empty() || kind == one; };
  if (argc > 2 && !(kind == "sqlite" || kind == "json" || kind == "csv")) {
    import_all(argv[1], argv[2]);
    sqlite({argv[1], launches_in(argv[2])}, argv[2]);
    return 0;
  }
  const std::int64_t launches = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const test::TemporaryFolder folder;
  if (requested("sqlite")) {
    generator::Options options;
    options.launches = launches;
    options.causes = {generator::Cause::Migration, generator::Cause::Clock};
    const auto database = folder.file("trace.sqlite");
    if (auto made = generator::generate(options, database, {}); !made) stop(made.error());
    sqlite({database, static_cast<double>(launches)}, folder.file("sqlite.jts"));
  }
  if (requested("json")) chrome(write_chrome(folder.file("trace.json"), launches / 2), folder);
  if (requested("csv")) {
    csv(write_csv(folder.file("table.csv"), launches), "Table (CSV, 14 columns of whole numbers)", folder);
    csv(write_metrics(folder.file("metrics.csv"), launches), "Table (CSV, names and numbers with fractions)",
        folder);
    csv(write_timed(folder.file("timed.csv"), launches), "Table (CSV, times, quoted names, fractions)",
        folder);
    csv(write_nsys_stats(folder.file("trace.csv"), launches), "nsys stats --report cuda_gpu_trace (CSV)",
        folder);
    csv(write_nsys_calls(folder.file("r_cuda_api_trace.csv"), launches),
        "nsys stats --report cuda_api_trace (CSV)", folder);
    wide(8'006, 1'642, folder);
    wide(20'000, 100, folder);
    wide(60'000, 100, folder);
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "\npeak memory of this program {:.0f} MB, including the whole JSON file for the scan by simdjson\n",
      static_cast<double>(usage.ru_maxrss) / 1e3);
  return 0;
}
