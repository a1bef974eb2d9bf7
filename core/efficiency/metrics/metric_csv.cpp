#include "core/efficiency/metrics/metric_csv.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "core/base/output_file.h"
#include "core/base/stop.h"
#include "core/efficiency/metrics/pieces.h"
#include "core/efficiency/metrics/sweep.h"

namespace jitterscope::efficiency::metrics {
namespace {

constexpr std::size_t kPiecesOfSlice = 8; // evaluated at once by all ranks and threads
constexpr std::int64_t kMaxCells = 4'000'000;
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

std::string csv_number(double value) {
  return std::isnan(value) ? std::string() : fmt::format("{}", value);
}

bool same_value(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

class MetricCsv {
public:
  MetricCsv(const Bound& bound, const Question& question, Communicator& communicator, const Job& job)
      : bound_(bound), question_(question), communicator_(communicator), job_(job) {
    const auto all = bound.data().objects().at(question.level);
    const auto count = question.objects.empty() ? all.size() : question.objects.size();
    for (std::size_t i = 0; i < count; ++i)
      names_.push_back(csv_text(all[question.objects.empty() ? i : question.objects[i]].name));
    const auto& unit = bound.definition().unit;
    if (!unit.empty()) unit_ = " [" + unit + "]";
  }

  Expected<void> open(const std::string& path) {
    if (communicator_.rank() != 0) return {};
    auto file = OutputFile::create(path);
    if (!file) return forward(file.error());
    output_.emplace(std::move(*file));
    return {};
  }

  Expected<void> steps() {
    std::string text = fmt::format("time [ns],track,{}\r\n", csv_text("value" + unit_));
    std::vector<double> last(names_.size(), kNoValue);
    std::vector<bool> any(names_.size());
    const auto pieces = pieces_of(bound_, question_.range, 1);
    Stop stop(job_);
    for (std::size_t first = 0; first < pieces.size(); first += kPiecesOfSlice) {
      auto slice = question_;
      slice.range = {pieces[first].range.begin,
                     pieces[std::min(first + kPiecesOfSlice, pieces.size()) - 1].range.end};
      auto steps = exact(bound_, slice, std::numeric_limits<std::size_t>::max(), communicator_, job_);
      if (!steps) return forward(steps.error());
      if (!output_) continue;
      const auto in_order = sorted(*steps, stop);
      if (stop.requested()) return Job::cancelled_error();
      for (const auto& [time, object, value] : in_order) {
        if (any[object] && same_value(last[object], value)) continue; // the slice continues a step
        any[object] = true;
        last[object] = value;
        text += fmt::format("{},{},{}\r\n", time, names_[object], csv_number(value));
        if (auto done = row(text); !done) return done;
      }
      job_.progress(slice.range.begin.count - question_.range.begin.count, question_.range.length().count,
                    "steps");
    }
    return output_ ? output_->add(text) : Expected<void>();
  }

  Expected<void> parts(std::int64_t points) {
    const auto objects = std::max<std::int64_t>(static_cast<std::int64_t>(names_.size()), 1);
    if (points > kMaxCells / objects)
      return failure(ErrorKind::BadUse,
                     fmt::format("{} points for each of {} tracks exceed the limit of {} values", points,
                                 objects, kMaxCells),
                     {}, "--points", "Use fewer points, or leave out --points to write every change.");
    auto values = columns(bound_, question_, static_cast<int>(points), communicator_, job_);
    if (!values) return forward(values.error());
    if (!output_) return {};
    std::string text = fmt::format("time [ns],end [ns],track,{},{},{}\r\n", csv_text("average" + unit_),
                                   csv_text("minimum" + unit_), csv_text("maximum" + unit_));
    for (int c = 0; c < static_cast<int>(points); ++c) {
      const auto begin = column_begin(question_.range, c, static_cast<int>(points)),
                 end = column_begin(question_.range, c + 1, static_cast<int>(points));
      for (std::size_t object = 0; object < names_.size() && begin < end; ++object) {
        const auto& of = (*values)[object];
        const auto at = static_cast<std::size_t>(c);
        text += fmt::format("{},{},{},{},{},{}\r\n", begin, end, names_[object], csv_number(of.average[at]),
                            csv_number(of.minimum[at]), csv_number(of.maximum[at]));
        if (auto done = row(text); !done) return done;
      }
    }
    return output_->add(text);
  }

  Expected<MetricCsvReport> finish() {
    if (!output_) return MetricCsvReport{};
    if (auto done = output_->finish(job_); !done) return forward(done.error());
    return MetricCsvReport{rows_, output_->bytes()};
  }

private:
  struct Step {
    std::int64_t time;
    std::size_t object;
    double value;
  };
  static std::vector<Step> sorted(const std::vector<Steps>& steps, Stop& stop) {
    std::vector<Step> all;
    for (std::size_t object = 0; object < steps.size(); ++object)
      for (const auto& step : steps[object]) all.push_back({step.begin, object, step.value});
    sort_stably(
        all, [](const Step& a, const Step& b) { return a.time < b.time; }, stop);
    return all;
  }

  // Writes the text from time to time, and polls the job.
  Expected<void> row(std::string& text) {
    constexpr std::int64_t kRows = 4'096;
    if (++rows_ % kRows != 0) return {};
    if (job_.cancelled()) return Job::cancelled_error();
    auto done = output_->add(text);
    text.clear();
    return done;
  }

  const Bound& bound_;
  const Question& question_;
  Communicator& communicator_;
  const Job& job_;
  std::optional<BufferedOutput> output_; ///< only on rank 0
  std::vector<std::string> names_;
  std::string unit_;
  std::int64_t rows_ = 0;
};

} // namespace

Expected<MetricCsvReport> export_metric_csv(const Bound& bound, const Question& question, std::int64_t points,
                                            const std::string& path, Communicator& communicator,
                                            const Job& job) {
  if (auto valid = check(bound, question); !valid) return forward(valid.error());
  MetricCsv csv(bound, question, communicator, job);
  if (auto done = csv.open(path); !done) return forward(done.error());
  if (auto done = points > 0 ? csv.parts(points) : csv.steps(); !done) return forward(done.error());
  return csv.finish();
}

} // namespace jitterscope::efficiency::metrics
