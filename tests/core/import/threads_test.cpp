// The result of an import does not depend on the number of threads.

#include <cstring>
#include <type_traits>
#include <variant>

#include <fmt/core.h>
#include <sched.h>

#include "core/base/parallel.h"
#include "tests/core/import/import_support.h"
#include "tests/core/import/temporary_files.h"
#include "tests/generator/generator.h"

namespace jitterscope::import {
namespace {

/// Restricts this thread and those it starts to one processor during its lifetime.
class OneProcessor {
public:
  OneProcessor() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &before_)) {
        CPU_SET(cpu, &one);
        break;
      }
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

private:
  cpu_set_t before_{};
};

// Bit-identical, including NaN.
bool same_values(const store::ColumnValues& a, const store::ColumnValues& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& values) {
        const auto& others = std::get<std::decay_t<decltype(values)>>(b);
        return values.size() == others.size() &&
               (values.empty() ||
                std::memcmp(values.data(), others.data(), values.size() * sizeof values[0]) == 0);
      },
      a);
}

void expect_same(const store::TraceData& a, const store::TraceData& b) {
  EXPECT_EQ(a.strings.all(), b.strings.all());
  EXPECT_EQ(a.resources.size(), b.resources.size());
  ASSERT_EQ(a.tables.size(), b.tables.size());
  for (std::size_t t = 0; t < a.tables.size(); ++t) {
    ASSERT_EQ(a.tables[t].columns.size(), b.tables[t].columns.size()) << a.tables[t].name;
    for (std::size_t c = 0; c < a.tables[t].columns.size(); ++c) {
      EXPECT_EQ(a.tables[t].columns[c].name, b.tables[t].columns[c].name);
      EXPECT_TRUE(same_values(a.tables[t].columns[c].values, b.tables[t].columns[c].values))
          << a.tables[t].name << "." << a.tables[t].columns[c].name;
    }
  }
}

class Threads : public testing::Test {
protected:
  void expect_same_on_one_processor(const std::string& path) {
    const auto on_all = import_good({path});
    const OneProcessor one;
    EXPECT_EQ(worker_threads(), 1);
    const auto on_one = import_good({path});
    expect_same(on_all, on_one);
  }
  TemporaryFolder folder_;
};

TEST_F(Threads, BigTracesInJsonPackedOrNot) {
  std::string text = R"({"traceEvents":[)";
  for (int i = 0; i < 40'000; ++i)
    text += fmt::format(
        R"({}{{"ph":"X","cat":"kernel","name":"kernel {}","pid":0,"tid":{},"ts":{}.125,"dur":{}.5,)"
        R"("args":{{"device":{},"stream":{},"correlation":{},"registers per thread":32,"grid":[{},1,1],"block":[128,1,1]}}}})",
        i ? "," : "", i % 97, i % 5, 10 * i, 3 + i % 7, i % 2, i % 5, i, i % 13 + 1);
  text += "]}";
  ASSERT_GT(text.size(), std::size_t{6} << 20);
  write_bytes(folder_.path("trace.json"), text);
  expect_same_on_one_processor(folder_.path("trace.json"));
  ASSERT_EQ(std::system(("gzip -k '" + folder_.path("trace.json") + "'").c_str()), 0);
  expect_same_on_one_processor(folder_.path("trace.json.gz"));
  expect_same(import_good({folder_.path("trace.json")}), import_good({folder_.path("trace.json.gz")}));
}

TEST_F(Threads, Databases) {
  generator::Options options;
  options.launches = 100'000;
  options.causes = {generator::Cause::Migration};
  ASSERT_TRUE(generator::generate(options, folder_.path("trace.sqlite"), {}));
  expect_same_on_one_processor(folder_.path("trace.sqlite"));
}

} // namespace
} // namespace jitterscope::import
