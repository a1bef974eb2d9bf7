#pragma once

#include <QString>

#include <CLI/CLI.hpp>

namespace jitterscope::app {

/// Converts Markdown of the help pages for a terminal: paragraphs and table cells wrapped at `width`
/// characters, links as their text.
QString terminal_text(const QString& markdown, int width);

/// The manual page, section 1, as roff: the options of every subcommand of `parser`, and sections of the page
/// "commands".
QString manual_page(const CLI::App& parser);

} // namespace jitterscope::app
