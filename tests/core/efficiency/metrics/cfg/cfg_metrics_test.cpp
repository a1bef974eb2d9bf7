#include "core/efficiency/metrics/cfg/cfg_metrics.h"

#include <random>

#include <fmt/format.h>

#include "core/paraver/event_types.h"
#include "core/paraver/extrae_names.h"
#include "tests/core/efficiency/metrics/metric_session.h"

// Windows of Paraver, made here, on test::worked_example(), whose timelines are known.

using namespace jitterscope;
using namespace jitterscope::efficiency::metrics;

namespace {

/// A window of a .cfg, with the parts that differ between windows.
struct Window {
  std::string name = "w", level = "appl", thread = "Last Evt Val", compose_thread = "Sign", task = "Adding",
              compose_task = "As Is", appl = "Adding", top = "As Is", evt_value = "All", filter = "",
              more = "";
};

std::string text_of(const Window& w, int id = 1) {
  return "################\n< NEW DISPLAYING WINDOW " + w.name + " >\n################\nwindow_name " +
         w.name + "\nwindow_type single\nwindow_id " + std::to_string(id) +
         "\nwindow_position_x 3\nwindow_units Nanoseconds\nwindow_level " + w.level +
         "\nwindow_object appl { 1, { All } }\nwindow_open true\n"
         "window_selected_functions { 14, { {cpu, Active Thd}, {appl, " +
         w.appl + "}, {task, " + w.task + "}, {thread, " + w.thread +
         "}, {node, Adding}, {system, Adding}, {workload, Adding}, {from_obj, All}, {to_obj, All}, {tag_msg, "
         "All}, {size_msg, All}, {bw_msg, All}, {evt_type, =}, {evt_value, " +
         w.evt_value +
         "} } }\nwindow_compose_functions { 9, { {compose_cpu, As Is}, {compose_appl, As Is}, " +
         "{compose_task, " + w.compose_task + "}, {compose_thread, " + w.compose_thread +
         "}, {topcompose1, " + w.top + "}, {topcompose2, As Is} } }\n" + w.filter + w.more + "\n";
}

std::string joined(const std::string& operation, int first, int second, int id,
                   const std::string& more = "") {
  return "< NEW DISPLAYING WINDOW joined >\nwindow_name joined\nwindow_type composed\nwindow_id " +
         std::to_string(id) + "\nwindow_factors 1.0 1.0\nwindow_operation " + operation +
         "\nwindow_identifiers " + std::to_string(first) + " " + std::to_string(second) +
         "\nwindow_level appl\n" + more;
}

CfgMetrics read(const std::string& text) {
  auto metrics = metrics_of_cfg("#ParaverCFG\nConfigFile.Version: 3.4\n" + text);
  if (!metrics) throw std::runtime_error(describe(metrics.error()));
  return *metrics;
}

const test::MetricSession& example() {
  static const test::MetricSession kSession({test::worked_example().trace()});
  return kSession;
}

std::string timeline(const CfgMetric& metric, std::size_t object = 0) {
  EXPECT_EQ(metric.unsupported, "");
  if (metric.text.empty()) return {};
  return test::as_text(example().steps(metric.text, 0, 100).at(object), 100);
}
std::string timeline(const Window& window, std::size_t object = 0) {
  return timeline(read(text_of(window)).windows.at(0), object);
}
std::string why_not(const Window& window) {
  const auto metric = read(text_of(window)).windows.at(0);
  EXPECT_EQ(metric.text, "");
  return metric.unsupported;
}

const std::string kKernels = "window_filter_module evt_type 1 63000006\n",
                  kNccl = "window_filter_module evt_type 1 63000007\n"
                          "window_filter_module evt_type_label 1 \"NCCL kernel\"\n";

} // namespace

TEST(Cfg, NumberOfActiveKernels) {
  EXPECT_EQ(
      timeline({.filter = kKernels}),
      "[0,10)2 [10,20)3 [20,30)4 [30,40)2 [40,50)1 [50,75)0 [75,80)1 [80,85)2 [85,90)3 [90,95)2 [95,100)1");
}

TEST(Cfg, DevicesThatComputeAndGpuBusyOfATask) {
  EXPECT_EQ(timeline({.task = "Adding Sign", .filter = kKernels}),
            "[0,10)2 [10,30)3 [30,40)2 [40,50)1 [50,75)0 [75,80)1 [80,85)2 [85,90)3 [90,95)2 [95,100)1");
  EXPECT_EQ(
      timeline({.level = "task", .compose_thread = "As Is", .task = "Adding Sign", .filter = kKernels}, 2),
      "[0,10)0 [10,30)1 [30,85)0 [85,100)1");
}

TEST(Cfg, AllInCollective) {
  EXPECT_EQ(timeline({.task = "Adding Sign", .appl = "Minimum", .filter = kNccl}),
            "[0,60)0 [60,80)1 [80,100)0");
}

TEST(Cfg, ComposeFunctionsWithParameters) {
  const auto more = [](const std::string& parameters) {
    return "window_semantic_module topcompose1 " + parameters + "\n";
  };
  EXPECT_EQ(timeline({.top = "Is Equal (Sign)",
                      .filter = kKernels,
                      .more = more("Is Equal (Sign) { 1, { 1 3.000000000000 } }")}),
            "[0,10)0 [10,20)1 [20,85)0 [85,90)1 [90,100)0");
  EXPECT_EQ(timeline({.top = "Select Range",
                      .filter = kKernels,
                      .more = more("Select Range { 2, { 1 3.000000000000, 1 2.000000000000 } }")}),
            "[0,10)2 [10,20)3 [20,30)0 [30,40)2 [40,80)0 [80,85)2 [85,90)3 [90,95)2 [95,100)0");
  EXPECT_EQ(
      timeline(
          {.top = "Is In Range", .filter = kKernels, .more = more("Is In Range { 2, { 1 9.0, 1 4.0 } }")}),
      "[0,20)0 [20,30)1 [30,100)0");
  EXPECT_EQ(why_not({.top = "Is In Range",
                     .filter = kKernels,
                     .more = more("Is In Range { 2, { 2 9.0 2.0, 2 4.0 1.0 } }")}),
            "the compose function \"Is In Range\" has several ranges");
  EXPECT_EQ(timeline({.top = "1-Sign", .filter = kKernels}), "[0,50)0 [50,75)1 [75,100)0");
  EXPECT_EQ(timeline({.top = "Div", .filter = kKernels, .more = more("Div { 1, { 1 2.0 } }")}),
            "[0,10)1 [10,20)1.5 [20,30)2 [30,40)1 [40,50)0.5 [50,75)0 [75,80)0.5 [80,85)1 [85,90)1.5 "
            "[90,95)1 [95,100)0.5");
}

TEST(Cfg, ComposedWindows) {
  const auto windows = text_of({.filter = kKernels}, 1) +
                       text_of({.task = "Adding Sign", .appl = "Minimum", .filter = kNccl}, 2);
  const auto last = [&](const std::string& operation, const std::string& more = "") {
    return timeline(read(windows + joined(operation, 1, 2, 3, more)).windows.at(2));
  };
  EXPECT_EQ(last("product"), "[0,75)0 [75,80)1 [80,100)0");
  EXPECT_EQ(last("minimum"), "[0,75)0 [75,80)1 [80,100)0");
  EXPECT_EQ(last("product", "window_factors 2.5 1.0\n"),
            "[0,75)0 [75,80)1 [80,100)0"); // the first line with factors applies, not the second
  EXPECT_EQ(last("substract"), "[0,10)2 [10,20)3 [20,30)4 [30,40)2 [40,50)1 [50,60)0 [60,75)-1 [75,80)0 "
                               "[80,85)2 [85,90)3 [90,95)2 [95,100)1");
  EXPECT_EQ(last("product", "window_shifts 0 0\n"), last("product"));
  EXPECT_EQ(read(windows + joined("product", 1, 2, 3, "window_shifts 0 500\n")).windows.at(2).unsupported,
            "its windows are shifted in time");
  const auto cleared = read(windows + joined("controlled: clear by", 1, 2, 3)).windows.at(2);
  EXPECT_EQ(cleared.unsupported, "the operation \"controlled: clear by\"");
}

TEST(Cfg, StatesOfThreads) {
  auto program = test::Program();
  program.add_rank(1);
  const auto thread = program.thread(0);
  program.state(thread, {0, 10, "Running"});
  program.state(thread, {10, 25, "Waiting a message"});
  program.state(thread, {30, 45, "Running"});
  const test::MetricSession session({program.trace()});
  const auto steps = [&](const Window& window) {
    const auto metric = read(text_of(window)).windows.at(0);
    EXPECT_EQ(metric.unsupported, "");
    return metric.text.empty() ? std::string() : test::as_text(session.steps(metric.text, 0, 50).at(0), 50);
  };
  EXPECT_EQ(steps({.level = "thread", .thread = "Useful"}), "[0,10)1 [10,30)0 [30,45)1 [45,50)0");
  EXPECT_EQ(steps({.level = "thread", .thread = "State As Is"}), "[0,25)1 [25,30)0 [30,45)1 [45,50)0");
  EXPECT_EQ(steps({.level = "thread",
                   .thread = "In State",
                   .more = "window_semantic_module thread In State { 1, { 2 3.0 9.0 } }\n"}),
            "[0,10)0 [10,25)1 [25,50)0");
  EXPECT_EQ(steps({.level = "thread",
                   .thread = "State As Is",
                   .compose_thread = "Is Equal (Sign)",
                   .more = "window_semantic_module compose_thread Is Equal (Sign) { 1, { 1 1.0 } }\n"}),
            "[0,10)1 [10,30)0 [30,45)1 [45,50)0");
  EXPECT_EQ(steps({.level = "thread", .thread = "State Record Dur.", .compose_thread = "As Is"}),
            "[0,10)10 [10,30)0 [30,45)15 [45,50)0"); // without parameters: of state Running
  EXPECT_EQ(steps({.level = "thread",
                   .thread = "State Record Dur.",
                   .compose_thread = "As Is",
                   .more = "window_semantic_module thread State Record Dur. { 1, { 2 1.0 3.0 } }\n"}),
            "[0,10)10 [10,25)15 [25,30)0 [30,45)15 [45,50)0");
  EXPECT_EQ(steps({.level = "thread",
                   .thread = "State Record Dur.",
                   .compose_thread = "As Is",
                   .more = "window_units Microseconds\n"}),
            "[0,10)0.01 [10,30)0 [30,45)0.015 [45,50)0");
  EXPECT_NE(read(text_of({.level = "thread",
                          .thread = "State Record Dur.",
                          .compose_thread = "As Is",
                          .more = "window_units Hours\n"}))
                .windows.at(0)
                .text.find("/ 3600000000000"),
            std::string::npos);
}

TEST(Cfg, NumbersOfStatesAreThoseOfTheTrace) {
  const auto steps = [](const std::map<std::int64_t, std::string>& numbers) {
    test::Program program;
    program.add_rank(1);
    program.state(program.thread(0), {0, 10, "Running"});
    program.state(program.thread(0), {10, 20, "Group Communication"});
    program.state(program.thread(0), {20, 50, "I/O"});
    auto data = program.trace();
    data.manifest.paraver.states = numbers;
    const test::MetricSession session({data});
    const auto metrics =
        read(text_of({.level = "thread",
                      .thread = "In State",
                      .more = "window_semantic_module thread In State { 1, { 1 12.0 } }\n"}));
    return test::as_text(session.steps(metrics.windows.at(0).text, 0, 50).at(0), 50);
  };
  EXPECT_EQ(steps({}), "[0,20)0 [20,50)1"); // Paraver's own number of I/O
  EXPECT_EQ(steps({{1, "Running"}, {12, "Group Communication"}, {40, "I/O"}}), "[0,10)0 [10,20)1 [20,50)0");
  EXPECT_EQ(steps({{1, "Running"}}), "[0,50)0");
}

TEST(Cfg, CountersByTheirLabels) {
  auto program = test::Program();
  program.add_rank(1);
  program.sample(program.thread(0), "PAPI_TOT_INS", 10, 500);
  program.sample(program.thread(0), "PAPI_TOT_INS", 20, 700);
  program.state(program.thread(0), {0, 30, "Running"});
  const test::MetricSession session({program.trace()});
  const std::string filter = "window_filter_module evt_type 1 42000050\n"
                             "window_filter_module evt_type_label 1 \"PAPI_TOT_INS\"\n";
  for (const auto& [function, expected] : {std::pair{"Last Evt Val", "[0,10)0 [10,20)500 [20,30)700"},
                                           {"Next Evt Val", "[0,10)0 [10,20)700 [20,30)0"}}) {
    const auto metric =
        read(text_of({.level = "thread", .thread = function, .compose_thread = "As Is", .filter = filter}))
            .windows.at(0);
    ASSERT_EQ(metric.unsupported, "");
    EXPECT_EQ(test::as_text(session.steps(metric.text, 0, 30).at(0), 30), expected);
  }
  // All types that the import reads as counters.
  for (const char* type : {"9400", "44999999", "66500000"}) {
    const auto metric =
        read(text_of({.level = "thread",
                      .thread = "Last Evt Val",
                      .compose_thread = "As Is",
                      .filter = fmt::format("window_filter_module evt_type 1 {}\n"
                                            "window_filter_module evt_type_label 1 \"Load\"\n",
                                            type)}))
            .windows.at(0);
    EXPECT_EQ(metric.unsupported, "") << type;
  }
}

// Events are where records begin and end. The answers are computed by hand.
TEST(Cfg, IntervalsBetweenEvents) {
  test::Program program;
  program.add_rank(1);
  program.state(program.thread(0), {0, 100, "Running"});
  program.kernel(0, 0, {10, 30, "a"});
  program.kernel(0, 0, {30, 35, "b"});
  program.kernel(0, 0, {60, 70, "a"});
  program.range(program.thread(0), {20, 50, "outer", "Phase"});
  program.range(program.thread(0), {25, 40, "inner", "Phase"});
  program.sample(program.thread(0), "PAPI_TOT_INS", 10, 500);
  program.sample(program.thread(0), "PAPI_TOT_INS", 20, 700);
  program.sample(program.thread(0), "PAPI_TOT_INS", 50, 90);
  const test::MetricSession session({program.trace()});
  const auto shown = [&](const Window& window, std::int64_t begin = 0, std::int64_t end = 100) {
    const auto metric = read(text_of(window)).windows.at(0);
    EXPECT_EQ(metric.unsupported, "");
    return metric.text.empty() ? "" : test::as_text(session.steps(metric.text, begin, end).at(0), end);
  };
  Window kernels{
      .level = "thread", .thread = "Int. Between Evt", .compose_thread = "As Is", .filter = kKernels};
  EXPECT_EQ(shown(kernels), "[0,10)0 [10,30)20 [30,35)5 [35,60)25 [60,70)10 [70,100)0");
  // The same in any part of the run, also between two events.
  EXPECT_EQ(shown(kernels, 40, 55), "[40,55)25");
  EXPECT_EQ(shown(kernels, 30, 65), "[30,35)5 [35,60)25 [60,65)10");
  EXPECT_EQ(shown(kernels, 2, 8), "[2,8)0");
  EXPECT_EQ(shown(kernels, 80, 90), "[80,90)0");
  kernels.more = "window_units Microseconds\n";
  EXPECT_EQ(shown(kernels), "[0,10)0 [10,30)0.02 [30,35)0.005 [35,60)0.025 [60,70)0.01 [70,100)0");
  const Window phases{.level = "thread",
                      .thread = "Int. Between Evt",
                      .compose_thread = "As Is",
                      .filter = "window_filter_module evt_type 1 8000000\n"
                                "window_filter_module evt_type_label 1 \"Phase\"\n"};
  EXPECT_EQ(shown(phases), "[0,20)0 [20,25)5 [25,40)15 [40,50)10 [50,100)0");
  Window counter{.level = "thread",
                 .thread = "Int. Between Evt",
                 .compose_thread = "As Is",
                 .filter = "window_filter_module evt_type 1 42000050\n"
                           "window_filter_module evt_type_label 1 \"PAPI_TOT_INS\"\n"};
  EXPECT_EQ(shown(counter), "[0,10)0 [10,20)10 [20,50)30 [50,100)0");
  EXPECT_EQ(shown(counter, 15, 18), "[15,18)10");
  counter.thread = "Avg Next Evt Val"; // 700 / 10, 90 / 30
  EXPECT_EQ(shown(counter), "[0,10)0 [10,20)70 [20,50)3 [50,100)0");
  counter.more =
      "window_units Microseconds\nwindow_semantic_module thread Avg Next Evt Val { 1, { 1 0.5 } }\n";
  EXPECT_EQ(shown(counter), "[0,10)0 [10,20)35000 [20,50)1500 [50,100)0");
  counter.thread = "Avg Last Evt Val"; // 500 / 10, 700 / 30
  counter.more = {};
  EXPECT_EQ(shown(counter), "[0,10)0 [10,20)50 [20,50)23.333333 [50,100)0");
  EXPECT_EQ(shown(counter, 15, 18), "[15,18)50");
  EXPECT_EQ(shown(counter, 60, 70), "[60,70)0");
}

TEST(Cfg, BandwidthOfMessages) {
  test::Program program;
  program.add_rank(1);
  program.add_rank(1);
  program.state(program.thread(0), {0, 100, "Running"});
  program.message(program.thread(0), 1, {10, 30, "m"}, 400); // 20 B/ns
  program.message(program.thread(0), 1, {20, 60, "m"}, 200); // 5 B/ns
  const test::MetricSession session({program.trace()});
  const auto shown = [&](const Window& window) {
    const auto metric = read(text_of(window)).windows.at(0);
    EXPECT_EQ(metric.unsupported, "");
    return metric.text.empty() ? "" : test::as_text(session.steps(metric.text, 0, 100).at(0), 100);
  };
  Window sends{.level = "thread", .thread = "Send BandWidth", .compose_thread = "As Is"};
  EXPECT_EQ(shown(sends), "[0,10)0 [10,20)20 [20,30)25 [30,60)5 [60,100)0");
  sends.more = "window_units Microseconds\n"; // MB/s
  EXPECT_EQ(shown(sends), "[0,10)0 [10,20)20000 [20,30)25000 [30,60)5000 [60,100)0");
  auto large = text_of(sends);
  large.replace(large.find("{size_msg, All}"), 15, "{size_msg, >}");
  EXPECT_EQ(read(large).windows.at(0).unsupported,
            "the filter of messages size_msg is \">\"; only All is supported");
}

// Tasks, phases and user functions: the import makes ranges of them, in a domain with the label of their
// type.
TEST(Cfg, OtherEventsAreRangesOfTheirLabel) {
  test::Program program;
  program.add_rank(1);
  program.kernel(0, 0, {0, 100, "k"});
  program.range(program.thread(0), {10, 20, "first", "Phase"});
  program.range(program.thread(0), {30, 40, "second", "Phase"});
  program.range(program.thread(0), {50, 60, "other", "Other"});
  const test::MetricSession session({program.trace()});
  const auto shown = [&](const Window& window) {
    const auto metric = read(text_of(window)).windows.at(0);
    EXPECT_EQ(metric.unsupported, "");
    return metric.text.empty() ? "" : test::as_text(session.steps(metric.text, 0, 100).at(0), 100);
  };
  const auto of = [](const char* type, const char* label) {
    return std::string("window_filter_module evt_type 1 ") + type +
           "\nwindow_filter_module evt_type_label 1 \"" + label + "\"\n";
  };
  const Window phases{.level = "thread", .filter = of("8000000", "Phase")};
  EXPECT_EQ(shown(phases), "[0,10)0 [10,20)1 [20,30)0 [30,40)1 [40,100)0");
  EXPECT_EQ(read(text_of(phases)).windows.at(0).note,
            "events of type 8000000 (Phase) are ranges if the .pcf names their value 0");
  // Where an inner function ends, its event has the value 0 although the outer function continues.
  Window functions{.level = "thread", .filter = of("60000019", "Phase")};
  EXPECT_EQ(why_not(functions),
            "events of type 60000019 (Phase) may be nested and are supported only with the compose function "
            "\"Stacked Val\"");
  functions.compose_thread = "Stacked Val", functions.top = "Sign";
  EXPECT_EQ(shown(functions), "[0,10)0 [10,20)1 [20,30)0 [30,40)1 [40,100)0");
}

TEST(Cfg, CallsOfMpiByTheirNumbers) {
  test::Program program;
  program.add_rank(1);
  program.kernel(0, 0, {0, 100, "k"});
  program.mpi(program.thread(0), {10, 20, "MPI_Send"});
  program.mpi(program.thread(0), {30, 40, "MPI_Allreduce"});
  program.mpi(program.thread(0), {50, 60, "MPI_Waitall"});
  program.mpi(program.thread(0), {70, 80, "MPI_Comm_rank"});
  const test::MetricSession session({program.trace()});
  const auto shown = [&](const Window& window) {
    const auto metric = read(text_of(window)).windows.at(0);
    EXPECT_EQ(metric.unsupported, "");
    return metric.text.empty() ? "" : test::as_text(session.steps(metric.text, 0, 100).at(0), 100);
  };
  const std::string all = "window_filter_module evt_type 3 50000001 50000002 50000003\n",
                    collectives = "window_filter_module evt_type 1 50000002\n";
  const auto composed = [&](const std::string& name, const std::string& parameters,
                            const std::string& types) {
    return Window{.level = "thread",
                  .compose_thread = name,
                  .top = "Sign",
                  .filter = types,
                  .more = "window_semantic_module compose_thread " + name + " " + parameters + "\n"};
  };
  const std::string none = "[0,100)0", reduce = "[0,30)0 [30,40)1 [40,100)0",
                    two = "[0,10)0 [10,20)1 [20,50)0 [50,60)1 [60,100)0";
  EXPECT_EQ(shown(composed("Is Equal (Sign)", "{ 1, { 1 10.0 } }", all)), reduce);
  EXPECT_EQ(shown(composed("Is Equal (Sign)", "{ 1, { 2 1.0 6.0 } }", all)), two);
  EXPECT_EQ(shown(composed("Is Equal (Sign)", "{ 1, { 1 1.0 } }", collectives)), none) << "of another type";
  EXPECT_EQ(shown(composed("Is In Range", "{ 2, { 1 6.0, 1 1.0 } }", all)), two);
  EXPECT_EQ(shown(composed("Select Range", "{ 2, { 1 12.0, 1 7.0 } }", all)), reduce) << "with Sign";
  EXPECT_EQ(shown(composed("Is In Range", "{ 2, { 1 200.0, 1 1.0 } }", collectives)), reduce);
  const auto filtered = [&](const std::string& values) {
    return Window{.level = "thread",
                  .evt_value = "=",
                  .filter = all,
                  .more = "window_filter_module evt_value " + values + "\n"};
  };
  EXPECT_EQ(shown(filtered("3 0 1 6")), two);
  EXPECT_EQ(why_not(filtered("1 10")), "the filter of event values does not contain 0, the end of a call");
  EXPECT_EQ(why_not(filtered("2 0 999")),
            "the filter of event values contains a number that is not an MPI call");
  EXPECT_EQ(why_not(composed("Is Equal (Sign)", "{ 1, { 1 0.0 } }", all)),
            "\"Is Equal (Sign)\" with a number that is not an MPI call");
  EXPECT_EQ(why_not(composed("Is In Range", "{ 2, { 1 6.0, 1 0.0 } }", all)),
            "\"Is In Range\" of several ranges, or of 0");
  auto sum = composed("Select Range", "{ 2, { 1 12.0, 1 7.0 } }", all);
  sum.level = "task", sum.top = "As Is";
  EXPECT_EQ(why_not(sum), "\"Adding\" of event values that are codes of labels in the .pcf");
}

TEST(Cfg, TypesOfMpiCallsAreThoseOfExtrae) {
  test::Program program;
  program.add_rank(1);
  const auto calls = static_cast<std::int64_t>(prv::mpi_calls().size());
  program.kernel(0, 0, {0, 10 * calls, "k"});
  for (std::int64_t call = 1; call < calls; ++call)
    program.mpi(program.thread(0), {10 * call, 10 * call + 5, prv::mpi_call(call)});
  const test::MetricSession session({program.trace()});
  for (const std::vector<std::int64_t>& types :
       {std::vector{prv::kMpiPointToPoint},
        {prv::kMpiCollective},
        {prv::kMpiOther},
        {prv::kMpiOneSided},
        {prv::kMpiIo},
        {prv::kMpiPointToPoint, prv::kMpiCollective},
        {prv::kMpiPointToPoint, prv::kMpiCollective, prv::kMpiOther},
        {prv::kMpiPointToPoint, prv::kMpiCollective, prv::kMpiOther, prv::kMpiOneSided, prv::kMpiIo}}) {
    std::string filter = "window_filter_module evt_type " + std::to_string(types.size());
    for (const auto type : types) filter += " " + std::to_string(type);
    const auto metric = read(text_of({.level = "thread", .filter = filter + "\n"})).windows.at(0);
    ASSERT_EQ(metric.unsupported, "") << filter;
    const auto steps = session.steps(metric.text, 0, 10 * calls).at(0);
    const auto at = [&](std::int64_t time) {
      double value = 0;
      for (const auto& step : steps)
        if (step.begin <= time) value = step.value;
      return value > 0;
    };
    for (std::int64_t call = 1; call < calls; ++call) {
      const auto type = prv::type_of_mpi_call(prv::mpi_call(call));
      EXPECT_EQ(at(10 * call + 2), std::ranges::find(types, type.value()) != types.end())
          << prv::mpi_call(call) << " " << filter;
    }
  }
}

TEST(Cfg, StatesInWordsWhatIsNotSupported) {
  EXPECT_EQ(why_not({.compose_thread = "As Is", .filter = kKernels}),
            "\"Adding\" of event values that are codes of labels in the .pcf");
  EXPECT_EQ(why_not({.thread = "Avg Last Evt Val", .filter = kKernels}),
            "the thread function \"Avg Last Evt Val\" of events that are not a counter");
  EXPECT_EQ(why_not({.thread = "Avg Next Evt Val", .filter = kKernels}),
            "the thread function \"Avg Next Evt Val\" of events that are not a counter");
  EXPECT_EQ(why_not({.thread = "Int. Between Evt", .filter = "window_filter_module evt_type 1 63000001\n"}),
            "the time between memory operations of a stream: Jitterscope records them per device");
  EXPECT_EQ(why_not({.thread = "Recv BandWidth"}),
            "the thread function \"Recv BandWidth\": messages are records of the thread that sent them");
  EXPECT_EQ(why_not({.compose_thread = "Delta", .filter = kKernels}),
            "\"Delta\" of event values: names have other numbers in this trace");
  EXPECT_EQ(why_not({.appl = "Mode", .filter = kKernels}), "the function \"Mode\" at level appl");
  EXPECT_EQ(why_not({.level = "cpu", .filter = kKernels}), "the level \"cpu\"");
  EXPECT_EQ(why_not({.filter = "window_filter_module evt_type 1 32000009\n"
                               "window_filter_module evt_type_label 1 \"Allocation\"\n"}),
            "Jitterscope has no records for events of type 32000009 (Allocation)");
  EXPECT_EQ(why_not({.evt_value = "=", .filter = kKernels}),
            "the filter of event values is \"=\"; event values are codes that the .pcf of one trace maps to "
            "labels, so only All is supported, and = for calls of MPI");
  // Extrae's number of the source line of a kernel.
  EXPECT_EQ(why_not({.filter = "window_filter_module evt_type 1 63000007\n"
                               "window_filter_module evt_type_label 1 \"Kernel source line\"\n"}),
            "events of type 63000007 (Kernel source line) are source lines");
  // Paraver also counts host threads, so its mean differs.
  EXPECT_EQ(why_not({.task = "Average", .filter = kKernels}),
            "\"Average\" over threads: Paraver also counts threads that are not streams");
  // Of a host thread, 1-Sign is 1.
  EXPECT_EQ(why_not({.compose_thread = "1-Sign", .filter = kKernels}),
            "\"Adding\" over threads: Paraver also counts threads that are not streams");
}

TEST(Cfg, TheMaximumOverStreamsOfACountIsOneAtMost) {
  const auto copies = read(text_of(
      {.task = "Maximum", .appl = "Maximum", .filter = "window_filter_module evt_type 1 63000001\n"}));
  EXPECT_NE(copies.windows.at(0).text.find("any(count(copies) per process)"), std::string::npos)
      << copies.windows.at(0).text << copies.windows.at(0).unsupported;
}

TEST(Cfg, CountsHistogramsAndNamesHiddenWindows) {
  auto hidden = text_of({.filter = kKernels});
  hidden.replace(hidden.find("window_open true"), 16, "window_open false");
  const auto metrics = read(hidden + "< NEW ANALYZER2D >\nAnalyzer2D.Name: h\nwindow_name not a window\n");
  EXPECT_EQ(metrics.histograms, 1);
  ASSERT_EQ(metrics.windows.size(), 1u);
  EXPECT_FALSE(metrics.windows[0].open);
  EXPECT_EQ(metrics.windows[0].name, "w");
}

TEST(Cfg, CirclesAndMissingWindowsEnd) {
  const auto circle = read(joined("add", 2, 2, 1) + joined("add", 1, 1, 2));
  EXPECT_NE(circle.windows.at(0).unsupported.find("cycle"), std::string::npos)
      << circle.windows.at(0).unsupported;
  EXPECT_EQ(read(joined("add", 8, 9, 1)).windows.at(0).unsupported,
            "it uses window 8, which the file does not define");
  // Each contains the previous one twice: 2^n windows.
  std::string tree = text_of({.filter = kKernels}, 1);
  for (int id = 2; id < 200; ++id) tree += joined("add", id - 1, id - 1, id);
  const auto metrics = read(tree);
  EXPECT_EQ(metrics.windows.at(1).unsupported, "");
  EXPECT_NE(metrics.windows.back().unsupported, "");
}

TEST(Cfg, BadFilesAreRefusedWithTheLine) {
  const auto place = [](const std::string& text) {
    const auto read = metrics_of_cfg(text);
    EXPECT_FALSE(read);
    EXPECT_EQ(read ? ErrorKind::Internal : read.error().kind, ErrorKind::BadInput);
    return read ? std::string() : read.error().place;
  };
  EXPECT_EQ(place(""), "");
  EXPECT_EQ(place("<html>\n"), "");
  EXPECT_EQ(place("< NEW DISPLAYING WINDOW w >\nwindow_id x\n"), "line 2");
  EXPECT_EQ(place("< NEW DISPLAYING WINDOW w >\n\nwindow_filter_module evt_type 99999999999 1\n"), "line 3");
  EXPECT_EQ(place("< NEW DISPLAYING WINDOW w >\nwindow_semantic_module topcompose1 Mod { 1, { 5 1.0 } }\n"),
            "line 2");
  EXPECT_EQ(place("< NEW DISPLAYING WINDOW w >\nwindow_filter_module evt_type_label 1 \"open\n"), "line 2");
  for (const char* parameters :
       {"In State { 99999999999, { 1 1", "In State { 1, { 1 1 }", "In State { 1, { 1 1 } } }",
        "In State { 99999999999, { 1 1 } }", "In State { 1, { 1 1, 1 2 } }"})
    EXPECT_EQ(
        place(std::string("< NEW DISPLAYING WINDOW w >\nwindow_semantic_module thread ") + parameters + "\n"),
        "line 2")
        << parameters;
  EXPECT_EQ(
      place("< NEW DISPLAYING WINDOW w >\nwindow_selected_functions { 14, { {cpu, Active Thd}, {appl\n"),
      "line 2");
  EXPECT_EQ(place("< NEW DISPLAYING WINDOW w >\nwindow_filter_module evt_type 2 50000001\n"), "line 2");
  EXPECT_EQ(place(std::string(kMaxCfg + 1, '#')), "");
}

// For any bytes, the result is an error, or windows that are metrics or state why they are not.
TEST(Cfg, DamagedFilesEnd) {
  const auto whole =
      text_of({.top = "Select Range",
               .filter = kNccl,
               .more = "window_semantic_module topcompose1 Select Range { 2, { 1 3.0, 1 2.0 } }\n"}) +
      text_of({.filter = kKernels}, 2) + joined("product", 1, 2, 3);
  std::mt19937 random(7);
  const std::string bytes = "{}<>\",= 0123456789-e\n\0\xff"
                            "window_";
  int good = 0, bad = 0;
  for (int trial = 0; trial < 4'000; ++trial) {
    auto text = whole;
    for (int edit = 0; edit < 1 + trial % 8; ++edit) {
      const auto at = random() % text.size();
      switch (random() % 3) {
      case 0:
        text[at] = bytes[random() % bytes.size()];
        break;
      case 1:
        text.erase(at, random() % 40);
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), random() % 60));
      }
      if (text.empty()) text = " ";
    }
    const auto metrics = metrics_of_cfg(text);
    ++(metrics ? good : bad);
    if (!metrics) {
      EXPECT_FALSE(metrics.error().message.empty());
      continue;
    }
    for (const auto& window : metrics->windows) {
      EXPECT_NE(window.text.empty(), window.unsupported.empty());
      EXPECT_TRUE(window.text.empty() || parse(window.text)) << window.text;
    }
  }
  EXPECT_GT(good, 100);
  EXPECT_GT(bad, 100);
}
