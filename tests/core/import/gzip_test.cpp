// Compressed files: what is wrong with them is found, and only that.

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/core.h>

#include "tests/core/import/table_support.h"

namespace jitterscope::import {
namespace {

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
  /// Writes what another byte of the checksum, which ends 5 bytes before the end, makes of a file.
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

TEST_F(Gzip, LayersPartsAndWhatFollows) {
  run("gzip -c t.csv > one.gz && gzip -c one.gz > two.csv.gz");
  EXPECT_EQ(launches_of(import_good({folder_.path("two.csv.gz")})), 2'000u);
  // Two files behind each other are one, rows and repeated titles; zeros or a lone byte behind are nothing.
  write_bytes(folder_.path("parts.csv.gz"), bytes("one.gz") + bytes("one.gz") + std::string(600, '\0'));
  EXPECT_EQ(launches_of(import_good({folder_.path("parts.csv.gz")})), 4'000u);
  write_bytes(folder_.path("byte.csv.gz"), bytes("one.gz") + "\x1f");
  EXPECT_EQ(launches_of(import_good({folder_.path("byte.csv.gz")})), 2'000u);
}

TEST_F(Gzip, CutOffAnywhereIsDamage) {
  run("gzip -c t.csv > one.gz");
  const auto whole = bytes("one.gz");
  for (std::size_t size = 4; size < whole.size(); size += whole.size() / 9) {
    write_bytes(folder_.path("cut.csv.gz"), whole.substr(0, size));
    const auto refused = refusal_of(folder_.path("cut.csv.gz"));
    EXPECT_NE(refused.message.find("damaged or cut off"), std::string::npos) << size << refused.message;
  }
}

} // namespace
} // namespace jitterscope::import
