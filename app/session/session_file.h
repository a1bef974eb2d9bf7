#pragma once

#include <QByteArray>
#include <QStringList>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/session/selection_hub.h"
#include "app/session/session_controller.h"
#include "core/base/error.h"

namespace jitterscope::app {

/// Saved state of a session: open files, selection and visible range. A JSON file
/// (".jsession"), written to a temporary name first. Files are stored with absolute paths and, if they are
/// next to the session file or below it, with relative ones, so that a folder can be moved.
struct SessionFile {
  QStringList files;
  QStringList mapping; ///< mapping of the columns of plain tables, as parsed by import::parse_mapping
  SelectionState selection;
  QString filter; ///< the selection except times as one filter text, for programs without a window
  std::vector<Interval> intervals; ///< times of the selection
  BinChoices bins;
  CausalChoices causal;
  DistributionChoices distribution;
  nlohmann::json views = nlohmann::json::object(); ///< state of individual views, by name
  QByteArray layout;                               ///< layout of docks and tool bars (QMainWindow::saveState)
};

inline constexpr const char* kSessionSuffix = "jsession";

/// True if the start of the file identifies a session file.
bool looks_like_session(const QString& path);
/// Errors: Io; BadInput with the position in the text. Missing keys have their default values.
Expected<SessionFile> read_session(const QString& path);
/// Text of a session file for this path.
std::string session_text(const SessionFile& session, const QString& path);
Expected<void> write_session(const SessionFile& session, const QString& path);

nlohmann::json to_json(const SelectionState& state);
/// Throws nlohmann::json::exception when a key has the wrong type.
SelectionState selection_from_json(const nlohmann::json& json);

} // namespace jitterscope::app
