// Drives engines of 2, 3 and 4 ranks with random operations, filters and cancels while ranks are held at
// random. Compares every answer with that of a single rank in this process without earlier requests.
// At the first wrong answer, unanswered request or dead engine, prints the request and ends with exit code 1.
//
// engine_hammer --engine=PATH --mpirun=PATH [--requests=N] [--seed=N] [--ranks=N] [--patience=SECONDS]

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/parallel.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/socket.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/messages/timeline_options.h"
#include "core/engine/operations/operations.h"
#include "core/engine/ranks/placement.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/generator/generator.h"
#include "tests/support/request_text.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::engine;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

[[noreturn]] void end_with(const std::string& what) {
  std::printf("FAILED: %s\n", what.c_str());
  std::fflush(stdout);
  throw std::runtime_error(what);
}

struct Settings {
  std::string engine, mpirun = "mpirun";
  int requests = 400, seed = 1, ranks = 0, patience_s = 120;
};

Settings settings_of(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = argument.substr(std::min(argument.find('=') + 1, argument.size()));
    if (argument.starts_with("--engine="))
      settings.engine = value;
    else if (argument.starts_with("--mpirun="))
      settings.mpirun = value;
    else if (argument.starts_with("--requests="))
      settings.requests = std::stoi(value);
    else if (argument.starts_with("--seed="))
      settings.seed = std::stoi(value);
    else if (argument.starts_with("--ranks="))
      settings.ranks = std::stoi(value);
    else if (argument.starts_with("--patience="))
      settings.patience_s = std::stoi(value);
    else
      end_with("unknown option " + argument);
  }
  return settings;
}

// The store of a generated trace with planted causes; with `counters`, five recorded columns are added.
std::string make_store(const test::TemporaryFolder& folder, std::uint64_t seed, bool counters) {
  generator::Options options;
  options.launches = 3'000;
  options.seed = seed;
  options.causes = {generator::Cause::Migration, generator::Cause::Stream};
  const auto name = folder.file("trace" + std::to_string(seed));
  if (!generator::generate(options, name + ".sqlite", {})) end_with("the generator failed");
  auto data = import::import_files({name + ".sqlite"}, {});
  if (!data) end_with(describe(data.error()));
  auto& launches = *data->find("launches");
  const auto durations = launches.get<std::int64_t>("duration");
  for (std::size_t c = 0; counters && c < 5; ++c) {
    std::vector<double> values;
    for (std::size_t i = 0; i < durations.size(); ++i)
      values.push_back(static_cast<double>(durations[i]) +
                       4'000.0 * static_cast<double>((c + 1) * (i * (7 + 2 * c) % 31)));
    launches.columns.insert(launches.columns.begin() + 4,
                            {"counter_" + std::to_string(c), "", "recorded", std::move(values)});
  }
  if (const auto written = store::write_store(*data, name + ".jts"); !written)
    end_with(describe(written.error()));
  return name + ".jts";
}

/// A random request from a small set, so that most of them repeat earlier ones.
class Requests {
public:
  explicit Requests(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t count) { return random_() % count; }
  bool one_in(std::size_t count) { return below(count) == 0; }

  Request next() {
    switch (below(21)) {
    case 0:
      return add_where(BinsOptions{.width_ns = pick<std::int64_t>({0, 1'000'000, 100'000}),
                                   .partial = one_in(2),
                                   .rows_per_partial = 500});
    case 1:
      return add_where(KernelsOptions());
    case 2:
      return add_where(DistributionOptions{
          .column = column(), .log = one_in(2), .group_by = one_in(2) ? "configuration" : ""});
    case 3:
      return add_where(
          LaunchesOptions{.sort = column(), .first = 10, .count = 50, .columns = {"name", "duration"}});
    case 4:
      return add_where(HeatMapOptions{.columns = 20, .rows = 10});
    case 5:
      return AreaOfSelectionOptions{.end_ns = 900'000'000'000, .where = filter()};
    case 6:
      return add_where(RowsNearOptions{
          .axes = {{.column = "duration", .edges = {0, 20'000, 50'000, 900'000}}}, .at = 0.3, .within = 0.1});
    case 7:
      return CausalOptions{.where = pick<const char*>({"", "duration > 10us"}),
                           .features = {"gap_ns", "stream"},
                           .bootstrap = 3};
    case 8:
      return evidence();
    case 9:
      return ContrastOptions{.where = pick<const char*>({"duration > 20us", "stream = 14"})};
    case 10:
      return ReasonsOptions{.moments = {{{0}, {1'000'000}}, {{5'000'000}, {9'000'000}}}};
    case 11:
      return quick();
    case 12:
      return one_in(2) ? Request(WidestColumnsOptions{.most = 3})
                       : Request(RelatedOrderOptions{.axes = axes()});
    case 13:
      return add_where(CompareOptions{.runs = {{.traces = {0}}, {.traces = {1}}}});
    default:
      return parallel();
    }
  }

private:
  template <class T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(below(values.size())));
  }
  std::string filter() {
    return pick<const char*>({"", "duration > 10us", "duration > 12us", "duration between 10us and 30us",
                              "stream = 14", "grid_x > 100", "gap_ns < 2000",
                              "not (stream = 14) or duration < 5us", "duration > gap_ns",
                              "kernel_variability > 0"});
  }
  std::string column() { return pick<const char*>({"duration", "gap_ns", "start", "kernel_variability"}); }
  template <class Options>
  Options add_where(Options options) {
    options.where = filter();
    if (one_in(6)) options.intervals = {{{0}, {40'000'000}}};
    return options;
  }
  std::vector<std::string> axes() {
    return pick<std::vector<std::string>>({{"duration", "gap_ns", "stream"},
                                           {"gap_ns", "duration", "blocks"},
                                           {"duration", "blocks", "queue_delay_ns", "start"},
                                           {"kernel_variability", "duration"},
                                           {"duration"}});
  }
  static EvidenceOptions evidence() {
    EvidenceOptions options;
    options.question =
        std::make_unique<CausalOptions>(CausalOptions{.target = "duration", .features = {"gap_ns"}});
    options.from = "gap_ns", options.to = "duration";
    return options;
  }
  ParallelOptions parallel() {
    ParallelOptions options{.where = filter()};
    if (one_in(3))
      options.most_axes = pick<std::int64_t>({3, 10, 14});
    else
      options.axes = axes();
    if (one_in(3)) options.within = pick<const char*>({"duration > 10us", "stream = 14", "grid_x > 100"});
    if (one_in(4))
      options.scales = {{.column = "duration", .scale = pick<const char*>({"rank", "log", "quantile"})}};
    if (one_in(5)) options.colour_by = "duration";
    if (one_in(5)) options.orders = {{.column = "stream", .order = "target"}}, options.target = "duration";
    if (one_in(5)) options.look_at = 4096;
    return options;
  }
  Request quick() {
    switch (below(9)) {
    case 0:
      return TracksOptions();
    case 1:
      return TimelineOptions{.where = filter(), .end_ns = 50'000'000, .columns = 200};
    case 2:
      return OverviewOptions{.columns = 100};
    case 3:
      return AreaOptions{.end_ns = 40'000'000};
    case 4:
      return StepOptions{.row = 7, .by = "kernel", .direction = 1};
    case 5:
      return LaunchOptions{.row = 11};
    case 6:
      return LaunchLinksOptions{.row = static_cast<std::int64_t>(below(40))};
    case 7:
      return EventOptions{.track = static_cast<std::uint32_t>(below(12)),
                          .row = static_cast<std::int64_t>(below(40))};
    default:
      return CheckFilterOptions{.where = "duration >"};
    }
  }

  std::mt19937 random_;
};

/// Answers of a single rank without earlier requests; each request runs once.
class Reference {
public:
  const Expected<Answer>& of(const std::vector<std::string>& stores, const Request& request) {
    const std::pair key{stores, encode(request)};
    const auto known = answers_.find(key);
    if (known != answers_.end()) return known->second;
    Workspace workspace;
    const auto communicator = local_communicator();
    const Job job;
    if (!run_operation({workspace, *communicator, job, {}}, OpenOptions{.stores = stores}))
      end_with("the reference cannot open the stores");
    return answers_.emplace(key, run_operation({workspace, *communicator, job, {}}, request)).first->second;
  }
  std::size_t size() const { return answers_.size(); }

private:
  std::map<std::pair<std::vector<std::string>, Bytes>, Expected<Answer>> answers_;
};

std::string document_of(const Answer& answer) {
  json document = answer.document;
  for (const char* of_the_engine : {"ranks", "engine_ranks", "threads_per_rank"})
    document.erase(of_the_engine);
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Empty if they are bit-identical. (NaN in arrays: compared as bytes.)
std::optional<std::string> difference(const Answer& a, const Answer& b) {
  if (document_of(a) != document_of(b))
    return "documents " + document_of(a).substr(0, 2'000) + "\n  and " + document_of(b).substr(0, 2'000);
  if (a.type != b.type || a.table != b.table)
    return "tables of the types \"" + a.type + "\" and \"" + b.type + '"';
  if (a.arrays.size() != b.arrays.size()) return "different numbers of arrays";
  Answer only_a, only_b;
  only_a.arrays = a.arrays, only_b.arrays = b.arrays;
  only_a.document = only_b.document = json::object();
  if (encode(only_a) != encode(only_b)) return "arrays";
  return {};
}

/// An engine started by mpirun in a process group of its own.
class Engine {
public:
  Engine(const Settings& settings, int ranks, const std::string& path) {
    ::unlink(path.c_str());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(listening, 1) != 0)
      end_with("no socket");
    const std::string socket = "--socket=" + path, count = std::to_string(ranks),
                      hold = std::to_string(settings.seed);
    process_ = ::fork();
    if (process_ == 0) {
      ::setpgid(0, 0);
      ::setenv("JITTERSCOPE_TEST_HOLD", hold.c_str(), 1);
      ::setenv("OMP_NUM_THREADS", "1", 1);
      ::execlp(settings.mpirun.c_str(), "mpirun", "-n", count.c_str(), "--oversubscribe", "--bind-to", "none",
               "--mca", "plm", "isolated", "--mca", "btl", "self,vader", "--mca", "pml", "ob1",
               settings.engine.c_str(), socket.c_str(), nullptr);
      ::_exit(127);
    }
    pollfd requested{listening, POLLIN, 0};
    if (::poll(&requested, 1, 60'000) > 0)
      socket_ = std::make_unique<Socket>(::accept(listening, nullptr, nullptr));
    ::close(listening);
    if (!socket_) end_with("the engine did not start");
  }
  ~Engine() {
    (void)socket_->send({FrameType::Quit, 0, {}});
    for (int i = 0; i < 100 && ::waitpid(process_, nullptr, WNOHANG) == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, WNOHANG);
  }
  Socket& socket() { return *socket_; }

private:
  pid_t process_ = 0;
  std::unique_ptr<Socket> socket_;
};

/// One engine under load.
class Hammer {
public:
  Hammer(const Settings& settings, int ranks, const test::TemporaryFolder& folder,
         std::vector<std::vector<std::string>> sessions, Reference& reference)
      : settings_(settings), ranks_(ranks), sessions_(std::move(sessions)), reference_(reference),
        random_(static_cast<unsigned>(settings.seed * 10 + ranks)),
        requests_(static_cast<unsigned>(settings.seed * 10 + ranks)),
        engine_(settings, ranks, folder.file("engine.sock")) {}

  void run(int requests) {
    open(false);
    for (int i = 0; i < requests; ++i) {
      while (!asked_.empty() && random_() % 2 == 0) wait_for_one();
      if (asked_.size() >= 3) wait_for_one();
      if (random_() % 60 == 0) {
        while (!asked_.empty()) wait_for_one();
        open(random_() % 2 == 0);
      }
      ask();
    }
    while (!asked_.empty()) wait_for_one();
    std::printf("%d ranks: %d requests, %d answers compared, %d cancelled, %d errors compared, slowest "
                "answer to a cancel %.0f ms\n",
                ranks_, requests, compared_, cancelled_, errors_, slowest_cancel_ms_);
    std::fflush(stdout);
  }

private:
  struct Asked {
    Request request;
    bool may_be_cancelled = false;
    std::optional<Clock::time_point> cancel_at;
    std::optional<Clock::time_point> cancel_sent;
  };

  [[noreturn]] void fail(const std::string& what, const Request& request) {
    end_with(std::to_string(ranks_) + " ranks, seed " + std::to_string(settings_.seed) + ", request " +
             std::to_string(number_) + ": " + what + "\n  " + request.operation + " " +
             test::text_of(request));
  }

  void send(Request request, bool cancel) {
    Asked asked;
    asked.request = std::move(request);
    if (cancel)
      asked.cancel_at =
          Clock::now() + std::chrono::microseconds(random_() % (random_() % 4 == 0 ? 200'000 : 15'000)),
      asked.may_be_cancelled = true;
    for (auto& [number, other] : asked_) // a newer request of the same operation replaces it
      if (other.request.operation == asked.request.operation) other.may_be_cancelled = true;
    if (!engine_.socket().send({FrameType::Request, ++number_, encode(asked.request)}))
      fail("the engine is gone", asked.request);
    asked_.emplace(number_, std::move(asked));
  }
  void ask() { send(requests_.next(), random_() % 5 < 2); }

  void open(bool cancel) {
    const auto next = random_() % sessions_.size();
    send(OpenOptions{.stores = sessions_[next]}, cancel);
    opening_ = next;
    while (!asked_.empty()) wait_for_one();
  }

  void wait_for_one() {
    const auto patience = Clock::now() + std::chrono::seconds(settings_.patience_s);
    for (;;) {
      for (auto& [number, asked] : asked_)
        if (asked.cancel_at && Clock::now() >= *asked.cancel_at) {
          (void)engine_.socket().send({FrameType::Cancel, number, {}});
          asked.cancel_at.reset(), asked.cancel_sent = Clock::now();
        }
      auto frame = engine_.socket().receive(1);
      if (!frame || engine_.socket().closed()) fail("the engine died", asked_.begin()->second.request);
      if (!*frame) {
        if (Clock::now() > patience)
          fail("no answer within " + std::to_string(settings_.patience_s) + " s",
               asked_.begin()->second.request);
        continue;
      }
      if ((*frame)->type != FrameType::Answer && (*frame)->type != FrameType::Failure) continue;
      const auto asked = asked_.extract((*frame)->request);
      if (asked) check(asked.mapped(), **frame);
      return;
    }
  }

  void check(const Asked& asked, const Frame& frame) {
    if (asked.cancel_sent)
      slowest_cancel_ms_ =
          std::max(slowest_cancel_ms_,
                   std::chrono::duration<double, std::milli>(Clock::now() - *asked.cancel_sent).count());
    if (frame.type == FrameType::Failure) {
      const auto error = decode_failure(frame.payload);
      if (!error) fail("an error that cannot be read", asked.request);
      if (error->kind == ErrorKind::Cancelled) {
        if (!asked.may_be_cancelled) fail("cancelled without being asked to", asked.request);
        ++cancelled_;
        return;
      }
      const auto& alone = reference_.of(sessions_[session_], asked.request);
      if (asked.request.is<OpenOptions>() || alone || describe(alone.error()) != describe(*error))
        fail("the error " + describe(*error), asked.request);
      ++errors_;
      return;
    }
    if (asked.request.is<OpenOptions>()) {
      session_ = opening_;
      return;
    }
    const auto answer = decode_answer(frame.payload);
    if (!answer) fail("an answer that cannot be read", asked.request);
    const auto& alone = reference_.of(sessions_[session_], asked.request);
    if (!alone) fail("an answer where one rank has the error " + describe(alone.error()), asked.request);
    if (const auto different = difference(*answer, *alone))
      fail("another answer than one rank: " + *different, asked.request);
    ++compared_;
  }

  const Settings& settings_;
  int ranks_;
  std::vector<std::vector<std::string>> sessions_;
  Reference& reference_;
  std::mt19937 random_;
  Requests requests_;
  Engine engine_;
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t number_ = 0;
  std::size_t session_ = 0, opening_ = 0;
  int compared_ = 0, cancelled_ = 0, errors_ = 0;
  double slowest_cancel_ms_ = 0;
};

int hammer(const Settings& settings) {
  const test::TemporaryFolder folder;
  use_threads(1);
  const auto with_counters = make_store(folder, 1, true), plain = make_store(folder, 2, false);
  Reference reference;
  const std::vector<int> all =
      settings.ranks > 0 ? std::vector<int>{settings.ranks} : std::vector<int>{2, 3, 4};
  for (const int ranks : all)
    Hammer(settings, ranks, folder, {{with_counters}, {plain, with_counters}}, reference)
        .run(settings.requests / static_cast<int>(all.size()));
  std::printf("%zu different questions\n", reference.size());
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return hammer(settings_of(argc, argv));
  } catch (const std::exception&) { // the result is printed, and the engine and the folder are removed
    return 1;
  }
}
