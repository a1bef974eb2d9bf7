#include "app/metrics/metric_library.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "core/base/output_file.h"
#include "core/base/similar_names.h"
#include "core/efficiency/metrics/syntax.h"

// Outside any namespace, because the resource macro declares a global function.
static void load_metrics_resource() {
  Q_INIT_RESOURCE(metrics);
}

namespace jitterscope::app {
namespace {

constexpr const char* kOrder[] = {"useful",
                                  "kernel",
                                  "active-kernels",
                                  "gpu-busy",
                                  "in-collective",
                                  "all-in-collective",
                                  "exposed-communication",
                                  "launch-queue-depth",
                                  "kernel-duration",
                                  "burst-duration",
                                  "counter-in-kernels",
                                  "counter-variability"};

/// Whether a timeline is made of records or counters of devices. Records of host threads in the same metric
/// suffice: `useful` also excludes calls of a GPU's runtime.
bool uses_gpu(const efficiency::metrics::Node& node) {
  using namespace efficiency::metrics;
  if (node.records && covers(Level::Device, level_of(node.records->source))) return true;
  if (node.op == Op::Counter || node.op == Op::NextCounter || node.op == Op::CounterToNext ||
      node.op == Op::CounterInterval)
    return covers(Level::Device, node.level);
  return std::ranges::any_of(node.children, [](const Node& child) { return uses_gpu(child); });
}

bool needs_gpu(const efficiency::metrics::Definition& definition) {
  return uses_gpu(definition.metric) ||
         std::ranges::any_of(definition.lets, [](const auto& let) { return uses_gpu(let); });
}

/// The first `longest` + 1 bytes of a file: a text of more than `longest` bytes is then rejected as too long.
Expected<std::string> text_of(const QString& path, std::size_t longest) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly))
    return failure(ErrorKind::BadInput, "the file cannot be read", QFile::encodeName(path).toStdString(), {},
                   file.errorString().toStdString());
  return file.read(static_cast<qint64>(longest) + 1).toStdString();
}

Expected<NamedMetric> read(const QString& path) {
  auto text = text_of(path, efficiency::metrics::kMaxText);
  if (!text) return forward(text.error());
  auto parsed = efficiency::metrics::parse(*text);
  if (!parsed) {
    auto error = parsed.error();
    error.file = QFile::encodeName(path).toStdString();
    error.kind = ErrorKind::BadInput;
    return forward(error);
  }
  const auto base = QFileInfo(path).completeBaseName();
  return NamedMetric{base, parsed->title.empty() ? base : QString::fromStdString(parsed->title),
                     QString::fromStdString(parsed->help), std::move(*text), needs_gpu(*parsed)};
}

} // namespace

const std::vector<NamedMetric>& shipped_metrics() {
  static const std::vector<NamedMetric> kAll = [] {
    load_metrics_resource();
    std::vector<NamedMetric> all;
    for (const char* name : kOrder)
      if (auto metric = read(QString(":/metrics/%1.metric").arg(name))) all.push_back(std::move(*metric));
    return all;
  }();
  return kAll;
}

Expected<NamedMetric> shipped_metric(const QString& name) {
  std::vector<std::string> known;
  std::string list;
  for (const auto& metric : shipped_metrics()) {
    if (metric.name == name || metric.title == name) return metric;
    known.push_back(metric.name.toStdString());
    list += (list.empty() ? "" : ", ") + known.back();
  }
  return failure(ErrorKind::BadUse, "there is no metric \"" + name.toStdString() + "\"", {}, "--metric",
                 did_you_mean(name.toStdString(), known, "Metrics: " + list + "."));
}

std::vector<NamedMetric> default_metrics(bool of_devices) {
  const std::vector<const char*> devices = {"gpu-busy", "active-kernels", "exposed-communication", "useful"},
                                 threads = {"useful", "burst-duration"};
  std::vector<NamedMetric> metrics;
  for (const char* name : of_devices ? devices : threads)
    if (auto metric = shipped_metric(name)) metrics.push_back(std::move(*metric));
  return metrics;
}

std::string new_metric(bool of_devices) {
  if (of_devices)
    return "title = \"New metric\";\nlevel = device;\nacross = mean;\n\nany(active(kernels) per device)\n";
  auto useful = shipped_metric("useful");
  if (!useful) return {};
  const auto title = useful->text.find("title = ");
  return useful->text.substr(0, title) + "title = \"New metric\"" +
         useful->text.substr(useful->text.find(';', title));
}

Expected<NamedMetric> metric_from_file(const QString& path) {
  return read(path);
}

Expected<efficiency::metrics::CfgMetrics> metrics_from_cfg(const QString& path) {
  auto text = text_of(path, efficiency::metrics::kMaxCfg);
  if (!text) return forward(text.error());
  auto metrics = efficiency::metrics::metrics_of_cfg(*text);
  if (!metrics) {
    auto error = metrics.error();
    error.file = QFile::encodeName(path).toStdString();
    return forward(error);
  }
  return metrics;
}

Expected<void> save_metric(const QString& path, const std::string& text) {
  return write_output(QFile::encodeName(path).toStdString(), text);
}

} // namespace jitterscope::app
