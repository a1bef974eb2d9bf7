#pragma once

class QString;
class QTableView;

namespace jitterscope::views {

struct ViewStyle;

/// Style sheet of slim scroll bars in the style's colours.
QString scrollBarSheet(const ViewStyle& style);

/// Applies the common table style: row height, colours, header. Keeps the model and selection.
void styleTable(QTableView& table, const ViewStyle& style);

} // namespace jitterscope::views
