#include "views/table_parts/brief_names.h"

#include <algorithm>
#include <map>

#include "views/base/text_cache.h"
#include "views/table_parts/distinct_names.h"

namespace jitterscope::views {

namespace {

bool isLetter(QChar c) {
  return c.isLetterOrNumber() || c == u'_';
}

/// "gemm" for "void blas::gemm<float>(int)": the text up to the first bracket, without return type and
/// namespaces. Names that are not signatures stay as they are.
QString withoutSignature(const QString& name) {
  qsizetype bracket = 1; // directly after the name of the function
  while (bracket < name.size() &&
         !((name[bracket] == u'<' || name[bracket] == u'(') && isLetter(name[bracket - 1])))
    ++bracket;
  if (bracket >= name.size()) return name;
  QString brief = name.left(bracket);
  brief = brief.mid(brief.lastIndexOf(u' ') + 1);
  brief = brief.mid(brief.lastIndexOf(QLatin1String("::")) + 1);
  if (brief.startsWith(u':')) brief.remove(0, 1);
  return brief.isEmpty() ? name : brief;
}

qsizetype sameLetters(const QStringList& names, bool atEnd) {
  const auto letter = [&](const QString& name, qsizetype i) { return name[atEnd ? name.size() - 1 - i : i]; };
  for (qsizetype count = 0;; ++count)
    for (const auto& name : names)
      if (count >= name.size() || letter(name, count) != letter(names.front(), count)) return count;
}

/// What distinguishes a name from the others: whole words between the common beginning and end.
QString ownPart(const QString& name, const QStringList& all) {
  auto begin = sameLetters(all, false);
  auto end = name.size() - std::min(sameLetters(all, true), name.size() - begin);
  while (begin > 0 && isLetter(name[begin - 1])) --begin;
  while (end < name.size() && isLetter(name[end])) ++end;
  return name.mid(begin, end - begin).trimmed();
}

} // namespace

QStringList briefNames(const QStringList& names, const QFont& font, double width) {
  std::map<QString, QStringList> meant; // names by the brief form
  for (const auto& name : names)
    if (auto& of = meant[withoutSignature(name)]; !of.contains(name)) of << name;
  QStringList shown, texts;
  for (const auto& name : names) {
    const auto brief = withoutSignature(name);
    const auto& alike = meant[brief];
    const auto own = alike.size() > 1 ? ownPart(name, alike) : QString();
    texts << (own.isEmpty() ? brief : brief + QStringLiteral(" · ") + own);
    if (own.isEmpty()) {
      shown << elidedText(font, brief, Qt::ElideRight, width);
      continue;
    }
    const QString part =
        QStringLiteral(" · ") + elidedText(font, own, Qt::ElideRight, 0.6 * width - textWidth(font, " · "));
    shown << elidedText(font, brief, Qt::ElideRight, width - textWidth(font, part)) + part;
  }
  for (int i = 0; i < names.size(); ++i)
    for (int j = 0; j < i; ++j)
      if (shown[i] == shown[j] && names[i] != names[j]) return distinctNames(texts, font, width);
  return shown;
}

} // namespace jitterscope::views
