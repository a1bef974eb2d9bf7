#include "core/import/assemble/ranks.h"

#include <charconv>
#include <filesystem>

#include <fmt/core.h>

#include "core/import/text/text.h"

namespace jitterscope::import {

std::optional<std::int32_t> rank_in_name(std::string_view file_name) {
  const auto name = lower(file_name);
  for (const std::string_view word : {"rank", "worker"})
    for (auto place = name.find(word); place != std::string::npos; place = name.find(word, place + 1)) {
      auto digits = place + word.size();
      while (digits < name.size() && (name[digits] == '-' || name[digits] == '_')) ++digits;
      std::int32_t rank = -1;
      const auto result = std::from_chars(name.data() + digits, name.data() + name.size(), rank);
      if (result.ec == std::errc() && rank >= 0) return rank;
    }
  return {};
}

std::optional<std::int32_t> rank_of(const Input& input) {
  if (const auto rank = rank_in_name(input.file_name())) return rank;
  auto folder = std::filesystem::path(input.member.empty() ? input.path : input.member).parent_path();
  if (folder.filename() == "ASCEND_PROFILER_OUTPUT")
    folder = folder.parent_path(); // torch_npu: rank0_ascend_pt/…
  return rank_in_name(folder.filename().string());
}

void note_rank_of_name(Draft& draft, std::size_t first_resource, const Input& input) {
  store::Resource* process = nullptr;
  for (auto row = first_resource; row < draft.resources.size(); ++row) {
    auto& resource = draft.resources[row];
    if (resource.kind != store::ResourceKind::Process) continue;
    if (process || resource.rank >= 0) return;
    process = &resource;
  }
  const auto rank = process ? rank_of(input) : std::nullopt;
  if (!rank) return;
  process->rank = *rank;
  draft.report.add(
      store::Severity::Info, "rank-from-name",
      fmt::format("{} does not state its rank; rank {} is taken from the name of the file or folder",
                  input.name(), *rank));
}

} // namespace jitterscope::import
