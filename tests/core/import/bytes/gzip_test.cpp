// Compressed files: damage is reported, and intact files have no such report.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

std::string report_text(const store::TraceData& data, std::string_view code) {
  for (const auto& entry : data.manifest.report)
    if (entry.code == code) return entry.text;
  return {};
}

class Gzip : public TableTest {
protected:
  Gzip() {
    for (int i = 0; i < 2'000; ++i) table_ += fmt::format("k,{}\n", 1'000 + i * 37 % 1'009);
    write_bytes(folder_.path("t.csv"), table_);
  }
  Error refusal_of(const std::string& path) {
    const auto data = import_files({path}, Job{});
    EXPECT_FALSE(data.has_value());
    return data ? Error{} : data.error();
  }
  void run(const std::string& command) {
    ASSERT_EQ(std::system(fmt::format("cd '{}' && {}", folder_.path(""), command).c_str()), 0) << command;
  }
  std::string bytes(const std::string& name) {
    std::ifstream file(folder_.path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Changes a byte of the checksum, which is followed by the 4 bytes of the size.
  void change_checksum(const std::string& name) {
    auto changed = bytes(name);
    changed[changed.size() - 6] ^= 1;
    write_bytes(folder_.path(name), changed);
  }

  std::string table_ = "kernel,duration (ns)\n";
};

TEST_F(Gzip, AWrongChecksumIsDamage) {
  run("gzip -k t.csv && gzip -kc t.csv > good.csv.gz");
  change_checksum("t.csv.gz");
  EXPECT_EQ(launches_of(import_good({folder_.path("good.csv.gz")})), 2'000u);
  const auto refused = refusal_of(folder_.path("t.csv.gz"));
  EXPECT_NE(refused.message.find("damaged"), std::string::npos) << refused.message;
}

TEST_F(Gzip, AWrongChecksumOfAnArchiveIsDamage) {
  run("tar czf good.tar.gz t.csv && cp good.tar.gz bad.tar.gz");
  change_checksum("bad.tar.gz");
  EXPECT_EQ(launches_of(import_good({folder_.path("good.tar.gz")})), 2'000u);
  const auto refused = refusal_of(folder_.path("bad.tar.gz"));
  EXPECT_NE(refused.message.find("damaged"), std::string::npos) << refused.message;
}

// Files that are complete before the break are read; the file at the break is not. If the break is in the
// first file, nothing is read.
TEST_F(Gzip, OfATarThatIsCutOffTheWholeFilesAreRead) {
  for (const std::string name : {"a.csv", "b.csv", "c.csv"}) {
    std::string text = "kernel,duration (ns)\n";
    std::uint32_t random = static_cast<std::uint32_t>(name[0]);
    for (int i = 0; i < 20'000; ++i)
      text += fmt::format("{},{}\n", name[0], (random = random * 1664525u + 1013904223u) >> 8);
    write_bytes(folder_.path(name), text);
  }
  run("tar cf whole.tar a.csv b.csv c.csv && gzip -k whole.tar && xz -k whole.tar");
  for (const std::string ending : {".tar", ".tar.gz", ".tar.xz"}) {
    const auto whole = bytes("whole" + ending);
    write_bytes(folder_.path("cut" + ending), whole.substr(0, whole.size() * 8 / 10));
    const auto data = import_good({folder_.path("cut" + ending)});
    EXPECT_EQ(launches_of(data), 40'000u) << ending;
    const auto reported = report_text(data, "file-left-out");
    EXPECT_NE(reported.find("only its end from c.csv onwards; 2 complete files before it are read"),
              std::string::npos)
        << reported;
    write_bytes(folder_.path("first" + ending), whole.substr(0, whole.size() / 5));
    EXPECT_NE(refusal_of(folder_.path("first" + ending)).message.find("truncated"), std::string::npos)
        << ending;
    EXPECT_EQ(report_text(import_good({folder_.path("whole" + ending)}), "file-left-out"), "") << ending;
  }
  auto wrong = bytes("whole.tar.gz");
  wrong[wrong.size() / 2] ^= 0x55;
  write_bytes(folder_.path("wrong.tar.gz"), wrong);
  EXPECT_NE(refusal_of(folder_.path("wrong.tar.gz")).message.find("damaged"), std::string::npos);
}

TEST_F(Gzip, LayersPartsAndWhatFollows) {
  run("gzip -c t.csv > one.gz && gzip -c one.gz > two.csv.gz");
  EXPECT_EQ(launches_of(import_good({folder_.path("two.csv.gz")})), 2'000u);
  // Two concatenated files are read as one table, without the second header. Zeros or a single byte after
  // them are ignored.
  write_bytes(folder_.path("parts.csv.gz"), bytes("one.gz") + bytes("one.gz") + std::string(600, '\0'));
  EXPECT_EQ(launches_of(import_good({folder_.path("parts.csv.gz")})), 4'000u);
  write_bytes(folder_.path("byte.csv.gz"), bytes("one.gz") + "\x1f");
  EXPECT_EQ(launches_of(import_good({folder_.path("byte.csv.gz")})), 2'000u);
}

/// Rows before the cut are read, but not the incomplete row: its duration may have lost digits.
TEST_F(Gzip, CutOffAnywhereTheRowsBeforeItAreRead) {
  run("gzip -c t.csv > one.gz");
  const auto whole = bytes("one.gz");
  std::size_t last = 0;
  for (std::size_t size = 100; size < whole.size(); size += whole.size() / 9) {
    write_bytes(folder_.path("cut.csv.gz"), whole.substr(0, size));
    run("gzip -dc cut.csv.gz > cut.csv 2> /dev/null; true");
    const auto lines = bytes("cut.csv");
    const auto rows = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')) - 1;
    const auto data = import_good({folder_.path("cut.csv.gz")});
    EXPECT_EQ(launches_of(data), rows) << size;
    EXPECT_GT(rows, last);
    last = rows;
    const auto& durations = launch_durations(data);
    for (std::size_t i = 0; i < durations.size(); ++i)
      ASSERT_EQ(durations[i], 1'000 + static_cast<std::int64_t>(i) * 37 % 1'009);
    EXPECT_NE(report_text(data, "cut-off-file").find("ends too early"), std::string::npos)
        << report_text(data, "cut-off-file");
  }
  EXPECT_GT(last, 900u); // the other rows repeat these and take few bytes
  EXPECT_EQ(report_text(import_good({folder_.path("t.csv")}), "cut-off-file"), "");
}

TEST_F(Gzip, WithoutOneWholeRowCutOffIsDamage) {
  run("gzip -c t.csv > one.gz");
  const auto whole = bytes("one.gz");
  for (const std::size_t size : {4u, 12u, 20u}) {
    write_bytes(folder_.path("cut.csv.gz"), whole.substr(0, size));
    const auto refused = refusal_of(folder_.path("cut.csv.gz"));
    EXPECT_NE(refused.message.find("damaged or truncated"), std::string::npos) << size << refused.message;
  }
}

TEST_F(Gzip, OtherCompressionsCutOff) {
  for (const auto& [program, ending] :
       {std::pair{"bzip2 -c1", "bz2"}, {"xz -cT1", "xz"}, {"zstd -qc", "zst"}}) {
    if (std::system(fmt::format("command -v {} > /dev/null",
                                std::string_view(program).substr(0, std::string_view(program).find(' ')))
                        .c_str()) != 0)
      continue;
    std::string large = "kernel,duration (ns)\n";
    for (std::uint64_t i = 0, random = 1; i < 200'000; ++i) {
      random = random * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
      large += fmt::format("k,{}\n", 1'000 + (random >> 44));
    }
    write_bytes(folder_.path("large.csv"), large);
    run(fmt::format("{} large.csv > large.csv.{}", program, ending));
    const auto packed = bytes(fmt::format("large.csv.{}", ending));
    write_bytes(folder_.path(fmt::format("cut.csv.{}", ending)), packed.substr(0, packed.size() * 3 / 4));
    const auto data = import_good({folder_.path(fmt::format("cut.csv.{}", ending))});
    EXPECT_GT(launches_of(data), 50'000u) << ending;
    EXPECT_LT(launches_of(data), 200'000u) << ending;
    EXPECT_NE(report_text(data, "cut-off-file"), "") << ending;
    auto wrong = packed; // corrupt data are not read up to the error
    wrong[wrong.size() / 2] ^= 0x55;
    write_bytes(folder_.path(fmt::format("wrong.csv.{}", ending)), wrong);
    EXPECT_NE(refusal_of(folder_.path(fmt::format("wrong.csv.{}", ending))).message.find("damaged"),
              std::string::npos)
        << ending;
  }
}

TEST_F(Gzip, JsonAndDatabasesCutOff) {
  std::string json = R"({"traceEvents": [)";
  for (int i = 0; i < 2'000; ++i)
    json += fmt::format(
        R"({}{{"ph":"X","cat":"kernel","name":"k{}","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"device":0,"stream":7,"correlation":{}}}}})",
        i == 0 ? "" : ",", i % 5, 10 * i, 1 + i % 7, i);
  write_bytes(folder_.path("t.json"), json + "]}");
  run("gzip -k t.json");
  const auto packed = bytes("t.json.gz");
  write_bytes(folder_.path("cut.json.gz"), packed.substr(0, packed.size() * 3 / 4));
  const auto data = import_good({folder_.path("cut.json.gz")});
  EXPECT_GT(launches_of(data), 1'000u);
  EXPECT_LT(launches_of(data), 2'000u);
  EXPECT_NE(report_text(data, "cut-off-file"), "");

  run("{ printf 'SQLite format 3\\000'; head -c 200000 /dev/urandom; } > d.sqlite && gzip -k d.sqlite");
  const auto database = bytes("d.sqlite.gz");
  write_bytes(folder_.path("cut.sqlite.gz"), database.substr(0, database.size() / 2));
  const auto refused = refusal_of(folder_.path("cut.sqlite.gz"));
  EXPECT_NE(refused.message.find("damaged or truncated"), std::string::npos) << refused.message;
}

} // namespace
} // namespace jitterscope::import
