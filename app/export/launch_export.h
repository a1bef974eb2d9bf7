#pragma once

#include <QObject>
#include <optional>

#include "app/session/session_controller.h"
#include "core/base/output_file.h"
#include "views/table/launches_data.h"

namespace jitterscope::app {

/// Writes the launches of a selection, in the order and with the columns of the
/// table, as CSV: plain numbers, units in the header ("duration [ns]"). Requests the rows part by part; a
/// failed export leaves no file. Deletes itself.
class LaunchExport : public QObject {
  Q_OBJECT

public:
  /// Maximum number of launches: sorting more of them part by part would take too long.
  static constexpr qint64 kMaxRows = 2'000'000;

  LaunchExport(SessionController& session, const QString& path, views::LaunchesOrder order,
               QStringList columns, engine::SelectionOptions selection, QObject* parent = nullptr);
  void start();

signals:
  void saved(const QString& path, qint64 rows);
  void failed(const jitterscope::Error& error);

private:
  void ask();
  void use(const engine::Answer& answer);
  void write(const views::LaunchesPage& page);
  void give_up(const Error& error);

  SessionController& session_;
  QString path_;
  std::optional<OutputFile> file_; ///< nullopt before start(), and once it is saved or given up
  views::LaunchesOrder order_;
  QStringList columns_;
  engine::SelectionOptions selection_;
  std::string channel_;
  qint64 next_ = 0;
};

} // namespace jitterscope::app
