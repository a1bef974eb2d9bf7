// From a brush to the picture of parallel coordinates: the engine's counts, the way over the wire and the density
// raster, at growing numbers of rows, 12 axes; and a table of thousands of columns.
//   jitterscope-bench-parallel [ROWS …] [--table FILE]

#include <QGuiApplication>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "app/decode.h"
#include "core/engine/operations.h"
#include "core/import/import.h"
#include "core/store/store.h"
#include "tests/bench/measure.h"
#include "tests/generator/bulk.h"
#include "tests/support/temporary_folder.h"
#include "views/parallel/parallel_painter.h"

using namespace jitterscope;
using namespace jitterscope::bench;
using nlohmann::json;

namespace {

constexpr int kBrushes = 9;

/// One engine and a view of the size that the window gives it.
class Desk {
public:
  explicit Desk(const std::string& store) : communicator_(local_communicator()) {
    columns_ = ask("open", {{"stores", {store}}}).document.at("columns").size();
    model_.setSize({1000, 340});
  }

  engine::Answer ask(const char* operation, const json& wanted) {
    auto answer = engine::run_operation(*engine::find_operation(operation), {workspace_, *communicator_, job_}, wanted);
    if (!answer) stop(answer.error());
    return std::move(*answer);
  }

  /// Asks, sends, decodes, draws. Returns the rows selected.
  std::uint64_t picture(const json& wanted) {
    auto arrived = engine::decode_answer(engine::encode(ask("parallel", wanted)));
    if (!arrived) stop(arrived.error());
    auto data = app::decode_parallel(*arrived);
    if (!data) stop(data.error());
    const auto selected = data->selectedRows;
    model_.setData(std::move(*data));
    const QImage image = views::parallel::renderDensity(model_, views::ViewStyle::light(), 1);
    return image.isNull() ? 0 : selected;
  }
  std::int64_t rows() const { return workspace_.session->launches(); }
  std::size_t columns() const { return columns_; }

private:
  std::unique_ptr<Communicator> communicator_;
  engine::Workspace workspace_;
  Job job_;
  views::ParallelModel model_;
  std::size_t columns_ = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void line(const char* what, double wall_s, double cpu_s, const std::string& note) {
  std::printf("  %-44s %10.1f ms wall %10.1f ms CPU   %s\n", what, wall_s * 1e3, cpu_s * 1e3, note.c_str());
}

void brushes(Desk& desk, const json& axes, const std::string& column, double low, double high) {
  std::vector<double> walls, cpus;
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (int i = 0; i < kBrushes; ++i) { // an edge that is dragged
    const double to = low + (high - low) * (i + 1) / kBrushes;
    const json wanted = {{"axes", axes}, {"where", column + " between " + std::to_string(low) + " and " + std::to_string(to)}};
    std::uint64_t selected = 0;
    const Cost cost = cost_of([&] { selected = desk.picture(wanted); });
    walls.push_back(cost.wall_s), cpus.push_back(cost.cpu_s);
    least = std::min(least, selected), most = std::max(most, selected);
  }
  line(("brush on " + column + " to picture, median of 9").c_str(), median(walls), median(cpus),
       std::to_string(least) + " … " + std::to_string(most) + " rows selected; slowest " +
           std::to_string(static_cast<int>(*std::max_element(walls.begin(), walls.end()) * 1e3)) + " ms");
}

void run_rows(std::int64_t rows) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("bulk.jts");
  generator::BulkOptions options;
  options.launches = rows;
  if (auto made = generator::write_bulk_store(options, path); !made) stop(made.error());
  Desk desk(path);
  std::printf("%lld rows x 12 axes, %u processors\n", static_cast<long long>(desk.rows()), std::thread::hardware_concurrency());
  const json axes = {"start", "short_name", "grid_x", "grid_y", "blocks", "block_x", "registers", "dynamic_shared_memory",
                     "stream", "duration", "kernel_variability", "relative_variability"};
  const auto ranges = cost_of([&] { desk.ask("parallel", {{"axes", axes}, {"look_at", 1}}); });
  line("ranges of the axes (once a session)", ranges.wall_s, ranges.cpu_s, "");
  if (rows > 4'000'000) {
    const auto first = cost_of([&] { desk.picture({{"axes", axes}, {"look_at", 1'000'000}}); });
    line("first picture, of about a million rows", first.wall_s, first.cpu_s, "");
  }
  const auto whole = cost_of([&] { desk.picture({{"axes", axes}}); });
  line("whole picture, first time", whole.wall_s, whole.cpu_s, std::to_string(whole.cpu_s / static_cast<double>(rows) * 1e9) + " ns a row");
  const auto again = median_of(5, [&] { desk.picture({{"axes", axes}}); });
  line("whole picture again", again.wall_s, again.cpu_s, "");
  brushes(desk, axes, "duration", 0, 40'000);
  brushes(desk, axes, "kernel_variability", 0, 2'000);
}

void run_table(const std::string& file) {
  const test::TemporaryFolder folder;
  const auto path = folder.file("table.jts");
  auto data = import::import_files({file}, {});
  if (!data) stop(data.error());
  if (auto written = store::write_store(*data, path); !written) stop(written.error());
  Desk desk(path);
  json widest;
  const auto chosen = cost_of([&] { widest = desk.ask("widest_columns", {{"most", 12}}).document.at("columns"); });
  std::printf("%s: %lld rows, %zu columns\n", std::filesystem::path(file).filename().c_str(), static_cast<long long>(desk.rows()), desk.columns());
  line("12 columns of the greatest spread", chosen.wall_s, chosen.cpu_s, "");
  const auto whole = cost_of([&] { desk.picture({{"axes", widest}}); });
  line("their picture, first time", whole.wall_s, whole.cpu_s, "");
  const auto order = cost_of([&] { desk.ask("related_order", {{"axes", widest}}); });
  line("their order by correlation", order.wall_s, order.cpu_s, "");
  brushes(desk, widest, widest.at(0).get<std::string>(), 0, 1e12);
}

} // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QGuiApplication application(argc, argv);
  bool any = false;
  for (int i = 1; i < argc; ++i) {
    any = true;
    if (std::string(argv[i]) == "--table" && i + 1 < argc)
      run_table(argv[++i]);
    else
      run_rows(std::atoll(argv[i]));
  }
  if (!any)
    for (const std::int64_t rows : {100'000, 10'000'000}) run_rows(rows);
  return 0;
}
