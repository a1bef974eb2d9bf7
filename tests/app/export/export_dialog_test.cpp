// The export dialog: it waits until the picture's content is complete, asks before it replaces a file,
// and remembers the size of the last figure.

#include <QDoubleSpinBox>
#include <QFile>
#include <QLayout>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>

#include "app/export/export_dialog.h"
#include "tests/app/session/own_places.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {

std::map<QString, ViewPainter> one(int* painted = nullptr) {
  return {{"Launches", [painted](QPainter&, const QRectF&, const views::ViewStyle&) {
             if (painted) ++*painted;
           }}};
}

} // namespace

class ExportDialogTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString at(const char* name) const { return folder_.filePath(name); }

private slots:
  void savingWaitsForTheContentOfThePaper() {
    int painted = 0, asked = 0;
    bool here = false;
    ExportDialog dialog(one(&painted), "Launches", views::Theme::Light);
    dialog.set_holding([&](const QString& view, const PaperSize&) {
      ++asked;
      return view == "Launches" && here;
    });
    QVERIFY(asked > 0); // before the user saves
    dialog.show();
    dialog.pathEdit()->setText(at("waits.svg"));
    dialog.accept();
    QCOMPARE(painted, 0);
    QVERIFY(dialog.isVisible());
    here = true;
    QTRY_VERIFY(!dialog.isVisible());
    QCOMPARE(painted, 1);
    QCOMPARE(dialog.saved(), at("waits.svg"));
  }

  void theHeightShowsAllUntilTheUserChoosesAnother() {
    ExportDialog dialog(one(), "Launches", views::Theme::Light);
    const double usual = dialog.heightBox()->value();
    dialog.set_needed_height(
        [](const QString&, const PaperSize& size) { return size.width_mm < 100 ? 240 : 120; });
    QCOMPARE(dialog.heightBox()->value(), 120.0);
    dialog.widthBox()->setValue(80);
    QCOMPARE(dialog.heightBox()->value(), 240.0);
    dialog.heightBox()->setValue(60);
    dialog.widthBox()->setValue(170);
    QCOMPARE(dialog.heightBox()->value(), 60.0);
    dialog.heightBox()->setValue(120);
    dialog.pathEdit()->setText(at("fits.svg"));
    dialog.accept();
    QCOMPARE(ExportDialog(one(), "Launches", views::Theme::Light).heightBox()->value(), usual);
  }

  void theDialogGrowsWithItsAdvice() {
    ExportDialog dialog(one(), "Launches", views::Theme::Light);
    dialog.show();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    dialog.resize(dialog.width(), dialog.layout()->totalHeightForWidth(dialog.width()));
    const int before = dialog.height();
    const auto advice = QString("Labels are smaller than 6 pt at this width. ").repeated(12);
    dialog.set_advice(
        [&](const QString&, const PaperSize& size) { return size.width_mm < 100 ? advice : QString(); });
    QCOMPARE(dialog.height(), before);
    dialog.widthBox()->setValue(80);
    QVERIFY(dialog.height() > before);
    QVERIFY(dialog.height() >= dialog.layout()->totalHeightForWidth(dialog.width()));
  }

  void anExistingFileIsReplacedWhenConfirmed() {
    QFile file(at("there.svg"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("precious") == 8);
    file.close();
    ExportDialog dialog(one(), "Launches", views::Theme::Light);
    dialog.pathEdit()->setText(at("there.svg"));
    dialog.accept();
    QVERIFY(dialog.saved().isEmpty());
    QCOMPARE(file.size(), 8);
    dialog.accept();
    QCOMPARE(dialog.saved(), at("there.svg"));
    QVERIFY(QFile(at("there.svg")).size() > 100);
  }

  void theNextFigureHasTheSameSize() {
    ExportDialog dialog(one(), "Launches", views::Theme::Light);
    dialog.widthBox()->setValue(85);
    dialog.pathEdit()->setText(at("size.pdf"));
    dialog.accept();
    QVERIFY(!dialog.saved().isEmpty());
    ExportDialog next(one(), "Launches", views::Theme::Light);
    QCOMPARE(next.widthBox()->value(), 85.0);
  }
};

QTEST_MAIN(ExportDialogTest)
#include "export_dialog_test.moc"
