#include "app/controllers/model_controller.h"

#include <QComboBox>
#include <QEvent>
#include <algorithm>
#include <memory>
#include <utility>

#include "app/engine/group_filter.h"
#include "app/engine/typed_answers.h"
#include "app/model/model_answer.h"
#include "core/engine/messages/model_answers.h"
#include "core/engine/messages/model_options.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using views::Text;

constexpr int kWhatIfPause = 40; // ms after the last change of a what-if

} // namespace

QString question_text(const views::ModelQuestion& question) {
  QStringList parts;
  if (!question.gpu.isEmpty()) parts << Text::tr("on %1").arg(question.gpu);
  if (question.block > 0) parts << Text::tr("block of %1 threads").arg(question.block);
  if (question.hitRate >= 0)
    parts << Text::tr("%1 % hits in %2").arg(qRound(100 * question.hitRate)).arg(question.level);
  return parts.join(", ");
}

engine::PredictOptions question_options(const views::ModelQuestion& question) {
  engine::PredictOptions options;
  options.arrays = false;
  options.default_nodes = false;
  for (int nodes = 2; nodes <= question.nodes; nodes *= 2) options.nodes.push_back(nodes);
  options.scaling = question.weak ? "weak" : "strong";
  options.message_size = question.messageSize;
  if (question.nothing()) return options;
  auto& what_if = *(options.what_if = std::make_unique<engine::WhatIfOptions>());
  what_if.gpu = question.gpu.toStdString();
  if (question.block > 0) what_if.block = question.block;
  if (question.hitRate >= 0)
    what_if.hit_rates = {{.level = question.level.toStdString(), .rate = question.hitRate}};
  return options;
}

ModelController::ModelController(SelectionHub& hub, SessionController& session, views::ModelWidget* view,
                                 QObject* parent)
    : QObject(parent), hub_(hub), session_(session), view_(view) {
  timer_.setSingleShot(true);
  timer_.setInterval(kWhatIfPause);
  connect(&timer_, &QTimer::timeout, this, &ModelController::ask);
  connect(&session_, &SessionController::opened, this, [this] { session_opened(); });
  connect(&session_, &SessionController::repeated, this, [this] {
    stale_ = true;
    timer_.start();
  });
  connect(&hub_, &SelectionHub::changed, this, &ModelController::hub_changed);
  connect(view_, &views::ModelWidget::questionChanged, this, [this] {
    stale_ = true;
    timer_.start();
  });
  connect(view_, &views::ModelWidget::kernelChosen, this, &ModelController::select);
  connect(view_, &views::ModelWidget::selectionCleared, this, &ModelController::clear);
  view_->installEventFilter(this);
}

void ModelController::session_opened() {
  view_->setData({});
  view_->setLaunch({});
  view_->setQuestion({});
  const auto rows = session_.info().value("rows", std::string("launches"));
  view_->setKernelQuestions(rows == "launches" || rows == "mixed");
  view_->setMessage(tr("Waiting for the engine …"));
  gpu_unknown_ = false;
  stale_ = true;
  timer_.start();
}

void ModelController::hub_changed(const SelectionState& now, const SelectionState& before) {
  if (now.kernels != before.kernels) view_->setSelected(now.kernels);
  if (now.launch != before.launch) ask_launch();
}

bool ModelController::eventFilter(QObject* watched, QEvent* event) {
  if (watched == view_ && event->type() == QEvent::Show) {
    if (stale_)
      timer_.start();
    else
      ask_launch();
  }
  return QObject::eventFilter(watched, event);
}

void ModelController::ask_gpus() {
  if (view_->gpuBox()->count() > 1) return;
  session_.ask(engine::GpusOptions(), tr("Performance model"),
               reading([this](const engine::answers::GpusAnswer& gpus) {
                 auto names = list_of_texts(gpus.names);
                 names.sort();
                 view_->setGpus(names);
               }));
}

void ModelController::ask() {
  if (!view_->isVisible() || !session_.has_session() || !stale_) return;
  stale_ = false;
  ask_gpus();
  view_->setMessage(tr("Predicting …"));
  auto question = view_->question();
  const bool recorded_on = gpu_unknown_ && !question.gpu.isEmpty();
  const auto gpu = recorded_on ? std::exchange(question.gpu, {}) : QString();
  auto options = question_options(question);
  options.gpu = gpu.toStdString();
  const int number = ++question_; // before the handler of the request before runs
  if (running_ != 0) session_.cancel_request(running_);
  running_ = session_.request(
      options, tr("Performance model"), [this, question, number](const Expected<engine::Answer>& answer) {
        if (number != question_) return; // replaced by a newer one
        running_ = 0;
        if (!answer) {
          if (answer.error().kind == ErrorKind::Cancelled) return view_->setMessage({});
          view_->setData({});
          gpu_unknown_ = gpu_unknown_ || answer.error().place == "--gpu";
          if (answer.error().place == "--gpu")
            return view_->setMessage(
                tr("The trace does not state which GPU it was recorded on.\nChoose it in "
                   "the list of GPUs above."));
          return view_->setMessage(QString::fromStdString(
              answer.error().message + (answer.error().hint.empty() ? "" : "\n" + answer.error().hint)));
        }
        const auto opened = view_->opened();
        auto data = model_data_of(answer->document, question_text(question));
        const auto kernels = data.kernels.size();
        const bool same = kernels == view_->data().kernels.size();
        view_->setData(data);
        if (data.empty() && data.missing.isEmpty())
          view_->setMessage(tr("This session contains nothing that can be predicted.\nOpen launches with "
                               "counters, or the output of OSU micro-benchmarks."));
        view_->setSelected(hub_.state().kernels);
        if (same && opened && *opened < static_cast<int>(kernels))
          view_->open(*opened); // shows the terms of the open kernel again, now for this question
        ask_launch();
      });
}

// Text of an answer of "predict_launch": "Launch 7 (gemm): expected 92 µs at 1.41 GHz, took 140 µs: 48 µs
// unexplained by work." Empty if there is no prediction.
static QString launch_sentence(const engine::answers::PredictLaunchAnswer& predicted) {
  const double expected = predicted.expected_ns, took = predicted.measured_ns;
  if (std::isnan(expected)) return {};
  const double more = took - expected;
  const auto text =
      !(took > 0) ? ModelController::tr("Launch %1 (%2): expected %3 at %4; not measured.")
      : more >= 0 ? ModelController::tr("Launch %1 (%2): expected %3 at %4, took %5: %6 unexplained by work.")
                  : ModelController::tr("Launch %1 (%2): expected %3 at %4, took %5: %6 less than expected.");
  const auto known =
      text.arg(views::formatCount(static_cast<std::uint64_t>(predicted.row)),
               QString::fromStdString(predicted.short_name), views::formatValue(expected, "ns"),
               views::formatValue(predicted.clock_hz, "Hz"));
  return took > 0 ? known.arg(views::formatValue(took, "ns"), views::formatValue(std::abs(more), "ns"))
                  : known;
}

void ModelController::ask_launch() {
  if (!view_->isVisible() || view_->data().kernels.empty()) return view_->setLaunch({});
  const auto& launch = hub_.state().launch;
  if (!launch) return view_->setLaunch({});
  engine::PredictLaunchOptions options{.row = static_cast<std::int64_t>(launch->row)};
  if (gpu_unknown_) options.gpu = view_->question().gpu.toStdString();
  session_.ask(options, tr("Performance model"),
               reading([this, row = launch->row](const engine::answers::PredictLaunchAnswer& answer) {
                 const auto& now = hub_.state().launch;
                 if (now && now->row == row) view_->setLaunch(launch_sentence(answer));
               }));
}

// Selects the kernel, or only its configuration if it ran in several.
void ModelController::select(int kernel) {
  const auto& chosen = view_->data().kernels.at(static_cast<std::size_t>(kernel));
  const auto& all = view_->data().kernels;
  const auto same =
      std::count_if(all.begin(), all.end(), [&](const auto& k) { return k.kernel == chosen.kernel; });
  SelectionState state = hub_.state();
  state.kernels = {chosen.kernel};
  state.where = without_group(state.where, "configuration"); // perhaps of another kernel
  if (same > 1)
    state.where = with_group(state.where, "configuration", group_condition("configuration", chosen.number));
  hub_.apply(state);
  view_->open(kernel);
}

void ModelController::clear() {
  SelectionState state = hub_.state();
  if (state.kernels.empty()) return;
  state.kernels.clear();
  state.where = without_group(state.where, "configuration");
  hub_.apply(state);
}

} // namespace jitterscope::app
