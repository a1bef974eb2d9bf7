#include "tests/bench/csv_limits.h"

#include <atomic>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/import/text/csv/plain_fields.h"

namespace jitterscope::bench {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10, kHugePage = std::size_t{2} << 20;

// Calls `work` with the numbers from 0 to `count` − 1, on all processors.
void on_all_processors(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto count_lines = [&] {
    for (auto i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) others.emplace_back(count_lines);
  count_lines();
  for (auto& thread : others) thread.join();
}

Cost best_of_five(const std::function<void()>& work) {
  Cost best = cost_of(work);
  for (int i = 1; i < 5; ++i)
    if (const auto cost = cost_of(work); cost.wall_s < best.wall_s) best = cost;
  return best;
}

void read_all(int file, std::size_t bytes) {
  on_all_processors((bytes + kPiece - 1) / kPiece, [&](std::size_t piece) {
    thread_local std::vector<char> room(kPiece);
    if (::pread(file, room.data(), kPiece, static_cast<off_t>(piece * kPiece)) < 0) std::exit(3);
  });
}

// Writes to every page of new memory, in huge pages so that threads do not wait for each other.
void touch(std::size_t bytes) {
  const auto size = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  auto* const all = static_cast<char*>(
      ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (all == MAP_FAILED) std::exit(3);
  auto* const begin = all + (kHugePage - reinterpret_cast<std::uintptr_t>(all) % kHugePage) % kHugePage;
  on_all_processors(size / kHugePage, [&](std::size_t page) {
#if defined(MADV_POPULATE_WRITE)
    if (::madvise(begin + page * kHugePage, kHugePage, MADV_POPULATE_WRITE) == 0) return;
#endif
    for (std::size_t at = 0; at < kHugePage; at += 4'096) begin[page * kHugePage + at] = 1;
  });
  ::munmap(all, size + kHugePage);
}

// Complete records from the middle of the file, followed by bytes that the reader may read ahead.
std::string sample_of(const std::string& path, std::size_t& records_bytes) {
  std::ifstream file(path, std::ios::binary);
  const auto size = std::filesystem::file_size(path);
  file.seekg(static_cast<std::streamoff>(size / 2));
  std::string text(kPiece, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  text.erase(0, text.find('\n') + 1);
  records_bytes = text.rfind('\n') + 1;
  text.resize(records_bytes + 2 * import::kMaskBlock);
  return text;
}

// Finds all fields, and reads the numbers of the columns that `numbers` marks.
void read_fields(std::string_view text, const std::vector<std::uint8_t>& numbers,
                 import::PlainFields& fields) {
  std::size_t at = 0;
  while (fields.find(text, at, ',', true, true, numbers)) at = fields.end();
}

std::vector<std::uint8_t> number_columns(std::string_view text) {
  std::vector<std::uint8_t> columns;
  const auto fields = std::make_unique<import::PlainFields>();
  if (!fields->find(text, 0, ',', true, true)) return columns;
  for (std::size_t i = 0; i < fields->fields_to(0); ++i)
    columns.push_back(fields->numbers()[i] == fields->numbers()[i] ? 1 : 0);
  return columns;
}

std::vector<std::string_view> numbers_in(std::string_view text, const std::vector<std::uint8_t>& columns) {
  std::vector<std::string_view> found;
  const auto fields = std::make_unique<import::PlainFields>();
  for (std::size_t at = 0; fields->find(text, at, ',', true, true); at = fields->end())
    for (std::size_t i = 0; i < fields->fields_to(fields->records() - 1); ++i)
      if (columns[i % columns.size()] != 0) found.push_back(fields->text(i));
  return found;
}

double sum_of(const std::vector<std::string_view>& numbers) {
  double sum = 0;
  for (const auto text : numbers) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    sum += value;
  }
  return sum;
}

} // namespace

CsvLimits csv_limits(const std::string& path, std::size_t kept) {
  CsvLimits limits;
  limits.kept_megabytes = static_cast<double>(kept) / 1e6;
  const std::size_t size = std::filesystem::file_size(path);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) std::exit(3);
  limits.file = best_of_five([&] { read_all(file, size); });
  ::close(file);
  limits.memory = best_of_five([&] { touch(kept); });
  std::size_t bytes = 0;
  const auto sample = sample_of(path, bytes);
  const auto text = std::string_view(sample).substr(0, bytes);
  const auto columns = number_columns(text);
  const auto pieces = size / bytes;
  limits.fields = best_of_five([&] {
    on_all_processors(pieces, [&](std::size_t) {
      thread_local const auto fields = std::make_unique<import::PlainFields>();
      read_fields(text, columns, *fields);
    });
  });
  const auto numbers = numbers_in(text, columns);
  std::atomic<double> sum{0};
  limits.from_chars =
      best_of_five([&] { on_all_processors(pieces, [&](std::size_t) { sum.store(sum_of(numbers)); }); });
  return limits;
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0, shared = 0;
  statm >> size >> resident >> shared;
  return (resident - shared) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace jitterscope::bench
