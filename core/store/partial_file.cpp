#include "core/store/partial_file.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace jitterscope::store {

namespace fs = std::filesystem;

void remove_stale_partials(const std::string& path) {
  const fs::path target(path);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const std::string prefix = target.filename().string() + ".partial-";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(prefix, 0) != 0) continue;
    const auto pid = std::strtol(name.c_str() + prefix.size(), nullptr, 10);
    if (pid > 0 && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)
      fs::remove(entry.path(), ignored);
  }
}

PartialFile::PartialFile(std::string path)
    : path_(std::move(path)), partial_(path_ + ".partial-" + std::to_string(::getpid())) {
  remove_stale_partials(path_);
}

PartialFile::~PartialFile() {
  std::error_code ignored;
  if (!published_) fs::remove(partial_, ignored);
}

Expected<void> PartialFile::publish() {
  const int descriptor = ::open(partial_.c_str(), O_RDONLY | O_CLOEXEC);
  const bool flushed = descriptor >= 0 && ::fsync(descriptor) == 0;
  if (descriptor >= 0) ::close(descriptor);
  if (!flushed || ::rename(partial_.c_str(), path_.c_str()) != 0)
    return failure(ErrorKind::Io, std::string("the store cannot be put in place: ") + std::strerror(errno),
                   path_);
  published_ = true;
  return {};
}

} // namespace jitterscope::store
