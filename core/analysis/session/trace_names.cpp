#include "core/analysis/session/trace_names.h"

#include <filesystem>
#include <set>

#include <fmt/core.h>

namespace jitterscope::analysis {
namespace {

std::string stem_of(const std::string& path) {
  const std::filesystem::path named(path);
  const auto& last = named.has_filename() ? named : named.parent_path(); // a folder may end in '/'
  return last.stem().string();
}

bool all_different(const std::vector<std::string>& names) {
  const std::set<std::string> distinct(names.begin(), names.end());
  return distinct.size() == names.size() && distinct.count("") == 0;
}

} // namespace

std::vector<std::string> names_of_traces(const std::vector<TraceOrigin>& origins) {
  std::vector<std::string> by_source, by_store;
  for (const auto& origin : origins) {
    by_source.push_back(stem_of(origin.source));
    by_store.push_back(stem_of(origin.store));
  }
  if (all_different(by_source)) return by_source;
  if (all_different(by_store)) return by_store;
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (std::size_t t = 0; t < origins.size(); ++t) {
    const std::string plain = by_source[t].empty() ? by_store[t] : by_source[t];
    std::string name = plain;
    for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{} #{}", plain, number);
    names.push_back(std::move(name));
  }
  return names;
}

} // namespace jitterscope::analysis
