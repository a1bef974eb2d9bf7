#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/correction/boosting.h"

namespace jitterscope::model {

/// What a correction learns from: one row for each measured launch or message.
struct CorrectionRows {
  std::vector<std::string> features; ///< names of the columns
  std::vector<std::size_t> machine;  ///< columns that describe the machine
  std::vector<std::vector<double>> values;
  std::vector<double> measured, predicted; ///< in one unit, > 0
  std::vector<std::string> groups;         ///< rows of one group are never in training and test at once
  /// Coarser than groups: each group is in one family. Empty: every group is a family of its own.
  std::vector<std::string> families;
};

/// How far predictions are from measurements: |T'/T − 1| in percent.
struct ErrorSummary {
  double mean = 0, median = 0, p95 = 0;
};
ErrorSummary error_summary(std::span<const double> measured, std::span<const double> predicted);

/// Of grouped cross-validation, on rows that the trees had not seen.
struct Validation {
  int folds = 0;
  std::int64_t rows = 0, groups = 0;
  ErrorSummary analytical, corrected;
  int rounds = 0; ///< trees that the correction keeps: fewest squared errors over all folds
};

/// Where a saved correction comes from.
struct Provenance {
  std::string program;             ///< "jitterscope 0.1.0"
  std::string library;             ///< "xgboost 1.7.4"
  std::vector<std::string> inputs; ///< "sha256 path" of every file
  std::vector<std::string> gpus;
};

/// Factor on the time of an analytical model, learnt as y = ln(measured / predicted) (models.md section 4).
struct Correction {
  std::string kind; ///< "kernels" or "messages"
  std::vector<std::string> features;
  std::vector<double> lowest, highest; ///< of each feature in training
  std::vector<std::size_t> important;  ///< up to three features with most gain
  std::vector<std::size_t>
      machine; ///< features of the machine: a correction of other machines does not carry over
  std::vector<Tree> trees;
  double clip_low = 0, clip_high = 0; ///< of y: the training targets' range ± 0.2
  Validation validation;              ///< with one group at a time in one fold
  /// With one family at a time in one fold: how far the correction carries over to code it has not seen.
  Validation family_validation;
  std::map<std::string, bool>
      families;        ///< learnt from; true: in `validation` it beats the analytical model there
  std::string refusal; ///< why it changes nothing; empty where it is applied
  Provenance provenance;

  bool applied() const { return refusal.empty(); }
  /// Whether rows of families that it has not seen are corrected.
  bool carries_over() const {
    return family_validation.folds > 1 &&
           family_validation.corrected.mean < family_validation.analytical.mean &&
           family_validation.corrected.p95 < family_validation.analytical.p95;
  }
};

struct Factor {
  double value = 1;
  /// The factor is 1: outside the training range of an important feature or of a machine, or of a family that
  /// was not learnt from and to which the correction does not carry over.
  bool extrapolated = false;
  /// The factor is 1: of a family in which it does not beat the analytical model. Not set where the row is
  /// extrapolated: that says more.
  bool untrusted = false;
};
/// Of a row with the features that the correction names. A correction learnt without families ignores
/// `family`.
Factor factor_of(const Correction& correction, std::span<const double> row, const std::string& family = {});

struct CorrectionOptions {
  BoostingOptions boosting;
  int folds = 5;
  std::size_t fewest_rows = 30;
};

/// Folds of rows: groups in order of size, then name, each to the fold with fewest rows. Deterministic. Rows
/// of one group share a fold; no more folds than groups.
std::vector<int> folds_of(const std::vector<std::string>& groups, int folds);

/// A correction with what cross-validation says of each row it was learnt from.
struct Fit {
  Correction correction;
  std::vector<Factor>
      held_out; ///< of each row, by trees that had not seen it; 1 where the correction is refused
};

/// Learns a correction. Families are trusted one by one: where the mean error of a family's rows in
/// cross-validation by group is not smaller than the analytical model's, its rows keep the factor 1, and so
/// do rows of families that it has not seen unless it beats the analytical model in cross-validation by
/// family, in the mean and in the 95th percentile. It is refused (refusal says why, factors are 1) with fewer
/// than 30 rows or 2 groups, and where its mean error in cross-validation does not beat the analytical
/// model's. Errors: BadUse for ragged rows and times that are not positive; Cancelled.
Expected<Fit> fit_correction(const CorrectionRows& rows, const std::string& kind,
                             const std::function<bool()>& cancelled, const CorrectionOptions& options = {});

/// Name and version of the boosting library.
std::string boosting_library();

} // namespace jitterscope::model
