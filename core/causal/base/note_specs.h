#pragma once

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/causal/base/result.h"

namespace jitterscope::causal {

/// A note of an answer: its code, which resources/help/notes.md explains, and its wording. Codes with several
/// wordings have one entry each. This is the only place with texts of notes.
struct NoteSpec {
  const char* code;
  const char* wording;
};

/// The note with these values in its wording.
template <const NoteSpec& spec, class... Values>
Warning note(Values&&... values) {
  return {spec.code, fmt::format(spec.wording, std::forward<Values>(values)...)};
}

namespace notes {

// Notes about rows.
inline constexpr NoteSpec kTable{"table", "{}."};
inline constexpr NoteSpec kSample{"sample",
                                  "{} of {} launches were analysed: blocks of {} consecutive launches, "
                                  "from all parts of the trace. --max-rows 0 analyses all of them."};
inline constexpr NoteSpec kRanOnce{"rows-left-out",
                                   "{} {} left out, because {} configuration ran only once."};
inline constexpr NoteSpec kIncomplete{"rows-left-out", "{} {} left out, because a value is missing.{}"};
inline constexpr NoteSpec kFewRows{"few-rows",
                                   "{} rows ({} effective) are few for {}, so weak causes may be missed."};
inline constexpr NoteSpec kAutocorrelated{
    "autocorrelated", "Neighbouring rows are correlated: {} rows count as {} independent rows."};
inline constexpr NoteSpec kHeavyTail{"heavy-tail",
                                     "Half of the variability is in {} of {} launches ({:.2g} %): the shares "
                                     "mainly describe these few launches, not typical variation."};
inline constexpr NoteSpec kFewRowsVary{
    "heavy-tail", "Half of the variance of {} is in {} of {} ({:.2g} %): the shares mainly "
                  "describe these few, not typical variation."};
inline constexpr NoteSpec kOutliers{
    "heavy-tail",
    "{}: outliers ({} to {:.3g}, mean {:.3g}) determine its effect in units. Its rank correlation "
    "with {} is higher ({:.2f}) than its linear correlation ({:.2f}). Examine these rows, or "
    "remove values that represent missing data."};
inline constexpr NoteSpec kWarmUp{"warm-up",
                                  "The first {} launches take longer than the same launches later, {:.2g} "
                                  "times as long at the start and gradually less. They account for {:.0f} % "
                                  "of the variability. Leave them out to see what drives the rest."};
inline constexpr NoteSpec kKernelColumn{
    "kernel-column", "All rows count as launches of one kernel. If the column \"{}\" names kernels, choose "
                     "it with --kernel-column, or in the window with File ▸ Table Columns. Launches are then "
                     "compared with launches of the same kernel."};
inline constexpr NoteSpec kTypicalTime{
    "typical-time", "Launches that are long for another reason overlap more operations: {}. Therefore only "
                    "operations within the typical duration of a launch (median of its configuration) are "
                    "counted here. The columns of the same names show more for long launches, and shares are "
                    "conservative where other causes make launches long."};
inline constexpr NoteSpec kShiftedSamples{
    "shifted-samples", "As the durations show, the sample timestamps of {} are {} than the times that the "
                       "samples describe. Each launch is assigned the samples that describe it."};
inline constexpr NoteSpec kCountersMissing{
    "counters-missing",
    "Hardware counters are missing for up to {} of the bursts. Missing counts are taken as "
    "typical, so the shares of counters are too small."};
inline constexpr NoteSpec kCountersInexact{"counters-inexact",
                                           "Cycles per time differ by {} from burst to burst on the same "
                                           "thread. If counters were multiplexed, counts "
                                           "are inexact, and the shares of counters are too small."};
inline constexpr NoteSpec kSelectedByOutcome{
    "selected-by-outcome", "The rows were selected by {}. Among rows selected by their outcome, factors "
                           "without an effect on it appear associated, and causes with the same effect on "
                           "all rows disappear{}. Select by kernel, time or configuration."};
inline constexpr NoteSpec kRanksMissing{
    "ranks-missing",
    "{:.0f} % of the variability is in {} launches of collectives, which last until the last rank has "
    "arrived, but only one device is open, so waiting cannot be separated from other causes. Open the traces "
    "of all ranks together; the column collective_wait_ns then shows the waiting."};

// Notes about columns.
inline constexpr NoteSpec kNoneOfMany{"screened",
                                      "{} columns are too many for one graph. None of their {} families is "
                                      "associated with the target more closely than expected by chance."};
inline constexpr NoteSpec kNearestOfMany{
    "screened",
    "{} columns are too many for one graph: of {} families, the {} nearest to the target were analysed."};
inline constexpr NoteSpec kColumnsLeftOut{"columns-left-out",
                                          "These columns were left out of the analysis: {}{}."};
inline constexpr NoteSpec kInformativeGap{
    "missing-not-random",
    "{} launches without a value of {} vary {:.1f} times as much as launches with a value and "
    "account for {} of the variability. The missing values are informative: add a column of 0 "
    "and 1 that states where they are missing."};
inline constexpr NoteSpec kGuessedTiers{
    "guessed-tiers", "Because of their names, these columns are assumed to depend on {1} and are not "
                     "examined as causes: {0}. State background knowledge (tiers) if that is wrong."};
inline constexpr NoteSpec kGuessedTarget{
    "guessed-target", "No column has the name of a duration or another result. {} is explained, as the last "
                      "column of numbers: choose another target if that is not the result of the rows."};
inline constexpr NoteSpec kFewConfigurations{
    "few-configurations",
    "Values of {} differ only between configurations, and only {} configurations of {} can "
    "be compared. That is too few to call such a column a cause, however many "
    "launches there are: at least {} configurations of one kernel are needed."};
inline constexpr NoteSpec kNearlyIdentical{
    "collinear-family", "The column {} also represents {}: these columns are nearly identical (|r| > "
                        "0.95), so the data cannot separate them."};
inline constexpr NoteSpec kRepresents{
    "collinear-family", "The column {} also represents {}{}: the data cannot show which of them acts."};
inline constexpr NoteSpec kDetermined{"deterministic",
                                      "The column {} is determined by {} and is not in the graph."};
inline constexpr NoteSpec kTargetInOtherUnit{"target-composed",
                                             "{} is {} in a different unit and is not in the graph."};
inline constexpr NoteSpec kOrdersAsDuration{
    "target-composed", "{} orders launches exactly as their durations do: it is the duration in a different "
                       "unit or computed from it, and is not in the graph."};
inline constexpr NoteSpec kTargetIsSum{"target-composed",
                                       "{} is determined by {}: shares show its parts, not why it varies."};
inline constexpr NoteSpec kKnowledgeOfNoColumn{
    "knowledge-unused",
    "The background knowledge on {} has no effect, because these rows have no column of this name."};
inline constexpr NoteSpec kKnowledgeOfRemoved{
    "deterministic",
    "The background knowledge on {} has no effect, because the column was removed from the graph."};
inline constexpr NoteSpec kRecordedAtOtherLaunch{
    "lag", "The {} is recorded about {} {}: each launch is compared with the value recorded {} {} it."};
inline constexpr NoteSpec kRespondsLater{
    "lag", "Launches respond to {} {} later: each launch is compared with what happened {} before it."};

inline constexpr NoteSpec kFollowsDurations{
    "lag",
    "The {} is associated with the launches before it more closely than with those after it, so it may be "
    "an effect of their durations: its direction is not identified."};

inline constexpr NoteSpec kIndependentCause{
    "direction", "The {0} is taken to come before the target: it is independent of the {1}, which is also "
                 "associated with the target. "
                 "A consequence of the target would be associated with the {1}, too."};
inline constexpr NoteSpec kActsAtOnce{
    "direction",
    "The {0} is taken to come before the target: its earlier values are associated with the target only as "
    "far as its "
    "present value is. Earlier values of a consequence would be more closely associated with the target."};

inline constexpr NoteSpec kSetValues{
    "direction", "The {0} is taken to be set before the run: it has a few values that are equally frequent, "
                 "and the rows with one value are not a class of the target. Measured values would differ or "
                 "be most frequent near their middle."};

inline constexpr NoteSpec kBeyondLimit{"direction",
                                       "The {0} is above 0 exactly in the launches beyond some duration of "
                                       "their configuration, so it may happen because "
                                       "they last long: its direction is not identified."};

inline constexpr NoteSpec kSortedByTarget{
    "sorted-by-target", "The rows are sorted by the target: their order is not taken as the order in time."};

// Notes about factors and the graph.
inline constexpr NoteSpec kDrift{
    "drift", "{} and {} only change slowly or rarely over the rows. Anything else that changed meanwhile "
             "(clocks, temperature, other users, the data) may be the cause."};
inline constexpr NoteSpec kExposure{
    "exposure",
    "The number of {} per unit of time does not depend on the duration. What takes longer has more "
    "events of a constant rate, but events may also lengthen it, and the data cannot separate the "
    "two."};
inline constexpr NoteSpec kPlaceInProgram{
    "place-in-program", "{} is a position in program order: launches of one configuration may do different "
                        "work there (other data, another layer). Compare launches at the same position, by a "
                        "range (NVTX) or by the preceding launch."};
inline constexpr NoteSpec kEarlierWork{
    "earlier-work",
    "Long launches follow long launches, and {} depends on when the previous launch ended. With the duration "
    "of that launch held constant, hardly any effect is left. Anything that lasts longer than one launch "
    "(clocks, temperature, other users, the data) may be the cause."};
inline constexpr NoteSpec kInteraction{"interaction", "{} acts only together with another factor, {}{}: {}."};
inline constexpr NoteSpec kUndirected{
    "undirected", "The data do not identify the direction of some edges that lead to the target."};
inline constexpr NoteSpec kNonLinear{
    "non-linear", "A linear model explains {:.0f} % of the variance of {}, boosted trees on the same factors "
                  "{:.0f} %: {} describe the linear part only.{}"};
inline constexpr NoteSpec kPooledSignFlip{
    "pooled-sign-flip",
    "{}: the effect over all launches, in {}, has the opposite sign to the effect shown."};
inline constexpr NoteSpec kMethodsDisagree{"methods-disagree", "{} {} not find that {} acts on {}."};
inline constexpr NoteSpec kMethodsLeftOut{
    "methods-left-out", "The edges were not checked by {}, which would take too long on {} columns. "
                        "Choose the method with --method to run it."};
inline constexpr NoteSpec kLatentPossible{"latent-possible",
                                          "An unrecorded factor may act on both a cause and the target."};
inline constexpr NoteSpec kExtrapolation{"extrapolation",
                                         "{} = {:g} is outside the observed range, {:g} to {:g}."};
inline constexpr NoteSpec kNotCompared{"devices-not-compared",
                                       "The {} share no configuration, so they cannot be compared."};
inline constexpr NoteSpec kPartlyCompared{
    "devices-not-compared",
    "{} of {} rows have a configuration that ran on only one of the {}: they are not compared."};
inline constexpr NoteSpec kZerosMissing{"zeros-missing",
                                        "{} is 0 in {} of {} rows: these values are taken as missing."};
inline constexpr NoteSpec kValuesCompared{
    "values-compared", "{} has values without a logarithm (minimum {}): shares and differences are of the "
                       "values themselves, and means are arithmetic."};
inline constexpr NoteSpec kFewGroups{
    "few-groups",
    "There are fewer than {0} {1}: the intervals are over blocks of rows and describe these {1} "
    "only, not others of their kind."};
inline constexpr NoteSpec kNoInterval{
    "few-groups", "There are fewer than {} {} and too few blocks of rows for intervals of the shares."};

// Each replaces several notes with the same code.
inline constexpr NoteSpec kManyFamilies{
    "collinear-family", "{} families of columns are nearly identical, so the data cannot separate their "
                        "members: one of each is in the graph; the list of features names them."};
inline constexpr NoteSpec kManyDetermined{
    "deterministic",
    "{} columns are determined by others and are not in the graph; the list of features names them."};
inline constexpr NoteSpec kManySignFlips{
    "pooled-sign-flip",
    "For {} factors, the effect over all launches has the opposite sign to the effect shown."};

} // namespace notes
} // namespace jitterscope::causal
