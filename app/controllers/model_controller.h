#pragma once

#include <QObject>
#include <QTimer>

#include "app/session/session_controller.h"
#include "views/model/model_widget.h"

namespace jitterscope::engine {
struct PredictOptions;
} // namespace jitterscope::engine

namespace jitterscope::app {

/// Supplies the performance model view: requests predictions of all launches while the view is
/// visible, sends what-if questions, follows the selected kernels and launch, and selects clicked items.
class ModelController : public QObject {
  Q_OBJECT

public:
  ModelController(SelectionHub& hub, SessionController& session, views::ModelWidget* view,
                  QObject* parent = nullptr);

private:
  void session_opened();
  void hub_changed(const SelectionState& now, const SelectionState& before);
  void ask();
  void ask_gpus();
  void ask_launch();
  void select(int kernel);
  void clear();
  bool eventFilter(QObject* watched, QEvent* event) override;

  SelectionHub& hub_;
  SessionController& session_;
  views::ModelWidget* view_;
  bool gpu_unknown_ = false; ///< the trace does not name its GPU: the selected one is assumed to be it
  bool stale_ = true;        ///< the view shows an outdated session or question
  quint64 running_ = 0;      ///< number of the running request; 0: no request
  int question_ = 0;         ///< number of the newest question
  QTimer timer_;
};

/// Text of a what-if about kernels: "on H100, block of 512 threads"; empty if there is no what-if.
QString question_text(const views::ModelQuestion& question);
/// Options of the operation "predict" for a what-if question.
engine::PredictOptions question_options(const views::ModelQuestion& question);

} // namespace jitterscope::app
