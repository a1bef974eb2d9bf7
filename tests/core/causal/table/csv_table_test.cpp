#include "core/causal/table/csv_table.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <zlib.h>

#include "core/causal/base/knowledge.h"
#include "core/causal/base/random.h"
#include "core/causal/base/tiers.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::causal {
namespace {

TEST(CsvTable, ReadsQuotedFieldsCrlfByteOrderMarkAndShortRows) {
  const auto table =
      parse_csv_table("\xEF\xBB\xBF\"a\",b,\"c \"\"x\"\", y\"\r\n1,2,3\r\n4,5\r\n\"6\",+7e1,-8\r\n");
  ASSERT_TRUE(table) << describe(table.error());
  ASSERT_EQ(table->columns.size(), 3u);
  EXPECT_EQ(table->columns[2].name, "c \"x\", y");
  EXPECT_EQ(table->rows(), 3);
  EXPECT_TRUE(std::isnan(table->values(1, 2)));
  EXPECT_EQ(table->values(2, 1), 70);
  EXPECT_EQ(table->values(2, 2), -8);
}

TEST(CsvTable, RecognisesAllSpellingsOfMissing) {
  const auto table = parse_csv_table("a,b\n,1\nNA,2\nnan,3\nNULL,4\n-,5\ninf,6\n1e999,7\n0.5,8\n");
  ASSERT_TRUE(table) << describe(table.error());
  for (Eigen::Index r = 0; r < 7; ++r) EXPECT_TRUE(std::isnan(table->values(r, 0))) << r;
  EXPECT_EQ(table->values(7, 0), 0.5);
  EXPECT_EQ(table->columns[0].role, FeatureRole::numeric);
}

TEST(CsvTable, TextBecomesACategory) {
  std::string text = "kernel,stream,id,x\n";
  for (int i = 0; i < 400; ++i)
    text += std::string(i % 3 ? "gemm" : "\"copy, \"\"fast\"\"\"") + (i % 2 ? ",7" : ",13") + ",u" +
            std::to_string(i) + "," + std::to_string(i) + "\n";
  const auto table = parse_csv_table(text);
  ASSERT_TRUE(table) << describe(table.error());
  ASSERT_EQ(table->columns.size(), 4u);
  EXPECT_EQ(table->columns[0].role, FeatureRole::category);
  EXPECT_EQ(table->columns[0].labels, (std::vector<std::string>{"copy, \"fast\"", "gemm"}));
  EXPECT_EQ(table->columns[1].role, FeatureRole::numeric);
  EXPECT_EQ(table->columns[2].labels.size(), 400u);
}

TEST(CsvTable, GroupsAndDurationsMakeATableOfLaunches) {
  TableOptions options;
  options.group = {"kernel", "grid"};
  const auto table =
      parse_csv_table("kernel,grid,duration_ns,x\na,1,10,0\na,2,20,0\nb,1,30,1\na,1,11,1\n", options);
  ASSERT_TRUE(table) << describe(table.error());
  EXPECT_TRUE(table->has_durations());
  EXPECT_EQ(table->group, (std::vector<std::uint32_t>{0, 1, 2, 0}));
  EXPECT_EQ(table->kernel_of(0), table->kernel_of(1));
  EXPECT_NE(table->kernel_of(0), table->kernel_of(2));
  EXPECT_EQ(table->kernel_name(table->kernel_of(2)), "b");
}

TEST(CsvTable, ErrorsNameTheFileAndTheLine) {
  const auto problem = [](const std::string& text) {
    const auto table = parse_csv_table(text, {}, "t.csv");
    EXPECT_FALSE(table);
    return table ? Error{} : table.error();
  };
  EXPECT_EQ(problem("a,b\n1,2\n1,2,3\n").place, "line 3");
  EXPECT_EQ(problem("a,b\n1,\"2\n").place, "line 2");
  EXPECT_EQ(problem("a,b\n\"1\"x,2\n").place, "line 2");
  EXPECT_EQ(problem("a,a\n1,2\n").file, "t.csv");
  EXPECT_EQ(problem("").kind, ErrorKind::BadInput);
  EXPECT_EQ(problem("a,b\n").kind, ErrorKind::BadInput);
  EXPECT_EQ(problem(std::string("a,b\n1,\0\n", 8)).kind, ErrorKind::BadInput);
  EXPECT_EQ(problem("a,b\n\"x\ny\",2\n1,2,3\n").place, "line 4") << "a quoted line end counts";
}

TEST(CsvTable, NoInputCrashesTheReader) {
  Random random(11);
  const std::string alphabet = "a1,\"\n\r;\t .-e+\xEF\xBB\xBFnN0";
  for (int trial = 0; trial < 3'000; ++trial) {
    std::string text;
    for (std::size_t i = random.below(60); i-- > 0;) text += alphabet[random.below(alphabet.size())];
    const auto table = parse_csv_table(text);
    EXPECT_TRUE(table || !table.error().message.empty());
  }
}

TEST(CsvTable, ReadsGzipAndRefusesDamagedGzip) {
  const jitterscope::test::TemporaryFolder folder;
  const std::string file = folder.file("t.csv.gz");
  std::string text = "a,b\n";
  for (int i = 0; i < 5'000; ++i) text += std::to_string(i * 7919 % 1013) + "," + std::to_string(i) + "\n";
  gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  EXPECT_EQ(read_csv_table(file)->rows(), 5'000);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  const auto cut = read_csv_table(file);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(read_csv_table(folder.file("missing.csv")).error().kind, ErrorKind::Io);
  EXPECT_EQ(read_csv_table(folder.path().string()).error().kind, ErrorKind::BadUse);
}

TEST(KnowledgeTest, ReadsBothForms) {
  const auto json = parse_knowledge(R"({"tiers":{"a":1},"required":[["a","b"]],"forbidden":[["b","c"]]})");
  ASSERT_TRUE(json) << describe(json.error());
  EXPECT_EQ(json->tiers.front(), (std::pair<std::string, int>{"a", 1}));
  EXPECT_EQ(json->required.size(), 1u);
  const auto tiers = parse_knowledge("column,tier\r\ngrid_x,1\r\n\"a,b\",2\r\n");
  ASSERT_TRUE(tiers) << describe(tiers.error());
  EXPECT_EQ(tiers->tiers[1].first, "a,b");
  const auto edges = parse_knowledge("from,to,kind\na,b,forbidden\nb,c,required\n");
  ASSERT_TRUE(edges) << describe(edges.error());
  EXPECT_EQ(edges->forbidden.size(), 1u);
}

TEST(KnowledgeTest, RefusesWhatItDoesNotUnderstand) {
  for (const char* text :
       {"", "{", "[]", "{\"tiers\":{\"a\":9}}", "{\"tiers\":[1]}", "{\"required\":[[\"a\"]]}",
        "{\"tier\":{}}", "x,y\n1,2\n", "column,tier\na,7\n", "column,tier\na\n", "from,to,kind\na,b,maybe\n"})
    EXPECT_FALSE(parse_knowledge(text)) << text;
}

TEST(TiersTest, NamesGiveTheTierAway) {
  for (const char* name : {"stream", "device", "rank", "gpu_rank"}) EXPECT_EQ(default_tier(name), 0) << name;
  for (const char* name :
       {"grid_x", "gridX", "block_y", "registersPerThread", "staticSharedMemory", "dynamic_shared_memory"})
    EXPECT_EQ(default_tier(name), 1) << name;
  for (const char* name : {"gap_ns", "queue_delay_ns", "concurrency", "overlap_transfer_bytes",
                           "migration_count", "mean_sm_clock", "first_launch", "burst_position",
                           "linked_exposed_ns", "temperature", "page_fault_count"})
    EXPECT_EQ(default_tier(name), 2) << name;
  for (const char* name :
       {"mean_dram_read", "inst_executed", "l2_hit", "sm_cycles", "SPI_RA_RES_STALL_CSN", "SQ_IFETCH"})
    EXPECT_EQ(default_tier(name), 3) << name;
  for (const char* name :
       {"duration", "runtime", "sm_cycles_active_avg", "gpc_cycles_elapsed_max",
        "dram__bytes_read.sum.per_second", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        "sm__inst_executed.avg.per_cycle_active", "TCC_BUSY_sum", "CPF_CPF_TCIU_IDLE", "GRBM_GUI_ACTIVE",
        "GRBM_COUNT", "SQ_WAVE_CYCLES", "SPI_CSN_WINDOW_VALID", "TCC_CYCLE[0]", "TCC_CYCLE_sum"})
    EXPECT_EQ(default_tier(name), 4) << name;
  EXPECT_EQ(default_tier("kernel_variability"), 5);
  EXPECT_EQ(family_of("migration_bytes"), "migration");
}

} // namespace
} // namespace jitterscope::causal
