#pragma once

#include <string>
#include <vector>

#include "core/analysis/columns/term_columns.h"
#include "core/analysis/session/session.h"
#include "core/base/communicator.h"

namespace jitterscope::efficiency {

/// A column with a value for every launch of the session: 8 bytes each, on every rank.
struct KeptColumn {
  std::string name, unit, description;
  int tier = 0;               ///< causal tier of the column
  std::vector<double> values; ///< by row of the session; NaN where missing
};

/// Columns whose values are given at construction and kept in memory.
class KeptColumns final : public analysis::TermColumns {
public:
  KeptColumns(const analysis::Session& session, std::vector<KeptColumn> columns);

  const std::vector<TermColumn>& terms() const override { return terms_; }
  std::vector<double> read_term(std::size_t term, const analysis::Segment& segment) const override;

private:
  const analysis::Session* session_;
  std::vector<KeptColumn> columns_;
  std::vector<TermColumn> terms_;
};

/// A valid column name for a text: its letters and digits, with one '_' for all other characters between two
/// of them; "metric" if nothing remains. `prefix` precedes a name that starts with a digit. At most 64
/// characters.
std::string column_name_of(const std::string& text, const std::string& prefix);

} // namespace jitterscope::efficiency
