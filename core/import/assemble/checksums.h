#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"

namespace jitterscope::import {

/// SHA-256 of files, computed by a separate thread while the files are read, so that each is fetched from
/// disk only once.
class Checksums {
public:
  explicit Checksums(std::vector<std::string> paths);
  ~Checksums(); ///< cancels the checksums that are not computed yet
  Checksums(const Checksums&) = delete;
  Checksums& operator=(const Checksums&) = delete;

  /// The checksum of one of the paths, in hexadecimal; waits for it. Errors: those of the file; Cancelled.
  Expected<std::string> of(const std::string& path, const Job& job);

private:
  void run();

  std::vector<std::string> paths_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::map<std::string, Expected<std::string>> done_;
  bool stop_ = false;
  std::thread thread_; // last: it uses the other members
};

} // namespace jitterscope::import
