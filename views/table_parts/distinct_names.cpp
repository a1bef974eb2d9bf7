#include "views/table_parts/distinct_names.h"

#include <algorithm>
#include <map>

#include "views/base/text_cache.h"

namespace jitterscope::views {

namespace {

const QChar kEllipsis(0x2026);

/// Number of letters that all names have in common at the beginning (or end).
qsizetype shared(const QStringList& names, bool atEnd) {
  qsizetype count = 0;
  for (;; ++count) {
    for (const QString& name : names) {
      if (count >= name.size()) return count;
      const auto letter = [&](const QString& of) { return atEnd ? of[of.size() - 1 - count] : of[count]; };
      if (letter(name) != letter(names.first())) return count;
    }
  }
}

/// As much of the beginning as fits, followed by the part between the common beginning and the common
/// end.
QString withDifference(const QString& name, qsizetype begin, qsizetype end, const QFont& font, double width) {
  const qsizetype size = std::max<qsizetype>(name.size() - begin - std::min(end, name.size() - begin), 0);
  const QString own = name.mid(begin, size),
                tail = begin + size < name.size() ? QString(kEllipsis) : QString();
  for (qsizetype kept = begin; kept >= 0; --kept) {
    const QString text = name.left(kept) + (kept < begin ? QString(kEllipsis) : QString()) + own + tail;
    if (textWidth(font, text) <= width) return text;
  }
  return elidedText(font, kEllipsis + own, Qt::ElideMiddle, width); // no room for the trailing ellipsis
}

bool partBegins(const QString& name, qsizetype at) {
  const QChar before = name[at - 1], here = name[at];
  return (before.isSpace() && before != QChar(QChar::Nbsp)) || QStringLiteral("_-:<,/.(").contains(before) ||
         (before.isLower() && here.isUpper());
}

} // namespace

qsizetype sharedWords(const QStringList& names) {
  if (names.size() < 2) return 0;
  qsizetype count = shared(names, false);
  while (count > 0 && !std::all_of(names.begin(), names.end(), [&](const QString& name) {
           return count < name.size() && partBegins(name, count);
         }))
    --count;
  return count;
}

QStringList distinctNames(const QStringList& names, const QFont& font, double width) {
  QStringList shown;
  std::map<QString, QStringList> meant; // full names by the text displayed for them
  for (const QString& name : names) {
    shown << elidedText(font, name, Qt::ElideMiddle, width);
    auto& own = meant[shown.last()];
    if (!own.contains(name)) own << name;
  }
  for (int i = 0; i < names.size(); ++i)
    if (const auto& alike = meant[shown[i]]; alike.size() > 1)
      shown[i] = withDifference(names[i], shared(alike, false), shared(alike, true), font, width);
  std::map<QString, QString> taken; // displayed text → full name
  for (int i = 0; i < names.size(); ++i) {
    QString text = shown[i];
    for (int number = 2; taken.contains(text) && taken[text] != names[i]; ++number) {
      const QString mark = QStringLiteral(" %1").arg(number);
      text = elidedText(font, shown[i], Qt::ElideMiddle, width - textWidth(font, mark)) + mark;
    }
    taken[text] = names[i];
    shown[i] = text;
  }
  return shown;
}

QStringList inLines(const QString& name, const QFont& font, double width, int maximum) {
  if (textWidth(font, name) <= width) return {name};
  qsizetype best = 0, longest = 0;
  for (qsizetype at = 1; at < name.size() && textWidth(font, name.left(at).trimmed()) <= width; ++at) {
    longest = at;
    if (partBegins(name, at)) best = at;
  }
  if (best < longest / 3) best = longest; // a long part: broken where the line ends
  if (best == 0 || maximum < 2) return {elidedText(font, name, Qt::ElideMiddle, width)};
  return QStringList(name.left(best).trimmed()) + inLines(name.mid(best).trimmed(), font, width, maximum - 1);
}

QString firstThatFits(const QStringList& texts, const QFont& font, double width) {
  const auto found = std::find_if(texts.begin(), texts.end(),
                                  [&](const QString& text) { return textWidth(font, text) <= width; });
  return found != texts.end() ? *found : texts.value(texts.size() - 1);
}

} // namespace jitterscope::views
