// Tables whose records are read many at a time give the same result as when they are read one by one, for
// any text.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/import/formats/gpu_trace/gpu_trace_reader.h"
#include "core/import/formats/table/table_reader.h"
#include "core/import/records/reader.h"

namespace jitterscope::import {
namespace {

struct Result {
  Draft draft;
  std::string error;
};

void read(const Reader& reader, const std::vector<Input>& inputs, bool one_by_one, Result& result) {
  result.draft.options.one_by_one = one_by_one;
  result.draft.options.threads = 1;
  store::Source source;
  const Job job;
  if (const auto done = reader.read(inputs, result.draft, source, {job, 0, 1, 1}); !done)
    result.error = describe(done.error());
}

void require(bool holds) {
  if (!holds) std::abort();
}

template <class A, class B>
void require_equal_bits(const A& a, const B& b) {
  require(a.size() == b.size());
  require(a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

template <class T>
void require_equal_bits(const DraftColumn<T>& a, const DraftColumn<T>& b) {
  require_equal_bits(a.values(), b.values());
}

// Missing values at the end of a column need not be stored.
template <class T>
SpillVector<T> filled(const SpillVector<T>& values, std::size_t rows, T missing) {
  auto all = values;
  all.resize(std::max(rows, values.size()), missing);
  return all;
}

void compare(const Draft& a, const Draft& b) {
  require_equal_bits(a.launches.start, b.launches.start);
  require_equal_bits(a.launches.duration, b.launches.duration);
  require_equal_bits(a.launches.configuration, b.launches.configuration);
  require_equal_bits(a.launches.stream, b.launches.stream);
  require_equal_bits(a.launches.call, b.launches.call);
  require_equal_bits(a.launches.correlation, b.launches.correlation);
  require_equal_bits(a.launches.flags, b.launches.flags);
  require_equal_bits(a.transfers.start, b.transfers.start);
  require_equal_bits(a.transfers.duration, b.transfers.duration);
  require_equal_bits(a.transfers.bytes, b.transfers.bytes);
  require_equal_bits(a.transfers.kind, b.transfers.kind);
  require_equal_bits(a.transfers.stream, b.transfers.stream);
  require_equal_bits(a.calls.start, b.calls.start);
  require_equal_bits(a.calls.duration, b.calls.duration);
  require_equal_bits(a.calls.name, b.calls.name);
  require_equal_bits(a.calls.thread, b.calls.thread);
  require_equal_bits(a.calls.correlation, b.calls.correlation);
  require_equal_bits(a.calls.result, b.calls.result);
  require_equal_bits(a.ranges.start, b.ranges.start);
  require_equal_bits(a.ranges.duration, b.ranges.duration);
  require_equal_bits(a.ranges.name, b.ranges.name);
  require_equal_bits(a.ranges.domain, b.ranges.domain);
  require_equal_bits(a.ranges.thread, b.ranges.thread);
  require_equal_bits(a.ranges.kind, b.ranges.kind);
  require(a.configurations == b.configurations && a.kernels == b.kernels &&
          a.strings.all() == b.strings.all());
  require(a.attributes.all().size() == b.attributes.all().size());
  for (std::size_t i = 0; i < a.attributes.all().size(); ++i) {
    const auto &one = a.attributes.all()[i], &other = b.attributes.all()[i];
    const auto rows = a.launches.start.size();
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    require(one.name == other.name && one.unit == other.unit);
    require_equal_bits(filled(one.strings, rows, kNone), filled(other.strings, rows, kNone));
    require_equal_bits(filled(one.numbers.values(), rows, kNothing),
                       filled(other.numbers.values(), rows, kNothing));
  }
  const auto same = [](const store::ReportEntry& one, const store::ReportEntry& other) {
    return one.code == other.code && one.count == other.count && one.text == other.text;
  };
  const auto &one = a.report.entries(), &other = b.report.entries();
  require(std::equal(one.begin(), one.end(), other.begin(), other.end(), same));
}

} // namespace
} // namespace jitterscope::import

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace jitterscope::import;
  const std::vector<Input> inputs{
      Input::from_memory("fuzz.csv", std::string(reinterpret_cast<const char*>(bytes), size))};
  const auto& reader = gpu_trace::recognises_nsys(inputs.front()) ? gpu_trace::kNsysReader : table::kReader;
  Result many, one;
  read(reader, inputs, false, many);
  read(reader, inputs, true, one);
  require(many.error == one.error);
  if (one.error.empty()) compare(many.draft, one.draft);
  return 0;
}
