// From a brush to the picture of parallel coordinates at growing numbers of rows, with 12 axes: the engine's
// counts, encoding, decoding, the density raster and painting. Also a table of thousands of columns.
//  jitterscope-bench-parallel [--folder FOLDER] [ROWS …] [--table FILE] [--columns COLUMNS]

#include <QApplication>
#include <QLineEdit>
#include <QPainter>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "app/engine/decode.h"
#include "app/session/paced_parallel.h"
#include "app/widgets/column_picker.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/operations/operations.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/bench/measure.h"
#include "tests/generator/bulk.h"
#include "tests/support/temporary_folder.h"
#include "views/parallel/parallel_painter.h"

using namespace jitterscope;
using namespace jitterscope::bench;
using nlohmann::json;

namespace {

constexpr int kBrushes = 101;
constexpr std::int64_t kSample = app::PacedParallel::kSample;

/// The steps from a request to pixels.
enum Stage { kEngine, kWire, kDecode, kRaster, kPaint, kStages };
struct Steps {
  Cost of[kStages];
  Cost sum() const {
    Cost all;
    for (const auto& each : of) all.wall_s += each.wall_s, all.cpu_s += each.cpu_s;
    return all;
  }
};

/// One engine and a view of the size that the window gives it.
class PictureScene {
public:
  explicit PictureScene(const std::string& store) : communicator_(local_communicator()) {
    info_ = ask(engine::OpenOptions{.stores = {store}}).document;
    model_.setSize({1000, 340});
  }

  engine::Answer ask(const engine::Request& request) {
    auto answer = engine::run_operation({workspace_, *communicator_, job_}, request);
    if (!answer) stop(answer.error());
    return std::move(*answer);
  }

  /// Requests, transfers, decodes and draws, as the window does.
  Steps picture(const engine::ParallelOptions& requested) {
    Steps steps;
    engine::Answer answer;
    steps.of[kEngine] = cost_of([&] { answer = ask(requested); });
    Expected<engine::Answer> arrived = failure(ErrorKind::Engine, "nothing arrived");
    steps.of[kWire] = cost_of([&] { arrived = engine::decode_answer(engine::encode(answer)); });
    if (!arrived) stop(arrived.error());
    steps.of[kDecode] = cost_of([&] {
      auto data = app::decode_parallel(*arrived);
      if (!data) stop(data.error());
      selected_ = data->selectedRows;
      rows_ = data->rows;
      model_.setData(std::move(*data));
    });
    QImage density;
    steps.of[kRaster] = cost_of(
        [&] { density = views::parallel::renderDensity(model_, views::ViewStyle::light(), 1, &ground_); });
    steps.of[kPaint] = cost_of([&] {
      QImage screen(1000, 340, QImage::Format_ARGB32_Premultiplied);
      QPainter painter(&screen);
      painter.fillRect(screen.rect(), Qt::white);
      painter.drawImage(model_.plotRect(), density);
      views::parallel::paintAxes(painter, model_, views::ViewStyle::light());
    });
    return steps;
  }
  const json& info() const { return info_; }
  std::uint64_t selected() const { return selected_; }
  std::uint64_t rows() const { return rows_; }

private:
  std::unique_ptr<Communicator> communicator_;
  engine::Workspace workspace_;
  Job job_;
  views::ParallelModel model_;
  views::parallel::DensityGround ground_;
  json info_;
  std::uint64_t selected_ = 0, rows_ = 0;
};

double at(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(static_cast<double>(values.size() - 1) * share)];
}

double resident_mb() { // memory of the process without the mapped store
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("RssAnon:", 0) == 0) return std::atof(line.c_str() + 8) / 1024;
  return 0;
}

void line(const std::string& what, Cost cost, const std::string& note = {}) {
  std::printf("  %-58s %9.1f ms wall %9.1f ms CPU   %s\n", what.c_str(), cost.wall_s * 1e3, cost.cpu_s * 1e3,
              note.c_str());
  std::fflush(stdout);
}

void picture(PictureScene& scene, const std::string& what, const engine::ParallelOptions& requested) {
  const Steps steps = scene.picture(requested);
  line(what, steps.sum(),
       std::to_string(scene.rows()) + " rows; engine " +
           std::to_string(static_cast<int>(steps.of[kEngine].wall_s * 1e3)) + " ms");
}

void table(const std::string& what, const std::vector<Steps>& all, std::uint64_t minimum,
           std::uint64_t maximum) {
  const auto part = [&](auto&& value, double share) {
    std::vector<double> values;
    for (const auto& steps : all) values.push_back(value(steps) * 1e3);
    return at(values, share);
  };
  std::printf("  %-44s median %6.1f, 99th %6.1f ms wall; %6.1f ms CPU;", what.c_str(),
              part([](const Steps& s) { return s.sum().wall_s; }, 0.5),
              part([](const Steps& s) { return s.sum().wall_s; }, 0.99),
              part([](const Steps& s) { return s.sum().cpu_s; }, 0.5));
  static constexpr const char* kNames[] = {"engine", "wire", "decode", "raster", "paint"};
  for (int stage = 0; stage < kStages; ++stage)
    std::printf(" %s %.1f", kNames[stage], part([&](const Steps& s) { return s.of[stage].wall_s; }, 0.5));
  std::printf("; %llu … %llu rows\n", static_cast<unsigned long long>(minimum),
              static_cast<unsigned long long>(maximum));
  std::fflush(stdout);
}

void brushes(PictureScene& scene, const std::string& what, const engine::ParallelOptions& question,
             const std::vector<std::string>& filters) {
  std::vector<Steps> all;
  std::uint64_t minimum = ~std::uint64_t{0}, maximum = 0;
  for (const auto& where : filters) {
    auto requested = question;
    requested.where = where;
    all.push_back(scene.picture(requested));
    minimum = std::min(minimum, scene.selected()), maximum = std::max(maximum, scene.selected());
  }
  table(what, all, minimum, maximum);
}

std::string between(const std::string& column, double low, double high) {
  return column + " between " + std::to_string(low) + " and " + std::to_string(high);
}

/// An upper edge that is dragged over the whole axis.
std::vector<std::string> dragged(const std::string& column, double low, double high,
                                 const std::string& also = {}) {
  std::vector<std::string> filters;
  for (int i = 1; i <= kBrushes; ++i)
    filters.push_back(between(column, low, low + (high - low) * i / kBrushes) + also);
  return filters;
}

/// Random ranges, independent of each other.
std::vector<std::string> jumping(const std::string& column, double low, double high, int count) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<std::string> filters;
  for (int i = 0; i < count; ++i) {
    const double a = low + (high - low) * share(random), b = low + (high - low) * share(random);
    filters.push_back(between(column, std::min(a, b), std::max(a, b)));
  }
  return filters;
}

void all_brushes(PictureScene& scene, const engine::ParallelOptions& question, int jumps) {
  brushes(scene, "an edge dragged on duration", question, dragged("duration", 0, 60'000));
  brushes(scene, "an edge dragged on kernel variability", question, dragged("kernel_variability", 0, 3'000));
  brushes(scene, "the same beside a brush on duration", question,
          dragged("kernel_variability", 0, 3'000, " and duration between 5000 and 30000"));
  brushes(scene, "brushes that jump on duration", question, jumping("duration", 0, 60'000, jumps));
}

void run_rows(std::int64_t rows, const std::string& folder) {
  const auto path = folder + "/bulk-" + std::to_string(rows) + ".jts";
  if (!std::filesystem::exists(path)) {
    generator::BulkOptions options;
    options.launches = rows;
    if (auto made = generator::write_bulk_store(options, path); !made) stop(made.error());
  }
  std::printf("%lld rows x 12 axes, %u processors\n", static_cast<long long>(rows),
              std::thread::hardware_concurrency());
  const engine::ParallelOptions question{.axes = {"start", "short_name", "grid_x", "grid_y", "blocks",
                                                  "block_x", "registers", "dynamic_shared_memory", "stream",
                                                  "duration", "kernel_variability", "relative_variability"}};
  auto sample = question;
  sample.look_at = kSample;
  {
    PictureScene warm(path); // loads the store's pages into the page cache
    warm.picture(question);
  }
  PictureScene scene(path);
  const double before = resident_mb();
  if (rows > app::PacedParallel::kManyNewRows)
    picture(scene, "opened: first picture, of about half a million rows", sample);
  picture(scene, rows > app::PacedParallel::kManyNewRows ? "then of all rows" : "opened: picture", question);
  picture(scene, "the same again", question);
  if (rows > app::PacedParallel::kManyRows) {
    std::printf("  first pictures, of about half a million rows:\n");
    all_brushes(scene, sample, kBrushes);
    std::printf("  of all rows:\n");
  }
  all_brushes(scene, question, rows > app::PacedParallel::kManyRows ? 15 : kBrushes);
  std::printf("  memory in addition to the store: %.0f MB, %.0f of it before the first picture\n",
              resident_mb(), before);
}

void run_table(const std::string& file, const std::string& folder) {
  const auto path = folder + "/table.jts";
  const auto imported = cost_of([&] {
    auto data = import::import_files({file}, {});
    if (!data) stop(data.error());
    if (auto written = store::write_store(*data, path); !written) stop(written.error());
  });
  std::unique_ptr<PictureScene> made;
  const auto opened = cost_of([&] { made = std::make_unique<PictureScene>(path); });
  PictureScene& scene = *made;
  const auto& columns = scene.info().at("columns");
  std::printf("%s: %lld rows, %zu columns\n", std::filesystem::path(file).filename().c_str(),
              scene.info().at("launches").at("count").get<long long>(), columns.size());
  line("imported once", imported);
  line("opened", opened);
  picture(scene, "first picture: 12 axes chosen and drawn", {.most_axes = 12});
  std::vector<app::PickerColumn> listed;
  for (const auto& column : columns)
    listed.push_back({QString::fromStdString(column.at("name").get<std::string>()),
                      QString::fromStdString(column.value("unit", std::string())),
                      QString::fromStdString(column.value("description", std::string()))});
  std::unique_ptr<app::ColumnPicker> picker;
  line("picker opened", cost_of([&] {
         picker = std::make_unique<app::ColumnPicker>(listed, QStringList(), nullptr);
         picker->show();
         QApplication::processEvents();
       }));
  std::vector<double> walls, cpus;
  for (const char* typed : {"a", "ab", "abc", "ab", "a", "d", "du", ""}) {
    const auto cost = cost_of([&] {
      picker->search()->setText(typed);
      QApplication::processEvents();
    });
    walls.push_back(cost.wall_s), cpus.push_back(cost.cpu_s);
  }
  line("a letter typed in its search, slowest of 8", {at(walls, 1), at(cpus, 1)});
  std::vector<std::string> widest;
  line("the 12 columns of the greatest spread", cost_of([&] {
         widest = engine::table_of<engine::answers::WidestColumnsAnswer>(
                      scene.ask(engine::WidestColumnsOptions{.most = 12}))
                      ->columns;
       }));
  picture(scene, "their picture", {.axes = widest});
  line("their order by correlation",
       cost_of([&] { scene.ask(engine::RelatedOrderOptions{.axes = widest}); }));
  const auto axis = engine::table_of<engine::answers::ParallelAnswer>(
                        scene.ask(engine::ParallelOptions{.axes = {widest.at(0)}}))
                        ->axes.at(0);
  brushes(scene, "an edge dragged on the widest", {.axes = widest},
          dragged(widest.at(0), axis.minimum, axis.maximum));
}

/// Three letters for each column: a file is recognised as a table only if its header and first row are within
/// 64 KiB. No n, because "nan" and "inf" are numbers.
std::string title_of(int column) {
  static constexpr char kLetters[] = "abcdefghijklmopqrstuvwxyz";
  return {kLetters[column / 625 % 25], kLetters[column / 25 % 25], kLetters[column % 25]};
}

/// A table like those of counters: 1,642 rows, some columns equal, some constant, some with gaps.
std::string make_table(int columns, const std::string& folder) {
  const auto path = folder + "/table-" + std::to_string(columns) + ".csv";
  std::ofstream out(path);
  out << "kernel,duration_ns";
  for (int c = 2; c < columns; ++c) out << "," << title_of(c);
  out << "\n";
  std::mt19937 random(11);
  std::lognormal_distribution<double> value(2, 1);
  for (int row = 0; row < 1'642; ++row) {
    const double shared = value(random);
    out << "kernel_" << row % 7 << "," << static_cast<int>(1'000 * shared);
    for (int c = 2; c < columns; ++c) {
      out << ",";
      if (c % 97 == 0)
        out << 8;
      else if (c % 31 != 0 || row % 5 != 4)
        out << std::min(99,
                        static_cast<int>(c % 3 == 0 ? shared * (c % 4 + 1) : value(random) * (c % 7 + 1)));
    }
    out << "\n";
  }
  return path;
}

} // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  const test::TemporaryFolder own;
  std::string folder = own.file("");
  double load[3] = {0, 0, 0};
  (void)getloadavg(load, 3);
  std::printf("load before: %.1f, %.1f, %.1f\n", load[0], load[1], load[2]);
  bool any = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--folder" && i + 1 < argc) {
      folder = argv[++i];
      continue;
    }
    any = true;
    if (argument == "--table" && i + 1 < argc)
      run_table(argv[++i], folder);
    else if (argument == "--columns" && i + 1 < argc)
      run_table(make_table(std::atoi(argv[++i]), folder), folder);
    else
      run_rows(std::atoll(argv[i]), folder);
  }
  if (!any) {
    for (const std::int64_t rows : {100'000, 10'000'000, 100'000'000}) run_rows(rows, folder);
    run_table(make_table(8'006, folder), folder);
  }
  return 0;
}
