#include <QDockWidget>
#include <QSet>
#include <QTest>

#include "app/help/help_topics.h"
#include "app/window/main_window.h"
#include "app/window/views/view_list.h"
#include "tests/app/session/own_places.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// The specs of the views agree with each other, with the help pages and with the window.
class ViewListTest : public QObject {
  Q_OBJECT

private slots:
  void idsAndTitlesAreUnique() {
    QSet<QString> ids, titles;
    for (const auto& spec : view_specs()) ids << spec.id, titles << spec.title;
    QCOMPARE(ids.size(), qsizetype(view_specs().size()));
    QCOMPARE(titles.size(), ids.size());
  }

  void everyViewHasItsHelpPage() {
    for (const auto& spec : view_specs()) {
      QVERIFY2(find_topic(spec.help) && find_topic(spec.help)->id == spec.help, spec.id);
      if (const auto* page = find_topic(spec.title)) // as `jitterscope help TITLE` does
        QCOMPARE(page->id, QString(spec.help));
    }
  }

  void docksHavePlaces() {
    QSet<QString> docked;
    for (const auto& spec : view_specs()) {
      QVERIFY2(spec.dock.has_value() == (spec.dock_order > 0), spec.id);
      if (spec.dock) docked << spec.id;
    }
    for (const auto& spec : view_specs())
      for (const char* other :
           {spec.dock ? spec.dock->beside : nullptr, spec.dock ? spec.dock->tabbed_on : nullptr})
        if (other) QVERIFY2(docked.contains(other), spec.id);
  }

  // Saved layouts refer to the names of docks.
  void theWindowShowsEveryView() {
    const MainWindow window(1);
    QCOMPARE(window.all_views().size(), view_specs().size());
    for (const auto& spec : view_specs()) {
      const auto* view = window.view(spec.id);
      QVERIFY2(view && view->widget && view->exports.pictures, spec.id);
      auto* dock = window.findChild<QDockWidget*>(QString("dock.") + spec.id);
      QCOMPARE(dock != nullptr, spec.dock.has_value());
      QCOMPARE(view->dock, dock);
      if (dock) QCOMPARE(dock->windowTitle(), title_of(spec));
      if (dock) QVERIFY2(dock->isAncestorOf(view->widget), spec.id);
      QVERIFY2((view->pin != nullptr) == (spec.menu_order > 0), spec.id);
    }
  }
};

QTEST_MAIN(ViewListTest)
#include "view_list_test.moc"
