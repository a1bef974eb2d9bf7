#include "app/window/window_main.h"

#include <QApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QScreen>
#include <QTranslator>

#include "app/command/end_signals.h"
#include "app/engine/row_texts.h"
#include "app/engine/settings.h"
#include "app/window/main_window.h"
#include "app/window/screen_sizes.h"
#include "core/engine/ranks/placement.h"

namespace jitterscope::app {

namespace {

/// Translations of the window and, only with them, of Qt's own texts: else languages would be mixed.
void load_translations() {
  const QString folder =
      QDir(QCoreApplication::applicationDirPath()).filePath("../share/jitterscope/translations");
  auto* own = new QTranslator(QCoreApplication::instance());
  if (!own->load(QLocale::system(), "jitterscope", "_", folder)) return;
  QCoreApplication::installTranslator(own);
  auto* of_qt = new QTranslator(QCoreApplication::instance());
  if (of_qt->load(QLocale::system(), "qtbase", "_", QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QCoreApplication::installTranslator(of_qt);
}

} // namespace

int window_main(const QStringList& files, const QStringList& mapping) {
  install_row_texts();
  load_translations(); // before the first text is made
  MainWindow window(engine::place(0, engine::this_machine()).ranks);
  // Restores the size; initially 1500 × 950, or as large as the screen allows, including a title bar.
  constexpr QSize kFirst{1500, 950};
  // The docks may need more room than a small screen has: they are then cut off instead of the window.
  constexpr QSize kSmallest{960, 540}; // of the screens that have room for all
  window.setMinimumSize(window.minimumSizeHint().boundedTo(kSmallest).boundedTo(room_on(*window.screen())));
  window.resize(kFirst.boundedTo(room_on(*window.screen())));
  if (const auto geometry = settings().value("window/geometry").toByteArray();
      !geometry.isEmpty() && sizes_are_of(*window.screen()))
    window.restoreGeometry(geometry);
  window.show();
  if (!files.isEmpty()) window.open(files, mapping);
  constexpr int kEndedBySignal = 128; // plus the signal number, as in shells
  const EndSignals end_signals([&window](int signal) {
    window.close();
    QCoreApplication::exit(kEndedBySignal + signal);
  });
  return QApplication::exec();
}

} // namespace jitterscope::app
