#pragma once

#include <QString>
#include <string>

namespace jitterscope::app {

/// Display title of a column, the same on axes, in tables and lists, and in the causal graph:
/// "gap before launch" for gap_ns, "SM clock" for mean_sm_clock, else its name with spaces for underscores.
/// Short enough for an axis; units are shown with the values.
QString words(const std::string& column);

/// Title of a feature of a causal answer: from its source column ("migration_ns > 0"), else
/// the label in the answer.
QString feature_title(const std::string& feature, const std::string& label);

/// Title that distinguishes time, number, bytes and occurrence of the same thing:
/// "memory operations, time", "memory operations, count > 0".
QString distinct_feature_title(const std::string& feature);

} // namespace jitterscope::app
