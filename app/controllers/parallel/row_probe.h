#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>

#include <nlohmann/json.hpp>

#include "app/session/selection_hub.h"
#include "core/engine/messages/messages.h"
#include "views/parallel/parallel_probe.h"

namespace jitterscope::views {
class ParallelWidget;
}

namespace jitterscope::app {

class BinCoordinates;
class SessionController;

/// A point of a picture of parallel coordinates as the engine's operation "rows_near" takes it.
nlohmann::json point_of(const views::ParallelModel& model, const views::ParallelProbe& probe,
                        const CategoryCodes& codes);

/// The rows under the pointer of parallel coordinates, and those stepped to by key: asks the engine once the
/// pointer rests, one question at a time, hands lines to the view, and turns a click into a selection of
/// these very rows.
class RowProbe : public QObject {
  Q_OBJECT

public:
  /// `bins` are the rows where it gives any; null: rows are launches.
  RowProbe(SelectionHub& hub, SessionController& session, views::ParallelWidget* view,
           std::function<const BinCoordinates*()> bins, QObject* parent);

signals:
  void problem(const QString& text);
  /// The user changed the selection so.
  void selected(const jitterscope::app::SelectionState& state);

private:
  void ask();
  void give_up();
  void step(const QString& key, int by);
  void take_step();
  std::int64_t before_all() const;
  void show_place(std::int64_t place);
  void step_bins(const QString& key, int by);
  void choose(const QList<qint64>& rows);
  void choose_launches(const QList<qint64>& rows);
  void choose_bins(const QList<qint64>& rows);
  nlohmann::json columns() const;
  /// Lines of an answer with columns(); complains of one that cannot be understood.
  std::vector<views::ParallelLine> lines(const engine::Answer& answer);

  SelectionHub& hub_;
  SessionController& session_;
  views::ParallelWidget* view_;
  std::function<const BinCoordinates*()> bins_;
  QTimer rest_;
  std::optional<views::ParallelProbe> wanted_;
  quint64 number_ = 0; ///< of the running question; 0: none runs

  struct Steps {
    QString key;
    int by = 0;
    bool running = false;
    std::optional<qint64> row;         ///< stepped to last
    std::optional<std::int64_t> place; ///< of it in the order of `key` …
    nlohmann::json question;           ///< … among these rows
  } steps_;
};

} // namespace jitterscope::app
