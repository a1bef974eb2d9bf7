#pragma once

#include <utility>

#include "views/timeline/timeline_widget.h"

namespace jitterscope::views {

/// Applies a user's change to the arrangement, then repaints, requests content and emits arrangementChanged.
template <class Change>
void TimelineWidget::arrange(Change&& change) {
  model_.arrange(std::forward<Change>(change));
  updateScrollBar();
  contentChanged();
  ensureContent();
  emit arrangementChanged();
}

} // namespace jitterscope::views
