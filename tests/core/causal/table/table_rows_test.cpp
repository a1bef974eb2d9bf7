#include "core/causal/table/table_rows.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/causal/base/knowledge.h"
#include "core/causal/base/random.h"
#include "core/causal/base/tiers.h"
#include "tests/support/table_file.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::causal {
namespace {

using jitterscope::test::rows_of_file;
using jitterscope::test::rows_of_text;

TEST(TableRows, ReadsQuotedFieldsCrlfByteOrderMarkAndShortRows) {
  const auto table =
      rows_of_text("\xEF\xBB\xBF\"a\",b,\"c \"\"x\"\", y\"\r\n1,2,3\r\n4,5\r\n\"6\",+7e1,-8\r\n");
  ASSERT_TRUE(table) << describe(table.error());
  ASSERT_EQ(table->columns.size(), 3u);
  EXPECT_EQ(table->columns[2].name, "c \"x\", y");
  EXPECT_EQ(table->rows(), 3);
  EXPECT_TRUE(std::isnan(table->values(1, 2)));
  EXPECT_EQ(table->values(2, 1), 70);
  EXPECT_EQ(table->values(2, 2), -8);
}

TEST(TableRows, RecognisesAllSpellingsOfMissing) {
  const auto table = rows_of_text("a,b\n,1\nNA,2\nnan,3\nNULL,4\n-,5\ninf,6\nN/A,7\n0.5,8\n");
  ASSERT_TRUE(table) << describe(table.error());
  for (Eigen::Index r = 0; r < 7; ++r) EXPECT_TRUE(std::isnan(table->values(r, 0))) << r;
  EXPECT_EQ(table->values(7, 0), 0.5);
  EXPECT_EQ(table->columns[0].role, FeatureRole::numeric);
}

TEST(TableRows, TextBecomesACategory) {
  std::string text = "kernel,stream,id,x\n";
  for (int i = 0; i < 400; ++i)
    text += std::string(i % 3 ? "gemm" : "\"copy, \"\"fast\"\"\"") + (i % 2 ? ",7" : ",13") + ",u" +
            std::to_string(i) + "," + std::to_string(i) + "\n";
  const auto table = rows_of_text(text);
  ASSERT_TRUE(table) << describe(table.error());
  ASSERT_EQ(table->columns.size(), 4u);
  EXPECT_EQ(table->columns[0].role, FeatureRole::category);
  EXPECT_EQ(table->columns[0].labels, (std::vector<std::string>{"copy, \"fast\"", "gemm"}));
  EXPECT_EQ(table->columns[1].role, FeatureRole::numeric);
  EXPECT_EQ(table->columns[2].labels.size(), 400u);
}

TEST(TableRows, DecimalCommasDoNotChangeTexts) {
  const auto table = rows_of_text("host;since;clock;power\n"
                                  "10.0.1.12;1.11.2024;1,08;1.250,5 W\n"
                                  "10.0.11.2;11.1.2024;1,27;980,25 W\n");
  ASSERT_TRUE(table) << describe(table.error());
  EXPECT_EQ(table->columns[0].labels, (std::vector<std::string>{"10.0.1.12", "10.0.11.2"}));
  EXPECT_EQ(table->columns[1].labels, (std::vector<std::string>{"1.11.2024", "11.1.2024"}));
  EXPECT_EQ(table->values(0, 2), 1.08);
  EXPECT_EQ(table->values(0, 3), 1250.5);
  EXPECT_EQ(table->values(1, 3), 980.25);
  EXPECT_EQ(table->columns[3].unit, "W");
}

TEST(TableRows, OfSeveralTablesTheLongestIsRead) {
  std::string text = "clock,load,y\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{},{}\n", 1'000 + i, i % 7, 3 * i);
  text += "\nnodes,hops,cost\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("{},{},{}\n", i, 2, 90'000 + i);
  const auto table = rows_of_text(text);
  ASSERT_TRUE(table) << describe(table.error());
  EXPECT_EQ(table->rows(), 40);
  EXPECT_EQ(table->values(39, 2), 117);
  ASSERT_EQ(table->notes.size(), 1u);
  EXPECT_NE(table->notes[0].text.find("another table"), std::string::npos) << table->notes[0].text;
}

TEST(TableRows, ATruncatedLastRowIsLeftOut) {
  const auto table = rows_of_text("host,x,z\nn1,100,6\nn2,101,7\nn3,9");
  ASSERT_TRUE(table) << describe(table.error());
  EXPECT_EQ(table->rows(), 2);
  ASSERT_EQ(table->notes.size(), 1u);
  EXPECT_NE(table->notes[0].text.find("Line 4"), std::string::npos) << table->notes[0].text;
  EXPECT_EQ(rows_of_text("host,x,z\nn1,100,6\nn2,101,7\nn3,9\n")->rows(), 3) << "a short row";
}

TEST(TableRows, TimesAreInTheUnitOfTheirRow) {
  const auto table = rows_of_text("name,host,real_time,time_unit\nBM_a,n0,1526.9,us\nBM_a,n1,1.5319,ms\n");
  ASSERT_TRUE(table) << describe(table.error());
  EXPECT_EQ(table->columns[2].unit, "ns");
  EXPECT_EQ(table->values(0, 2), 1'526'900);
  EXPECT_EQ(table->values(1, 2), 1'531'900);
}

TEST(TableRows, ErrorsNameTheFileAndTheLine) {
  const auto problem = [](const std::string& text) {
    const auto table = rows_of_text(text);
    EXPECT_FALSE(table) << text;
    return table ? Error{} : table.error();
  };
  const std::string rows = "1,2\n3,4\n5,6\n";
  EXPECT_EQ(problem("a,b\n" + rows + "1,\"2\n3,4\n").place, "line 5") << "a quote that is never closed";
  EXPECT_EQ(problem("a,b\n" + rows + "1,\"2\n3,4\n").file, "t.csv");
  EXPECT_EQ(problem("1,2\n" + rows).place, "line 1") << "no names";
  for (const std::string& text : {std::string(), std::string("a,b\n"), std::string("a,b\n1,\0\n", 8)})
    EXPECT_EQ(problem(text).kind, ErrorKind::BadInput);
}

// Files from other programs and places are read as on import.
TEST(TableRows, ReadsDecimalCommasUnitsAndOtherEncodings) {
  const auto german = rows_of_text("sep=;\nTakt [MHz];Zeit\n1.410,5;2,25\n705,25;4,5\n1.305,5;2,75\n");
  ASSERT_TRUE(german) << describe(german.error());
  EXPECT_EQ(german->columns[0].name, "Takt [MHz]");
  EXPECT_EQ(german->values(0, 0), 1410.5);
  EXPECT_EQ(german->values(1, 1), 4.5);

  const auto units = rows_of_text("time,size\n12.5 us,4 KiB\n1.5 ms,8 KiB\n2 us,2 KiB\n");
  ASSERT_TRUE(units) << describe(units.error());
  EXPECT_EQ(units->columns[0].unit, "ns");
  EXPECT_EQ(units->values(1, 0), 1.5e6);
  EXPECT_EQ(units->values(1, 1), 8192);

  std::string wide = "\xFF\xFE";
  for (const char c : std::string("a,b\n1,2\n3,4\n5,6\n")) wide += c, wide += '\0';
  const jitterscope::test::TemporaryFolder folder;
  std::ofstream(folder.file("wide.csv"), std::ios::binary) << wide;
  const auto utf16 = rows_of_file(folder.file("wide.csv"));
  ASSERT_TRUE(utf16) << describe(utf16.error());
  EXPECT_EQ(utf16->values(2, 1), 6);

  const auto json =
      rows_of_text(R"([{"time": 1, "gpu": "a"}, {"time": 2, "gpu": "b"}, {"time": 3, "gpu": "a"}])");
  ASSERT_TRUE(json) << describe(json.error());
  EXPECT_EQ(json->values(1, 0), 2);
  EXPECT_EQ(json->columns[1].labels, (std::vector<std::string>{"a", "b"}));
}

TEST(TableRows, ReadsWhatIsUsableAndReportsTheRest) {
  const auto table = rows_of_text("a,a,\n1,2,3\na,a,\n4,5,6,7\n8,9\n10,11,\"12");
  ASSERT_TRUE(table) << describe(table.error());
  ASSERT_EQ(table->columns.size(), 3u);
  EXPECT_EQ(table->columns[1].name, "a (column 2)");
  EXPECT_EQ(table->columns[2].name, "column_3");
  ASSERT_EQ(table->rows(), 3) << "neither the repeated header nor the truncated row";
  EXPECT_EQ(table->values(1, 2), 6);
  EXPECT_TRUE(std::isnan(table->values(2, 2)));
  std::vector<std::string> remarks;
  for (const auto& remark : table->remarks()) remarks.push_back(remark.text);
  EXPECT_EQ(remarks,
            (std::vector<std::string>{
                "Several columns are named \"a\"; a number is appended to the names of the later columns.",
                "Line 4 has 4 fields for 3 column names; surplus fields of rows are left out.",
                "The last line ends within quotes and was left out: the file may be truncated."}));
}

TEST(TableRows, NamesOfColumnsDiffer) {
  const auto table = rows_of_text("a (column 3),a,a\n1,2,3\n4,5,6\n7,8,9\n");
  ASSERT_TRUE(table) << describe(table.error());
  EXPECT_EQ(table->columns[2].name, "a (column 3) (column 3)");
}

TEST(TableRows, ReadingCanBeCancelledAndIsLimited) {
  const auto input = import::Input::from_memory("t.csv", "a,b\n1,2\n3,4\n5,6\n");
  Job cancelled;
  cancelled.cancelled = [] { return true; };
  const auto none = import::table::read_all_columns(input, cancelled);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::Cancelled);
  EXPECT_TRUE(import::table::read_all_columns(input, {}, 6));
  const auto large = import::table::read_all_columns(input, {}, 5);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().file, "t.csv");
  EXPECT_EQ(large.error().place, "line 4");
}

TEST(TableRows, TextAmongNumbersIsMissingAndReported) {
  std::string text = "x,y\n";
  for (int i = 0; i < 30; ++i) text += (i == 20 ? std::string("crashed") : std::to_string(i)) + ",1\n";
  const auto table = rows_of_text(text);
  ASSERT_TRUE(table) << describe(table.error());
  EXPECT_EQ(table->columns[0].role, FeatureRole::numeric);
  EXPECT_TRUE(std::isnan(table->values(20, 0)));
  ASSERT_EQ(table->remarks().size(), 1u);
  EXPECT_EQ(table->remarks()[0].text,
            "1 cell of column \"x\" is not a number (\"crashed\") and counts as missing.");
}

TEST(TableRows, NoInputCrashesTheReader) {
  Random random(11);
  const std::string alphabet = "a1,\"\n\r;\t .-e+\xEF\xBB\xBFnN0";
  for (int trial = 0; trial < 3'000; ++trial) {
    std::string text;
    for (std::size_t i = random.below(60); i-- > 0;) text += alphabet[random.below(alphabet.size())];
    const auto table = rows_of_text(text);
    EXPECT_TRUE(table || !table.error().message.empty());
  }
}

TEST(TableRows, ReadsGzipAndRefusesDamagedGzip) {
  const jitterscope::test::TemporaryFolder folder;
  const std::string file = folder.file("t.csv.gz");
  std::string text = "a,b\n";
  for (int i = 0; i < 5'000; ++i) text += std::to_string(i * 7919 % 1013) + "," + std::to_string(i) + "\n";
  gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  EXPECT_EQ(rows_of_file(file)->rows(), 5'000);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  const auto cut = rows_of_file(file);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, ErrorKind::BadInput);
  EXPECT_FALSE(rows_of_file(folder.file("missing.csv")));
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
  for (const char* name : {"grid_x",
                           "gridX",
                           "block_y",
                           "registersPerThread",
                           "staticSharedMemory",
                           "dynamic_shared_memory",
                           "n_bytes",
                           "transfer_bytes",
                           "data_mb",
                           "working_set_kb",
                           "power_cap",
                           "freq_limit",
                           "num_workers",
                           "n_streams",
                           "prompt_len",
                           "nccl_algo",
                           "world_ranks",
                           "height",
                           "width",
                           "top_k",
                           "lda",
                           "n_ctas",
                           "accum_steps",
                           "l2_persisting",
                           "compressed_bytes",
                           "cg_iterations",
                           "num_edges",
                           "n_queries",
                           "image_pixels",
                           "M",
                           "n",
                           "m_dim",
                           "cuda_runtime_version",
                           "energy_performance_bias",
                           "omp_wait_policy",
                           "experts_max_load",
                           "active_cells",
                           "net_mtu"})
    EXPECT_EQ(default_tier(name), 1) << name;
  EXPECT_EQ(default_tier("msg", "B"), 1);
  for (const char* name : {"gap_ns",
                           "queue_delay_ns",
                           "concurrency",
                           "overlap_transfer_bytes",
                           "migration_count",
                           "mean_sm_clock",
                           "first_launch",
                           "burst_position",
                           "linked_exposed_ns",
                           "temperature",
                           "page_fault_count",
                           "idle_before_us",
                           "neighbor_h2d_gbps",
                           "n_iter",
                           "cross_traffic",
                           "background_load",
                           "tenant_active",
                           "external_bw",
                           "cpu_steal_pct",
                           "cotenant_active",
                           "dataloader_workers_busy",
                           "pages_migrated"})
    EXPECT_EQ(default_tier(name), 2) << name;
  for (const char* name : {"mean_dram_read", "dram_bytes", "bytes_read", "inst_executed", "l2_hit",
                           "sm_cycles", "SPI_RA_RES_STALL_CSN", "SQ_IFETCH"})
    EXPECT_EQ(default_tier(name), 3) << name;
  for (const char* name : {"duration",
                           "runtime",
                           "iter_dur_mean",
                           "step_duration",
                           "sm_cycles_active_avg",
                           "gpc_cycles_elapsed_max",
                           "dram__bytes_read.sum.per_second",
                           "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                           "sm__inst_executed.avg.per_cycle_active",
                           "TCC_BUSY_sum",
                           "CPF_CPF_TCIU_IDLE",
                           "GRBM_GUI_ACTIVE",
                           "GRBM_COUNT",
                           "SQ_WAVE_CYCLES",
                           "PAPI_TOT_CYC",
                           "SPI_CSN_WINDOW_VALID",
                           "TCC_CYCLE[0]",
                           "TCC_CYCLE_sum",
                           "smsp__pcsamp_warps_issue_stalled_long_scoreboard",
                           "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio"})
    EXPECT_EQ(default_tier(name), 4) << name;
  EXPECT_EQ(default_tier("kernel_variability"), 5);
  EXPECT_EQ(family_of("migration_bytes"), "migration");
}

TEST(TiersTest, StatesOfDevicesAndOfOthersAreRecognised) {
  for (const char* name : {"clocks.sm [MHz]", "sm_freq", "mean_sm_clock", "memory_frequency"})
    EXPECT_TRUE(is_clock(name) && is_device_state(name)) << name;
  EXPECT_TRUE(is_device_state("temperature.gpu"));
  EXPECT_FALSE(is_clock("wall_time"));
  for (const char* name : {"neighbor_pcie_rx_gbps", "other_processes", "cotenant_active", "cpu_steal_pct"})
    EXPECT_TRUE(is_of_others(name)) << name;
  EXPECT_FALSE(is_of_others("page_faults"));
}

TEST(TiersTest, NamesOfPossibleConsequencesGiveNothingAway) {
  using Named = std::pair<const char*, const char*>;
  for (const auto& [name, unit] :
       {Named{"step_time", ""},           Named{"frame_time", "ms"},
        Named{"host_cpu", "us"},          Named{"host_blocked", "us"},
        Named{"wall_clock", "us"},        Named{"time_in_kernel", ""},
        Named{"ms_per_batch", ""},        Named{"throughput", ""},
        Named{"dram_throughput_pct", ""}, Named{"tokens_per_s", ""},
        Named{"token_rate", ""},          Named{"copy_bandwidth", ""},
        Named{"kernel_cycles", ""},       Named{"clock_cycles", ""},
        Named{"eligible_warps", ""},      Named{"gpu_util_pct", ""},
        Named{"gpu_active_pct", ""},      Named{"mio_throttle_stall", ""},
        Named{"temperature_after", ""},   Named{"temperature_rise", ""},
        Named{"next_gap", "us"},          Named{"time_to_deadline", ""},
        Named{"queue_length", ""},        Named{"neighbour_kernel_duration", "us"}})
    EXPECT_FALSE(tier_by_name(name, unit)) << name;
  for (const char* name : {"m1", "k2", "kernel_queue_n"}) EXPECT_NE(tier_by_name(name), 1) << name;
  // What precedes a launch is also measured in units of time; a clock is a rate.
  for (const auto& [name, unit] :
       {Named{"gap", "us"}, Named{"time_since_idle", "ms"}, Named{"copy_time", "us"},
        Named{"sm_clock_rate", ""}, Named{"temperature", ""}, Named{"start_time", "ns"}, Named{"batch", ""},
        Named{"cache_hit_rate", ""}})
    EXPECT_TRUE(tier_by_name(name, unit)) << name;
}

} // namespace
} // namespace jitterscope::causal
