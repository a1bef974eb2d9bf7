#include "core/base/output_file.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace jitterscope {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> refused_by_system(const std::string& path, int problem) {
  return failure(ErrorKind::Io, std::string("the output cannot be written: ") + std::strerror(problem), path,
                 {},
                 problem == ENOSPC || problem == EDQUOT ? "Free some space, or name a file on another disk."
                 : problem == EFBIG                     ? "Raise the limit of file sizes (ulimit -f)."
                                    : "Check that the folder exists and can be written to.");
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Descriptor number that a path like /dev/stdout or /proc/self/fd/3 refers to, −1 for other paths.
int descriptor_named_by(const fs::path& path) {
  std::error_code problem;
  const auto folder = fs::canonical(folder_of(path), problem);
  const auto own = problem ? fs::path() : fs::canonical("/proc/self/fd", problem);
  if (problem || folder != own) return -1;
  const auto name = path.filename().string();
  char* end = nullptr;
  const long number = std::strtol(name.c_str(), &end, 10);
  return name.empty() || *end ? -1 : static_cast<int>(number);
}

// Follows symbolic links step by step: the end of the chain may not exist yet, or be a descriptor.
Expected<fs::path> followed(const std::string& path) {
  constexpr int kMaxLinks = 40; // same limit as the system's
  fs::path at(path);
  std::error_code problem;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, problem)) && descriptor_named_by(at) < 0;
       ++links) {
    if (links == kMaxLinks) return refused_by_system(path, ELOOP);
    const auto target = fs::read_symlink(at, problem);
    if (problem) return refused_by_system(path, problem.value());
    at = target.is_absolute() ? target : folder_of(at) / target;
  }
  return at;
}

// Calls `write_some` until all bytes are written; returns 0 or errno.
template <class WriteSome>
int write_all(std::string_view bytes, WriteSome&& write_some) {
  while (!bytes.empty()) {
    const auto written = write_some(bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Best effort: only root may give files away.
void keep_owner_and_permissions(int descriptor, const struct stat& old) {
  [[maybe_unused]] const bool same_owner = ::fchown(descriptor, old.st_uid, old.st_gid) == 0;
  [[maybe_unused]] const bool same_mode = ::fchmod(descriptor, old.st_mode & 07777) == 0;
}

using InputPaths = std::vector<std::string>;

struct KnownInputs {
  std::mutex access;
  std::vector<std::weak_ptr<const InputPaths>> lists;
};

KnownInputs& known_inputs() {
  static KnownInputs inputs;
  return inputs;
}

} // namespace

InputFiles::InputFiles(const std::vector<std::string>& paths) {
  InputPaths absolute;
  std::error_code problem;
  for (const auto& path : paths)
    if (auto full = fs::absolute(path, problem); !problem) absolute.push_back(full.string());
  paths_ = std::make_shared<const InputPaths>(std::move(absolute));
  auto& known = known_inputs();
  const std::lock_guard lock(known.access);
  std::erase_if(known.lists, [](const auto& list) { return list.expired(); });
  known.lists.push_back(paths_);
}

Expected<void> refuse_input(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  auto& known = known_inputs();
  const std::lock_guard lock(known.access);
  for (const auto& list : known.lists)
    if (const auto inputs = list.lock())
      for (const auto& input : *inputs)
        if (fs::equivalent(input, path, ignored))
          return failure(ErrorKind::BadUse, "the output would replace an input", path, {},
                         "Name another file.");
  return {};
}

Expected<void> refuse_existing(const std::vector<std::string>& outputs, bool overwrite) {
  std::error_code ignored;
  for (const auto& output : outputs)
    if (!overwrite && fs::exists(output, ignored))
      return failure(ErrorKind::BadUse, "the output exists", output, {},
                     "Name another file, or use --overwrite.");
  return {};
}

Expected<OutputFile> OutputFile::create(const std::string& path, Special special) {
  const auto place = followed(path);
  if (!place) return forward(place.error());
  if (auto kept = refuse_input(path); !kept) return forward(kept.error());
  OutputFile file;
  file.path_ = path;
  file.target_ = place->string();
  struct stat status {};
  const int number = descriptor_named_by(*place);
  const bool exists = ::stat(place->c_str(), &status) == 0;
  const bool regular = exists && S_ISREG(status.st_mode) && number < 0;
  if (exists && !regular) {
    if (S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode) ||
        special == Special::Refused)
      return failure(ErrorKind::BadUse,
                     S_ISDIR(status.st_mode) ? "the output is a folder" : "the output is not a regular file",
                     path, {}, "Name a file.");
    file.descriptor_ = number >= 0 ? ::fcntl(number, F_DUPFD_CLOEXEC, 0)
                                   : ::open(place->c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (file.descriptor_ < 0) return refused_by_system(path, errno);
    return file;
  }
  remove_stale_partials(file.target_);
  file.partial_ = file.target_ + ".partial-" + std::to_string(::getpid());
  file.descriptor_ = ::open(file.partial_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.descriptor_ >= 0) {
    if (regular) keep_owner_and_permissions(file.descriptor_, status);
    return file;
  }
  const int problem = errno;
  file.partial_.clear();
  if (regular && (problem == EACCES || problem == EPERM))
    file.descriptor_ = ::open(place->c_str(), O_RDWR | O_TRUNC | O_CLOEXEC);
  if (file.descriptor_ < 0) return refused_by_system(path, problem);
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), target_(std::move(other.target_)),
      partial_(std::exchange(other.partial_, {})), descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(target_, other.target_);
  std::swap(partial_, other.partial_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

OutputFile::~OutputFile() {
  give_up();
}

void OutputFile::give_up() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!partial_.empty()) ::unlink(partial_.c_str());
  partial_.clear();
}

Expected<void> OutputFile::write(std::string_view bytes) {
  const int problem =
      write_all(bytes, [&](std::string_view rest) { return ::write(descriptor_, rest.data(), rest.size()); });
  if (problem != 0) return refused_by_system(path_, problem);
  return {};
}

Expected<void> OutputFile::write_at(std::uint64_t at, std::string_view bytes) {
  const int problem = write_all(bytes, [&](std::string_view rest) {
    const auto done = bytes.size() - rest.size();
    return ::pwrite(descriptor_, rest.data(), rest.size(), static_cast<off_t>(at + done));
  });
  if (problem != 0) return refused_by_system(path_, problem);
  return {};
}

Expected<void> OutputFile::resize(std::uint64_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) return refused_by_system(path_, errno);
  return {};
}

bool OutputFile::write_back(const std::function<bool()>& cancelled) {
  constexpr off_t kPart = off_t{8} << 20;
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return cancelled();
  for (off_t at = 0; at < status.st_size; at += kPart) {
    if (cancelled()) return true;
#if defined(SYNC_FILE_RANGE_WRITE) // errors are reported again by commit()
    (void)::sync_file_range(descriptor_, at, kPart,
                            SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
#endif
  }
  return cancelled();
}

Expected<void> OutputFile::commit() {
  // Pipes and devices cannot be flushed and return these errors.
  int problem =
      ::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP ? errno : 0;
  if (::close(std::exchange(descriptor_, -1)) != 0 && problem == 0) problem = errno;
  if (problem == 0 && !partial_.empty() && ::rename(partial_.c_str(), target_.c_str()) != 0) problem = errno;
  if (problem == 0) partial_.clear();
  give_up();
  if (problem != 0) return refused_by_system(path_, problem);
  return {};
}

constexpr std::size_t kPieceOfOutput = std::size_t{1} << 20;

Expected<void> BufferedOutput::add(std::string_view text) {
  bytes_ += static_cast<std::int64_t>(text.size());
  buffer_ += text;
  return buffer_.size() < kPieceOfOutput ? Expected<void>() : flush();
}

Expected<void> BufferedOutput::finish(const Job& job) {
  if (auto done = flush(); !done) return done;
  if (file_.write_back(job.cancelled)) return Job::cancelled_error();
  return file_.commit();
}

Expected<void> BufferedOutput::flush() {
  auto done = file_.write(buffer_);
  buffer_.clear();
  return done;
}

Expected<void> write_output(const std::string& path, std::string_view bytes) {
  auto file = OutputFile::create(path);
  if (!file) return forward(file.error());
  if (auto written = file->write(bytes); !written) return written;
  return file->commit();
}

void remove_stale_partials(const std::string& path) {
  const fs::path target(path);
  const std::string prefix = target.filename().string() + ".partial-";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_of(target), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const auto pid = std::strtol(name.c_str() + prefix.size(), nullptr, 10);
    if (pid > 0 && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)
      fs::remove(entry.path(), ignored);
  }
}

void report_file_size_limit_as_error() {
  std::signal(SIGXFSZ, SIG_IGN);
}

} // namespace jitterscope
