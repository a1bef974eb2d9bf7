#pragma once

#include <QFont>
#include <QStringList>

namespace jitterscope::views {

/// Names no wider than `width`, shortened in the middle. Names that differ never become equal: of those that
/// would, what sets them apart is kept, and where even that has no room they are numbered. The same names
/// stay the same.
QStringList distinctNames(const QStringList& names, const QFont& font, double width);

/// How many letters of whole words and other parts of names all of these begin with; 0 of fewer than two
/// names.
qsizetype sharedWords(const QStringList& names);

/// A name in at most `most` lines of `width`, broken where words, camel humps or other parts of names begin;
/// what has no room is left out in the middle of the last. One line where it fits.
QStringList inLines(const QString& name, const QFont& font, double width, int most);

/// The first of these that is no wider than `width`; else the last.
QString firstThatFits(const QStringList& texts, const QFont& font, double width);

} // namespace jitterscope::views
