#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/import/records/reader.h"

namespace jitterscope::import {

/// Inputs that are read by one call of a reader.
struct Group {
  const Reader* reader = nullptr;
  std::vector<Input> inputs;
  store::Source source; ///< source of all inputs of the group, filled by the reader

  bool named() const {
    return std::any_of(inputs.begin(), inputs.end(), [](const Input& input) { return input.named; });
  }
};

/// Identifies a file on disk, regardless of the name by which it is given.
std::string identity(const Input& input);

/// Expands files, folders and archives, and chooses a reader for every input. A plain table next to a trace
/// is read as a log of a monitor if it is a table of samples (device_log_reader.h). Errors: BadUse, BadInput,
/// Cancelled.
Expected<std::vector<Group>> recognise(const std::vector<std::string>& files, const ImportOptions& options,
                                       store::ImportReport& report, const Job& job);

} // namespace jitterscope::import
