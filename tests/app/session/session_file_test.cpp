#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QLockFile>
#include <QTest>

#include "app/session/autosave.h"
#include "app/session/recent_files.h"
#include "app/session/session_file.h"
#include "app/widgets/command_palette.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {

SessionFile full(const QString& file) {
  SessionFile session;
  session.files = {file};
  session.mapping = {"kernel=Kernel", "unit:t=us"};
  session.selection.window = Interval{{-5}, {9'000'000'000'000}};
  session.selection.brush = Interval{{10}, {20}};
  session.selection.bin = BinChoice{17, {{100}, {200}}};
  session.selection.kernels = {3, 8};
  session.selection.brushes["duration"] = {{1.5, 2.25}, {1e9, 2e9}};
  session.selection.brushes["gap_ns"] = {views::ValueRange::missing()};
  session.selection.brush_logic.any = true;
  session.selection.where = "name ~ /\"ä\"/";
  session.selection.launch = LaunchChoice{4, 123'456'789'012, {{7}, {9}}};
  session.bins = {"memory_stall", "cv", 10'000'000};
  session.causal = {CausalRows::KeptBins, "duration", "within", "rank = 3"};
  session.distribution = {"gap_ns", false, true, true, "stream"};
  session.views["timeline"] = {{"pinned", {1, 2}}};
  session.layout = QByteArray("\0\1\2", 3);
  return session;
}

void write(const QString& path, const QByteArray& text) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(text);
}

} // namespace

class SessionFileTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  QString at(const char* name) { return QString::fromStdString(folder_.file(name)); }

private slots:
  void initTestCase() { qputenv("JITTERSCOPE_STATE", folder_.file("state").c_str()); }

  void everythingComesBack() {
    const auto session = full(at("trace.sqlite"));
    write(at("trace.sqlite"), "x");
    QVERIFY(write_session(session, at("a.jsession")).has_value());
    QVERIFY(looks_like_session(at("a.jsession")));
    const auto back = read_session(at("a.jsession"));
    QVERIFY(back.has_value());
    QVERIFY(back->selection == session.selection);
    QCOMPARE(back->files, session.files);
    QCOMPARE(back->mapping, session.mapping);
    QCOMPARE(back->bins.metric, session.bins.metric);
    QCOMPARE(back->bins.width_ns, session.bins.width_ns);
    QCOMPARE(int(back->causal.rows), int(session.causal.rows));
    QCOMPARE(back->causal.reading, std::string("within"));
    QCOMPARE(back->causal.against, std::string("rank = 3"));
    QVERIFY(back->distribution == session.distribution);
    QVERIFY(back->views == session.views);
    QCOMPARE(back->layout, session.layout);
  }

  void aFolderThatMovedIsFoundAgain() {
    QDir().mkpath(at("before"));
    write(at("before/trace.sqlite"), "x");
    QVERIFY(write_session(full(at("before/trace.sqlite")), at("before/a.jsession")).has_value());
    QVERIFY(QDir().rename(at("before"), at("after")));
    const auto back = read_session(at("after/a.jsession"));
    QVERIFY(back.has_value());
    QCOMPARE(back->files, QStringList{at("after/trace.sqlite")});
  }

  void anyOtherFileIsRefusedWithItsName() {
    const auto whole = full(at("trace.sqlite"));
    QVERIFY(write_session(whole, at("cut.jsession")).has_value());
    QFile file(at("cut.jsession"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    for (qsizetype length = 0; length + 2 < text.size(); length += 7) {
      write(at("piece.jsession"), text.left(length));
      const auto back = read_session(at("piece.jsession"));
      QVERIFY(!back.has_value());
      QVERIFY(back.error().file.find("piece") != std::string::npos);
      QVERIFY(!back.error().hint.empty());
    }
    const std::pair<const char*, const char*> kBad[] = {
        {"a newer version", R"({"jitterscope_session": 99, "files": []})"},
        {"files of the wrong kind", R"({"jitterscope_session": 1, "files": 3})"},
        {"an interval of texts",
         R"({"jitterscope_session": 1, "files": [], "selection": {"window_ns": ["a", "b"]}})"},
        {"half an interval", R"({"jitterscope_session": 1, "files": [], "selection": {"brush_ns": [1]}})"},
        {"no object", "[1, 2]"},
        {"nothing", ""}};
    for (const auto& [what, text_] : kBad) {
      write(at("bad.jsession"), text_);
      QVERIFY2(!read_session(at("bad.jsession")).has_value(), what);
    }
    QVERIFY(!read_session(at("missing.jsession")).has_value());
    QVERIFY(!looks_like_session(at("trace.sqlite")));
  }

  void theSessionOfADeadWindowIsOfferedOnce() {
    const QString place = at("autosave");
    {
      Autosave dead(place, [&] { return full(at("trace.sqlite")); });
      dead.save();
    } // destroyed without a call of finished(), as if the process had been killed
    Autosave next(place, [] { return std::nullopt; });
    const QString left = next.claim_leftover();
    QVERIFY(!left.isEmpty());
    const auto back = read_session(left);
    QVERIFY(back.has_value());
    QCOMPARE(back->selection.where, full({}).selection.where);
    Autosave third(place, [] { return std::nullopt; });
    QVERIFY(third.claim_leftover().isEmpty());
    next.settle_leftover();
    next.finished();
    QVERIFY(!QFile::exists(left));
    QVERIFY(third.claim_leftover().isEmpty());
  }

  void theSessionOfADeadWindowIsOfferedUntilItIsSettled() {
    const QString place = at("autosave5");
    {
      Autosave dead(place, [&] { return full(at("trace.sqlite")); });
      dead.save();
    }
    {
      Autosave ignores(place, [] { return std::nullopt; });
      QVERIFY(!ignores.claim_leftover().isEmpty());
      ignores.finished();
    }
    {
      Autosave dies(place, [] { return std::nullopt; });
      QVERIFY(!dies.claim_leftover().isEmpty());
    } // without finished()
    Autosave last(place, [] { return std::nullopt; });
    const QString left = last.claim_leftover();
    QVERIFY(read_session(left).has_value());
    last.settle_leftover();
    last.finished();
    QVERIFY(QDir(place).entryList({"*.jsession", "*.left"}, QDir::Files).isEmpty());
  }

  void aLivingWindowsSessionIsNotRestored() {
    const QString place = at("autosave2");
    Autosave living(place, [&] { return full(at("trace.sqlite")); });
    living.save();
    Autosave other(place, [] { return std::nullopt; });
    QVERIFY(other.claim_leftover().isEmpty());
    living.finished();
    QVERIFY(QDir(place).entryList({"*.jsession"}, QDir::Files).isEmpty());
  }

  void changesAreSavedSoon() {
    const QString place = at("autosave3");
    Autosave living(place, [&] { return full(at("trace.sqlite")); });
    living.changed();
    QTRY_COMPARE_WITH_TIMEOUT(QDir(place).entryList({"*.jsession"}, QDir::Files).size(), 1, 60000);
    living.finished();
  }

  void unsignalledChangesAreSavedToo() {
    const QString place = at("autosave4");
    SessionFile session = full(at("trace.sqlite"));
    Autosave living(place, [&] { return session; });
    living.save();
    const auto file = [&] {
      return QDir(place).filePath(QDir(place).entryList({"*.jsession"}, QDir::Files).value(0));
    };
    const QDateTime written = QFileInfo(file()).lastModified();
    living.save(); // save() writes nothing if nothing has changed
    QCOMPARE(QFileInfo(file()).lastModified(), written);
    session.views["timeline"]["ranges"] = {{{"name", "after the kill"}}};
    QTRY_VERIFY_WITH_TIMEOUT(
        read_session(file()).value().views.dump().find("after the kill") != std::string::npos, 60000);
    living.finished();
  }

  void recentSessionsComeNewestFirstAndOnce() {
    RecentFiles::clear();
    for (int i = 0; i < 20; ++i) RecentFiles::add({at(("t" + std::to_string(i)).c_str())});
    RecentFiles::add({at("t15")});
    const auto list = RecentFiles::list();
    QCOMPARE(int(list.size()), RecentFiles::kMaxFiles);
    QCOMPARE(list[0], QStringList{at("t15")});
    QCOMPARE(list[1], QStringList{at("t19")});
    QVERIFY(RecentFiles::label({at("t1"), at("t2"), at("t3")}).startsWith("t1 + 2"));
    RecentFiles::forget(list[0]);
    QCOMPARE(RecentFiles::list()[0], QStringList{at("t19")});
  }

  void thePaletteFindsWordsInAnyOrder() {
    QCOMPARE(palette_score("zzz", "File ▸ Open…"), 0);
    QVERIFY(palette_score("", "anything") > 0);
    QVERIFY(palette_score("open file", "File ▸ Open…") > 0);
    QVERIFY(palette_score("open", "File ▸ Open…") > palette_score("pen", "File ▸ Open…"));
  }
};

QTEST_MAIN(SessionFileTest)
#include "session_file_test.moc"
