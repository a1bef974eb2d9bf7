#pragma once

#include <QObject>
#include <QTimer>

#include "app/session/session_controller.h"
#include "views/model/model_widget.h"

namespace jitterscope::app {

/// Feeds the view of the performance model: asks the engine for predictions of all launches while the view is
/// seen, puts what-if questions, follows the selected kernels and launch, and selects what is clicked.
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
  bool gpu_unknown_ =
      false;            ///< the trace does not name its GPU: the one that is chosen is that of the recording
  bool stale_ = true;   ///< the view shows another session or question than what is set
  quint64 running_ = 0; ///< the question that runs; 0: none
  QTimer timer_;
};

/// A what-if about kernels in words: "on H100, block of 512 threads"; empty without.
QString question_text(const views::ModelQuestion& question);
/// Options of "predict" that ask it.
nlohmann::json question_options(views::ModelQuestion question);

} // namespace jitterscope::app
