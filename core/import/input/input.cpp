#include "core/import/input/input.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/core.h>

#include "core/import/bytes/archive_member.h"
#include "core/import/bytes/decompress.h"
#include "core/import/bytes/encodings.h"
#include "core/import/bytes/read_ahead.h"
#include "core/import/text/json/records.h"

namespace jitterscope::import {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxInputs = 100'000;
constexpr std::array<std::string_view, 8> kEndings = {".gz",  ".bz2",  ".xz", ".zst",
                                                      ".lz4", ".lzma", ".GZ", ".ZST"};

tl::unexpected<Error> bad(const std::string& path, std::string message, std::string hint) {
  return failure(ErrorKind::BadInput, std::move(message), path, {}, std::move(hint));
}

Expected<std::string> read_head(ByteStream& stream) {
  std::string head(kHeadBytes, '\0');
  const auto got = read_fully(stream, head);
  if (!got) return forward(got.error());
  head.resize(*got);
  head.shrink_to_fit();
  return head;
}

// The content of a file or member may itself be compressed (trace.json.gz inside a zip).
Expected<ByteStreamPointer> unwrapped(const Input& input, ByteStreamPointer stream, bool compressed,
                                      bool up_to_cut) {
  if (compressed) {
    auto unpacked = decompress(std::move(stream), input.name());
    if (!unpacked) return unpacked;
    stream = std::move(*unpacked);
    if (up_to_cut && input.torn) stream = until_cut_off(std::move(stream), input.torn);
    stream = read_ahead(std::move(stream));
  }
  if (input.windows1252) return windows1252_as_utf8(std::move(stream));
  return input.utf16 ? utf16_as_utf8(std::move(stream)) : std::move(stream);
}

// JSON is always UTF-8: invalid bytes in it are damage of single names, not another encoding.
bool may_be_table(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] != '{' && head[first] != '[' && head[first] != '<' &&
         head.find_first_of(",;\t|") != std::string_view::npos;
}

// Detects UTF-16 and Windows-1252. The head is then that of the text in UTF-8, because readers get this text.
Expected<void> note_encoding(Input& input) {
  input.utf16 = is_utf16(input.head);
  input.windows1252 = !input.utf16 && may_be_table(input.head) && is_windows1252(input.head, input.whole());
  if (!input.utf16 && !input.windows1252) return {};
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  auto head = read_head(**stream);
  if (!head) return forward(head.error());
  input.head = std::move(*head);
  return {};
}

// Blocks that were allocated but not written before a crash read as zeros: the text before them is kept.
void drop_trailing_zeros(Input& input) {
  const auto end = input.head.find('\0');
  if (input.whole() && end != 0 && end != std::string::npos &&
      input.head.find_first_not_of('\0', end) == std::string::npos)
    input.head.resize(end);
}

Expected<Input> file_input(const std::string& path, bool named) {
  std::error_code problem;
  Input input;
  input.path = path;
  input.named = named;
  input.disk_bytes = static_cast<std::int64_t>(fs::file_size(path, problem));
  auto stream = open_file(path);
  if (!stream) return forward(stream.error());
  auto head = read_head(**stream);
  if (!head) return forward(head.error());
  if (is_compressed(*head)) {
    input.packed = true;
    auto again = open_file(path);
    if (!again) return forward(again.error());
    auto content = decompress(std::move(*again), path);
    if (!content) return forward(content.error());
    input.torn = std::make_shared<Torn>();
    head = read_head(*until_cut_off(std::move(*content), input.torn));
    if (!head) {
      head.error().file = path;
      return forward(head.error());
    }
  }
  input.head = std::move(*head);
  drop_trailing_zeros(input);
  if (auto done = note_encoding(input); !done) return forward(done.error());
  return input;
}

// A member of an archive may be compressed, but must not be an archive: nesting could be endless.
Expected<void> add_members(const Input& archive, std::vector<Input>& inputs, const Job& job,
                           std::vector<Error>* left_out) {
  std::vector<Input> members;
  std::optional<ArchiveEnd> end;
  auto done = for_each_member(
      archive.path,
      [&](const std::string& name, ByteStream& content) -> Expected<bool> {
        if (job.cancelled()) return Job::cancelled_error();
        if (members.size() >= kMaxInputs)
          return bad(archive.path, fmt::format("the archive has more than {} members", kMaxInputs),
                     "Unpack it and name the files to open.");
        Input input;
        input.path = archive.path;
        input.member = name;
        input.named = false;
        input.packed = true;
        auto head = read_head(content);
        if (!head) return forward(head.error());
        if (is_compressed(*head)) {
          auto reader = decompress(open_memory(*head), input.name());
          if (!reader) return forward(reader.error());
          std::string unpacked(kHeadBytes, '\0');
          std::size_t filled = 0;
          // The compressed head is truncated, which the decompressor may report as damage: the bytes before
          // it are used.
          while (filled < unpacked.size()) {
            const auto got = (*reader)->read(
                std::span(unpacked).subspan(filled, std::min<std::size_t>(1024, unpacked.size() - filled)));
            if (!got || *got == 0) break;
            filled += *got;
          }
          unpacked.resize(filled);
          head = std::move(unpacked);
        }
        input.head = std::move(*head);
        members.push_back(std::move(input));
        return true;
      },
      end);
  if (!done) return done;
  if (end) {
    if (!left_out) return forward(end->error);
    if (!end->within.empty())
      std::erase_if(members, [&](const Input& member) { return member.member == end->within; });
    const auto from = end->within.empty() ? std::string() : fmt::format(" from {} onwards", end->within);
    end->error.message =
        fmt::format("only its end{}; {} complete file{} before it {} read: {}", from, members.size(),
                    members.size() == 1 ? "" : "s", members.size() == 1 ? "is" : "are", end->error.message);
    left_out->push_back(end->error);
  }
  if (members.empty())
    return bad(archive.path, "the archive contains no files", "Check the content of the archive.");
  std::sort(members.begin(), members.end(),
            [](const Input& a, const Input& b) { return a.member < b.member; });
  for (auto& member : members) {
    member.disk_bytes = archive.disk_bytes / static_cast<std::int64_t>(members.size());
    member.named = members.size() == 1 && archive.named;
    if (auto noted = note_encoding(member); !noted) return noted;
    inputs.push_back(std::move(member));
  }
  return {};
}

Expected<void> add_file(const std::string& path, bool named, std::vector<Input>& inputs, const Job& job,
                        std::vector<Error>* left_out) {
  auto input = file_input(path, named);
  if (!input) return forward(input.error());
  if (is_archive(input->head)) return add_members(*input, inputs, job, left_out);
  inputs.push_back(std::move(*input));
  return {};
}

// Files that SQLite keeps next to a database belong to it and are not inputs.
bool is_part_of_database(const fs::path& file) {
  for (const std::string_view suffix : {"-wal", "-shm", "-journal"}) {
    auto base = file.string();
    std::error_code ignored;
    if (!base.ends_with(suffix)) continue;
    base.resize(base.size() - suffix.size());
    if (fs::is_regular_file(base, ignored)) return true;
  }
  return false;
}

// Why something in a folder is not a readable file; nothing for folders, which are searched.
std::optional<Error> no_file(const fs::directory_entry& entry) {
  std::error_code ignored;
  const auto path = entry.path().string();
  if (!entry.is_symlink(ignored))
    return entry.is_directory(ignored)
               ? std::nullopt
               : std::optional(
                     bad(path, "this is not a regular file", "Copy its content into a file first.").value());
  if (entry.is_directory(ignored))
    return bad(path, "this is a symbolic link to a folder, which is not followed",
               "To open its files, name that folder as well.")
        .value();
  return bad(path, "this symbolic link is broken", "Check its target.").value();
}

Expected<void> add_folder(const std::string& path, std::vector<Input>& inputs, const Job& job,
                          std::vector<Error>* left_out) {
  std::error_code problem;
  std::vector<std::string> files;
  if (const fs::directory_iterator inside(path, problem); problem)
    return bad(path, "the folder cannot be read: " + problem.message(), "Check its read permissions.");
  fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, problem), end;
  for (; !problem && entry != end; entry.increment(problem)) {
    if (job.cancelled()) return Job::cancelled_error();
    const auto name = entry->path().filename().string();
    if (name.starts_with('.')) {
      entry.disable_recursion_pending();
      continue;
    }
    std::error_code ignored, denied;
    if (left_out && entry->is_directory(ignored) && !entry->is_symlink(ignored))
      if (const fs::directory_iterator inside(entry->path(), denied); denied)
        left_out->push_back(bad(entry->path().string(), "the folder cannot be read: " + denied.message(),
                                "Check its read permissions.")
                                .value());
    if (!entry->is_regular_file(ignored)) {
      if (left_out)
        if (auto passed = no_file(*entry)) left_out->push_back(std::move(*passed));
      continue;
    }
    if (is_part_of_database(entry->path())) continue;
    if (entry->file_size(ignored) == 0) {
      if (left_out)
        left_out->push_back(bad(entry->path().string(), "the file is empty",
                                "The export may have been interrupted or the disk full: export again.")
                                .value());
      continue;
    }
    if (files.size() >= kMaxInputs)
      return bad(path, fmt::format("the folder contains more than {} files", kMaxInputs),
                 "Name the files to open.");
    files.push_back(entry->path().string());
  }
  if (problem)
    return bad(path, "the folder cannot be read: " + problem.message(), "Check its read permissions.");
  if (files.empty() && left_out && !left_out->empty()) return forward(left_out->front());
  if (files.empty()) return bad(path, "the folder contains no files", "Check the path.");
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const auto before = inputs.size();
    const auto done = add_file(file, false, inputs, job, left_out);
    if (done) continue;
    if (!left_out || job.cancelled()) return done;
    inputs.resize(before);
    left_out->push_back(done.error());
  }
  return {};
}

std::string temporary_folder() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen && *chosen ? chosen : "/var/tmp";
}

constexpr std::string_view kCopy = "jitterscope-copy-", kRandom = "XXXXXX";

// A killed process leaves its temporary copies: the next process that makes one removes them.
void remove_left_copies() {
  constexpr auto kYoung = std::chrono::minutes(1); // may not be locked yet
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(temporary_folder(), ignored)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with(kCopy) || name.size() != kCopy.size() + kRandom.size() ||
        !entry.is_regular_file(ignored) || entry.is_symlink(ignored) ||
        entry.last_write_time(ignored) > fs::file_time_type::clock::now() - kYoung)
      continue;
    const int left = ::open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (left < 0) continue;
    if (::flock(left, LOCK_EX | LOCK_NB) == 0)
      for (const auto* ending : {"", "-wal", "-shm", "-journal"})
        ::unlink((entry.path().string() + ending).c_str());
    ::close(left);
  }
}

} // namespace

LocalFile::LocalFile(LocalFile&& other) noexcept
    : path_(std::move(other.path_)), locked_(std::exchange(other.locked_, -1)) {}

LocalFile::~LocalFile() {
  if (locked_ < 0) return;
  ::unlink(path_.c_str());
  ::close(locked_);
}

std::string Input::name() const {
  return member.empty() ? path : fmt::format("{}: {}", path, member);
}

std::string Input::file_name() const {
  auto name = fs::path(member.empty() ? path : member).filename().string();
  for (const auto ending : kEndings)
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
      break;
    }
  return name;
}

std::string Input::folder() const {
  if (!member.empty()) return fmt::format("{}!{}", path, fs::path(member).parent_path().string());
  return fs::path(path).parent_path().string();
}

Expected<ByteStreamPointer> Input::open() const {
  auto stream = opened(true);
  return stream && records ? json::as_csv(std::move(*stream), name(), records) : std::move(stream);
}

Expected<ByteStreamPointer> Input::opened(bool up_to_cut) const {
  if (memory) return open_memory(*memory);
  auto raw = member.empty() ? open_file(path) : open_member(path, member);
  if (!raw) return raw;
  if (member.empty()) return unwrapped(*this, std::move(*raw), packed, up_to_cut);
  // Whether a member is compressed is known only from its first bytes.
  std::array<char, 8> first{};
  const auto got = read_fully(**raw, first);
  if (!got) return forward(got.error());
  auto again = open_member(path, member);
  if (!again) return again;
  return unwrapped(*this, std::move(*again), is_compressed({first.data(), *got}), up_to_cut);
}

Expected<LocalFile> Input::local(const Job& job) const {
  if (!packed && !memory && !utf16 && !windows1252) return LocalFile(path);
  auto stream = opened(false);
  if (!stream) return forward(stream.error());
  return temporary_copy(**stream, name(), job);
}

Expected<LocalFile> temporary_copy(ByteStream& stream, const std::string& name, const Job& job) {
  constexpr auto kHint = "Set TMPDIR to a folder with free space.";
  remove_left_copies();
  std::string copy = temporary_folder() + '/' + std::string(kCopy) + std::string(kRandom);
  const int descriptor = ::mkostemp(copy.data(), O_CLOEXEC);
  if (descriptor < 0)
    return failure(ErrorKind::Io, fmt::format("a temporary file cannot be created: {}", std::strerror(errno)),
                   copy, {}, kHint);
  ::flock(descriptor, LOCK_EX | LOCK_NB);
  LocalFile file(copy, descriptor);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(::fdopen(::dup(descriptor), "wb"), std::fclose);
  const auto full = [&] {
    return failure(ErrorKind::Io,
                   fmt::format("{} cannot be written to a temporary file: {}", name, std::strerror(errno)),
                   copy, {}, kHint);
  };
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    if (job.cancelled()) return Job::cancelled_error();
    job.progress(0, 0, "unpacking"); // the total is unknown
    const auto got = stream.read(buffer);
    if (!got) return forward(got.error());
    if (*got == 0) break;
    if (std::fwrite(buffer.data(), 1, *got, out.get()) != *got) return full();
  }
  if (std::fflush(out.get()) != 0) return full();
  return file;
}

Input Input::from_memory(std::string name, std::string content) {
  Input input;
  input.path = std::move(name);
  input.disk_bytes = static_cast<std::int64_t>(content.size());
  input.head = content.substr(0, kHeadBytes);
  input.memory = std::make_shared<const std::string>(std::move(content));
  return input;
}

std::optional<Input> file_alone(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  auto input = file_input(path, true);
  if (!input || is_archive(input->head)) return {};
  return std::move(*input);
}

Expected<std::vector<Input>> expand(const std::string& path, const Job& job, std::vector<Error>* left_out) {
  std::error_code problem;
  const auto status = fs::status(path, problem);
  if (!fs::exists(status)) return bad(path, "the file does not exist", "Check the path.");
  std::vector<Input> inputs;
  if (fs::is_directory(status)) {
    if (auto done = add_folder(path, inputs, job, left_out); !done) return forward(done.error());
    return inputs;
  }
  if (!fs::is_regular_file(status))
    return bad(path, "this is not a regular file", "Copy its content into a file first.");
  if (auto done = add_file(path, true, inputs, job, left_out); !done) return forward(done.error());
  return inputs;
}

} // namespace jitterscope::import
