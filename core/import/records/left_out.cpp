#include "core/import/records/left_out.h"

#include <algorithm>

namespace jitterscope::import {
namespace {

constexpr const char* kCode = "file-left-out";

/// What a file adds to the text of the entry, as the `number`-th one.
std::string addition(const Error& error, std::int64_t number) {
  if (number > kNamedFiles + 1) return {};
  if (number > kNamedFiles) return "; …";
  return (number == 2 ? " Also left out: " : "; ") +
         (error.file.empty() ? error.message : error.file + ": " + error.message);
}

} // namespace

void add_left_out(const Error& error, store::ImportReport& report) {
  const auto& entries = report.entries();
  if (std::none_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.code == kCode; }))
    return report.add(store::Severity::Drop, kCode, "left out: " + describe(error));
  store::ImportReport longer; // a report keeps the first text of a code
  for (const auto& entry : entries)
    if (entry.code == kCode)
      longer.add(entry.severity, entry.code, entry.text + addition(error, entry.count + 1), entry.count + 1);
    else
      longer.add(entry.severity, entry.code, entry.text, entry.count);
  report = std::move(longer);
}

} // namespace jitterscope::import
