#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

/// Path of a real sample file, or an empty text when the samples are not installed.
inline std::string real_data(const std::string& relative) {
  const auto path = std::filesystem::path(JITTERSCOPE_DATA_DIR) / relative;
  return std::filesystem::exists(path) ? path.string() : std::string();
}

/// Skips the running test with a message when a real sample file is absent.
#define REQUIRE_REAL_DATA(variable, relative)                                                                \
  const std::string variable = real_data(relative);                                                          \
  if (variable.empty()) GTEST_SKIP() << "the real trace " << (relative) << " is not available"
