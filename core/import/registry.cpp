#include "core/import/registry.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "core/import/nsys/nsys_reader.h"

namespace jitterscope::import {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeadBytes = 4096;

constexpr std::array kReaders = {nsys::kReader};

/// A kind of file that people have and that cannot be imported as it is.
struct Foreign {
  std::string_view magic;
  std::string_view message;
  std::string_view hint;
};

constexpr Foreign kForeign[] = {
    {"NVIDIA Tegra Profiler Report"sv,
     "this is an Nsight Systems report (.nsys-rep or .qdrep) that has not been exported",
     "Export it: nsys export --type sqlite --output REPORT.sqlite REPORT.nsys-rep — then open "
     "REPORT.sqlite."},
    {"NVR\0"sv, "this is an Nsight Compute report (.ncu-rep), which has no published format",
     "Export it: ncu --import REPORT.ncu-rep --page raw --csv --print-units base > REPORT.csv. For a "
     "timeline record "
     "with Nsight Systems."},
    {"version https://git-lfs"sv, "this is a Git LFS pointer, not the file itself",
     "Fetch the file: git lfs pull — then open it again."},
    {"\x89HDF\r\n\x1a\n"sv, "this is an HDF5 file, not a profiler's export",
     "A Jitterscope store (.jts) is opened directly, without import."},
    {"\x1f\x8b"sv, "this file is compressed with gzip", "Unpack it first: gunzip FILE.gz."},
    {"PK\x03\x04"sv, "this is a zip archive", "Unpack it first and open the .sqlite file inside."},
};

tl::unexpected<Error> bad(const std::string& path, std::string_view message, std::string_view hint) {
  return failure(ErrorKind::BadInput, std::string(message), path, {}, std::string(hint));
}

Expected<void> check_is_file(const std::string& path) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (!std::filesystem::exists(status)) return bad(path, "there is no such file", "Check the path.");
  if (std::filesystem::is_directory(status))
    return bad(path, "this is a folder, not a file",
               "Name the exported files in it, for example FOLDER/*.sqlite.");
  if (!std::filesystem::is_regular_file(status))
    return bad(path, "this is not an ordinary file", "Copy its content into a file first.");
  return {};
}

Expected<std::string> read_head(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return bad(path, "the file cannot be opened", "Check that you may read it.");
  std::string head(kHeadBytes, '\0');
  head.resize(std::fread(head.data(), 1, head.size(), file.get()));
  if (std::ferror(file.get())) return failure(ErrorKind::Io, "the file cannot be read", path);
  return head;
}

} // namespace

bool Progress::report(std::int64_t part, std::int64_t whole, const std::string& what) const {
  const double share =
      whole > 0 ? std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0) : 0.0;
  job.progress(done_before + static_cast<std::int64_t>(share * static_cast<double>(file_bytes)), total_bytes,
               what);
  return !job.cancelled();
}

Expected<const Reader*> reader_for(const std::string& path) {
  if (auto done = check_is_file(path); !done) return forward(done.error());
  const auto head = read_head(path);
  if (!head) return forward(head.error());
  if (head->empty())
    return bad(path, "the file is empty",
               "The export may have been interrupted or the disk full: export again.");
  for (const auto& reader : kReaders)
    if (reader.recognises(*head)) return &reader;
  for (const auto& foreign : kForeign)
    if (head->starts_with(foreign.magic)) return bad(path, foreign.message, foreign.hint);
  if (std::string_view("SQLite format 3\0", 16).starts_with(*head))
    return bad(path, "the SQLite file is cut off in its first bytes", "Copy or export the file again.");
  return bad(path, "this kind of file is not known",
             "Supported: Nsight Systems exports, made by nsys export --type sqlite REPORT.nsys-rep.");
}

} // namespace jitterscope::import
