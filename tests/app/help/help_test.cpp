#include <QDirIterator>
#include <QDockWidget>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTest>

#include "app/help/help_text.h"
#include "app/help/help_topics.h"
#include "app/help/help_window.h"
#include "core/causal/answer/advice.h"

using namespace jitterscope::app;

namespace {

QStringList anchors_of(const HelpTopic& page) {
  QStringList anchors;
  for (const QString& line : page.text.split('\n'))
    if (line.startsWith('#')) anchors << anchor_of(line.section(' ', 1));
  return anchors;
}

} // namespace

class HelpTest : public QObject {
  Q_OBJECT

private slots:
  void pages_have_a_title_and_come_in_order() {
    QVERIFY(help_topics().size() > 20);
    QCOMPARE(help_topics().front().id, QString("start"));
    for (const HelpTopic& page : help_topics()) {
      QVERIFY2(page.text.startsWith("# "), qPrintable(page.id));
      QVERIFY2(page.title.size() > 3, qPrintable(page.id));
    }
  }

  void every_link_leads_to_a_page_and_a_heading() {
    static const QRegularExpression kLink("\\]\\(([^)#]*)(?:#([^)]*))?\\)");
    int links = 0;
    for (const HelpTopic& page : help_topics())
      for (auto found = kLink.globalMatch(page.text); found.hasNext();) {
        const auto link = found.next();
        const QString file = link.captured(1);
        QVERIFY2(file.isEmpty() || file.endsWith(".md"), qPrintable(page.id + ": " + file));
        const QString id = file.isEmpty() ? page.id : file.chopped(3);
        const auto* target = find_topic(id);
        QVERIFY2(target && target->id == id, qPrintable(page.id + " links to " + file));
        const QString anchor = link.captured(2);
        QVERIFY2(anchor.isEmpty() || anchors_of(*target).contains(anchor),
                 qPrintable(page.id + " links to " + id + "#" + anchor));
        ++links;
      }
    QVERIFY(links > 60);
  }

  void every_link_of_a_view_leads_to_a_page_and_a_heading() {
    static const QRegularExpression kLink("help:([a-z-]+)(?:#([a-z0-9-]+))?['\"\\\\]"); // \\: before a quote
    int links = 0;
    for (const char* folder : {"/app", "/views"})
      for (QDirIterator files(JITTERSCOPE_SOURCE_DIR + QString(folder), {"*.cpp", "*.h"}, QDir::Files,
                              QDirIterator::Subdirectories);
           files.hasNext();) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (auto found = kLink.globalMatch(QString::fromUtf8(file.readAll())); found.hasNext(); ++links) {
          const auto link = found.next();
          const auto* page = find_topic(link.captured(1));
          const QString anchor = link.captured(2);
          QVERIFY2(page && page->id == link.captured(1),
                   qPrintable(file.fileName() + ": " + link.captured(0)));
          QVERIFY2(anchor.isEmpty() || anchors_of(*page).contains(anchor),
                   qPrintable(file.fileName() + ": " + link.captured(0)));
        }
      }
    QVERIFY(links >= 4);
  }

  void every_table_has_as_many_cells_in_each_row() {
    for (const HelpTopic& page : help_topics()) {
      qsizetype cells = -1;
      for (const QString& line : page.text.split('\n')) {
        if (!line.startsWith('|')) {
          cells = -1;
          continue;
        }
        const auto count = line.count('|');
        QVERIFY2(cells < 0 || count == cells, qPrintable(page.id + ": " + line));
        cells = count;
      }
    }
  }

  void views_are_found_by_their_titles() {
    for (const char* view :
         {"Ranked bins", "Parallel coordinates", "Kernels", "Launches", "Details", "Distribution", "Heat map",
          "Activity", "Causal graph", "Efficiencies", "Metrics", "Metric histogram", "Evidence", "What if",
          "Knowledge", "Devices", "Area", "Marks"})
      QVERIFY2(find_topic(view), view);
  }

  void every_note_of_the_causal_engine_is_explained() {
    static const QRegularExpression kCode("NoteSpec k\\w+\\{\\s*\"([a-z]+(?:-[a-z]+)*)\"");
    const QString notes = find_topic("notes")->text;
    QFile file(JITTERSCOPE_SOURCE_DIR "/core/causal/base/note_specs.h");
    QVERIFY(file.open(QIODevice::ReadOnly));
    int codes = 0;
    for (auto found = kCode.globalMatch(QString::fromUtf8(file.readAll())); found.hasNext(); ++codes) {
      const QString code = found.next().captured(1);
      QVERIFY2(notes.contains("| `" + code + "` |"), qPrintable(code));
    }
    QVERIFY(codes > 40);
  }

  void the_page_on_advice_has_that_of_the_engine() {
    const QString page = find_topic("advice")->text;
    for (const char* feature : {"migration_ns", "sm_clock", "overlap_memset_ns", "gap_ns", "first_launch",
                                "concurrency", "collective_wait_ns", "device"}) {
      const auto advice = jitterscope::causal::advice_for(feature, jitterscope::causal::Tool::nsight_systems);
      QVERIFY2(advice && page.contains("| " + QString::fromStdString(advice->text) + " |"), feature);
    }
    for (const char* feature : {"page_faults", "frequency_ghz", "gap_ns", "rank"}) {
      const auto advice = jitterscope::causal::advice_for(feature, jitterscope::causal::Tool::extrae);
      QVERIFY2(advice && page.contains("| " + QString::fromStdString(advice->text) + " | `" +
                                       QString::fromStdString(advice->command) + "` |"),
               feature);
    }
  }

  void words_are_found_in_all_pages() {
    const auto hits = search_help("attributable share");
    QVERIFY(!hits.empty());
    QCOMPARE(hits.front().topic->id, QString("statistics"));
    QCOMPARE(hits.front().heading, QString("Attributable share"));
    QVERIFY(search_help("SHARE attributable").size() == hits.size());
    QVERIFY(std::any_of(hits.begin(), hits.end(), [](const auto& hit) {
      return hit.line.contains("v = |d − median of the configuration|") && !hit.line.contains("](");
    }));
    QVERIFY(search_help("zebra xylophone").empty());
    QVERIFY(search_help("  ").empty());
  }

  void tables_and_paragraphs_fit_a_terminal() {
    const QString text =
        terminal_text("# Title\n\nOne [link](bins.md) and *two* `a*b*c` words that go on\nuntil the line is "
                      "full.\n\n| name | meaning |\n|---|---|\n"
                      "| `x` | a long cell that has to be wrapped somewhere |\n\n- first\n  item\n- second\n",
                      40);
    QVERIFY2(text.startsWith("Title\n=====\n\nOne link and two `a*b*c` words that go\non until the line is "
                             "full.\n\nname  meaning\n"),
             qPrintable(text));
    QVERIFY2(text.contains("- first item\n- second\n"), qPrintable(text));
    for (const QString& line : text.split('\n')) QVERIFY2(line.size() <= 40, qPrintable(line));
    for (const HelpTopic& page : help_topics())
      QVERIFY2(!terminal_text(page.text, 80).contains(".md)"), qPrintable(page.id));
  }

  void the_window_shows_pages_headings_and_hits() {
    QWidget parent;
    HelpWindow window(&parent);
    window.show_page("bins");
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QCOMPARE(window.browser()->page(), QString("bins"));
    QVERIFY(window.windowTitle().startsWith("Ranked bins"));
    QCOMPARE(window.list()->count(), static_cast<int>(help_topics().size()));
    QCOMPARE(window.list()->currentItem()->text(), QString("Ranked bins"));
    window.browser()->open("statistics#intervals");
    QCOMPARE(window.browser()->page(), QString("statistics"));
    QTRY_VERIFY(window.browser()->verticalScrollBar()->value() > 0);
    window.browser()->backward();
    QCOMPARE(window.browser()->page(), QString("bins"));
    window.browser()->setSource(QUrl("causal.md#background-knowledge")); // like a click on a link of the page
    QCOMPARE(window.browser()->page(), QString("causal"));
    QVERIFY(window.browser()->toPlainText().contains("Background knowledge"));
    QTest::keyClicks(window.search_field(), "stability resamples");
    QVERIFY(window.list()->count() > 0);
    QTest::keyClick(window.search_field(), Qt::Key_Return);
    QVERIFY(window.browser()->toPlainText().contains("resamples"));
    window.search_field()->setText("zebra xylophone");
    QCOMPARE(window.list()->count(), 1);
    window.browser()->open("no-such-page");
    QVERIFY(window.browser()->toPlainText().contains("no-such-page"));
  }
};

QTEST_MAIN(HelpTest)
#include "help_test.moc"
