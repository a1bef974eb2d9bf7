#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>

#include "app/session/selection_hub.h"
#include "core/engine/messages/table_answers.h"
#include "core/engine/messages/table_options.h"
#include "views/parallel/parallel_probe.h"

namespace jitterscope::views {
class ParallelWidget;
}

namespace jitterscope::app {

class BinCoordinates;
class SessionController;

/// Request for the rows near a point of a parallel coordinates picture.
engine::RowsNearOptions point_of(const views::ParallelModel& model, const views::ParallelProbe& probe,
                                 const CategoryCodes& codes);

/// Rows under the pointer in parallel coordinates, and rows reached by keyboard. Sends a request once the
/// pointer rests, one at a time, and passes the lines to the view. A click selects exactly these rows.
class RowProbe : public QObject {
  Q_OBJECT

public:
  /// If `bins` returns non-null, rows are its bins; otherwise rows are launches.
  RowProbe(SelectionHub& hub, SessionController& session, views::ParallelWidget* view,
           std::function<const BinCoordinates*()> bins, QObject* parent);

signals:
  void problem(const QString& text);
  /// The user changed the selection to this state.
  void selected(const jitterscope::app::SelectionState& state);

private:
  void ask();
  void give_up();
  void step(const QString& key, int by);
  void apply_step();
  std::int64_t before_all() const;
  void show_place(std::int64_t place);
  void step_bins(const QString& key, int by);
  void choose(const QList<qint64>& rows);
  void choose_launches(const QList<qint64>& rows);
  void choose_bins(const QList<qint64>& rows);
  std::vector<std::string> columns() const;
  /// Lines of an answer with columns(); reports an answer that cannot be decoded.
  std::vector<views::ParallelLine> lines(const engine::answers::LaunchesAnswer& answer);

  SelectionHub& hub_;
  SessionController& session_;
  views::ParallelWidget* view_;
  std::function<const BinCoordinates*()> bins_;
  QTimer rest_;
  std::optional<views::ParallelProbe> requested_;
  quint64 number_ = 0; ///< number of the running request; 0: none

  struct Steps {
    QString key;
    int by = 0;
    bool running = false;
    std::optional<qint64> row;         ///< row reached last
    std::optional<std::int64_t> place; ///< position of `row` in the order of `key`
    engine::LaunchesOptions question;  ///< selects the rows
  } steps_;
};

} // namespace jitterscope::app
