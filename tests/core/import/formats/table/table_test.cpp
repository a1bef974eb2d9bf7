// Tables that were not made by a profiler: any text with a header and numbers.

#include <numeric>

#include <fmt/core.h>

#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

class Table : public TableTest {};

// As written by Google Benchmark and others.
TEST_F(Table, RatesAreNotTimes) {
  const auto data =
      import_good_text("name,real_time_us,bytes_per_second,items_per_second,flops.per.second,Per ms\n"
                       "a,12.5,2.5e9,100,7,3\nb,25.5,1.5e9,50,8,4\n");
  EXPECT_EQ(numbers(data, "bytes_per_second"), (std::vector<double>{2.5e9, 1.5e9}));
  EXPECT_EQ(unit_of(data, "bytes_per_second"), "");
  EXPECT_EQ(numbers(data, "items_per_second"), (std::vector<double>{100, 50}));
  EXPECT_EQ(numbers(data, "flops_per_second"), (std::vector<double>{7, 8}));
}

TEST_F(Table, NumbersOfALocaleWithDecimalCommas) {
  const auto data = import_good_text("kernel;duration (us);bytes;clock [MHz]\nk;5,5;1.306.219;1.400\n"
                                     "k;5,75;1.306.220;1.410\nk;7;900;990\n");
  EXPECT_EQ(launch_durations(data), (Integers{5'500, 5'750, 7'000}));
  EXPECT_EQ(numbers(data, "bytes"), (std::vector<double>{1'306'219, 1'306'220, 900}));
  EXPECT_EQ(numbers(data, "clock"), (std::vector<double>{1.4e9, 1.41e9, 9.9e8}));
  EXPECT_EQ(reported(data, "decimal-comma"), 1);
  EXPECT_EQ(launches_of(import_good_text("a;b\nx;1,5\ny;2,5\n")), 2u);
  EXPECT_EQ(numbers(import_good_text("a;b\nx;1.400\ny;2.5\n"), "b"), (std::vector<double>{1.4, 2.5}));
}

TEST_F(Table, CommasBeforeThreeDigitsAreDecimalBetweenSemicolons) {
  const auto durations = [](const store::TraceData& data) { return launch_durations(data); };
  using Times = std::vector<std::int64_t>;
  const auto data = import_good_text("kernel;duration (us)\nk;1,125\nk;12,250\nk;7\n");
  EXPECT_EQ(durations(data), (Times{1'125, 12'250, 7'000}));
  EXPECT_EQ(reported(data, "decimal-comma"), 1);
  EXPECT_EQ(numbers(import_good_text("a;b\nx;1,125\ny;2,250\n"), "b"), (std::vector<double>{1.125, 2.25}));
  // Two commas, or a point after a comma, can only separate thousands.
  EXPECT_EQ(numbers(import_good_text("a;b;c\nx;1,125;1,000,000\ny;2,250;2\n"), "b"),
            (std::vector<double>{1125, 2250}));
  EXPECT_EQ(numbers(import_good_text("a;b;c\nx;1,125;1,000.5\ny;2,250;2\n"), "b"),
            (std::vector<double>{1125, 2250}));
  // Between tabs, commas are decimal if each number has one; both interpretations are reported as uncertain.
  const auto tabs = import_good_text("kernel\tduration (us)\nk\t1,125\nk\t12,250\n");
  EXPECT_EQ(durations(tabs), (Times{1'125, 12'250}));
  EXPECT_EQ(tabs.manifest.report.front().severity, store::Severity::Doubt);
  const auto thousands = import_good_text("kernel\tduration (us)\nk\t1,125\nk\t7\n");
  EXPECT_EQ(durations(thousands), (Times{1'125'000, 7'000}));
  EXPECT_EQ(reported(thousands, "decimal-comma"), 1);
  EXPECT_EQ(numbers(import_good_text("a\tb\nx\t0,125\ny\t2\n"), "b"), (std::vector<double>{0.125, 2}));
}

TEST_F(Table, NumbersThatAreTextsAreReported) {
  for (const auto* text :
       {"kernel,duration (ns),util\na,5,64%\nb,6,70 W\n", "kernel;x;time (ns)\na;1 234;5\nb;1 300 000;6\n",
        "a,x\nk,1\nk,2\nk,3\nk,Infinity\n", "kernel,duration (ns),power [V]\na,5,82.4 W\nb,6,80 W\n"})
    EXPECT_EQ(reported(import_good_text(text), "numbers-as-texts"), 1) << text;
  for (const auto* text :
       {"kernel,duration (ns),util\na,5,x\nb,6,y\n", "k,x,day\na,1,2024-05-01\nb,2,2024-05-02\n",
        "k,x,tile\na,1,8x8\nb,2,16x8\n", "k,x,grid\na,1, 148    1    1\nb,2,  64    1    1\n",
        "k,x,grid\na,1,8 1 1\nb,2,16 16 1\n"})
    EXPECT_EQ(reported(import_good_text(text), "numbers-as-texts"), 0) << text;
  EXPECT_EQ(reported(import_good_text("k,duration (ps)\na,5\nb,6\n"), "duration-in-other-unit"), 1);
  EXPECT_EQ(reported(import_good_text("k,start,dur\na,5,1\nb,6,1\n"), "duration-without-unit"), 1);
  EXPECT_EQ(reported(import_good_text("k,duration (ns)\na,5.5\nb,6\n"), "parts-of-ns"), 1);
  EXPECT_EQ(reported(import_good_text("k,duration (ns)\na,5.0\nb,6.0\n"), "parts-of-ns"), 0);
  EXPECT_EQ(reported(import_good_text("k,duration (ns)\na,5e-1\nb,6\n"), "parts-of-ns"), 1);
  const auto tracy = import_good_text("name,ns_since_start,exec_time_ns\na,5000,10\nb,6000,20\n");
  EXPECT_EQ(launch_starts(tracy)[1], 6000);
}

TEST_F(Table, SingleBytesBeyondAsciiAreWindows1252) {
  const auto data = import_good_text("kernel;Start (\xB5s);Duration (\xB5s);gr\xF6\xDF"
                                     "e\nk;1;2,5;\x80\nk;9;3,5;b\n");
  EXPECT_EQ(launch_durations(data), (Integers{2'500, 3'500}));
  EXPECT_EQ(launch_starts(data)[1], 9'000);
  EXPECT_EQ(reported(data, "windows-1252"), 1);
  const auto utf8 = import_good_text("kernel;Duration (\xC2\xB5s)\nk\xFF;2,5\nk;3,5\n");
  EXPECT_EQ(reported(utf8, "windows-1252"), 0);
}

TEST_F(Table, ACutOffLastRowIsLeftOutAndReported) {
  const auto durations = [&](const std::string& text) {
    const auto data = import_good_text(text);
    EXPECT_EQ(reported(data, "cut-off-row"), 1) << text;
    return launch_durations(data);
  };
  using Times = std::vector<std::int64_t>;
  const std::string plain = "kernel,duration (ns),x,y\na,100,1,2\nb,200,3,4\n";
  EXPECT_EQ(durations(plain + "c,80"), (Times{100, 200}));
  EXPECT_EQ(durations(plain + "\"c, d\",80"), (Times{100, 200}));
  EXPECT_EQ(durations(plain + "\"c,80"), (Times{100, 200}));
  EXPECT_EQ(durations("kernel,start_ns,end_ns,x\na,100,110,1\nb,200,220,3\nc,300,3"), (Times{10, 20}));
  std::string quoted = "\"kernel\",\"duration (ns)\"\n";
  for (int i = 0; i < 100'000; ++i) quoted += "\"k, 1\",\"100\"\n"; // several pieces
  EXPECT_EQ(durations(quoted + "\"k, 1\",\"10").size(), 100'000u);
  // A stray quote makes the rows be read one by one.
  EXPECT_EQ(durations("kernel,duration (ns),x\na 5\" b,100,1\nb,200,3\nc,3"), (Times{100, 200}));
  // Complete input: a last line without line break, columns of different lengths, comments.
  for (const auto* whole : {"a,b,c\n1,2,3\n4,5,6", "a,b,c\n1,2,3\n4,5\n7,8", "a,b,c\n1,2,3\n4,5,6\n#end"}) {
    const auto data = import_good_text(whole);
    EXPECT_EQ(launches_of(data), std::string_view(whole).find("7,8") != std::string_view::npos ? 3u : 2u);
    EXPECT_EQ(reported(data, "cut-off-row"), 0) << whole;
  }
}

TEST_F(Table, SeparatorLinesBlanksAndOneLongRow) {
  const auto separator = import_good_text("sep=;\nlabel;x\nk;5\nh;6\n");
  EXPECT_EQ(numbers(separator, "x"), (std::vector<double>{5, 6}));
  EXPECT_EQ(text_at(separator, "label", 1), "h");
  EXPECT_EQ(numbers(import_good_text("kernel x y\nk 5 1\nh 6 2\n"), "y"), (std::vector<double>{1, 2}));
  const auto ragged = import_good_text("kernel,x\nk,5\nk,8\nk,6,7\n");
  EXPECT_EQ(launches_of(ragged), 3u);
  EXPECT_EQ(reported(ragged, "ragged-row"), 1);
  EXPECT_FALSE(import_text("a log of words\nwith as many words\nand 1 more line\n").has_value());
}

TEST_F(Table, NumbersAndTextsBecomeAttributes) {
  const auto data = import_good_text(
      "time_ms,clock (MHz),mode,Power [mW]\n1.5,1410,fast,\n2.25,n/a,\"slow, very\",5000\n", "gemm.csv");
  EXPECT_EQ(launches_of(data), 2u);
  EXPECT_TRUE(data.manifest.launch_order);
  EXPECT_EQ(launch_durations(data), (Integers{1'500'000, 2'250'000}));
  EXPECT_EQ(numbers(data, "clock")[0], 1.41e9);
  EXPECT_EQ(unit_of(data, "clock"), "Hz");
  EXPECT_TRUE(std::isnan(numbers(data, "clock")[1]));
  EXPECT_TRUE(std::isnan(numbers(data, "power")[0]));
  EXPECT_EQ(numbers(data, "power")[1], 5);
  EXPECT_EQ(text_at(data, "mode", 1), "slow, very");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"gemm", 2}}));
  EXPECT_EQ(data.manifest.sources[0].format, "table");
}

TEST_F(Table, DurationIsFoundByTitleAndUnit) {
  for (const auto* title :
       {"Duration (ns)", "duration_ns", "TIME [ns]", "runtime (ns)", "Kernel Time (ns)", "latency_ns"}) {
    const auto data = import_good_text(std::string("x,") + title + "\n1,7\n2,8\n");
    EXPECT_EQ(launch_durations(data)[1], 8) << title;
    EXPECT_EQ(attributes_of(data), 1u) << title;
  }
  const auto data = import_good_text("x,duration,compile_time_ms\n1,7,3\n2,8,4\n");
  EXPECT_EQ(launch_durations(data)[1], store::kMissingDuration);
  EXPECT_EQ(reported(data, "duration-without-unit"), 1);
  EXPECT_EQ(attributes_of(data), 3u);
}

TEST_F(Table, TheUserNamesTheKernelColumn) {
  const std::string text = "Kernel Name,v\nk1,1\nk2,2\nk1,3\n,4\n";
  ImportOptions options;
  for (const auto* column : {"Kernel Name", "kernel name", "kernel_name"}) {
    options.kernel_column = column;
    const auto data = import_good_text(text, "runs.csv", options);
    EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"k1", 2}, {"k2", 1}, {"runs", 1}}));
    EXPECT_EQ(attributes_of(data), 1u);
  }
  options.kernel_column = "absent";
  const auto data = import_text(text, "runs.csv", options);
  ASSERT_FALSE(data.has_value());
  EXPECT_NE(data.error().hint.find("Kernel Name, v"), std::string::npos);
}

TEST_F(Table, AColumnNamedKernelNamesTheKernels) {
  for (const auto* text :
       {"kernel,v\nk1,1\nk2,2\nk1,3\n", "host,Kernel,duration_us\na,k1,1\na,k2,2\nb,k1,3\n",
        "Kernel Name,v\nk1,1\nk2,2\nk1,3\n", "KernelName,time_ms\nk1,1\nk2,2\nk1,3\n",
        "kernel,kernel_name,v\n7,k1,1\n8,k2,2\n7,k1,3\n", "kernel_name,kernel,v\nx,k1,1\ny,k2,2\nz,k1,3\n"})
    EXPECT_EQ(launches_by_kernel(import_good_text(text)), (std::map<std::string, int>{{"k1", 2}, {"k2", 1}}))
        << text;
  // Numbers do not name kernels, and the user may state that the texts do not.
  EXPECT_EQ(launches_by_kernel(import_good_text("kernel,v\n3,1\n5,2\n", "runs.csv")).at("runs"), 2);
  ImportOptions options;
  options.mapping.columns[static_cast<std::size_t>(ColumnRole::Kernel)] = "";
  const auto data = import_good_text("kernel,v\nk1,1\nk2,2\n", "runs.csv", options);
  EXPECT_EQ(launches_by_kernel(data).at("runs"), 2);
}

TEST_F(Table, SeveralColumnsDistinguishKernels) {
  const std::string text = "kernel,M,layout,time_us\nvoid gemm<f>(int),128,nt,1\nvoid gemm<f>(int),256,nt,2\n"
                           "void gemm<f>(int),128,nt,3\naxpy,128,,4\naxpy,,tn,5\n";
  ImportOptions options;
  options.kernel_column = "kernel, m,layout";
  const auto data = import_good_text(text, "runs.csv", options);
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"gemm [M=128, layout=nt]", 2},
                                                                  {"gemm [M=256, layout=nt]", 1},
                                                                  {"axpy [M=128, layout=]", 1},
                                                                  {"axpy [M=, layout=tn]", 1}}));
  EXPECT_EQ(numbers(data, "m")[1], 256);
  options.kernel_column = "M,layout";
  const auto unnamed = import_good_text(text, "runs.csv", options);
  EXPECT_EQ(launches_by_kernel(unnamed).at("runs [M=128, layout=nt]"), 2);
  options.kernel_column = "kernel,absent";
  EXPECT_FALSE(import_text(text, "runs.csv", options).has_value());
  options.kernel_column = "kernel,time_us";
  const auto refused = import_text(text, "runs.csv", options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("time"), std::string::npos);
  options.kernel_column = "a,b"; // one header field
  EXPECT_EQ(launches_by_kernel(import_good_text("\"a,b\",v\nk,1\nk,2\n", "runs.csv", options)).at("k"), 2);
}

TEST_F(Table, OtherSeparatorsLineBreaksAndRemarks) {
  for (const auto* text : {"a;b\n1;2\n3;4\n", "a\tb\r\n1\t2\r\n3\t4",
                           "\xEF\xBB\xBF"
                           "a,b\r1,2\r3,4\r",
                           "# made by hand\n#\n\na,b\n1,2\n3,4\n", "# made by hand\n# a,b\n1,2\n3,4\n",
                           "a|b\n1|2\n3|4\n", "a,b,\n1,2,\n3,4,\n", "a,b\n#x\n1,2\n# end\n3,4\n"}) {
    SCOPED_TRACE(text);
    const auto data = import_good_text(text);
    EXPECT_GE(launches_of(data), 2u);
    EXPECT_EQ(attributes_of(data), 2u);
    EXPECT_EQ(numbers(data, "b").back(), 4);
  }
  EXPECT_EQ(numbers(import_good_text("a;b\n1,5;2\n3,25;4\n"), "a"), (std::vector<double>{1.5, 3.25}));
}

// Tables of many columns are read record by record, others many fields at a time.
TEST_F(Table, WideOnesAreReadAsNarrowOnes) {
  const auto widened = [](const std::string& text) {
    const char separator = text.find(';') == std::string::npos ? ',' : ';';
    std::string wide;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      wide += text.substr(at, end - at);
      for (int i = 0; i < 600; ++i) wide += separator + (at == 0 ? fmt::format("more_{}", i) : "7");
      wide += '\n';
      at = end + 1;
    }
    return wide;
  };
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (const std::string text :
       {"a,b,duration_ns\n1.5,-0.25,1000\n0.125,-3,2000.5\n12345678.5,1e3,3000\n-1234567.12345678,.5,4000\n,"
        "5.,1.5e3\n",
        "a;b\n1,5;1.500\n2,25;2.000\n0,5;12.345\n", "a;b\n1.25;3\n1,5;4\n2,5;5\n2.75;6\n",
        "a;b\n1.5;3\n1.25;4\n", "a,duration_ns\n1,2.5\n", "a,duration_ns\n1,2\n2,3\n",
        "a,b\n1.2.3,4\n1.5x,0.50000000000000000001\n1.5,0.123456789\n"}) {
    SCOPED_TRACE(text);
    const auto narrow = import_good_text(text), wide = import_good_text(widened(text));
    for (const char* name : {"a", "b"}) {
      const auto* column = narrow.find("launches")->find(name);
      ASSERT_EQ(column == nullptr, wide.find("launches")->find(name) == nullptr) << name;
      if (!column || column->unit == store::kTextUnit) continue;
      const auto expected = numbers(narrow, name), read = numbers(wide, name);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), read.begin(), read.end(), same)) << name;
    }
    EXPECT_EQ(launch_durations(narrow), launch_durations(wide));
    const auto report = [](const store::TraceData& data) {
      std::map<std::string, std::int64_t> counts;
      for (const auto& entry : data.manifest.report) counts[entry.code] = entry.count;
      return counts;
    };
    EXPECT_EQ(report(narrow), report(wide));
  }
}

TEST_F(Table, ColumnsOfDifferentLengthHaveMissingValues) {
  const auto data = import_good_text(
      "\xEF\xBB\xBFsgemm_128x64,bn_fw_inf,c\r\n11680,3296,1\r\n30239,18016\r\n,5\r\n12000,,\r\n");
  EXPECT_EQ(launches_of(data), 4u);
  EXPECT_EQ(numbers(data, "sgemm_128x64")[1], 30239);
  EXPECT_TRUE(std::isnan(numbers(data, "sgemm_128x64")[2]));
  EXPECT_TRUE(std::isnan(numbers(data, "c")[1]));
  EXPECT_EQ(reported(data, "ragged-row"), 0);
}

TEST_F(Table, OneColumnAndConstantColumns) {
  EXPECT_EQ(column<std::int64_t>(import_good_text("time_us\n1\n2\n"), "launches", "duration")[1], 2000);
  const auto data = import_good_text("a,b,empty\n1,5,\n2,5,\n");
  EXPECT_EQ(attributes_of(data), 3u);
  EXPECT_EQ(data.manifest.constant_columns.size(), 2u);
}

TEST_F(Table, UnitsInARowBelowTheTitles) {
  const auto data = import_good_text("Duration,Size,Name\nms,KB,\n1.5,2,x\n2,3,y\n");
  EXPECT_EQ(launches_of(data), 2u);
  EXPECT_EQ(launch_durations(data)[0], 1'500'000);
  EXPECT_EQ(numbers(data, "size")[1], 3000);
}

TEST_F(Table, JoinedTablesWithAnotherOrderOfColumnsAreRefused) {
  std::string text = "kernel,start_ns,duration_ns\n";
  for (int i = 0; i < 80'000; ++i) text += fmt::format("k,{},5\n", 10 * i); // longer than the sample
  const auto data = import_text(text + "kernel,duration_ns,start_ns\nk,5,50000\n");
  ASSERT_FALSE(data);
  EXPECT_NE(data.error().message.find("another order"), std::string::npos) << data.error().message;
  EXPECT_EQ(data.error().place, "line 80002");
}

TEST_F(Table, ThousandsMayBeSeparatedAsInSwitzerlandAndFrance) {
  for (const char* separator : {"'", "\u2019", "\u202F", "\u00A0"}) {
    const auto number = [&](const char* low) { return fmt::format("1{}234{}{}", separator, separator, low); };
    const auto data =
        import_good_text("kernel;time_ns;rate\nk;" + number("567") + ";" + number("567,5") + "\nk;8;0,25\n");
    EXPECT_EQ(launch_durations(data), (Integers{1'234'567, 8})) << separator;
    EXPECT_EQ(numbers(data, "rate"), (std::vector<double>{1'234'567.5, 0.25})) << separator;
  }
}

TEST_F(Table, BytesOfOtherEncodingsBehindTheStartAreReported) {
  std::string text = "kernel,time_ns\n";
  while (text.size() < (std::size_t{3} << 20)) text += "kernel,4\n";
  EXPECT_EQ(reported(import_good_text(text + "k\xFC,4\n"), "unreadable-bytes"), 1);
  EXPECT_EQ(reported(import_good_text(text), "unreadable-bytes"), 0);
}

TEST_F(Table, ErrorsAreCounted) {
  std::string text = "v,v,w,time_ns\n";
  for (int i = 0; i < 20; ++i) text += "1,2,3,4\n";
  const auto data = import_good_text(text + "oops,2,12345678901234567891,-1\n1,2,3,4,5\nv,v,w,time_ns\n");
  expect_reported(data, {{"repeated-title", 1},
                         {"not-a-number", 1},
                         {"rounded-integer", 1},
                         {"bad-duration", 1},
                         {"ragged-row", 1},
                         {"repeated-titles", 1}});
  EXPECT_EQ(numbers(data, "v_column_2")[0], 2);
}

TEST_F(Table, TextThatIsNotATableIsRefused) {
  for (const std::string text :
       {"# A title\n\nThis is prose, with commas, in every line.\nAnd more of it, as one writes.\n",
        "2023-01-01 12:00:00,123 INFO started, with 5 workers\n2023-01-01 12:00:01,456 INFO stopped, all is "
        "well\n",
        "a,b\n", "a,b\nx,y\nz,w\n", "hello\n", "{\"a\": 1}\n", "<html>1,2\n3,4</html>", "key: 5\nother: 6\n",
        "[section]\na = 1\n", "one\ntwo\n3\n"}) {
    const auto error = error_of(text, "README.md");
    EXPECT_EQ(error.kind, ErrorKind::BadInput) << text;
    EXPECT_FALSE(error.hint.empty()) << text << describe(error);
  }
  EXPECT_NE(error_of(std::string("a,b\n1,2\n3,\0\n", 12)).message.find("unknown kind"), std::string::npos);
  EXPECT_NE(error_of("[section]\na = 1\n").message.find("key: value"), std::string::npos);
  EXPECT_NE(error_of("1,2,3\n4,5,6\n7,8,9\n").message.find("no column names"), std::string::npos);
  EXPECT_NE(error_of("1\n2\n").message.find("no column names"), std::string::npos);
  for (const auto* rows : {"2024/06/01 11:27:05.177, A100, P0, 6 %\n2024/06/01 11:27:05.188, A100, P0, 7 %\n",
                           "a,b,c,6 MiB\na,b,c,7 MiB\n", "gemm,A100,nt,5.25\naxpy,A100,nt,4\n"})
    EXPECT_NE(error_of(rows).message.find("no column names"), std::string::npos) << rows;
  EXPECT_EQ(launches_of(import_good_text("kernel,device,4 KB,v2\nk,a,5.5,1\nk,a,6.5,2\n")), 2u);
  EXPECT_EQ(launches_of(import_good_text("kernel,device,count,0.5,0.95\nk,a,5,1.5,2\nk,a,6,2,3\n")), 2u);
}

TEST_F(Table, ManyColumnsAndTitlesThatLookAlike) {
  std::string titles, row;
  for (int i = 0; i < 3000; ++i)
    titles += std::string(i % 7 + 1, '?') + std::to_string(i % 3) + ",", row += "1,";
  EXPECT_EQ(attributes_of(import_good_text(titles + "x\n" + row + "1\n")), 3001u);
  std::string many = "a";
  for (int i = 0; i < 1'000'000; ++i) many += ",a";
  EXPECT_EQ(error_of(many + "\n1,2\n3,4\n").kind, ErrorKind::BadInput);
}

TEST_F(Table, BytesThatAreNoUtf8AreMadeSo) {
  const auto data = import_good_text("caf\xE9,b\n1,\xFF\n2,y\n");
  EXPECT_EQ(text_at(data, "b", 0), "\xEF\xBF\xBD");
}

TEST_F(Table, ACutQuoteIsReported) {
  EXPECT_EQ(error_of("a,b\n1,2\n1,2\n3,\"4\n").place, "line 4");
}

TEST_F(Table, Damage) {
  expect_damage_is_survived("time_ms,b [MHz];c\n1.5,99999999999999999999,x\n-2,\"3\",y\n1e300,inf,\n");
}

TEST_F(Table, ALargeTableInSeveralReads) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 200'000; ++i)
    text += std::to_string(i) + "," + std::to_string(i * 3) + ",t" + std::to_string(i % 5) + "\n";
  const auto data = import_good_text(text);
  EXPECT_EQ(launches_of(data), 200'000u);
  EXPECT_EQ(numbers(data, "b")[199'999], 599'997);
  EXPECT_EQ(text_at(data, "c", 199'999), "t4");
}

TEST(TableReal, DataWithAKnownGraph) {
  REQUIRE_REAL_DATA(path, "causal/gpu24_clean_s0/data.csv.gz");
  const auto data = import_good({path});
  EXPECT_EQ(launches_of(data), 10'000u);
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"data", 10'000}}));
}

TEST_F(Table, TitlesMayBeLongerThanTheHeadOfTheFile) {
  for (const int columns : {3'000, 30'000}) {
    std::string titles, rows;
    for (int column = 0; column < columns; ++column) {
      titles += fmt::format("{}counter of the unit {} of many", column > 0 ? "," : "", column);
      rows += fmt::format("{}{}", column > 0 ? "," : "", column % 97);
    }
    ASSERT_GT(titles.size(), std::size_t{65'536});
    const auto data = import_good_text(titles + "\n" + rows + "\n" + rows + "\n");
    ASSERT_EQ(launches_of(data), 2u);
    EXPECT_EQ(attributes_of(data), static_cast<std::size_t>(columns));
    EXPECT_EQ(numbers(data, fmt::format("counter_of_the_unit_{}_of_many", columns - 1))[1],
              (columns - 1) % 97);
  }
}

TEST_F(Table, ALongLineWithoutATableIsNotATable) {
  std::string line;
  while (line.size() < 400'000) line += "some words, and more; ";
  EXPECT_EQ(error_of(line).kind, ErrorKind::BadInput);
  EXPECT_EQ(error_of(line + "\n" + line + "\n").kind, ErrorKind::BadInput);
}

// Configuration values by stored launch.
std::vector<std::uint32_t> configured(const store::TraceData& data, std::string_view which) {
  std::vector<std::uint32_t> out;
  const auto& values = column<std::uint32_t>(data, "configurations", which);
  for (const auto row : column<std::uint32_t>(data, "launches", "configuration")) out.push_back(values[row]);
  return out;
}

TEST_F(Table, ColumnsOfGridAndBlockAreTheConfiguration) {
  for (const auto* titles : {"gridDim.x,gridDim.y,block_x", "Grid X,Grid Y,Block X", "GrdX,GrdY,BlkX"}) {
    SCOPED_TRACE(titles);
    const auto data =
        import_good_text(fmt::format("{},duration_us\n4,2,64,1\n8,2,64,2\n4,2,64,3\n,2,64,4\n", titles));
    EXPECT_EQ(configured(data, "grid_x"), (Rows{4, 8, 4, 0}));
    EXPECT_EQ(configured(data, "grid_y"), (Rows{2, 2, 2, 2}));
    EXPECT_EQ(configured(data, "block_x"), (Rows{64, 64, 64, 64}));
    EXPECT_EQ(data.find("launches")->find("recorded_grid_x"), nullptr);
    const auto& rows = column<std::uint32_t>(data, "launches", "configuration");
    EXPECT_EQ(rows[0], rows[2]);
    EXPECT_EQ(std::set<std::uint32_t>(rows.begin(), rows.end()).size(), 3u);
  }
}

TEST_F(Table, DimensionsWithoutAColumnAreOne) {
  for (const auto* table : {"kernel,duration_us,gridDim.x,blockDim.x\na,1,64,256\na,2,64,256\n",
                            "kernel,grid_x,grid_y,block_x,block_y\na,64,1,256,1\na,64,1,256,1\n"}) {
    SCOPED_TRACE(table);
    const auto data = import_good_text(table);
    EXPECT_EQ(configured(data, "grid_x")[1], 64u);
    EXPECT_EQ(configured(data, "block_x")[1], 256u);
    for (const auto* one : {"grid_y", "grid_z", "block_y", "block_z"})
      EXPECT_EQ(configured(data, one)[1], 1u) << one;
  }
  // No dimension of the block is stated in the second row, and none of a grid anywhere.
  const auto data = import_good_text("block_x,duration_us\n32,1\n,1\n");
  EXPECT_EQ(configured(data, "block_z"), (Rows{1, 0}));
  EXPECT_EQ(configured(data, "grid_x"), (Rows{0, 0}));
}

TEST_F(Table, InvalidExtentsAreUnknownAndReported) {
  const auto pandas = import_good_text("grid_x,block_x,duration_us\n4.0,32.0,1\n8.0,,1\n");
  EXPECT_EQ(configured(pandas, "grid_x"), (Rows{4, 8}));
  EXPECT_EQ(configured(pandas, "block_x"), (Rows{32, 0}));
  const auto parts = import_good_text("grid_x,duration_us\n4.5,1\n8.0,1\n");
  EXPECT_NE(parts.find("launches")->find("recorded_grid_x"), nullptr);
  const auto data = import_good_text("grid_x,duration_us\n4,1\n-1,1\n5000000000,1\n");
  EXPECT_EQ(configured(data, "grid_x"), (Rows{4, 0, 0}));
  EXPECT_EQ(reported(data, "bad-configuration"), 2);
}

TEST_F(Table, GridAndBlockMayBeInOneCell) {
  for (const auto* row :
       {"a,\"(4, 2, 1)\",\"[64, 1, 1]\",5.5\n", "a,4x2x1,64x1x1,5.5\n", "a,\"(4,2)\",\"dim3(64)\",5.5\n",
        "a,4 2 1,<64>,5.5\n", "a,\"4,2\",\"(64,)\",5.5\n"})
    for (const auto* titles :
         {"kernel,grid,block,duration_us\n", "kernel,Grid Size,Block Size,duration_us\n",
          "kernel,launch__grid_dim,launch__block_dim,duration_us\n", "kernel,GridXYZ,BlkXYZ,duration_us\n"}) {
      SCOPED_TRACE(std::string(titles) + row);
      const auto data = import_good_text(std::string(titles) + row + row + "a,,\"(32,2)\",6.5\n");
      EXPECT_EQ(configured(data, "grid_x"), (Rows{4, 4, 0}));
      EXPECT_EQ(configured(data, "grid_y"), (Rows{2, 2, 0}));
      EXPECT_EQ(configured(data, "block_x"), (Rows{64, 64, 32}));
      EXPECT_EQ(configured(data, "block_y"), (Rows{1, 1, 2}));
      EXPECT_EQ(data.find("launches")->find("grid"), nullptr);
    }
  const auto semicolons = import_good_text("kernel;grid;duration_us\na;128,2,1;5,5\na;128,2,1;6,5\n");
  EXPECT_EQ(configured(semicolons, "grid_x"), (Rows{128, 128}));
  EXPECT_EQ(launch_durations(semicolons)[0], 5'500);
}

// Also in rows after the sample that decides about columns: an invalid end leaves the row out, an invalid
// grid is unknown.
TEST_F(Table, InvalidGridsAreUnknownOrText) {
  std::string rows = "kernel,start_ns,end_ns,grid\n";
  for (int i = 0; i < 66'000; ++i) rows += fmt::format("a,{},{},\"(4, {})\"\n", 2 * i, 2 * i + 1, i % 2);
  const auto data =
      import_good_text(rows + "a,7,oh,\"(9, 9)\"\na,200000,200001,all of it\na,200002,200003,\"(7, 1)\"\n");
  ASSERT_EQ(launches_of(data), 66'002u);
  EXPECT_EQ(configured(data, "grid_y")[65'999], 1u);
  EXPECT_EQ(configured(data, "grid_x")[66'000], 0u);
  EXPECT_EQ(configured(data, "grid_x")[66'001], 7u);
  EXPECT_EQ(reported(data, "bad-configuration"), 1);
  const auto texts =
      import_good_text("kernel,grid,duration_us\na,coarse,5\na,\"(1,2,3)\",6\na,\"(1,2,3,4)\",6\n");
  EXPECT_EQ(configured(texts, "grid_x"), (Rows{0, 0, 0}));
  EXPECT_NE(texts.find("launches")->find("grid"), nullptr);
}

TEST_F(Table, ColumnsThatOnlySoundLikeAConfigurationAreKeptAsTheyAre) {
  const auto data = import_good_text("grid_x,grid_size,duration_us\n4.5,16,1\n2,16,1\n");
  EXPECT_EQ(configured(data, "grid_x"), (Rows{0, 0}));
  EXPECT_EQ(numbers(data, "recorded_grid_x"), (std::vector<double>{4.5, 2}));
  EXPECT_EQ(numbers(data, "grid_size"), (std::vector<double>{16, 16}));
}

TEST_F(Table, ACommentAboveARowWithNumbersNamesTheColumns) {
  const auto data = import_good_text("# kernel,stream,duration_ns\ngemm,s1,125\nconv,s2,131\ngemm,s1,140\n");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"conv", 1}, {"gemm", 2}}));
  const auto& durations = launch_durations(data);
  EXPECT_EQ(std::accumulate(durations.begin(), durations.end(), std::int64_t{0}), 396);
  EXPECT_EQ(launches_of(import_good_text("# made by hand, twice\nkernel,n,duration_ns\na,1,5\n")), 1u);
}

TEST_F(Table, ARuleIsNoRowWithoutOuterLinesEither) {
  const auto data = import_good_text("kernel|duration_us\n---|---\na|5\nb|6\na|7\n");
  EXPECT_EQ(launches_by_kernel(data), (std::map<std::string, int>{{"a", 2}, {"b", 1}}));
  EXPECT_EQ(reported(data, "bad-duration"), 0);
}

TEST_F(Table, TheRuleBelowTheTitlesOfAMarkdownTableIsNoRow) {
  const auto data =
      import_good_text("| size | duration (us) |\n|-----:|:-------------|\n| 4 | 1 |\n| 8 | 2.5 |\n");
  EXPECT_EQ(launches_of(data), 2u);
  EXPECT_EQ(numbers(data, "size"), (std::vector<double>{4, 8}));
  EXPECT_EQ(launch_durations(data), (Integers{1000, 2500}));
}

} // namespace
} // namespace jitterscope::import
