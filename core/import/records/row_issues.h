#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/trace/manifest.h"

namespace jitterscope::import {

/// Counts issues of single rows. The sentence of an issue is built once, for its first row: a file
/// with a million bad rows costs no more than one with ten.
class RowIssues {
public:
  /// `code` must outlive this object (a literal); `sentence` is called for the first row of a code only.
  template <class Sentence>
  void count(store::Severity severity, std::string_view code, Sentence&& sentence, std::int64_t rows = 1) {
    for (auto& issue : issues_)
      if (issue.code == code) {
        issue.rows += rows;
        return;
      }
    issues_.push_back({severity, code, rows, sentence()});
  }

  std::int64_t rows_of(std::string_view code) const {
    for (const auto& issue : issues_)
      if (issue.code == code) return issue.rows;
    return 0;
  }

  void move_to(store::ImportReport& report) {
    for (const auto& issue : issues_)
      report.add(issue.severity, std::string(issue.code), issue.sentence, issue.rows);
    issues_.clear();
  }

private:
  struct Issue {
    store::Severity severity;
    std::string_view code;
    std::int64_t rows;
    std::string sentence;
  };
  std::vector<Issue> issues_;
};

} // namespace jitterscope::import
