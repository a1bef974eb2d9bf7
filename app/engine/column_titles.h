#pragma once

#include <QString>
#include <string>

namespace jitterscope::app {

/// What a column is called on the screen, the same on axes, in tables and lists, and in the causal graph:
/// "gap before launch" for gap_ns, "SM clock" for mean_sm_clock, else its name with the underscores undone.
/// Short enough for an axis; units stand beside the values.
QString words(const std::string& column);

/// The title of a feature of a causal answer: of a column that it comes from ("migration_ns > 0"), else what
/// the answer calls it.
QString feature_title(const std::string& feature, const std::string& label);

/// The same where time, number and bytes of one thing, or that it happened at all, stand beside each other:
/// "memory operations, time", "memory operations, count > 0".
QString distinct_feature_title(const std::string& feature);

} // namespace jitterscope::app
