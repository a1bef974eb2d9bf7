#include "core/import/assemble/checksums.h"

#include <chrono>
#include <exception>
#include <utility>

#include "core/store/hdf5/checksum.h"

namespace jitterscope::import {
namespace {

// The SHA-256 of a file. Exceptions become errors, because they must not leave the thread.
Expected<std::string> sum_of(const std::string& path, const Job& job) {
  try {
    return store::sha256_of_file(path, job);
  } catch (const std::exception& problem) {
    return failure(ErrorKind::Internal, problem.what(), path);
  }
}

} // namespace

Checksums::Checksums(std::vector<std::string> paths) : paths_(std::move(paths)), thread_([this] { run(); }) {}

Checksums::~Checksums() {
  {
    const std::lock_guard guard(lock_);
    stop_ = true;
  }
  thread_.join();
}

void Checksums::run() {
  Job job;
  job.cancelled = [this] {
    const std::lock_guard guard(lock_);
    return stop_;
  };
  for (const auto& path : paths_) {
    if (job.cancelled()) return;
    auto sum = sum_of(path, job);
    {
      const std::lock_guard guard(lock_);
      done_.emplace(path, std::move(sum));
    }
    changed_.notify_one();
  }
}

Expected<std::string> Checksums::of(const std::string& path, const Job& job) {
  std::unique_lock guard(lock_);
  for (;;) {
    if (const auto found = done_.find(path); found != done_.end()) return found->second;
    if (job.cancelled()) return Job::cancelled_error();
    changed_.wait_for(guard, std::chrono::milliseconds(10));
  }
}

} // namespace jitterscope::import
