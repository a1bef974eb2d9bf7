#pragma once

#include <QByteArray>
#include <QString>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/report/report_page.h"

namespace jitterscope::app {

/// A run that the assessed one is compared with.
struct AssessedReference {
  QString name;
  nlohmann::json efficiency; ///< answer of the operation "efficiency" with sums, of its own focus
};

/// Everything that an assessment is written from; the documents are those of the JSON contract.
struct AssessmentContent {
  QString title;
  std::string named; ///< the file as the user named it, for the commands of the page
  nlohmann::json info;
  nlohmann::json whole; ///< efficiencies of all recorded activity
  nlohmann::json steps; ///< {name, host, ranges}: null where nothing repeats
  QString no_steps;     ///< why there are none
  bool range_given = false;
  nlohmann::json
      focus; ///< efficiencies of the focus of analysis, with `ranks`, `sums` and, with references, `scaling`
  nlohmann::json kernels;                    ///< of the focus
  nlohmann::json collectives, causal;        ///< null where there is no answer
  std::vector<AssessedReference> references; ///< the first is what scaling refers to
  std::vector<ReportFigure> figures;
};

/// An observation of the assessment: what costs time, how much and where.
struct Observation {
  QString text;
  double cost_ns = 0;
  QString factor;            ///< id
  nlohmann::json begin, end; ///< [ns] where most of it arises; null: nowhere in particular
  QString recommendation;    ///< what to do; empty: nothing known
};

/// The factors without parts of their own that cost time, the dearest first; those of the hierarchy "mpi"
/// only where "host" does not say the same. Factors that cost less than 0.1 % of the elapsed time are left
/// out.
std::vector<Observation> observations(const nlohmann::json& efficiency);

/// What the trace cannot show, in sentences.
QStringList limits_of(const AssessmentContent& content);

/// A POP performance assessment as one self-contained page: background, focus of analysis, structure,
/// efficiencies and scaling, load balance, communication, computation, observations by cost, recommendations,
/// limits.
QByteArray assessment_page(const AssessmentContent& content);

} // namespace jitterscope::app
