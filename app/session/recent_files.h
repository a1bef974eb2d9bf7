#pragma once

#include <QStringList>
#include <vector>

namespace jitterscope::app {

/// Recently opened sessions, newest first: each a list of files opened together. Stored in the user's
/// settings.
class RecentFiles {
public:
  static constexpr int kMaxFiles = 12;
  static std::vector<QStringList> list();
  static void add(const QStringList& files);
  static void forget(const QStringList& files);
  static void clear();
  /// Menu label: "report7.sqlite + 3 · /data/runs"
  static QString label(const QStringList& files);
};

} // namespace jitterscope::app
