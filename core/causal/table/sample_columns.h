#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/causal/table/frame.h"

namespace jitterscope::causal {

/// Whether Scale::automatic analyses a column as ranks: its excess kurtosis is above 6, the value of an
/// exponential distribution. NaNs are skipped.
bool has_heavy_tails(const std::vector<double>& values);

/// ln(1 + |v|) with the sign of v for Scale::log1p, else v.
double on_scale(Scale scale, double value);

/// ln(duration / typical duration of its configuration) of a local row.
double log_ratio(const Frame& frame, std::size_t row);

/// Whether a column differs between rows of one group. NaNs, and rows without a group, are skipped.
bool varies_within(std::span<const double> column, const std::vector<std::uint32_t>& group_of,
                   std::uint32_t groups);

/// Subtracts the class mean from every row (or keeps only the mean). NaNs are skipped.
void centre_by(Eigen::Ref<Eigen::VectorXd> column, const std::vector<std::uint32_t>& class_of,
               std::uint32_t classes, bool keep_means);

} // namespace jitterscope::causal
