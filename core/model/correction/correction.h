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

/// Training data of a correction: one row per measured launch or message.
struct CorrectionRows {
  std::vector<std::string> features; ///< names of the columns
  std::vector<std::size_t> machine;  ///< columns that describe the machine
  std::vector<std::vector<double>> values;
  std::vector<double> measured, predicted; ///< by row: times in the same unit, > 0
  std::vector<std::string> groups;         ///< rows of one group are never split between training and test
  /// Coarser than groups: each group is in one family. Empty: every group is its own family.
  std::vector<std::string> families;
};

/// At most `maximum` rows, ascending: about the same fraction of each group. Launches repeat in the same
/// order, so an even step over the rows could select only some of the groups.
std::vector<std::size_t> sample_rows(std::span<const std::uint64_t> groups, std::size_t maximum);

/// Relative error of predictions: |T'/T − 1| in percent.
struct ErrorSummary {
  double mean = 0, median = 0, p95 = 0;
};
ErrorSummary error_summary(std::span<const double> measured, std::span<const double> predicted);

/// Result of grouped cross-validation, on rows not used in training.
struct Validation {
  int folds = 0;
  std::int64_t rows = 0, groups = 0;
  ErrorSummary analytical, corrected;
  int rounds = 0; ///< number of trees that the correction keeps: minimum squared error over all folds
};

/// Origin of a saved correction.
struct Provenance {
  std::string program;             ///< "jitterscope 0.1.0"
  std::string library;             ///< "xgboost 1.7.4"
  std::vector<std::string> inputs; ///< "sha256 path" of every file
  std::vector<std::string> gpus;
};

/// Factor on the time of an analytical model, learnt as y = ln(measured / predicted).
struct Correction {
  std::string kind; ///< "kernels" or "messages"
  std::vector<std::string> features;
  std::vector<double> lowest, highest; ///< by feature: range of its values in the training data
  std::vector<std::size_t> important;  ///< up to three features with the largest gain
  std::vector<std::size_t>
      machine; ///< features of the machine: a correction is not applied to other machines
  std::vector<Tree> trees;
  double clip_low = 0, clip_high = 0; ///< limits of y: the training targets' range ± 0.2
  Validation validation;              ///< cross-validation with each group in a single fold
  /// Cross-validation with each family in a single fold: how well the correction transfers to code it was not
  /// trained on.
  Validation family_validation;
  std::map<std::string, bool> families; ///< families in training; true: the correction beats the analytical
                                        ///< model there
  std::string refusal;                  ///< reason why the correction is not applied; empty if it is applied
  Provenance provenance;

  bool applied() const { return refusal.empty(); }
  /// Whether rows of families that are not in training are corrected.
  bool carries_over() const {
    return family_validation.folds > 1 &&
           family_validation.corrected.mean < family_validation.analytical.mean &&
           family_validation.corrected.p95 < family_validation.analytical.p95;
  }
};

struct Factor {
  double value = 1;
  /// The factor is 1, as the row is outside the training range of an important feature or machine, or of a
  /// family that is not in training and to which the correction does not transfer.
  bool extrapolated = false;
  /// The factor is 1: in its family the corrected error is not below the analytical one. Not set if the row
  /// is extrapolated, which takes precedence.
  bool untrusted = false;
};
/// Factor of a row with the features of the correction. A correction trained without families ignores
/// `family`.
Factor factor_of(const Correction& correction, std::span<const double> row, const std::string& family = {});

struct CorrectionOptions {
  BoostingOptions boosting;
  int folds = 5;
  std::size_t min_rows = 30;
};

/// Assigns rows to folds: groups in order of size, then name, each to the fold with the fewest rows.
/// Deterministic. Rows of one group share a fold; there are at most as many folds as groups.
std::vector<int> folds_of(const std::vector<std::string>& groups, int folds);

/// A correction with the cross-validated factors of its training rows.
struct Fit {
  Correction correction;
  std::vector<Factor>
      held_out; ///< by row, from trees that were not trained on it; 1 if the correction is refused
  std::vector<Correction>
      folds; ///< corrections, each trained without one fold; empty if the correction is refused
  std::map<std::string, std::size_t> fold_of_group;

  /// Factor of a row that was not in the sample, from trees that were trained on no row of its group; from
  /// the correction if the group was not in the sample.
  Factor held_out_factor(std::span<const double> row, const std::string& group,
                         const std::string& family = {}) const;
};

/// Learns a correction. Families are accepted one by one: if the mean error of a family's rows in
/// cross-validation by group is not below the analytical model's, its rows keep the factor 1 (in validation,
/// the rows of the other folds decide). So do rows of families not in training, unless the correction beats
/// the analytical model in cross-validation by family, in the mean and in the 95th percentile. The correction
/// is refused (`refusal` states why, factors are 1) with fewer than 30 rows or 2 groups, and if its mean
/// error in cross-validation is not below the analytical model's. Errors: BadUse for ragged rows and times
/// that are not positive; Cancelled.
Expected<Fit> fit_correction(const CorrectionRows& rows, const std::string& kind,
                             const std::function<bool()>& cancelled, const CorrectionOptions& options = {});

/// Name and version of the boosting library.
std::string boosting_library();

} // namespace jitterscope::model
