#include "core/import/import.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "core/import/alignment.h"
#include "core/import/assemble.h"
#include "core/import/context.h"
#include "core/import/draft.h"
#include "core/import/registry.h"
#include "core/store/checksum.h"

namespace jitterscope::import {
namespace {

using store::Source;
using store::TraceData;

struct Recognised {
  Source source;
  const Reader* reader = nullptr;
};

// Recognises every file before the first is read: a wrong one among many is told at once.
Expected<std::vector<Recognised>> recognise(const std::vector<std::string>& files) {
  if (files.empty()) return failure(ErrorKind::BadUse, "no file was named");
  std::vector<Recognised> recognised;
  std::set<std::string> seen;
  for (const auto& path : files) {
    const auto reader = reader_for(path);
    if (!reader) return forward(reader.error());
    std::error_code ignored;
    if (!seen.insert(std::filesystem::weakly_canonical(path, ignored).string()).second)
      return failure(ErrorKind::BadUse, "the same file was named twice", path, {}, "Name every file once.");
    Recognised file;
    file.reader = *reader;
    file.source.path = path;
    file.source.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, ignored));
    file.source.format = (*reader)->format;
    recognised.push_back(std::move(file));
  }
  return recognised;
}

FileSpan span_of(const Draft& draft, const FilePart& part) {
  FileSpan span;
  bool first = true;
  const auto widen = [&](const auto& start, const auto& duration, std::size_t from, std::size_t to) {
    for (auto row = from; row < to; ++row, first = false) {
      span.first = first ? start[row] : std::min(span.first, start[row]);
      span.last = first ? start[row] + duration[row] : std::max(span.last, start[row] + duration[row]);
    }
  };
  widen(draft.launches.start, draft.launches.duration, part.from.launches, part.to.launches);
  widen(draft.transfers.start, draft.transfers.duration, part.from.transfers, part.to.transfers);
  return span;
}

// Devices are told apart by their process; hosts have no name in the files, so several get the name of a
// file.
void name_hosts(Draft& draft, const std::vector<std::pair<std::uint32_t, std::string>>& first_file_of_host) {
  if (first_file_of_host.size() < 2) return;
  for (const auto& [host, path] : first_file_of_host)
    draft.resources[host].name = fmt::format("host of {}", std::filesystem::path(path).filename().string());
}

struct ReadFiles {
  std::vector<Source> sources;
  std::vector<FilePart> parts;
  std::vector<FileSpan> spans;
};

Expected<ReadFiles> read_all(std::vector<Recognised> files, Draft& draft, const Job& job) {
  Progress progress{job};
  for (const auto& file : files) progress.total_bytes += file.source.bytes;
  ReadFiles read;
  std::vector<std::pair<std::uint32_t, std::string>> first_file_of_host;
  for (auto& [source, reader] : files) {
    progress.file_bytes = source.bytes;
    FilePart part;
    part.from = draft.sizes();
    const auto resources = static_cast<std::uint32_t>(draft.resources.size());
    if (auto done = reader->read(source.path, draft, source, progress); !done) return forward(done.error());
    part.to = draft.sizes();
    for (auto row = resources; row < draft.resources.size(); ++row)
      if (draft.resources[row].kind == store::ResourceKind::Host)
        first_file_of_host.emplace_back(row, source.path);
    progress.report(1, 1, "checksum");
    auto sum = store::sha256_of_file(source.path, job);
    if (!sum) return forward(sum.error());
    source.sha256 = std::move(*sum);
    read.spans.push_back(span_of(draft, part));
    read.sources.push_back(std::move(source));
    read.parts.push_back(part);
    progress.done_before += progress.file_bytes;
  }
  name_hosts(draft, first_file_of_host);
  return read;
}

Expected<TraceData> import_recognised(std::vector<Recognised> files, const Job& job) {
  Draft draft;
  auto read = read_all(std::move(files), draft, job);
  if (!read) return forward(read.error());
  auto report = std::move(draft.report);
  const auto origin = align(read->sources, read->spans, report);
  for (std::size_t i = 0; i < read->parts.size(); ++i) read->parts[i].shift_ns = read->sources[i].shift_ns;
  job.progress(0, 0, "sorting");
  auto data = assemble(std::move(draft), read->parts, job);
  if (!data) return forward(data.error());
  data->manifest.sources = std::move(read->sources);
  data->manifest.origin_utc_ns = origin;
  job.progress(0, 0, "context of launches");
  if (auto done = add_context(*data, report, job); !done) return forward(done.error());
  data->manifest.report = report.entries();
  return data;
}

} // namespace

Expected<TraceData> import_files(const std::vector<std::string>& files, const Job& job) {
  try {
    auto recognised = recognise(files);
    if (!recognised) return forward(recognised.error());
    return import_recognised(std::move(*recognised), job);
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::Io, "there is not enough memory to import this", {}, {},
                   "Import fewer files at once or record a shorter part of the run.");
  } catch (const std::exception& problem) {
    return failure(ErrorKind::Internal, fmt::format("import failed: {}", problem.what()));
  }
}

} // namespace jitterscope::import
