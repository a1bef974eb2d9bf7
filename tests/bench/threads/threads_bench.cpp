// A run of many processes and threads, starting with its .prv: import, first picture of all threads, frames
// of zoom and scroll, efficiencies of dragged ranges. Elapsed and CPU time, next to a plain scan of the file.
//   jitterscope-generate paraver --processes 14000 --threads 8 --steps 150 -o run.prv
// QT_QPA_PLATFORM=offscreen jitterscope-bench-threads run.prv [STORE.jts [PICTURE.png]]
// An existing store is reused; with "import" instead of a picture, only the import is measured, by stage.

#include <QApplication>
#include <QWheelEvent>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string_view>

#include "app/engine/decode.h"
#include "app/session/questions.h"
#include "core/base/communicator.h"
#include "core/efficiency/efficiency.h"
#include "core/efficiency/metrics/evaluation.h"
#include "core/efficiency/metrics/sweep.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/timeline_options.h"
#include "core/engine/operations/operations.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/bench/measure.h"
#include "tests/support/temporary_folder.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::bench;
using nlohmann::json;

namespace {

constexpr QSize kSize{1600, 900};

void print(const char* what, const Cost& cost, double megabytes = 0) {
  std::printf("%-44s %10.1f ms  CPU %10.1f ms", what, 1e3 * cost.wall_s, 1e3 * cost.cpu_s);
  if (megabytes > 0)
    std::printf("  %7.1f MB/s, %7.1f MB a CPU second", megabytes / cost.wall_s, megabytes / cost.cpu_s);
  std::printf("\n");
  std::fflush(stdout);
}

/// Reads the file and finds the ends of its lines.
std::size_t scan(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<char> buffer(std::size_t{1} << 20);
  std::size_t lines = 0;
  while (const auto got = std::fread(buffer.data(), 1, buffer.size(), file.get()))
    for (const char *at = buffer.data(), *end = at + got; at < end; ++at, ++lines)
      if (at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at))); !at)
        break;
  return lines;
}

/// Prints the cost of each stage of a job when the next one is reported.
class Stages {
public:
  Job job() {
    Job job;
    job.progress = [this](std::int64_t, std::int64_t, const std::string& stage) { enter(stage); };
    return job;
  }
  void enter(const std::string& stage) {
    if (stage == stage_) return;
    const auto now = std::chrono::steady_clock::now();
    const double cpu = cpu_now();
    if (!stage_.empty())
      print(("  " + stage_).c_str(),
            {std::chrono::duration<double>(now - began_).count(), cpu - cpu_before_});
    began_ = now;
    cpu_before_ = cpu;
    stage_ = stage;
  }

private:
  std::string stage_;
  std::chrono::steady_clock::time_point began_;
  double cpu_before_ = 0;
};

void import_run(const std::string& path, const std::string& store) {
  Stages stages;
  stages.enter("start");
  auto data = import::import_files({path}, stages.job());
  if (!data) throw std::runtime_error(describe(data.error()));
  stages.enter("write");
  if (auto done = store::write_store(*data, store); !done) throw std::runtime_error(describe(done.error()));
  stages.enter("end");
}

/// Prints the cost of the slowest of several runs.
template <class Work>
void worst(const char* what, int times, Work&& work) {
  Cost maximum;
  for (int i = 0; i < times; ++i) {
    const auto cost = cost_of([&] { work(i); });
    if (cost.cpu_s > maximum.cpu_s) maximum = cost;
  }
  print(what, maximum);
}

class Pictures {
public:
  explicit Pictures(const std::string& store) : communicator_(local_communicator()) {
    const auto whole = cost_of([&] {
      print("  open", cost_of([&] { ask(engine::OpenOptions{.stores = {store}}); }));
      engine::Answer answer;
      print("  list of tracks", cost_of([&] { answer = ask(engine::TracksOptions()); }));
      print("  tracks in the window", cost_of([&] {
              auto tracks = app::decode_tracks(answer);
              std::printf("  %zu tracks\n", tracks->tracks.size());
              widget_.resize(kSize);
              QObject::connect(&widget_, &views::TimelineWidget::mergedRequested, &widget_,
                               [this](const views::MergedQuery& query) { query_ = query; });
              widget_.setTracks(std::move(tracks->tracks), tracks->span, tracks->axis);
            }));
      query_ = widget_.model().mergedQuery(1);
      print("  content of all tracks", cost_of([&] { content(); }));
      print("  frame", cost_of([&] { paint(); }));
    });
    print("first picture of all threads", whole);
  }

  void save(const QString& path) {
    auto query = widget_.model().mapQuery(1);
    if (!query.blocks.empty())
      widget_.setMap(*app::decode_merged(ask(app::merged_question(query, {})), query));
    widget_.grab().save(path);
  }

  void move() {
    worst("frame of a vertical zoom", 40,
          [&](int i) { wheel(i < 20 ? 120 : -120, Qt::ControlModifier | Qt::ShiftModifier); });
    worst("frame of a zoom in time", 40, [&](int i) { wheel(i < 20 ? 120 : -120, Qt::NoModifier); });
    for (int i = 0; i < 8; ++i) wheel(120, Qt::ControlModifier | Qt::ShiftModifier);
    worst("frame of a scroll", 40, [&](int i) { wheel(i < 20 ? -120 : 120, Qt::ControlModifier); });
    for (const double share : {1.0, 0.1, 0.01}) {
      const auto span = widget_.model().viewport.span();
      const auto length = static_cast<std::int64_t>(share * static_cast<double>(span.length().count));
      widget_.setWindow({span.begin, span.begin + Nanoseconds{length}});
      widget_.fitAllTracks();
      for (const auto merging : {views::Merging::Dominant, views::Merging::Mean, views::Merging::Maximum}) {
        auto heights = widget_.model().heights();
        heights.merging = merging;
        widget_.setHeights(heights);
        query_ = widget_.model().mergedQuery(1);
        const auto what = "content of all tracks, " + std::to_string(share).substr(0, 4) + " of the run, " +
                          views::word(merging).toStdString();
        print(what.c_str(), cost_of([&] { content(); }));
        worst("frame with new content", 1, [&](int) { paint(); });
      }
    }
  }

private:
  engine::Answer ask(const engine::Request& request) {
    auto answer = engine::run_operation({workspace_, *communicator_, job_}, request);
    if (!answer) throw std::runtime_error(describe(answer.error()));
    return std::move(*answer);
  }
  void content() { widget_.setMerged(*app::decode_merged(ask(app::merged_question(query_, {})), query_)); }
  void paint() { widget_.grab(); }
  void wheel(int delta, Qt::KeyboardModifiers modifiers) {
    const QPointF at(800, 450);
    QWheelEvent event(at, widget_.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(&widget_, &event);
    paint();
  }

  std::unique_ptr<Communicator> communicator_;
  engine::Workspace workspace_;
  Job job_;
  views::TimelineWidget widget_;
  views::MergedQuery query_;
};

void efficiencies(const std::string& store) {
  auto session = analysis::Session::open({store});
  if (!session) throw std::runtime_error(describe(session.error()));
  const auto alone = local_communicator();
  std::unique_ptr<efficiency::Activity> activity;
  print("efficiencies: prepared once", cost_of([&] {
          activity =
              std::make_unique<efficiency::Activity>(*efficiency::Activity::make(*session, *alone, {}));
        }));
  const auto span = session->span();
  std::mt19937_64 random(2);
  worst("efficiencies of a dragged range", 20, [&](int) {
    efficiency::Options options;
    const auto a = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span.length().count));
    const auto b = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span.length().count));
    options.range =
        Interval{span.begin + Nanoseconds{std::min(a, b)}, span.begin + Nanoseconds{std::max(a, b) + 1}};
    if (!efficiency::efficiencies(*activity, *session, options, *alone, {}))
      throw std::runtime_error("no answer");
  });
}

/// The shipped metric "useful" at the level of the application.
void metric(const std::string& store) {
  constexpr const char* kUseful = "let any_states = any(recorded(states) per application);"
                                  "if(any_states, active(states[running]), not active(mpi))";
  auto session = analysis::Session::open({store});
  if (!session) throw std::runtime_error(describe(session.error()));
  const auto alone = local_communicator();
  auto data = efficiency::metrics::Data::make(*session, {});
  auto definition = efficiency::metrics::parse(kUseful);
  if (!data || !definition) throw std::runtime_error("no metric");
  auto bound = efficiency::metrics::Bound::make(
      std::make_shared<const efficiency::metrics::Definition>(std::move(*definition)), *data, nullptr, {});
  if (!bound) throw std::runtime_error(describe(bound.error()));
  const efficiency::metrics::Question question{session->span(), efficiency::metrics::Level::Application, {}};
  print("metric over the whole run, 1,000 columns", cost_of([&] {
          if (!efficiency::metrics::columns(*bound, question, 1'000, *alone, {}))
            throw std::runtime_error("no answer");
        }));
}

} // namespace

int main(int argc, char** argv) {
  const QApplication application(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "jitterscope-bench-threads FILE.prv [STORE.jts]\n");
    return 1;
  }
  const std::string path = argv[1];
  const auto megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  std::size_t lines = 0;
  const auto scanned = cost_of([&] { lines = scan(path); });
  std::printf("%s: %.0f MB, %zu lines\n", path.c_str(), megabytes, lines);
  print("plain scan of the file", scanned, megabytes);
  const test::TemporaryFolder folder;
  std::string store = argc > 2 ? argv[2] : folder.file("run.jts");
  if (!std::filesystem::exists(store)) print("import", cost_of([&] { import_run(path, store); }), megabytes);
  if (argc > 3 && std::string_view(argv[3]) == "import") return 0;
  Pictures pictures(store);
  if (argc > 3) pictures.save(QString::fromLocal8Bit(argv[3]));
  pictures.move();
  efficiencies(store);
  metric(store);
  return 0;
}
