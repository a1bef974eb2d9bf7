#include "tests/generator/generator.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "tests/generator/model.h"

namespace jitterscope::generator {
namespace {

constexpr std::array<std::string_view, kCauses> kNames = {"configuration", "copy",   "migration",
                                                          "clock",         "stream", "warmup"};

Expected<void> check(const Options& options) {
  const auto outside = [](std::int64_t value, std::int64_t minimum, std::int64_t maximum) {
    return value < minimum || value > maximum;
  };
  if (outside(options.launches, 1, 200'000'000))
    return failure(ErrorKind::BadUse, "the number of launches must be 1 to 200,000,000");
  if (outside(options.kernels, 1, 1000))
    return failure(ErrorKind::BadUse, "the number of kernels must be 1 to 1000");
  if (outside(options.streams, 1, 64))
    return failure(ErrorKind::BadUse, "the number of streams must be 1 to 64");
  if (outside(options.devices, 1, 64))
    return failure(ErrorKind::BadUse, "the number of devices must be 1 to 64");
  if (options.turn_ns < 0) return failure(ErrorKind::BadUse, "turns cannot have a negative length");
  const bool clock =
      std::find(options.causes.begin(), options.causes.end(), Cause::Clock) != options.causes.end();
  if (clock && options.schema == Schema::None)
    return failure(ErrorKind::BadUse, "cause clock needs sampled counters, which schema none cannot hold", {},
                   {}, "Choose schema 3.25.0 or 3.0.0.");
  return {};
}

} // namespace

std::string_view to_string(Cause cause) {
  return kNames[static_cast<std::size_t>(cause)];
}

std::optional<Cause> cause_from(std::string_view text) {
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  return found == kNames.end() ? std::nullopt : std::optional(static_cast<Cause>(found - kNames.begin()));
}

std::vector<Cause> all_causes() {
  std::vector<Cause> causes;
  for (int cause = 0; cause < kCauses; ++cause) causes.push_back(static_cast<Cause>(cause));
  return causes;
}

std::optional<Schema> schema_from(std::string_view text) {
  if (text == "3.25.0") return Schema::V3_25_0;
  if (text == "3.0.0") return Schema::V3_0_0;
  if (text == "none") return Schema::None;
  return {};
}

std::string truth_path_for(const std::string& path) {
  return std::filesystem::path(path).replace_extension(".truth.json").string();
}

Expected<Truth> generate(const Options& options, const std::string& path, const std::string& truth_path,
                         const std::string& parts_path) {
  if (auto done = check(options); !done) return forward(done.error());
  auto trace = simulate(options);
  const auto truth = truth_of(options, trace);
  if (!parts_path.empty())
    if (auto done = write_parts(options, trace, parts_path); !done) return forward(done.error());
  if (auto done = write_database(options, std::move(trace), path); !done) return forward(done.error());
  if (!truth_path.empty())
    if (auto done = write_truth(options, truth, truth_path); !done) return forward(done.error());
  return truth;
}

} // namespace jitterscope::generator
