#pragma once

class QString;
class QTableView;

namespace jitterscope::views {

struct ViewStyle;

/// Slim scroll bars in the style's colours, as a style sheet.
QString scrollBarSheet(const ViewStyle& style);

/// Looks shared by all tables: row height, colours, header. Keeps the model and selection.
void styleTable(QTableView& table, const ViewStyle& style);

} // namespace jitterscope::views
