#include "app/engine/row_texts.h"

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include <nlohmann/json.hpp>

using namespace jitterscope::app;

/// Texts that were made before the rows of the session were known.
class RowTextsTest : public QObject {
  Q_OBJECT

  static void open(const char* rows, QWidget& window) {
    set_rows_of_texts({{"rows", rows}});
    update_row_texts(window);
  }

private slots:
  void initTestCase() { install_row_texts(); }
  void cleanup() { set_rows_of_texts({{"rows", "launches"}}); }

  void follow_the_rows_of_the_session() {
    QWidget window;
    auto* dock = new QDockWidget(tr("Launches"), &window);
    auto* action = new QAction(tr("Next &Launch"), &window);
    auto* button = new QPushButton(tr("All launches"), &window);
    button->setToolTip(tr("Selects all launches"));
    button->setAccessibleName(tr("All of the launches"));
    action->setToolTip(tr("Goes to the next launch"));
    auto* line = new QLineEdit(&window);
    line->setPlaceholderText(tr("Filter launches"));
    auto* box = new QComboBox(&window);
    box->addItems({tr("Rows: launches"), tr("Rows: bins")});
    const auto texts = [&] {
      return QStringList{dock->windowTitle(), action->text(),   button->text(),
                         button->toolTip(),   box->itemText(0), line->placeholderText(),
                         box->itemText(1),    tr("one launch"), button->accessibleName(),
                         action->toolTip()};
    };
    const auto of = [](const QString& one, const QString& many) {
      const auto capital = [](const QString& word) { return word.left(1).toUpper() + word.mid(1); };
      return QStringList{capital(many),        "Next &" + capital(one),  "All " + many, "Selects all " + many,
                         "Rows: " + many,      "Filter " + many,         "Rows: bins",  "one " + one,
                         "All of the " + many, "Goes to the next " + one};
    };
    for (const auto& [rows, one, many] : {std::tuple{"launches", "launch", "launches"},
                                          {"bursts", "burst", "bursts"},
                                          {"calls", "call", "calls"},
                                          {"mixed", "row", "rows"},
                                          {"launches", "launch", "launches"}}) {
      open(rows, window);
      QCOMPARE(texts(), of(one, many));
    }
  }

  /// Names from the trace keep their words, and a text that equals another text with the noun replaced stays.
  void leave_names_and_equal_texts() {
    QWidget window;
    auto* box = new QComboBox(&window);
    box->addItems({"Launch size", "launch step", tr("Calls")});
    auto* dock = new QDockWidget("launch.prv", &window);
    auto* action = new QAction("First launch", &window);
    action->setToolTip("launches of launch_bounds test");
    const auto texts = [&] {
      return QStringList{box->itemText(0),    box->itemText(1), box->itemText(2),
                         dock->windowTitle(), action->text(),   action->toolTip()};
    };
    const auto before = texts();
    (void)tr("Launches"); // "Calls" where the rows are calls
    for (const char* rows : {"launches", "calls", "bursts", "mixed", "launches"}) {
      open(rows, window);
      QCOMPARE(texts(), before);
    }
  }

  void leave_what_was_set_in_the_meantime() {
    QWidget window;
    auto* action = new QAction(tr("Next &Launch"), &window);
    open("bursts", window);
    QCOMPARE(action->text(), "Next &Burst");
    action->setText("of the session: Next &Launch");
    open("launches", window);
    QCOMPARE(action->text(), "of the session: Next &Launch");
    action->setText(tr("Next &Launch"));
    open("ranges", window);
    QCOMPARE(action->text(), "Next &Range");
  }
};

QTEST_MAIN(RowTextsTest)
#include "row_texts_test.moc"
