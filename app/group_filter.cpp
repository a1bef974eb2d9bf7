#include "app/group_filter.h"

#include <QRegularExpression>

namespace jitterscope::app {
namespace {

// Brackets in texts and regular expressions do not count.
bool balanced(const QString& filter) {
  int depth = 0;
  QChar inside;
  for (qsizetype i = 0; i < filter.size(); ++i) {
    const QChar c = filter[i];
    if (!inside.isNull()) {
      if (c == '\\') ++i;
      if (c == inside) inside = {};
      continue;
    }
    if (c == '"' || c == '/') inside = c;
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return false;
  }
  return depth == 0;
}

} // namespace

std::optional<GroupFilter> split_group(const QString& where, const QString& column) {
  if (column.isEmpty()) return std::nullopt;
  const QString one = QRegularExpression::escape(column) + R"( = (?:"(?:[^"\\]|\\.)*"|[-+.0-9eE]+))";
  const QRegularExpression form("^(?:\\((.*)\\) and )?(" + one + ")$", QRegularExpression::DotMatchesEverythingOption);
  const auto match = form.match(where.trimmed());
  if (!match.hasMatch() || !balanced(match.captured(1))) return std::nullopt;
  return GroupFilter{match.captured(1), match.captured(2)};
}

QString with_group(const QString& where, const QString& column, const QString& group) {
  const auto now = split_group(where, column);
  const QString base = now ? now->base : where.trimmed();
  if (now && now->group == group) return base;
  return base.isEmpty() ? group : "(" + base + ") and " + group;
}

} // namespace jitterscope::app
