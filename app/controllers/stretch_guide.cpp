#include "app/controllers/stretch_guide.h"

#include <algorithm>
#include <cmath>

#include "app/engine/typed_answers.h"
#include "app/session/session_controller.h"
#include "app/widgets/stretch_bar.h"
#include "core/engine/messages/timeline_answers.h"
#include "core/engine/messages/timeline_options.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

StretchGuide::StretchGuide(SelectionHub& hub, SessionController& session, views::TimelineWidget& timeline,
                           StretchBar& bar, QObject* parent)
    : QObject(parent), hub_(hub), session_(session), timeline_(timeline), bar_(bar) {
  connect(&session_, &SessionController::opened, this, &StretchGuide::ask);
  connect(&bar_, &StretchBar::requested, this, &StretchGuide::go_to);
  connect(&timeline_, &views::TimelineWidget::windowChanged, &bar_, &StretchBar::set_window);
}

void StretchGuide::ask() {
  bar_.set_stretches({}, {});
  const Interval span = session_.tracks().launch_span;
  if (session_.launch_order()) return;
  session_.ask({engine::StretchesOptions{.least_gap = 0.02}, "stretches"}, tr("Timeline"),
               reading([this, span, round = ++round_](const engine::answers::StretchesAnswer& answer) {
                 if (round != round_) return;
                 bar_.set_stretches(answer.stretches, span);
                 bar_.set_window(timeline_.model().viewport.window());
                 if (!bar_.isHidden()) suit_bins(span);
               }));
}

// Sets a bin width for the stretches: with the default of 2,000 bins over the whole axis, each capture would
// be one bin, and a ranking would be meaningless.
void StretchGuide::suit_bins(Interval span) {
  auto choices = session_.bin_choices();
  if (choices.width_ns != 0) return;
  choices.width_ns = bin_width_for(length_of(bar_.stretches()), span.length());
  session_.set_bin_choices(choices);
  emit bins_chosen();
}

void StretchGuide::go_to(const Interval& stretch) {
  SelectionState state = hub_.state();
  const Nanoseconds margin{std::max<std::int64_t>(stretch.length().count / 50, 100)};
  state.window = Interval{stretch.begin - margin, stretch.end + margin};
  hub_.apply(state);
}

void StretchGuide::next() {
  if (const auto* stretch = bar_.next(timeline_.model().viewport.window())) return go_to(*stretch);
  emit reported(tr("No launch runs after the visible range."));
}

void StretchGuide::previous() {
  if (const auto* stretch = bar_.previous(timeline_.model().viewport.window())) return go_to(*stretch);
  emit reported(tr("No launch runs before the visible range."));
}

std::int64_t bin_width_for(Nanoseconds stretches, Nanoseconds span) {
  const double minimum =
      std::max({static_cast<double>(stretches.count) / 2'000, static_cast<double>(span.count) / 1e6, 1.0});
  const double unit = std::pow(10, std::floor(std::log10(minimum)));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * unit >= minimum) return std::llround(step * unit);
  return std::llround(10 * unit);
}

} // namespace jitterscope::app
