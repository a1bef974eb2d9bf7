#pragma once

#include <string>
#include <vector>

namespace jitterscope::import {

/// A folder that is removed at the end of the test.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  /// Names of all files in it, sorted.
  std::vector<std::string> names() const;

private:
  std::string folder_;
};

/// Runs SQL statements on a database file, which is created if it does not exist. An error fails the test.
void run_sql(const std::string& path, const std::string& sql);

std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

} // namespace jitterscope::import
