#include <QDir>
#include <QFile>
#include <QTest>

#include <atomic>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/engine/private_folder.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::app;

class PrivateFolderTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder place_;
  QString base_ = QString::fromStdString(place_.path().string());
  QStringList there() {
    return QDir(base_).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
  }

  /// Leaves a folder like a process that is killed: nothing is cleaned up.
  void leave_a_folder() {
    const auto child = ::fork();
    if (child == 0) {
      const auto folder = PrivateFolder::make(base_);
      QFile(folder->file("engine.sock")).open(QIODevice::WriteOnly);
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }

private slots:
  void itIsRemovedWithItsObject() {
    {
      const auto folder = PrivateFolder::make(base_);
      QVERIFY(folder && QDir(folder->path()).exists());
      QCOMPARE(QFile::permissions(folder->path()) & (QFile::ReadGroup | QFile::ReadOther),
               QFile::Permissions());
    }
    QVERIFY(there().isEmpty());
  }

  void foldersOfDeadProcessesAreRemovedAndNoOthers() {
    leave_a_folder();
    QCOMPARE(there().size(), 1);
    const auto alive = PrivateFolder::make(base_);
    const QString of_others = base_ + "/jitterscope-engine-notes",
                  unlocked = base_ + "/jitterscope-engine-abcdef";
    QFile file(of_others);
    QVERIFY(file.open(QIODevice::WriteOnly) && QDir().mkdir(unlocked));
    QVERIFY(QFile::link("/", base_ + "/jitterscope-engine-linked"));
    PrivateFolder::remove_abandoned(base_);
    QStringList expected{QDir(alive->path()).dirName(), "jitterscope-engine-abcdef",
                         "jitterscope-engine-linked", "jitterscope-engine-notes"};
    expected.sort();
    auto found = there();
    found.sort();
    QCOMPARE(found, expected);
    for (const auto& name : {"jitterscope-engine-notes", "jitterscope-engine-linked"})
      QFile::remove(base_ + "/" + name);
    QDir().rmdir(unlocked);
  }

  void anEmptyFolderIsRemovedOnceItIsOld() {
    const QByteArray empty = QFile::encodeName(base_ + "/jitterscope-engine-empty"),
                     full = QFile::encodeName(base_ + "/jitterscope-engine-full");
    QVERIFY(QDir().mkdir(empty) && QDir().mkdir(full));
    QFile kept(full + "/notes");
    QVERIFY(kept.open(QIODevice::WriteOnly));
    const timespec then[2] = {{::time(nullptr) - 3600, 0}, {::time(nullptr) - 3600, 0}};
    for (const auto& path : {empty, full}) QCOMPARE(::utimensat(AT_FDCWD, path.constData(), then, 0), 0);
    PrivateFolder::remove_abandoned(base_);
    QCOMPARE(there(), QStringList{"jitterscope-engine-full"});
    QDir(full).removeRecursively();
  }

  // Windows that start at the same time: none loses its folder to another, and no folder is left over.
  void foldersOfRunningProcessesStayWhileOthersAreRemoved() {
    for (int i = 0; i < 20; ++i) leave_a_folder();
    std::atomic<int> lost{0};
    std::vector<std::thread> windows;
    for (int window = 0; window < 4; ++window)
      windows.emplace_back([&] {
        for (int round = 0; round < 250; ++round) {
          PrivateFolder::remove_abandoned(base_);
          const auto folder = PrivateFolder::make(base_);
          PrivateFolder::remove_abandoned(base_);
          if (!folder || !QFile::exists(folder->file("lock"))) ++lost;
        }
      });
    for (auto& window : windows) window.join();
    QCOMPARE(lost.load(), 0);
    QVERIFY2(there().isEmpty(), qPrintable(there().join(' ')));
  }

  void withoutWritableFoldersThereIsNone() { QVERIFY(!PrivateFolder::make(base_ + "/missing")); }
};

QTEST_GUILESS_MAIN(PrivateFolderTest)
#include "private_folder_test.moc"
