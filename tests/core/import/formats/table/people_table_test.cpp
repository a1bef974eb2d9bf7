// Tables in human-readable form: units next to the numbers, other lines above the header.

#include <algorithm>
#include <cmath>

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

using Durations = SpillVector<std::int64_t>;

class WrittenForPeople : public TableTest {
protected:
  static Durations durations(const store::TraceData& data) { return launch_durations(data); }
};

TEST_F(WrittenForPeople, UnitsMayBeInTheCells) {
  const auto data = import_good_text("kernel,duration,power.draw [W],util,size,temp\n"
                                     "a,12.5 us,250.12 W,45 %,4KiB,61 C\nb,1.2 ms,900 mW,7%,1.5 KiB,62 C\n"
                                     "c,3e3 ns,[N/A],100 %,512 B,63 C\n");
  EXPECT_EQ(durations(data), (Durations{12'500, 1'200'000, 3'000}));
  EXPECT_EQ(numbers(data, "util"), (std::vector<double>{45, 7, 100}));
  EXPECT_EQ(numbers(data, "size"), (std::vector<double>{4096, 1536, 512}));
  EXPECT_EQ(numbers(data, "temp"), (std::vector<double>{61, 62, 63}));
  const auto power = numbers(data, "power_draw");
  EXPECT_EQ(power[0], 250.12);
  EXPECT_EQ(power[1], 0.9);
  EXPECT_TRUE(std::isnan(power[2]));
  EXPECT_EQ(reported(data, "units-in-cells"), 5);
  const auto timed = import_good_text("name,start,end\na,1 ms,2.5 ms\nb,3 ms,3500 us\n");
  EXPECT_EQ(durations(timed), (Durations{1'500'000, 500'000}));
  // A number without a unit has the unit of the other numbers, which is uncertain unless the header states
  // it.
  const auto mixed = import_good_text("kernel,duration\na,12 us\nb,13 us\nc,14\n");
  EXPECT_EQ(durations(mixed), (Durations{12'000, 13'000, 14'000}));
  EXPECT_EQ(mixed.manifest.report.front().severity, store::Severity::Doubt);
  EXPECT_EQ(durations(import_good_text("\"kernel\",\"duration (ns)\"\n=\"a\",=\"12\"\n=\"b\",=\"13\"\n")),
            (Durations{12, 13}));
  for (const auto* names :
       {"kernel,x,tile\na,1,16b\nb,2,8b\n", "kernel,x,slot\na,1,3C\nb,2,4C\n",
        "kernel,x,what\na,1,3 elephants\nb,2,4 elephants\n", "kernel,x,v\na,1,1.2.3 s\nb,2,1.2.4 s\n"})
    EXPECT_EQ(reported(import_good_text(names), "units-in-cells"), 0) << names;
}

// Words after a number are not a unit just because one of them contains a slash.
TEST_F(WrittenForPeople, ProseIsNotATable) {
  EXPECT_NE(error_of("# Notes\nLinear (in log / standardised units) model: 0 context, 1 configuration, 2 "
                     "run-time context,\n"
                     "3 counters, 4 runtime, 5 variability (tiers.csv). Mixed discrete / zero-inflated "
                     "columns, Laplace noise.\n"
                     "All others removed: the core.\ntruth.csv A[i,j]=1 means i->j.\n",
                     "SOURCE.md")
                .message.find("kind of file is unknown"),
            std::string::npos);
  EXPECT_EQ(numbers(import_good_text("kernel,rate\na,12 GB / s\nb,13 GB/s\n"), "rate"),
            (std::vector<double>{12e9, 13e9}));
}

// Google Benchmark: --benchmark_format=csv.
TEST_F(WrittenForPeople, UnitsMayBeInAColumn) {
  const std::string titles = "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,label\n";
  const auto data =
      import_good_text(titles + "\"BM_copy/8\",1000,1.25,1.5,us,2e9,\n\"BM_copy/64\",500,3,2.5e-1,ms,1e9,\n"
                                "\"BM_sort/8, mean\",20,17,n/a,ns,,slow\n");
  EXPECT_EQ(numbers(data, "real_time"), (std::vector<double>{1'250, 3'000'000, 17}));
  EXPECT_EQ(data.find("launches")->find("real_time")->unit, "ns");
  const auto cpu = numbers(data, "cpu_time");
  EXPECT_EQ(cpu[0], 1'500);
  EXPECT_EQ(cpu[1], 250'000);
  EXPECT_TRUE(std::isnan(cpu[2]));
  EXPECT_EQ(reported(data, "units-in-rows"), 2);
  // A number without a time unit is not a time, and a column with other words is not a column of units.
  std::string many = titles;
  for (int i = 0; i < 70'000; ++i) many += "BM_copy,1,1.5,2,us,,\n";
  const auto odd = import_good_text(many + "BM_copy,1,1.5,2,fortnight,,\nBM_copy,1,2.5\n");
  EXPECT_EQ(numbers(odd, "real_time")[69'999], 1'500);
  EXPECT_TRUE(std::isnan(numbers(odd, "real_time")[70'000]));
  EXPECT_TRUE(std::isnan(numbers(odd, "real_time")[70'001]));
  EXPECT_EQ(reported(odd, "not-a-number"), 3);
  const auto words = import_good_text(titles + "a,1,1.5,2,us,,\nb,1,1.5,2,often,,\n");
  EXPECT_EQ(reported(words, "units-in-rows"), 0);
  EXPECT_EQ(numbers(words, "real_time")[0], 1.5);
}

TEST_F(WrittenForPeople, NamesMayBeWrittenAsFormulas) {
  ImportOptions options;
  options.kernel_column = "kernel";
  for (const std::string gemm : {"=\"gemm\"", "\"=\"\"gemm\"\"\""}) {
    const auto data =
        import_good_text("kernel,duration_ns,note\n" + gemm + ",5,=\"a\"\n=\" axpy\",6,=\"\"\ngemm,7,a\n",
                         "table.csv", options);
    EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"axpy", 1}, {"gemm", 2}}));
    const auto& notes = column<std::uint32_t>(data, "launches", "note");
    EXPECT_EQ(notes[0], notes[2]);
    EXPECT_EQ(data.strings[StringId{notes[0]}], "a");
  }
}

TEST_F(WrittenForPeople, LinesAboveTheTitlesAreNoPartOfIt) {
  for (const std::string above :
       {"Benchmark results\n", "Device: A100, 80 GB\nDate: 2025-01-03\n\n", "\n\nhost,node01\n",
        "Running on host node01\n==========\n", "\"a quote\n"}) {
    const auto data =
        import_good_text(above + "kernel,time_us,grid\naxpy,125,64\naxpy,127,64\ngemm,755,128\n");
    EXPECT_EQ(durations(data), (Durations{125'000, 127'000, 755'000})) << above;
    EXPECT_EQ(reported(data, "lines-before-titles"), std::count(above.begin(), above.end(), '\n')) << above;
  }
  const auto blanks = import_good_text(
      "Running on host node01\nGPU 0: A100\nkernel time_us grid\naxpy 125 64\ngemm 755 128\n");
  EXPECT_EQ(durations(blanks), (Durations{125'000, 755'000}));
  for (const auto* prose :
       {"Dear reader,\nthis is a letter, in which 5 numbers\nstand, and 6 commas,\nwith, 7\n",
        "step one\nloss: 0.5, lr: 1\nloss: 0.4, lr: 1\nloss: 0.3, lr: 1\n",
        "GET /a 200\nGET /b 404 5\nGET /c 200\n"}) {
    const auto refused = import_text(prose);
    EXPECT_FALSE(refused) << prose;
  }
}

TEST_F(WrittenForPeople, TitlesMayBeAgainAmongTheRows) {
  const std::string titles = "kernel,duration_ns,grid,note\n", rows = "axpy,125,64,a\ngemm,755,128,b\n";
  const auto data = import_good_text(titles + rows + titles + rows + titles);
  EXPECT_EQ(durations(data), (Durations{125, 755, 125, 755}));
  expect_reported(data, {{"repeated-titles", 2}, {"numbers-as-texts", 0}, {"other-tables", 0}});
}

// The longest of several tables is read, wherever it is.
TEST_F(WrittenForPeople, AnotherTableBelowIsLeftOutAndReported) {
  const std::string kernels = "kernel,duration_ns,grid\naxpy,125,64\ngemm,755,128\naxpy,127,64\n";
  const std::string clocks = "metric,value\nsm_clock,1410\nmem_clock,1215\n";
  const std::string times = "kernel,start_ns,end_ns\naxpy,10,20\ngemm,30,50\n";
  for (const auto& [text, left_out] : std::initializer_list<std::pair<std::string, int>>{
           {kernels + clocks, 2},
           {kernels + "\n" + clocks, 2},
           {kernels + "\nTable 2: clocks\n" + clocks + "\n", 2},
           {kernels + times, 2},
           {times + kernels, 2},
           {times + "\r\n\r\n" + kernels, 2},
           {"# clocks\n" + times + "\n\"a\nb\"\n" + kernels + "\n" + clocks, 4}}) {
    const auto data = import_good_text(text);
    EXPECT_EQ(durations(data), (Durations{125, 755, 127})) << text;
    EXPECT_EQ(reported(data, "other-tables"), left_out) << text;
    EXPECT_EQ(reported(data, "numbers-as-texts"), 0) << text;
    EXPECT_EQ(reported(data, "not-a-number"), 0) << text;
  }
  // Words among numbers are not a header.
  for (const auto* failed :
       {"gemm,failed,128\n", "gemm,failed,failed\n", "gemm,n/a,none\n", "x\n", "gemm,failed,none\nx,y\n"}) {
    const auto data =
        import_good_text(kernels + failed + "gemm,756,128\n" + kernels.substr(kernels.find('\n') + 1));
    EXPECT_EQ(reported(data, "other-tables"), 0) << failed;
  }
  const std::string notes = "gemm,755,early\naxpy,127,late\n";
  const auto one = import_good_text("kernel,duration_ns,note\n" + notes + notes + notes + notes + notes +
                                    "gemm,failed,early\n" + notes);
  EXPECT_EQ(reported(one, "other-tables"), 0);
  EXPECT_EQ(durations(one).size(), 13u);
}

} // namespace
} // namespace jitterscope::import
