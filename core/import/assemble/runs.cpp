#include "core/import/assemble/runs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {
namespace {

namespace fs = std::filesystem;
using store::ResourceKind;

constexpr std::string_view kRun = "run";

// Extensions that profilers and archivers add to the name chosen by the user.
constexpr std::array<std::string_view, 17> kEndings = {
    ".gz",  ".bz2", ".xz",  ".zst",  ".lz4",     ".tar", ".zip",   ".json",  ".csv",
    ".txt", ".db",  ".prv", ".nvvp", ".sqlite3", ".pt",  ".trace", ".sqlite"};

std::string without_endings(fs::path name) {
  while (!name.stem().empty() &&
         std::find(kEndings.begin(), kEndings.end(), name.extension().string()) != kEndings.end())
    name = name.stem();
  return name.string();
}

bool all_different(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

std::uint32_t host_of(const Draft& draft, std::uint32_t resource) {
  while (resource != kNone && draft.resources[resource].kind != ResourceKind::Host)
    resource = draft.resources[resource].parent;
  return resource;
}

void name_processes(Draft& draft, const std::vector<RunPart>& parts, const std::vector<std::string>& names) {
  std::map<std::uint32_t, std::set<std::size_t>> runs_of_host;
  std::vector<std::pair<std::uint32_t, std::size_t>> processes; // resource, part
  for (std::size_t part = 0; part < parts.size(); ++part)
    for (auto row = parts[part].first_resource; row < parts[part].last_resource; ++row) {
      const auto resource = static_cast<std::uint32_t>(row);
      if (draft.resources[resource].kind != ResourceKind::Process) continue;
      runs_of_host[host_of(draft, resource)].insert(part);
      processes.emplace_back(resource, part);
    }
  for (const auto& [resource, part] : processes) {
    if (runs_of_host[host_of(draft, resource)].size() < 2) continue;
    auto& name = draft.resources[resource].name;
    name = name.empty() ? names[part] : fmt::format("{} · {}", name, names[part]);
  }
}

} // namespace

std::vector<std::string> names_of_runs(const std::vector<std::string>& paths) {
  std::vector<std::string> names, with_folder;
  for (const auto& path : paths) {
    const fs::path named(path);
    names.push_back(without_endings(named.filename()));
    const auto folder = named.parent_path().filename().string();
    with_folder.push_back(folder.empty() ? names.back() : folder + "/" + names.back());
  }
  if (all_different(names)) return names;
  if (all_different(with_folder)) return with_folder;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto plain = with_folder[i];
    for (int number = 2; !taken.insert(with_folder[i]).second; ++number)
      with_folder[i] = fmt::format("{} #{}", plain, number);
  }
  return with_folder;
}

void distinguish_runs(Draft& draft, const std::vector<RunPart>& parts) {
  std::vector<RunPart> runs;
  for (const auto& part : parts)
    if (part.to.launches > part.from.launches) runs.push_back(part);
  const auto& known = draft.attributes.all();
  if (runs.size() < 2 ||
      std::any_of(known.begin(), known.end(), [](const Attribute& each) { return each.name == kRun; }))
    return;
  std::vector<std::string> paths;
  for (const auto& run : runs) paths.push_back(run.path);
  const auto names = names_of_runs(paths);
  name_processes(draft, runs, names);
  const auto column = draft.attributes.text(kRun, "file that the launch was read from");
  draft.attributes.expect(draft.launches.start.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const SpillVector<std::uint32_t> name(runs[i].to.launches - runs[i].from.launches,
                                          draft.strings.intern(names[i]).value);
    draft.attributes.append_texts(column, runs[i].from.launches, name);
  }
}

} // namespace jitterscope::import
