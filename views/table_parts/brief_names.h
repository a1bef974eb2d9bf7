#pragma once

#include <QFont>
#include <QStringList>

namespace jitterscope::views {

/// Names for a legend, at most `width` wide: of kernels without return type, namespaces, template arguments
/// and parameters. Those that would be equal have the part that distinguishes them: "gemm · FillFunctor".
QStringList briefNames(const QStringList& names, const QFont& font, double width);

} // namespace jitterscope::views
