#include "app/help/help_text.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <numeric>
#include <vector>

#include "app/help/help_topics.h"

namespace jitterscope::app {
namespace {

/// Replaces links by their text and removes emphasis outside code.
QString inline_text(const QString& markdown) {
  static const QRegularExpression kLink("\\[([^\\]]+)\\]\\([^)]*\\)"), kEmphasis("\\*{1,2}([^*]+)\\*{1,2}");
  QStringList parts = markdown.split('`');
  for (qsizetype i = 0; i < parts.size(); i += 2) parts[i].replace(kLink, "\\1").replace(kEmphasis, "\\1");
  return parts.join('`');
}

QStringList wrapped(const QString& text, qsizetype width) {
  QStringList lines;
  QString line;
  for (const QString& word : text.split(' ', Qt::SkipEmptyParts)) {
    if (!line.isEmpty() && line.size() + 1 + word.size() > width) lines << line, line.clear();
    line += (line.isEmpty() ? "" : " ") + word;
  }
  if (!line.isEmpty() || lines.isEmpty()) lines << line;
  return lines;
}

QStringList cells_of(const QString& row) {
  QStringList cells = row.trimmed().mid(1).chopped(1).split('|');
  for (QString& cell : cells) cell = inline_text(cell.trimmed());
  return cells;
}

/// Widths of the columns: as long as their cells, the widest ones narrowed until the row fits.
std::vector<qsizetype> widths_of(const std::vector<QStringList>& rows, qsizetype width) {
  constexpr qsizetype kNarrowest = 10;
  std::vector<qsizetype> widths;
  for (const QStringList& row : rows)
    for (qsizetype c = 0; c < row.size(); ++c) {
      if (static_cast<std::size_t>(c) >= widths.size()) widths.push_back(0);
      widths[static_cast<std::size_t>(c)] = std::max(widths[static_cast<std::size_t>(c)], row[c].size());
    }
  const auto between = 2 * (static_cast<qsizetype>(widths.size()) - 1);
  while (std::accumulate(widths.begin(), widths.end(), between) > width) {
    auto& widest = *std::max_element(widths.begin(), widths.end());
    if (widest <= kNarrowest) break;
    --widest;
  }
  return widths;
}

QString table_text(const QStringList& lines, qsizetype width) {
  std::vector<QStringList> rows;
  for (const QString& line : lines)
    if (!line.startsWith("|---")) rows.push_back(cells_of(line));
  const auto widths = widths_of(rows, width);
  QString text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<QStringList> cells;
    qsizetype height = 0;
    for (qsizetype c = 0; c < rows[r].size(); ++c) {
      cells.push_back(wrapped(rows[r][c], widths[static_cast<std::size_t>(c)]));
      height = std::max(height, cells.back().size());
    }
    for (qsizetype l = 0; l < height; ++l) {
      QString line;
      for (std::size_t c = 0; c < cells.size(); ++c) line += cells[c].value(l).leftJustified(widths[c] + 2);
      text += line + "\n";
    }
    if (r == 0) {
      QString rule;
      for (const auto w : widths) rule += QString(w, QChar('-')) + "  ";
      text += rule + "\n";
    }
  }
  static const QRegularExpression kSpacesAtEnds(" +\n");
  return text.replace(kSpacesAtEnds, "\n");
}

/// Formats a paragraph, a list item or a quotation.
QString paragraph_text(const QString& first, const QString& text, qsizetype width) {
  static const QRegularExpression kMark("^( *)(- |\\d+\\. |> )?");
  const auto match = kMark.match(first);
  const QString mark = match.captured(2) == "> " ? "    " : match.captured(0);
  const QStringList lines = wrapped(inline_text(text.mid(match.capturedLength())), width - mark.size());
  QString out = mark + lines.front() + "\n";
  for (qsizetype i = 1; i < lines.size(); ++i) out += QString(mark.size(), ' ') + lines[i] + "\n";
  return out;
}

QString roff(QString text) {
  text = inline_text(text).remove('`').replace('\\', "\\\\").replace('-', "\\-").simplified();
  return text.startsWith('.') || text.startsWith('\'') ? "\\&" + text : text;
}

QString roff(const std::string& text) {
  return roff(QString::fromStdString(text));
}

/// Formats a tagged paragraph of a manual page.
QString tagged(const QString& tag, const QString& text) {
  return ".TP\n.B " + tag + "\n" + (text.isEmpty() ? QString("\\&") : text) + "\n";
}

QString options_of(const CLI::App& command) {
  QString text;
  for (const CLI::Option* option : command.get_options()) {
    const bool hidden = option->get_group().empty();
    if (hidden || option->get_name() == "--help" || option->get_name().empty()) continue;
    QString name = QString::fromStdString(option->get_name(false, true));
    if (option->get_positional()) name = QString::fromStdString(option->get_name(true));
    if (!option->get_positional() && option->get_expected_max() > 0 && option->get_type_size_max() > 0)
      name += " " + QString::fromStdString(option->get_type_name()).toUpper();
    text += tagged(roff(name), roff(option->get_description()));
  }
  return text;
}

/// Converts tables of a section of the page "commands" to tagged paragraphs.
QString section_of_commands(const QString& heading) {
  const auto* page = find_topic("commands");
  if (!page) return {};
  const QString section = page->text.section("\n## " + heading + "\n", 1).section("\n## ", 0, 0);
  QString text;
  bool header = true;
  for (const QString& line : section.split('\n', Qt::SkipEmptyParts)) {
    if (!line.startsWith('|')) {
      text += ".PP\n" + roff(line) + "\n";
      continue;
    }
    if (line.startsWith("|---")) {
      header = false;
      continue;
    }
    const QStringList cells = cells_of(line);
    if (!header) text += tagged(roff(cells.value(0)), roff(cells.value(1)));
  }
  return text;
}

} // namespace

QString terminal_text(const QString& markdown, int width) {
  QString text, paragraph, first;
  QStringList table;
  bool code = false;
  const auto flush = [&] {
    if (!table.isEmpty()) text += table_text(table, width);
    if (!paragraph.isEmpty()) text += paragraph_text(first, paragraph, width);
    table.clear(), paragraph.clear();
  };
  static const QRegularExpression kItem("^ *(- |\\d+\\. |> )");
  for (const QString& line : markdown.split('\n')) {
    const bool quoted = line.startsWith("> ") && paragraph.startsWith("> ");
    if (line.startsWith("```")) {
      flush();
      code = !code;
    } else if (code) {
      text += "    " + line + "\n";
    } else if (line.startsWith('#')) {
      flush();
      const QString heading = inline_text(line.section(' ', 1));
      text += heading + "\n" + QString(heading.size(), line.startsWith("# ") ? '=' : '-') + "\n";
    } else if (line.trimmed().isEmpty()) {
      flush();
      text += "\n";
    } else if (line.startsWith('|')) {
      if (!paragraph.isEmpty()) flush();
      table << line;
    } else if (paragraph.isEmpty() || (kItem.match(line).hasMatch() && !quoted)) {
      flush();
      first = paragraph = line;
    } else {
      paragraph += " " + (quoted ? line.mid(2) : line.trimmed());
    }
  }
  flush();
  static const QRegularExpression kEmptyLines("\n{3,}"), kLastLines("\n+$");
  return text.replace(kEmptyLines, "\n\n").replace(kLastLines, "\n");
}

QString manual_page(const CLI::App& parser) {
  QString page =
      ".TH JITTERSCOPE 1 \"\" \"Jitterscope " + QString(JITTERSCOPE_VERSION) + "\" \"User Commands\"\n";
  page += ".SH NAME\njitterscope \\- show when GPU kernels vary, and why\n";
  page += ".SH SYNOPSIS\n.B jitterscope\n[\\fIFILES\\fR...]\n.br\n.B jitterscope\n\\fICOMMAND\\fR "
          "[\\fIOPTIONS\\fR]\n";
  page += ".SH DESCRIPTION\nJitterscope opens the traces of GPU profilers, ranks the moments at which "
          "kernel launches take an unusually long or short time, and names the recorded factors that account "
          "for the difference. Without a command it opens its window.\n";
  page += ".SH COMMANDS\n";
  for (const CLI::App* command : parser.get_subcommands([](const CLI::App*) { return true; }))
    page += ".SS " + roff(command->get_name()) + "\n" + roff(command->get_description()) + ".\n" +
            options_of(*command);
  page += ".SH EXIT STATUS\n" + section_of_commands("Exit codes");
  page += ".SH FILES AND ENVIRONMENT\n" + section_of_commands("Files and environment");
  page += ".SH HELP TOPICS\nShown by \\fBjitterscope help\\fR \\fITOPIC\\fR.\n";
  for (const HelpTopic& topic : help_topics()) page += tagged(roff(topic.id), roff(topic.title));
  return page;
}

} // namespace jitterscope::app
