#pragma once

#include "core/engine/messages/session_answers.h"
#include "core/store/trace/manifest.h"

namespace jitterscope::engine {

/// An entry of an import report, as a part of a typed answer.
inline answers::ReportEntryAnswer report_entry(const store::ReportEntry& entry) {
  return {.severity = std::string(store::to_string(entry.severity)),
          .code = entry.code,
          .count = entry.count,
          .text = entry.text};
}

} // namespace jitterscope::engine
