#pragma once

class QTableView;

namespace jitterscope::views {

struct ViewStyle;

/// Looks shared by all tables: row height, colours, header. Keeps the model and selection.
void styleTable(QTableView& table, const ViewStyle& style);

}  // namespace jitterscope::views
