// The report of the window's selection, written by a process of its own.

#include <QDir>
#include <QFile>

#include "app/widgets/message_bar.h"
#include "tests/app/window/linked_window.h"

using namespace jitterscope;
using namespace jitterscope::app;

class ReportWriterTest : public QObject, LinkedWindow {
  Q_OBJECT

  using Page = ReportWriter::Page;
  QString at(const char* name) { return QString::fromStdString(folder_.file(name)); }
  QString message() { return window_->messages()->text(); }
  QString written(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }

private slots:
  void initTestCase() {
    make_trace();
    QVERIFY(QDir().mkpath(at("tmp")));
    qputenv("TMPDIR", at("tmp").toUtf8());
  }
  void init() { open_window(); }
  void cleanup() { close_window(); }

  void hasTheSelectedLaunches() {
    type_filter("stream = 1");
    QTRY_VERIFY_WITH_TIMEOUT(in_table() < kLaunches, kPatience);
    const auto selected = QString::number(in_table());
    window_->save_report(at("report.html"), Page::Report);
    QTRY_VERIFY_WITH_TIMEOUT(message().startsWith("Wrote the report to"), kPatience);
    const QString page = written(at("report.html"));
    QVERIFY(page.contains("Kernel variability of trace.sqlite"));
    QVERIFY(page.contains("only launches that meet the condition (stream = 1)"));
    QVERIFY2(page.contains(selected + " launches"), qPrintable(page.left(5'000)));
  }

  void ofAnAssessmentIsTheOtherPage() {
    window_->save_report(at("assessment.html"), Page::Assessment);
    QTRY_VERIFY_WITH_TIMEOUT(message().startsWith("Wrote the report to"), kPatience);
    QVERIFY(written(at("assessment.html")).contains("Performance assessment of trace.sqlite"));
  }

  void thatCannotBeWrittenReportsTheReason() {
    window_->save_report(at("missing/report.html"), Page::Report);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->report_writer()->running(), kPatience);
    QVERIFY2(message().contains("missing/report.html"), qPrintable(message()));
  }

  void leavesNothingWhenItIsCancelled() {
    const auto before = QDir(at("tmp")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
    window_->save_report(at("cancelled.html"), Page::Report);
    QVERIFY(window_->report_writer()->running());
    window_->save_report(at("second.html"), Page::Report);
    QVERIFY2(message().contains("already being written"), qPrintable(message()));
    QTest::qWait(200); // the program may or may not have started: it must end in both cases
    window_->report_writer()->cancel();
    QVERIFY(!window_->report_writer()->running());
    QVERIFY(!QFile::exists(at("cancelled.html")));
    QTRY_COMPARE_WITH_TIMEOUT(QDir(at("tmp")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), before,
                              kPatience);
    QVERIFY(!QFile::exists(at("cancelled.html")));
    window_->save_report(at("again.html"), Page::Report);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(at("again.html")), kPatience);
  }

  void endsWithTheWindow() {
    window_->save_report(at("closed.html"), Page::Report);
    close_window();
    QVERIFY(!QFile::exists(at("closed.html")));
    open_window();
  }
};

QTEST_MAIN(ReportWriterTest)
#include "report_writer_test.moc"
