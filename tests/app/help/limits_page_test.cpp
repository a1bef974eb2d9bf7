// The help page "limits" states the constants of the program.

#include <QLocale>
#include <QTest>

#include "app/engine/engine_link.h"
#include "app/help/help_topics.h"
#include "core/base/spill_memory.h"
#include "core/engine/messages/frame.h"
#include "core/engine/messages/request_limits.h"
#include "core/import/formats/tau/profile_file.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/json/cursor.h"

using namespace jitterscope;
using engine::RequestLimits;

namespace {

QString text_of(auto number) {
  return QLocale(QLocale::English).toString(static_cast<qlonglong>(number));
}

QString mebibytes(std::size_t bytes) {
  return text_of(bytes >> 20) + " MiB";
}

/// The second cell of each row of the page's tables, by the first cell.
QMap<QString, QString> rows_of_page() {
  QMap<QString, QString> rows;
  for (const QString& line : app::find_topic("limits")->text.split('\n')) {
    const auto cells = line.split('|');
    if (cells.size() >= 4 && !cells[1].contains("---")) rows[cells[1].trimmed()] = cells[2].trimmed();
  }
  return rows;
}

} // namespace

class LimitsPageTest : public QObject {
  Q_OBJECT

private slots:
  void pageStatesTheConstants_data() {
    QTest::addColumn<QString>("stated");
    const auto row = [](const char* name, const QString& stated) { QTest::newRow(name) << stated; };
    row("Nested lists and objects", text_of(RequestLimits::kNesting) + " levels");
    row("Text of a request", text_of(RequestLimits::kText) + " bytes");
    row("Members of one list or object", text_of(RequestLimits::kList));
    row("Axes of parallel coordinates", text_of(RequestLimits::kAxes));
    row("Bins, columns or rows of one axis", text_of(RequestLimits::kBins));
    row("Cells of one heat map or scatter plot", text_of(RequestLimits::kCells));
    row("Cells of all pairs of axes", text_of(RequestLimits::kPairCells));
    row("Listed items", text_of(RequestLimits::kListed));
    row("Bootstrap resamples", text_of(RequestLimits::kResamples));
    row("Size of one answer or request", text_of(engine::kLongestFrame) + " bytes");
    row("Size of an imported file", "columns beyond " + text_of(kSpillInCore >> 20) + " MiB");
    row("Rows of one table of one import", text_of(kNone - 1));
    row("One record of a CSV file", mebibytes(import::CsvReader::kMaxRecordBytes) + ", " +
                                        text_of(import::CsvReader::kMaxFields) + " fields");
    row("One element of a JSON array", mebibytes(import::json::kMaxElement));
    row("TAU profile of one thread", text_of(import::tau::kMaxRows) + " functions and events, " +
                                         mebibytes(import::tau::kMaxNames) + " of names");
    row("Ranks of the engine (`--ranks`)", text_of(RequestLimits::kRanks));
    row("Time to start ranks", text_of(app::EngineSetup().start_limit_ms / 1'000) + " s");
    row("Launches of a causal answer", "a sample of " + text_of(RequestLimits::kCausalRows) + ", of up to " +
                                           text_of(RequestLimits::kMaxCausalRows));
  }
  void pageStatesTheConstants() {
    QFETCH(QString, stated);
    const auto rows = rows_of_page();
    QVERIFY2(rows.contains(QTest::currentDataTag()), "the page has no such row");
    const QString found = rows[QTest::currentDataTag()];
    QVERIFY2(found.contains(stated), qPrintable(found + " instead of " + stated));
  }
};

QTEST_GUILESS_MAIN(LimitsPageTest)
#include "limits_page_test.moc"
