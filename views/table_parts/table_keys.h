#pragma once

class QEvent;
class QTableView;

namespace jitterscope::views {

/// Keys that move in a focused table, although the window has shortcuts for them: arrows and Page Up/Down as
/// in every table, Home and End to the first and last row. To be called by the event filter of the table for
/// each of its events; true if the event is handled.
bool movesInTable(QTableView& table, QEvent& event);

} // namespace jitterscope::views
