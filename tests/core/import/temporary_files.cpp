#include "tests/core/import/temporary_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>

namespace jitterscope::import {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "jitterscope-import-XXXXXX").string();
  folder_ = mkdtemp(name.data()) ? name : std::string();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* problem = nullptr;
  sqlite3_exec(database, "PRAGMA synchronous=OFF", nullptr, nullptr, nullptr);
  const int code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &problem);
  EXPECT_EQ(code, SQLITE_OK) << (problem ? problem : "");
  sqlite3_free(problem);
  sqlite3_close(database);
}

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

} // namespace jitterscope::import
