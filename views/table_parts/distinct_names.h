#pragma once

#include <QFont>
#include <QStringList>

namespace jitterscope::views {

/// Shortens names to at most `width`, in the middle. Different names never become equal: for those that
/// would, the distinguishing part is kept, and if that does not fit they are numbered. Equal names
/// stay equal.
QStringList distinctNames(const QStringList& names, const QFont& font, double width);

/// Length of the common prefix of all names, in whole words or other name parts; 0 for fewer than two
/// names.
qsizetype sharedWords(const QStringList& names);

/// Breaks a name into at most `maximum` lines of `width`, at words, parts of camel-case words or other name
/// parts; text that does not fit is elided in the middle of the last line. One line if the name fits.
QStringList inLines(const QString& name, const QFont& font, double width, int maximum);

/// The first of these texts that is at most `width` wide; else the last.
QString firstThatFits(const QStringList& texts, const QFont& font, double width);

} // namespace jitterscope::views
