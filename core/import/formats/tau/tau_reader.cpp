#include "core/import/formats/tau/tau_reader.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/core.h>

#include "core/import/formats/tau/profile_rows.h"
#include "core/import/records/left_out.h"
#include "core/import/text/csv/number.h"

namespace jitterscope::import::tau {
namespace {

using store::Severity;

// "profile.3.0.1" → 3, 0, 1.
std::optional<ThreadNumbers> numbers_of(std::string_view name) {
  std::int64_t numbers[3] = {0, 0, 0};
  for (int i = 2; i >= 0; --i) {
    const auto dot = name.rfind('.');
    if (dot == std::string_view::npos) return {};
    const auto digits = name.substr(dot + 1);
    const auto number = parse_integer(digits);
    if (!number || *number < 0 || digits.find_first_not_of("0123456789") != std::string_view::npos) return {};
    numbers[i] = *number;
    name = name.substr(0, dot);
  }
  return ThreadNumbers{numbers[0], numbers[1], numbers[2]};
}

// Files by thread. Files without numbers are nodes after the others, in the order of their names.
using Threads = std::map<ThreadNumbers, std::vector<const Input*>>;
Threads threads_of(std::span<const Input> inputs, RowIssues& issues) {
  Threads out;
  std::vector<const Input*> others;
  for (const auto& input : inputs)
    if (const auto numbers = numbers_of(input.file_name()))
      out[*numbers].push_back(&input);
    else
      others.push_back(&input);
  auto node = out.empty() || out.rbegin()->first.node == INT64_MAX ? 0 : out.rbegin()->first.node + 1;
  for (const auto* input : others) {
    const auto numbers = ThreadNumbers{node++, 0, 0};
    issues.count(Severity::Doubt, "unknown-thread", [&] {
      return fmt::format("the name of {} does not end in NODE.CONTEXT.THREAD: it is read as node {}",
                         input->name(), numbers.node);
    });
    out[numbers].push_back(input);
  }
  return out;
}

class Reading {
public:
  /// `alone`: there is only one file, whose errors are errors of the import.
  Reading(Draft& draft, RowIssues& issues, const Threads& threads, bool alone, const Progress& progress)
      : report_(draft.report), issues_(issues), progress_(progress),
        rows_(draft, issues, nodes_of(threads) > 1), alone_(alone) {}

  Expected<void> add(const ThreadNumbers& numbers, const std::vector<const Input*>& inputs) {
    ThreadProfile profile;
    std::set<std::string> metrics;
    for (const auto* input : inputs) {
      auto file = read_profile(*input, issues_, progress_of(*input));
      done_ += input->disk_bytes;
      if (!file) {
        if (alone_ || file.error().kind != ErrorKind::BadInput) return forward(file.error());
        add_left_out(file.error(), report_);
        continue;
      }
      if (metrics.insert(file->metric).second)
        profile.add(std::move(*file));
      else
        issues_.count(Severity::Drop, "same-thread", [&] {
          return fmt::format("{} has the thread and the metric of another file: it was left out",
                             input->name());
        });
    }
    if (metrics.empty()) return {};
    if (version_.empty())
      if (const auto* version = profile.property("TAU Version")) version_ = *version;
    timed_ = timed_ || profile.time();
    rows_.add(numbers, std::move(profile));
    return {};
  }

  std::int64_t rows() const { return rows_.rows(); }
  bool timed() const { return timed_; }
  const std::string& version() const { return version_; }

private:
  static std::size_t nodes_of(const Threads& threads) {
    std::set<std::int64_t> nodes;
    for (const auto& [numbers, inputs] : threads) nodes.insert(numbers.node);
    return nodes.size();
  }

  Progress progress_of(const Input& input) const {
    return {progress_.job, progress_.done_before + done_, input.disk_bytes, progress_.total_bytes};
  }

  store::ImportReport& report_;
  RowIssues& issues_;
  const Progress& progress_;
  ProfileRows rows_;
  bool alone_;
  std::int64_t done_ = 0;
  bool timed_ = false;
  std::string version_;
};

bool recognises(const Input& input) {
  return is_profile(input.head);
}

std::string group(const Input& input) {
  const std::filesystem::path folder(input.folder());
  return folder.filename().string().starts_with("MULTI__") ? folder.parent_path().string() + "/MULTI__*"
                                                           : folder.string() + "/";
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  RowIssues issues;
  const auto threads = threads_of(inputs, issues);
  Reading reading(draft, issues, threads, inputs.size() == 1, progress);
  for (const auto& [numbers, files] : threads)
    if (auto done = reading.add(numbers, files); !done) return done;
  if (reading.rows() == 0)
    return failure(ErrorKind::BadInput, "the profile contains no function", inputs.front().name(), {},
                   issues.rows_of("missing-lines") > 0
                       ? "The file is truncated: copy it again."
                       : "The program may have ended before it called MPI_Finalize: run it again.");
  const auto name = inputs.size() > 1 ? std::string("the profile") : inputs.front().name();
  issues.count(Severity::Doubt, "sums-over-launches", [&] {
    return fmt::format(
        "{} contains sums over calls, not individual calls: it cannot show how they vary over time", name);
  });
  issues.count(Severity::Doubt, "mixed-rows", [&] {
    return fmt::format("the rows of {} are functions, MPI calls, kernels and events: column \"row_kind\" "
                       "states the kind of each",
                       name);
  });
  if (!reading.timed())
    issues.count(Severity::Doubt, "no-time",
                 [&] { return fmt::format("{} has no time metric: its rows have no durations", name); });
  source.tool = reading.version();
  source.timeless = true;
  issues.move_to(draft.report);
  return {};
}

} // namespace

const Reader kReader = {"TAU profile", recognises, read, group};

} // namespace jitterscope::import::tau
