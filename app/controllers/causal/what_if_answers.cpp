#include "app/controllers/causal/what_if_answers.h"

#include "app/controllers/causal/causal_features.h"
#include "views/evidence/whatif_widget.h"

namespace jitterscope::app {

void WhatIfAnswers::show(views::WhatIfWidget& view, const QString& feature, double value) {
  const auto name = feature.toStdString();
  const auto row = launch_ ? what_if_row(result_, name, value, *launch_, columns_) : std::nullopt;
  const auto values = view.values();
  if (curve_of_ != name || values_of_ != values) {
    const auto [low, high] = view.reach();
    view.setCurve(values.empty() ? what_if_curve(result_, name, low, high)
                                 : what_if_points(result_, name, values));
    curve_of_ = name;
    values_of_ = values;
  }
  view.setAnswer(what_if(result_, name, value), row);
}

} // namespace jitterscope::app
