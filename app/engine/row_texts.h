#pragma once

#include <QString>
#include <string>

#include <nlohmann/json.hpp>

class QObject;

namespace jitterscope::app {

/// Texts about analysis rows are written for launches and shown with the noun of the session's rows
/// (core/engine/messages/row_noun.h). A translator replaces the noun in texts that go through tr(),
/// row_text() in all others.

/// Adds the translator of this noun, once. Must be called before translators of other languages are added,
/// because Qt asks the last one first.
void install_row_texts();
/// Sets the kind of rows of an opened session: `rows` of its "info" document.
void set_rows_of_texts(const nlohmann::json& info);

/// Replaces the noun in a text that does not go through tr(), as on the command line or in the report.
std::string row_text(std::string_view text);
inline std::string row_text(const char* text) {
  return row_text(std::string_view(text));
}
QString row_text(const QString& text);

/// Sets the noun in texts that were made before the session was opened: actions, tool tips, accessible names,
/// titles of docks, buttons, entries of combo boxes and placeholders under `root`. Changes only texts that
/// are equal to a text of the program that went through tr(), so that names of the session stay.
void update_row_texts(QObject& root);

} // namespace jitterscope::app
