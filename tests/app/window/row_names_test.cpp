// A session whose names contain the noun of its rows: window, report and command line.

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QRegularExpression>
#include <QTableView>
#include <QTest>

#include "app/widgets/request_bar.h"
#include "app/window/main_window.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/settled.h"
#include "tests/generator/paraver_run.h"
#include "tests/support/temporary_folder.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

class RowNamesTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;

  /// A run with `word` in the names of its counter and region; the words used sort alike.
  QString run_named(const QString& word) {
    const QString folder = QString::fromStdString(folder_.file(word == "Launch" ? "a" : "b"));
    QDir().mkpath(folder);
    generator::ParaverOptions options;
    options.processes = 4;
    options.threads = 2;
    options.steps = 60;
    options.region = (word + " step").toStdString();
    options.counter = (word + " size").toStdString();
    const QString path = folder + "/run.prv";
    return generator::write_paraver(options, path.toStdString()) ? path : QString();
  }

  static QString renamed(QString text) {
    static const QRegularExpression kNames("aunch(?=[ _](size|step))");
    return text.replace(kNames, "auxxx");
  }
  /// The first text that only one of the lists has.
  static QString difference(const QStringList& a, const QStringList& b) {
    for (const auto& [these, others] : {std::pair{a, b}, std::pair{b, a}})
      for (const auto& text : these)
        if (!others.contains(text)) return text;
    return {};
  }
  /// The texts among these that contain a name or the noun of the rows, without duplicates.
  static QStringList with_names_or_nouns(const QStringList& texts) {
    static const QRegularExpression kWords("(aunch|auxxx|urst)");
    QStringList found = texts.filter(kWords);
    found.removeDuplicates();
    found.sort();
    return found;
  }
  /// The texts among these that contain the word "launch".
  static QStringList of_launches(const QStringList& texts) {
    static const QRegularExpression kNoun(
        "(?<!kernel |graph )\\b[Ll]aunch(es)?\\b(?! (configuration|call|order))");
    return texts.filter(kNoun);
  }

  static QStringList texts_of(MainWindow& window) {
    QStringList texts;
    for (auto* menu : window.findChildren<QMenu*>()) emit menu->aboutToShow(); // makes its entries
    for (const auto* action : window.findChildren<QAction*>()) texts << action->text() << action->toolTip();
    for (const auto* widget : window.findChildren<QWidget*>())
      texts << widget->toolTip() << widget->accessibleName();
    for (const auto* dock : window.findChildren<QDockWidget*>()) texts << dock->windowTitle();
    for (const auto* label : window.findChildren<QLabel*>())
      if (!window.requests()->isAncestorOf(label)) // shows the last request, which depends on timing
        texts << label->text();
    for (const auto* button : window.findChildren<QAbstractButton*>()) texts << button->text();
    for (const auto* line : window.findChildren<QLineEdit*>()) texts << line->placeholderText();
    for (const auto* box : window.findChildren<QComboBox*>())
      for (int i = 0; i < box->count(); ++i) texts << box->itemText(i);
    for (const auto* view : window.findChildren<QTableView*>())
      for (int i = 0; view->model() && i < view->model()->columnCount(); ++i)
        for (const auto role : {Qt::DisplayRole, Qt::ToolTipRole})
          texts << view->model()->headerData(i, Qt::Horizontal, role).toString();
    return texts;
  }

  static QStringList lines_of(const QStringList& arguments) {
    QProcess process;
    process.start(JITTERSCOPE_PROGRAM, arguments);
    process.waitForFinished(180'000);
    if (process.exitCode() != 0) return {};
    static const QRegularExpression kPieces("[\n,]"); // JSON is one line
    return QString::fromUtf8(process.readAllStandardOutput()).split(kPieces);
  }

private slots:
  void in_the_window() {
    MainWindow window(1);
    window.resize(1500, 950);
    window.show();
    QStringList of_word[2];
    const QStringList words = {"Lauxxx", "Launch"};
    for (int i = 0; i < 2; ++i) {
      window.open({run_named(words[i])});
      QTRY_VERIFY_WITH_TIMEOUT(
          window.session().has_session() && window.kernels()->model().kernels().rows.size() > 0, 120'000);
      for (auto* dock : window.findChildren<QDockWidget*>()) dock->show(), dock->raise();
      QVERIFY(settled(window));
      of_word[i] = with_names_or_nouns(texts_of(window));
    }
    QCOMPARE(difference(renamed(of_word[1].join('\n')).split('\n'), of_word[0].join('\n').split('\n')),
             QString());
    QVERIFY(of_word[1].contains("launch size"));
    // A choice of rows, and shipped metrics of devices.
    const QStringList of_devices = {
        "&Launches",
        "How far the counter's average over a launch is from that of all launches with the same "
        "configuration.",
        "Launch queue depth", "Launches whose call has begun and that do not run yet.",
        "The counter averaged over each launch of matching kernels, 0 elsewhere."};
    QCOMPARE(of_launches(of_word[0]).join('\n'), of_devices.join('\n'));
    window.close();
  }

  void on_the_command_line_and_in_the_report() {
    const QString report = QString::fromStdString(folder_.file("report.html"));
    QStringList of_word[2];
    const QStringList words = {"Lauxxx", "Launch"};
    for (int i = 0; i < 2; ++i) {
      const QString run = run_named(words[i]), column = words[i].toLower() + "_size";
      QStringList texts;
      for (const auto& arguments : {QStringList{"info", run},
                                    {"info", "--json", "-", run},
                                    {"bins", "--why", run},
                                    {"bins", "--why", "--json", "-", run},
                                    {"bins", "--metric", column, run},
                                    {"causal", run},
                                    {"causal", "--json", "-", run},
                                    {"causal", "--against", "rest", "--where", "rank = 2", run},
                                    {"causal", "--target", column, run}}) {
        const auto lines = lines_of(arguments);
        QVERIFY2(!lines.isEmpty(), qPrintable(arguments.join(' ')));
        texts << lines;
      }
      (void)lines_of({"report", run, "-o", report});
      QFile page(report);
      QVERIFY(page.open(QIODevice::ReadOnly));
      static const QRegularExpression kPicture("src=\"data:[^\"]*\"");
      texts << QString::fromUtf8(page.readAll()).remove(kPicture).split('\n');
      of_word[i] = with_names_or_nouns(texts);
    }
    QCOMPARE(difference(renamed(of_word[1].join('\n')).split('\n'), of_word[0].join('\n').split('\n')),
             QString());
    QVERIFY(of_word[1].join('\n').contains("launch size"));
  }
};

QTEST_MAIN(RowNamesTest)
#include "row_names_test.moc"
