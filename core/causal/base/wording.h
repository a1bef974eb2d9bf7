#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jitterscope::causal {

/// Text for a feature that fits into "… comes from X": "migration_ns > 0" → "unified-memory migration during
/// the launch", "stream 13" → "stream 13", "mean_sm_clock" → "SM clock". Unknown names are shown with spaces
/// for underscores.
std::string words_for(std::string_view feature);
/// The same for narrow lists: "migration during launch".
std::string short_words_for(std::string_view feature);

/// Which measure a feature is, by its ending: "time", "bytes", "number", "yes or no"; empty for other
/// names.
std::string_view amount_in_words(std::string_view feature);

/// Priority of a feature as the representative of its family: smaller comes first. Known names have the order
/// of column_words().
int naming_priority(std::string_view feature);
/// Whether the first name is the better one: by naming_priority(), then quantities that are not derived, then
/// alphabetically.
bool named_before(std::string_view a, std::string_view b);

/// Whether the name denotes a quantity computed from others: totals, averages, rates, ratios, bytes of
/// counted sectors.
bool is_derived_quantity(std::string_view feature);

/// Whether a feature only reflects the length of earlier work: waiting in a queue does not lengthen the
/// launch that waits. Such a feature is never called a cause of durations unless background knowledge
/// requires it.
bool follows_from_earlier_work(std::string_view feature);

/// Whether a feature is work that competes with a launch while it runs: other kernels, copies, migrations. It
/// may lengthen the launch; where launches with it are shorter, it is not the cause.
bool only_lengthens(std::string_view feature);

/// Whether a feature sums memory operations of all kinds, which other features hold by kind.
bool counts_all_kinds(std::string_view feature);

/// "3,889,862": a number with thousands separators, as in all output of the program.
std::string grouped(std::int64_t count);

/// "a", "a and b", "a, b and c".
std::string listed(std::vector<std::string> names);

/// Keeps the first `maximum` names, and returns the number of those removed.
std::size_t shorten(std::vector<std::string>& names, std::size_t maximum);

/// "21 µs", "1.3 ms": one decimal below 10, else none.
std::string words_for_ns(double nanoseconds);
/// "1.41 GHz", "64 KiB", "12 µs". Times have `digits` significant digits only if `digits` is above 3.
std::string value_in_words(double value, const std::string& unit, int digits = 3);
/// "37 %", "99.6 %", "0.84 %": a share of a whole. Less than all is never rounded to 100 %, and more than
/// nothing never to 0 %.
std::string share_in_words(double percent);
/// "36 % (31–40 %)": a share in percent and its interval, rounded to `digits` decimals. The interval is
/// omitted if both ends round to the share. `name` precedes the interval, e.g. "95 % interval ".
std::string share_with_interval(double percent, double low, double high, int digits,
                                std::string_view name = {});
/// Two values of one column, with enough digits to distinguish them: "1.412 GHz" and "1.408 GHz".
std::pair<std::string, std::string> values_in_words(double a, double b, const std::string& unit);

} // namespace jitterscope::causal
