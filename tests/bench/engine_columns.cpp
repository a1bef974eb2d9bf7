// jitterscope-bench-columns STORE… FOLDER: writes the columns of the bins job in the formats of other
// tools: start.npy, duration.npy, configuration.npy (NumPy), rows.parquet (plain pages), rows.native
// (ClickHouse).

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "core/analysis/session/session.h"
#include "tests/bench/measure.h"
#include "tests/bench/parquet_writer.h"

using namespace jitterscope;
using namespace jitterscope::bench;

namespace {

constexpr std::size_t kRowsPerGroup = std::size_t{1} << 18;

std::ofstream created(const std::filesystem::path& path) {
  std::ofstream out(path, std::ios::binary);
  if (!out) stop(Error{ErrorKind::Io, "the file cannot be written", path.string(), {}, {}});
  return out;
}

template <class T>
void put(std::ostream& out, const std::vector<T>& values) {
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
}

/// NumPy's format 1.0: magic, length of a text padded to 64 bytes, the text, the values.
class NumpyFile {
public:
  NumpyFile(const std::filesystem::path& path, const char* type, std::int64_t rows) : out_(created(path)) {
    auto head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", type, rows);
    head.resize((10 + head.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
    head += '\n';
    out_ << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(head.size() % 256)
         << static_cast<char>(head.size() / 256) << head;
  }
  template <class T>
  void add(const std::vector<T>& values) {
    put(out_, values);
  }

private:
  std::ofstream out_;
};

/// ClickHouse's Native format: blocks of named, typed columns.
class NativeFile {
public:
  explicit NativeFile(const std::filesystem::path& path) : out_(created(path)) {}

  void begin_block(std::size_t columns, std::size_t rows) {
    number(columns);
    number(rows);
  }
  template <class T>
  void add(const std::string& name, const std::string& type, const std::vector<T>& values) {
    text(name);
    text(type);
    put(out_, values);
  }

private:
  void number(std::size_t value) {
    for (; value >= 128; value /= 128) out_.put(static_cast<char>(value % 128 + 128));
    out_.put(static_cast<char>(value));
  }
  void text(const std::string& value) {
    number(value.size());
    out_ << value;
  }
  std::ofstream out_;
};

/// One group of rows.
struct Group {
  std::vector<std::int64_t> start;
  std::vector<std::uint32_t> duration, configuration;
  std::vector<std::uint16_t> narrow_configuration;

  void read(const analysis::Trace& trace, std::size_t first, std::size_t last) {
    const auto& launches = trace.store.table("launches");
    const auto* starts = launches.find("start");
    const auto* durations = launches.find("duration");
    const auto* configurations = launches.find("configuration");
    for (auto* column : {&duration, &configuration}) column->resize(last - first);
    start.resize(last - first);
    narrow_configuration.resize(last - first);
    for (std::size_t row = first; row < last; ++row) {
      const auto i = row - first;
      start[i] = static_cast<std::int64_t>(starts->at(row)) + trace.shift_ns;
      duration[i] = static_cast<std::uint32_t>(durations->at(row));
      configuration[i] = trace.configuration[static_cast<std::size_t>(configurations->at(row))];
      narrow_configuration[i] = static_cast<std::uint16_t>(configuration[i]);
    }
  }
};

void write_columns(const analysis::Session& session, const std::filesystem::path& folder) {
  const auto rows = session.launches();
  NumpyFile start(folder / "start.npy", "<i8", rows), duration(folder / "duration.npy", "<u4", rows),
      configuration(folder / "configuration.npy", "<u2", rows);
  NativeFile native(folder / "rows.native");
  ParquetWriter parquet((folder / "rows.parquet").string(), {{"start", ParquetType::Int64},
                                                             {"duration", ParquetType::UInt32},
                                                             {"configuration", ParquetType::UInt16}});
  Group group;
  for (const auto& trace : session.traces())
    for (std::size_t first = 0; first < static_cast<std::size_t>(trace.launches()); first += kRowsPerGroup) {
      group.read(trace, first, std::min(first + kRowsPerGroup, static_cast<std::size_t>(trace.launches())));
      start.add(group.start);
      duration.add(group.duration);
      configuration.add(group.narrow_configuration);
      native.begin_block(3, group.start.size());
      native.add("start", "Int64", group.start);
      native.add("duration", "UInt32", group.duration);
      native.add("configuration", "UInt16", group.narrow_configuration);
      parquet.begin_group(group.start.size());
      parquet.add(std::as_bytes(std::span(group.start)));
      parquet.add(std::as_bytes(std::span(group.duration)));
      parquet.add(std::as_bytes(std::span(group.configuration)));
    }
  if (auto done = parquet.finish(); !done) stop(done.error());
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: jitterscope-bench-columns STORE... FOLDER\n", stderr);
    return 1;
  }
  const std::vector<std::string> stores(argv + 1, argv + argc - 1);
  const auto session = analysis::Session::open(stores);
  if (!session) stop(session.error());
  if (session->configurations().size() > 65'536) {
    std::fputs("more than 65,536 configurations do not fit into the columns\n", stderr);
    return 2;
  }
  std::filesystem::create_directories(argv[argc - 1]);
  write_columns(*session, argv[argc - 1]);
  std::printf("{\"rows\": %lld}\n", static_cast<long long>(session->launches()));
  return 0;
}
