#pragma once

#include <utility>

#include "views/timeline/timeline_widget.h"

namespace jitterscope::views {

/// A change of the arrangement by the user: what it moves is drawn, asked for and told.
template <class Change>
void TimelineWidget::arrange(Change&& change) {
  model_.arrange(std::forward<Change>(change));
  updateScrollBar();
  contentChanged();
  ensureContent();
  emit arrangementChanged();
}

} // namespace jitterscope::views
