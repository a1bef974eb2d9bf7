#include "core/analysis/export/chrome_event.h"
#include "core/analysis/export/chrome_export.h"

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/core/analysis/export/export_support.h"
#include "tests/support/many_launches.h"
#include "tests/support/open_session.h"
#include "tests/support/real_data.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::column;
using test::generated;
using test::imported;
using test::OpenSession;

namespace {

std::string written_trace(const OpenSession& open) {
  const auto path = open.folder.file("trace.json");
  const auto report = export_chrome(*open.session, *open.columns, path, {});
  if (!report) throw std::runtime_error(describe(report.error()));
  return path;
}

nlohmann::json document_of(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

/// Lines of a session, with times relative to its first event.
class Lines {
public:
  explicit Lines(const Session& session) : session_(session), zero_(session.span().begin.count) {}

  std::vector<std::string> launches() const {
    return lines("launches", [&](const Trace& trace, std::size_t row) {
      const auto& c = session_.configurations()[trace.configuration[trace.configurations()[row]]];
      std::string line = session_.kernels()[c.kernel].name + place(trace, "launches", "stream", row) +
                         call(trace, "launches", row) + " flags " +
                         std::to_string(trace.store.column<std::uint8_t>("launches", "flags")[row] & 2);
      for (const auto value : {c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2],
                               c.static_shared_memory, c.dynamic_shared_memory, c.registers})
        line += " " + std::to_string(value);
      return line;
    });
  }
  std::vector<std::string> copies() const {
    return lines("transfers", [&](const Trace& trace, std::size_t row) -> std::string {
      const auto kind = trace.store.column<std::uint8_t>("transfers", "kind")[row];
      if (store::is_migration(static_cast<store::TransferKind>(kind))) return {};
      return std::to_string(kind) + " " +
             std::to_string(trace.store.column<std::int64_t>("transfers", "bytes")[row]) +
             place(trace, "transfers", "stream", row) + call(trace, "transfers", row);
    });
  }
  std::vector<std::string> calls() const {
    return lines("calls", [&](const Trace& trace, std::size_t row) {
      return name(trace, "calls", "name", row) + place(trace, "calls", "thread", row);
    });
  }
  std::vector<std::string> ranges() const {
    return lines("ranges", [&](const Trace& trace, std::size_t row) {
      return name(trace, "ranges", "name", row) + " in " + name(trace, "ranges", "domain", row) + " kind " +
             std::to_string(trace.store.column<std::uint8_t>("ranges", "kind")[row]) +
             place(trace, "ranges", "thread", row);
    });
  }
  std::vector<std::string> samples() const {
    std::vector<std::string> lines;
    for (const auto& trace : session_.traces()) {
      const auto counters = trace.store.column<std::uint32_t>("samples", "counter");
      const auto values = trace.store.column<double>("samples", "value");
      const auto times = trace.store.starts("samples");
      for (std::size_t row = 0; row < times.size(); ++row)
        lines.push_back(std::to_string(times[row] + trace.shift_ns - zero_) + " " +
                        name(trace, "counters", "name", counters[row]) + " [" +
                        name(trace, "counters", "unit", counters[row]) + "] " + std::to_string(values[row]));
    }
    std::ranges::sort(lines);
    return lines;
  }

private:
  template <class Text>
  std::vector<std::string> lines(const char* table, Text&& text) const {
    std::vector<std::string> lines;
    for (const auto& trace : session_.traces()) {
      const auto starts = trace.store.starts(table);
      const auto durations = trace.store.column<std::int64_t>(table, "duration");
      for (std::size_t row = 0; row < starts.size(); ++row)
        if (const auto rest = text(trace, row); !rest.empty())
          lines.push_back(std::to_string(starts[row] + trace.shift_ns - zero_) + " " +
                          std::to_string(durations[row]) + " " + rest);
    }
    std::ranges::sort(lines);
    return lines;
  }
  static std::string name(const Trace& trace, const char* table, const char* of, std::size_t row) {
    return std::string(trace.store.string({trace.store.column<std::uint32_t>(table, of)[row]}));
  }
  static std::string place(const Trace& trace, const char* table, const char* of, std::size_t row) {
    std::string text;
    for (auto at = trace.store.column<std::uint32_t>(table, of)[row]; at != kNone;
         at = trace.store.resources()[at].parent)
      if (trace.store.resources()[at].kind != store::ResourceKind::Host)
        text += " of " + std::to_string(trace.store.resources()[at].number);
    return text;
  }
  std::string call(const Trace& trace, const char* table, std::size_t row) const {
    const auto call = trace.store.column<std::uint32_t>(table, "call")[row];
    if (call == kNone) return " without call";
    return " called at " + std::to_string(trace.store.starts("calls")[call] + trace.shift_ns - zero_);
  }

  const Session& session_;
  std::int64_t zero_;
};

void expect_equal_trace(const OpenSession& before) {
  const OpenSession after({imported(written_trace(before))});
  const Lines was(*before.session), is(*after.session);
  EXPECT_EQ(was.launches(), is.launches());
  EXPECT_EQ(was.copies(), is.copies());
  EXPECT_EQ(was.calls(), is.calls());
  EXPECT_EQ(was.samples(), is.samples());
  EXPECT_EQ(before.session->configurations().size(), after.session->configurations().size());
}

void add_thread(store::TraceData& data) {
  data.resources.push_back({store::ResourceKind::Thread, 1, kNone, 101, -1, "main \"thread\""});
}

void add_range(store::TraceData& data, std::int64_t start, std::int64_t duration, const std::string& name,
               const std::string& domain, std::uint8_t kind) {
  column<std::int64_t>(data, "ranges", "start").push_back(start);
  column<std::int64_t>(data, "ranges", "duration").push_back(duration);
  column<std::uint32_t>(data, "ranges", "name").push_back(data.strings.intern(name).value);
  column<std::uint32_t>(data, "ranges", "domain").push_back(data.strings.intern(domain).value);
  column<std::uint32_t>(data, "ranges", "thread")
      .push_back(static_cast<std::uint32_t>(data.resources.size() - 1));
  column<std::uint8_t>(data, "ranges", "depth").push_back(0);
  column<std::uint8_t>(data, "ranges", "kind").push_back(kind);
}

} // namespace

TEST(ChromeExport, OfAGeneratedTraceIsReadAgainEqual) {
  const test::TemporaryFolder folder;
  const OpenSession before({generated(folder, 1, {generator::Cause::Copy, generator::Cause::Clock})});
  expect_equal_trace(before);
  const OpenSession after({imported(before.folder.file("trace.json"))});
  EXPECT_EQ(Lines(*before.session).ranges(), Lines(*after.session).ranges());
  EXPECT_EQ(before.session->traces()[0].store.manifest().origin_utc_ns + before.session->span().begin.count,
            after.session->traces()[0].store.manifest().origin_utc_ns + after.session->span().begin.count);
}

TEST(ChromeExport, KeepsProcessesApart) {
  const test::TemporaryFolder folder;
  expect_equal_trace(OpenSession({generated(folder, 3, {generator::Cause::Copy})}));
}

TEST(ChromeExport, ShowsMigrationsAsRangesOfTheirDevice) {
  const test::TemporaryFolder folder;
  const OpenSession before({generated(folder, 1, {generator::Cause::Migration})});
  const auto report = export_chrome(*before.session, *before.columns, before.folder.file("trace.json"), {});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->left_out.size(), 1u);
  const OpenSession after({imported(before.folder.file("trace.json"))});
  EXPECT_EQ(Lines(*before.session).launches(), Lines(*after.session).launches());
  const auto migrations = std::to_string(before.session->traces()[0].store.table("transfers").rows -
                                         after.session->traces()[0].store.table("transfers").rows);
  EXPECT_TRUE(report->left_out[0].starts_with(migrations + " migrations")) << report->left_out[0];
}

TEST(ChromeExport, OfRealTracesIsReadAgainEqual) {
  for (const auto* sample :
       {"nsys/h100-2gpu/mfu_2gpu_before.sqlite", "nsys/gtls-cupy/report1.sqlite",
        "kineto/hta/alexnet.json.gz", "kineto/2021/resnet50_num_workers_0.pt.trace.json.gz"}) {
    const auto path = real_data(sample);
    if (path.empty()) continue;
    SCOPED_TRACE(sample);
    expect_equal_trace(OpenSession({imported(path)}));
  }
}

TEST(ChromeExport, ASecondExportIsTheSameFile) {
  const test::TemporaryFolder folder;
  const OpenSession first({generated(folder, 2, {generator::Cause::Copy})});
  const OpenSession second({imported(written_trace(first))});
  const OpenSession third({imported(written_trace(second))});
  EXPECT_EQ(document_of(second.folder.file("trace.json"))["traceEvents"],
            document_of(written_trace(third))["traceEvents"]);
}

TEST(ChromeExport, KeepsHostileNamesAndAllKindsOfRanges) {
  const std::vector<std::string> names = {"say \"hi\" \\",   "</script><script>", "new\nline\ttab\x01",
                                          "\xC3\xA9",        "\xF0\x9F\x98\x80",  "{\"ph\":\"X\"}",
                                          "cudaLaunchKernel"};
  auto data = test::empty_trace(1);
  std::vector<test::LaunchRow> rows;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    test::add_kernel(data, names[i], 1);
    rows.push_back({100 + i * 10, 5, i, 2});
  }
  test::add_launches(data, rows);
  add_thread(data);
  std::int64_t time = 0;
  for (const auto& name : names)
    for (const auto* domain : {"", "kernel", "cpu_op", "a,\"b\"", "cuda_runtime,x"})
      for (std::uint8_t kind = 0; kind < 4; ++kind)
        add_range(data, ++time, kind == 2 ? 0 : 1000, name, domain, kind);
  const OpenSession before({std::move(data)});
  const auto path = written_trace(before);
  const OpenSession after({imported(path)});
  EXPECT_EQ(Lines(*before.session).launches(), Lines(*after.session).launches());
  EXPECT_EQ(Lines(*before.session).ranges(), Lines(*after.session).ranges());
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str().find("</script>"), std::string::npos);
}

TEST(ChromeExport, MakesInvalidUtf8Readable) {
  std::string out;
  append_json_text(out, "a\xFF"
                        "b\xC3"
                        "c\xED\xA0\x80"
                        "d\xF4\x90\x80\x80"
                        "e\xE0\x80\x80\xC3\xA9\x7F");
  const auto text = nlohmann::json::parse(out).get<std::string>();
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(text, "a" + bad + "b" + bad + "c" + bad + bad + bad + "d" + bad + bad + bad + bad + "e" + bad +
                      bad + bad + "\xC3\xA9\x7F");
}

TEST(ChromeExport, HasThePlacesAndFlowsThatViewersShow) {
  const test::TemporaryFolder folder;
  const OpenSession open({generated(folder, 2, {})});
  const auto document = document_of(written_trace(open));
  std::map<std::string, int> flows;
  std::map<std::int64_t, std::string> processes;
  std::set<std::int64_t> kernels, hosts;
  for (const auto& event : document.at("traceEvents")) {
    const auto phase = event.at("ph").get<std::string>();
    if (phase == "s" || phase == "f") ++flows[phase + std::to_string(event.at("id").get<std::int64_t>())];
    if (event.at("name") == "process_name") {
      EXPECT_TRUE(processes.emplace(event.at("pid"), event.at("args").at("name")).second);
    }
    if (event.value("cat", "") == "kernel") kernels.insert(event.at("pid").get<std::int64_t>());
    if (event.value("cat", "") == "cuda_runtime") hosts.insert(event.at("pid").get<std::int64_t>());
  }
  EXPECT_EQ(kernels.size(), 2u);
  EXPECT_EQ(hosts.size(), 2u);
  for (const auto pid : kernels) {
    EXPECT_TRUE(processes.at(pid).starts_with("GPU ")) << processes.at(pid);
    EXPECT_FALSE(hosts.contains(pid));
  }
  EXPECT_GT(flows.size(), 30'000u);
  for (const auto& [flow, count] : flows) EXPECT_EQ(count, 1) << flow;
}

TEST(ChromeExport, IsRefusedWithoutTimesAndCancelledWithoutAFile) {
  const OpenSession open({test::trace_of(50'000)});
  Job job;
  int asked = 0;
  job.cancelled = [&] { return ++asked > 3; };
  const auto path = open.folder.file("no.json");
  const auto report = export_chrome(*open.session, *open.columns, path, job);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::Cancelled);
  EXPECT_FALSE(std::ifstream(path).good());

  const test::TemporaryFolder folder;
  std::ofstream(folder.file("t.csv")) << "kernel,duration (us)\nf,1\ng,2\n";
  import::ImportOptions options;
  options.kernel_column = "kernel";
  const OpenSession table({*import::import_files({folder.file("t.csv")}, {}, options)});
  EXPECT_EQ(export_chrome(*table.session, *table.columns, path, {}).error().kind, ErrorKind::BadUse);
}
