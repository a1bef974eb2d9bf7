#pragma once

#include <QDir>
#include <QFile>
#include <QList>
#include <QStringList>

#include <cstdio>
#include <fstream>
#include <string>

namespace jitterscope::test {

/// The running descendants of the process `root`.
inline QList<qint64> descendants(qint64 root) {
  QList<qint64> found;
  for (const auto& entry : QDir("/proc").entryList(QDir::Dirs)) {
    bool number = false;
    const qint64 pid = entry.toLongLong(&number);
    if (!number) continue;
    std::ifstream stat("/proc/" + entry.toStdString() + "/stat");
    std::string text;
    std::getline(stat, text);
    const auto close = text.rfind(')');
    if (close == std::string::npos) continue;
    char state = 0;
    long parent = 0;
    if (std::sscanf(text.c_str() + close + 1, " %c %ld", &state, &parent) == 2 && parent == root &&
        state != 'Z') {
      found << pid;
      found << descendants(pid);
    }
  }
  return found;
}

/// Temporary folders and shared memory that the mpirun processes among `processes` were given: other tests
/// may run at the same time and have folders of the same kind.
inline QStringList folders_of_mpi(const QList<qint64>& processes) {
  QStringList folders;
  for (const auto process : processes) {
    QFile arguments(QString("/proc/%1/cmdline").arg(process));
    if (!arguments.open(QIODevice::ReadOnly)) continue;
    const auto words = arguments.readAll().split('\0');
    for (qsizetype i = 0; i + 1 < words.size(); ++i)
      if (words[i] == "orte_tmpdir_base" || words[i] == "btl_vader_backing_directory")
        folders << QFile::decodeName(words[i + 1]);
  }
  folders.removeDuplicates();
  return folders;
}

} // namespace jitterscope::test
