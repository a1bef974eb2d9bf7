#include "core/analysis/session/names.h"

#include <algorithm>
#include <map>

namespace jitterscope::analysis {

namespace {

// "benchmark_func<float, 256>" of "void benchmark_func<float, 256>(float, float*)".
std::string with_template_arguments(const Kernel& kernel) {
  const auto at = kernel.name.find(kernel.short_name + "<");
  if (at == std::string::npos) return kernel.name;
  int open = 0;
  for (auto place = at + kernel.short_name.size(); place < kernel.name.size(); ++place) {
    if (kernel.name[place] == '<') ++open;
    if (kernel.name[place] == '>' && --open == 0) return kernel.name.substr(at, place + 1 - at);
  }
  return kernel.name;
}

// Short names if they are unique, otherwise with template arguments.
std::vector<std::string> names_of_kernels(const Session& session) {
  std::map<std::string_view, int> kernels_of_name;
  for (const auto& kernel : session.kernels()) ++kernels_of_name[kernel.short_name];
  std::vector<std::string> names;
  for (const auto& kernel : session.kernels()) {
    if (kernel.short_name.empty())
      names.push_back(kernel.name);
    else
      names.push_back(kernels_of_name[kernel.short_name] > 1 ? with_template_arguments(kernel)
                                                             : kernel.short_name);
  }
  return names;
}

} // namespace

NameTable::NameTable(const Session& session) : names_(names_of_kernels(session)) {
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
