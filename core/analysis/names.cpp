#include "core/analysis/names.h"

#include <algorithm>
#include <map>

namespace jitterscope::analysis {

NameTable::NameTable(const Session& session) {
  for (const auto& kernel : session.kernels())
    names_.push_back(kernel.short_name.empty() ? kernel.name : kernel.short_name);
  transfers_ = static_cast<std::uint32_t>(names_.size());
  for (int kind = 0; kind < store::kTransferKinds; ++kind)
    names_.emplace_back(store::to_string(static_cast<store::TransferKind>(kind)));
  std::map<std::string_view, std::uint32_t> known;
  for (const auto& trace : session.traces()) {
    std::vector<std::uint32_t> of_string(trace.store.strings(), kNone);
    for (const char* table : {"calls", "ranges", "messages"})
      for (const auto string : *trace.store.table(table).find("name")->distinct) {
        if (of_string[string] != kNone) continue;
        const auto text = trace.store.string({string});
        const auto [place, added] = known.emplace(text, static_cast<std::uint32_t>(names_.size()));
        if (added) names_.emplace_back(text);
        of_string[string] = place->second;
      }
    std::replace(of_string.begin(), of_string.end(), kNone, transfers_); // "unknown"
    of_string_.push_back(std::move(of_string));
  }
}

} // namespace jitterscope::analysis
