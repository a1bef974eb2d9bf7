#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/causal/base/result.h"

class QString;

namespace jitterscope::views {
class WhatIfWidget;
}

namespace jitterscope::app {

/// What one answer about causes says of its features set to other values: of all its rows and of the launch
/// that is chosen.
class WhatIfAnswers {
public:
  WhatIfAnswers(causal::CausalResult result, std::vector<std::string> columns)
      : result_(std::move(result)), columns_(std::move(columns)) {}

  const causal::CausalResult& result() const { return result_; }
  /// The document of a launch, as the engine tells of it; null: none.
  void set_launch(nlohmann::json launch) { launch_ = std::move(launch); }
  const nlohmann::json& launch() const { return launch_; }
  /// The same for a view that has seen none of them.
  WhatIfAnswers for_another_view() const {
    auto other = *this;
    other.curve_of_.clear();
    return other;
  }
  /// In answer to WhatIfWidget::asked of this view.
  void show(views::WhatIfWidget& view, const QString& feature, double value);

private:
  causal::CausalResult result_;
  std::vector<std::string> columns_; ///< of the session
  nlohmann::json launch_;
  std::string curve_of_;          ///< feature whose curve the view has
  std::vector<double> values_of_; ///< that the curve is at; empty: it is one of many points
};

} // namespace jitterscope::app
