#pragma once

#include <QByteArray>
#include <QStringList>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/session/selection_hub.h"
#include "app/session/session_controller.h"
#include "core/base/error.h"

namespace jitterscope::app {

/// What a person does not want to do again: which files are open, what is chosen and looked at. A JSON file
/// (".jsession"), written to a temporary name first. Files are kept with absolute paths and, where they lie
/// beside the session file or below it, relative to it, so that a folder can move.
struct SessionFile {
  QStringList files;
  QStringList mapping; ///< of the columns of plain tables, as import::parse_mapping reads it
  SelectionState selection;
  QString filter; ///< all of the selection but time as one filter text, for programs without a window
  std::vector<Interval> intervals; ///< its times
  BinChoices bins;
  CausalChoices causal;
  DistributionChoices distribution;
  nlohmann::json views = nlohmann::json::object(); ///< what single views want to keep, by their name
  QByteArray layout;                               ///< of docks and tool bars (QMainWindow::saveState)
};

inline constexpr const char* kSessionSuffix = "jsession";

/// True when the file's beginning says so.
bool looks_like_session(const QString& path);
/// Errors: Io; BadInput with the place in the text. Missing keys have their usual values.
Expected<SessionFile> read_session(const QString& path);
/// What a session file at this path holds.
std::string session_text(const SessionFile& session, const QString& path);
Expected<void> write_session(const SessionFile& session, const QString& path);

nlohmann::json to_json(const SelectionState& state);
/// Throws nlohmann::json::exception when a key has the wrong type.
SelectionState selection_from_json(const nlohmann::json& json);

} // namespace jitterscope::app
