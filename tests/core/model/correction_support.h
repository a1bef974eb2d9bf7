#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "core/model/correction/correction.h"

namespace jitterscope::model {

inline bool never() {
  return false;
}

/// Random numbers from 0 to 1, the same on all systems.
class Random {
public:
  double next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

private:
  std::uint64_t state_ = 42;
};

/// Times that the analytical model predicts with an error factor that two of three features explain.
inline CorrectionRows explained_rows(int n, double noise) {
  Random random;
  CorrectionRows rows;
  rows.features = {"a", "b", "c"};
  for (int i = 0; i < n; ++i) {
    const double a = random.next() * 4, b = random.next() < 0.5 ? 0 : 1, c = random.next();
    const double factor = std::exp(0.3 * a - 0.4 * b * a + noise * (random.next() - 0.5));
    rows.values.push_back({a, b, c});
    rows.predicted.push_back(100 + 50 * c);
    rows.measured.push_back(rows.predicted.back() * factor);
    rows.groups.push_back("k" + std::to_string(i % 20));
  }
  return rows;
}

inline Expected<Correction> fitted_correction(const CorrectionRows& rows, const std::string& kind,
                                              const std::function<bool()>& cancelled,
                                              const CorrectionOptions& options = {}) {
  auto fit = fit_correction(rows, kind, cancelled, options);
  if (!fit) return forward(fit.error());
  return std::move(fit->correction);
}

} // namespace jitterscope::model
