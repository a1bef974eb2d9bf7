#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/causal/base/result.h"
#include "core/engine/messages/launch_answers.h"

class QString;

namespace jitterscope::views {
class WhatIfWidget;
}

namespace jitterscope::app {

/// What-if results of one causal answer, with features set to other values: for all its rows and for the
/// selected launch.
class WhatIfAnswers {
public:
  WhatIfAnswers(causal::CausalResult result, std::vector<std::string> columns)
      : result_(std::move(result)), columns_(std::move(columns)) {}

  const causal::CausalResult& result() const { return result_; }
  void set_launch(std::optional<engine::answers::LaunchAnswer> launch) { launch_ = std::move(launch); }
  const std::optional<engine::answers::LaunchAnswer>& launch() const { return launch_; }
  /// Copy for another view, which has not received a curve yet.
  WhatIfAnswers for_another_view() const {
    auto other = *this;
    other.curve_of_.clear();
    return other;
  }
  /// Handles WhatIfWidget::asked of this view.
  void show(views::WhatIfWidget& view, const QString& feature, double value);

private:
  causal::CausalResult result_;
  std::vector<std::string> columns_;                    ///< columns of the session
  std::optional<engine::answers::LaunchAnswer> launch_; ///< the selected launch
  std::string curve_of_;                                ///< feature of the curve in the view
  std::vector<double> values_of_; ///< values of the curve's points; empty: evenly spaced points
};

} // namespace jitterscope::app
