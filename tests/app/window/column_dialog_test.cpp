// The columns of a plain table are chosen before the import, and remembered by its header.

#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include "app/window/column_dialog.h"
#include "tests/app/session/own_places.h"

using namespace jitterscope;
using namespace jitterscope::app;
using import::ColumnRole;

class ColumnDialogTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  QString table(const char* name, const char* text) {
    QFile file(folder_.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0) qFatal("no file");
    return file.fileName();
  }
  static void choose(ColumnDialog& dialog, int column, ColumnRole role) {
    dialog.role_box(column)->setCurrentIndex(static_cast<int>(role) + 1);
  }

private slots:
  void choicesAreCheckedAndRemembered() {
    const auto file = table("a.csv", "op,duration,x\na,2,1\nb,4,1\n");
    QVERIFY(remembered_mapping({file}).isEmpty());
    const auto found = first_table({"/nowhere", file});
    QVERIFY(found && found->found.doubtful() && !found->remembered);
    ColumnDialog dialog(*found);
    QVERIFY(dialog.open_button()->isEnabled());
    QCOMPARE(dialog.mapping(), QStringList());
    choose(dialog, 0, ColumnRole::Kernel);
    choose(dialog, 1, ColumnRole::Duration);
    QTRY_VERIFY(dialog.summary().contains("no unit of time"));
    QVERIFY(!dialog.open_button()->isEnabled());
    dialog.accept();
    QVERIFY(dialog.result() != QDialog::Accepted);
    dialog.unit_edit(1)->setText("us");
    QTRY_VERIFY(dialog.open_button()->isEnabled());
    choose(dialog, 2, ColumnRole::Duration); // one column has this role
    QCOMPARE(dialog.role_box(1)->currentIndex(), 0);
    choose(dialog, 1, ColumnRole::Duration);
    QTRY_VERIFY(dialog.open_button()->isEnabled());
    dialog.accept();
    QCOMPARE(dialog.mapping(), QStringList({"kernel=op", "duration=duration", "unit:duration=us"}));

    const auto other = table("b.csv", "op,duration,x\nc,1,1\nd,1,2\n");
    QCOMPARE(remembered_mapping({other}), dialog.mapping());
    const auto again = first_table({other});
    QVERIFY(again->remembered);
    QCOMPARE(ColumnDialog(*again).mapping(), dialog.mapping());
    QVERIFY(remembered_mapping({table("c.csv", "op,duration,y\nc,1,1\nd,1,2\n")}).isEmpty());
  }

  // A start needs an end or a duration.
  void rolesThatAChoiceMakesPossibleAreShown() {
    const auto file = table("fleet.csv", "node,ts,perf\n1,1591118862,2.5\n2,1591118870,1.5\n");
    ColumnDialog dialog(*first_table({file}));
    QCOMPARE(dialog.role_box(1)->currentText(), QString("Attribute"));
    choose(dialog, 2, ColumnRole::Duration);
    dialog.unit_edit(2)->setText("ms");
    QTRY_COMPARE(dialog.role_box(1)->currentText(), QString("Start"));
    QVERIFY(dialog.summary().contains("s since 1970"));
    QCOMPARE(dialog.mapping(), QStringList({"duration=perf", "unit:perf=ms"}));
    dialog.role_box(1)->setCurrentIndex(0);
    QTRY_VERIFY(dialog.summary().contains("no start and end"));
    QCOMPARE(dialog.role_box(1)->currentText(), QString("Attribute"));
    const QStringList without_start = {"start=", "duration=perf", "unit:perf=ms"};
    QCOMPARE(dialog.mapping(), without_start);
    ColumnDialog again(*first_table({file}, without_start));
    QCOMPARE(again.role_box(1)->currentText(), QString("Attribute"));
    QCOMPARE(again.mapping(), without_start);
    again.role_box(1)->setCurrentIndex(static_cast<int>(ColumnRole::Start) + 1);
    QTRY_VERIFY(again.summary().contains("start times"));
    QCOMPARE(again.mapping(), QStringList({"duration=perf", "unit:perf=ms"}));
  }

  void aTableIsShownWithItsRows() {
    const auto found =
        first_table({table("shown.csv", "kernel,grid_x,start,end,power [W]\nvector_add,64,1020,1355,212.5\n"
                                        "reduce,128,2010,2900,215\nvector_add,64,4100,4432,211\n")});
    ColumnDialog dialog(*found);
    dialog.show();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    QVERIFY(dialog.summary().contains("start times"));
    QCOMPARE(dialog.role_box(1)->currentText(), QString("Configuration"));
    QCOMPARE(dialog.role_box(2)->currentText(), QString("Start"));
  }
};

QTEST_MAIN(ColumnDialogTest)
#include "column_dialog_test.moc"
