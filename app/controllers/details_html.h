#pragma once

#include <QString>
#include <optional>

#include "core/base/time.h"
#include "core/engine/messages/launch_answers.h"

namespace jitterscope::app {

/// HTML of the Details view.

/// A row of a table of names and values.
QString row_html(const QString& name, const QString& value);
/// A heading and a table, from a first line and lines "name\tvalue".
QString lines_html(const QString& text);
/// All attributes of a copy, call, range or sample, with links to related events; `sample`: shows its time
/// and the time to the next sample instead of a duration.
QString event_html(const engine::answers::EventAnswer& event, bool sample);
/// Linked memory operations and partners of a launch; empty if there are none.
QString links_html(const engine::answers::LaunchLinksAnswer& links);

/// Target of a link in the HTML of event_html() and links_html().
struct LinkedEvent {
  std::uint32_t track = 0;
  std::uint64_t row = 0;
  Interval interval; ///< at least 1 ns
  bool launch = false;
};
/// Parses the target of a link; nullopt for any other text.
std::optional<LinkedEvent> linked_event(const QString& href);

} // namespace jitterscope::app
