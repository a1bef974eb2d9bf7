#pragma once

#include <QByteArray>
#include <QString>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/report/report_page.h"

namespace jitterscope::app {

/// A reference run for the assessment.
struct AssessedReference {
  QString name;
  /// Answer of the operation "efficiency" with sums, for its own focus; of all but the first one also with
  /// `scaling` against the first one.
  nlohmann::json efficiency;
  nlohmann::json inputs; ///< its files with checksums, as in the info document
};

/// Content of an assessment; the documents have the format of --json.
struct AssessmentContent {
  QString title;
  std::vector<std::string> files; ///< as the user named them, for the commands of the page
  nlohmann::json info;
  nlohmann::json whole; ///< efficiencies of all recorded activity
  nlohmann::json steps; ///< {name, host, ranges}; null if there are no steps
  QString no_steps;     ///< reason if there are no steps
  bool range_given = false;
  QString left_out_selection; ///< launches that the session selects, "that …", which the page does not
                              ///< follow; may be empty
  nlohmann::json
      focus; ///< efficiencies of the focus of analysis, with `ranks`, `sums` and, with references, `scaling`
  std::vector<engine::answers::KernelAnswer> kernels; ///< that ran in the focus
  engine::answers::ArrivalsAnswer collectives;        ///< without sentences where there is no answer
  std::optional<causal::CausalResult> causal;
  std::vector<AssessedReference> references; ///< the first is the reference for scaling
  std::vector<ReportFigure> figures;
};

/// An observation of the assessment: a factor that costs time, its cost, and the interval with the largest
/// part of the cost.
struct Observation {
  QString text;
  double cost_ns = 0;
  QString factor;            ///< factor id
  nlohmann::json begin, end; ///< [ns] interval with the largest part of the cost; null: no particular place
  QString recommendation;    ///< recommended action; empty: unknown
};

/// Leaf factors that cost time, those of devices first, most expensive first; those of the hierarchy "mpi"
/// only if their value is not that of the same factor of "host". Factors that cost less than 0.1 % of the
/// elapsed time are omitted.
std::vector<Observation> observations(const nlohmann::json& efficiency);

/// Limits of the trace, as sentences.
QStringList limits_of(const AssessmentContent& content);

/// A POP performance assessment as one self-contained page: background, focus of analysis, structure,
/// efficiencies and scaling, load balance, communication, computation, observations by cost, recommendations,
/// limits.
QByteArray assessment_page(const AssessmentContent& content);

} // namespace jitterscope::app
