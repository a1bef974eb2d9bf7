#include "tests/views/sample_data.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace jitterscope::views::sample {

namespace {

const QStringList kNames = {"ampere_sgemm_128x64_tn",
                            "void at::native::vectorized_elementwise_kernel<4, AddFunctor<float>>",
                            "reset_d_changed",
                            "flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>",
                            "ncclDevKernel_AllReduce_Sum_f16_RING_LL",
                            "softmax_warp_forward",
                            "layer_norm_kernel",
                            "memcpy HtoD",
                            "memcpy DtoH",
                            "migration HtoD",
                            "cudaLaunchKernel",
                            "cudaMemcpyAsync",
                            "cudaStreamSynchronize",
                            "forward",
                            "backward",
                            "layer 12",
                            "attention",
                            "optimizer step"};

std::uint32_t hash(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  x ^= x >> 33;
  return static_cast<std::uint32_t>(x);
}

double noise(std::uint64_t x) {
  return hash(x) / 4294967296.0;
}

// Busy share of a track over time: phases of work with quiet gaps between them.
double activity(std::uint32_t track, double seconds) {
  const double phase = std::fmod(seconds + track * 0.7, 12.0);
  const double base = phase < 9.2 ? 0.72 + 0.2 * std::sin(seconds * 1.7 + track) : 0.06;
  return std::clamp(base + 0.12 * std::sin(seconds * 41 + track * 3), 0.0, 1.0);
}

TrackContent folded(const TimelineTrack& track, Interval window, int columns) {
  TrackContent content{track.id, {}, {}, {}, 0, 0};
  const double length = static_cast<double>(window.length().count);
  for (int level = 0; level < track.levels; ++level) {
    for (int c = 0; c < columns; ++c) {
      const double seconds = (static_cast<double>(window.begin.count) + length * (c + 0.5) / columns) * 1e-9;
      TimelineCell cell;
      double busy = activity(track.id, seconds);
      if (track.kind == TrackKind::Copies)
        busy = noise(static_cast<std::uint64_t>(seconds * 500)) > 0.8 ? 0.4 : 0;
      if (track.kind == TrackKind::Migrations)
        busy = noise(static_cast<std::uint64_t>(seconds * 90) + 7) > 0.97 ? 0.02 : 0;
      if (track.kind == TrackKind::Ranges || track.kind == TrackKind::Calls)
        busy = std::min(1.0, busy + 0.3 - 0.25 * level);
      cell.busy = static_cast<float>(std::max(0.0, busy));
      cell.count = busy > 0 ? 1 + hash(static_cast<std::uint64_t>(c) + track.id) % 90 : 0;
      const auto slot = static_cast<std::uint64_t>(seconds * 3.1) + track.id;
      const std::array<std::uint32_t, 6> mix = {0, 3, 0, 1, 4, 5};
      cell.nameId = mix[hash(slot) % mix.size()];
      if (track.kind == TrackKind::Copies) cell.nameId = 7 + hash(slot) % 2;
      if (track.kind == TrackKind::Migrations) cell.nameId = 9;
      if (track.kind == TrackKind::Calls) cell.nameId = 10 + hash(slot) % 3;
      if (track.kind == TrackKind::Ranges)
        cell.nameId = 13 + (hash(slot / 4) + static_cast<std::uint32_t>(level)) % 5;
      cell.selected = 1;
      content.cells.push_back(cell);
    }
  }
  return content;
}

TrackContent bars(const TimelineTrack& track, Interval window) {
  TrackContent content{track.id, {}, {}, {}, 0, 0};
  const std::int64_t step = track.kind == TrackKind::Calls ? 90'000 : 260'000;
  for (int level = 0; level < track.levels; ++level) {
    const std::int64_t unit = track.kind == TrackKind::Ranges ? step * 16 >> (2 * level) : step;
    for (std::int64_t k = window.begin.count / unit - 1; k * unit < window.end.count; ++k) {
      const auto key = static_cast<std::uint64_t>(k) * 31 + track.id * 7 + static_cast<std::uint64_t>(level);
      const double share = track.kind == TrackKind::Ranges ? 0.96 : 0.12 + 0.8 * noise(key);
      if (track.kind == TrackKind::Migrations && noise(key + 5) < 0.9) continue;
      if (track.kind == TrackKind::Copies && noise(key + 9) < 0.6) continue;
      TimelineBar bar;
      bar.begin = {k * unit};
      bar.end = {k * unit + static_cast<std::int64_t>(share * static_cast<double>(unit))};
      bar.level = level;
      bar.row = static_cast<std::uint64_t>(k) + track.id * 1'000'000ULL;
      bar.nameId = hash(key) % 7;
      if (track.kind == TrackKind::Copies) bar.nameId = 7 + hash(key) % 2;
      if (track.kind == TrackKind::Migrations) bar.nameId = 9;
      if (track.kind == TrackKind::Calls) bar.nameId = 10 + hash(key) % 3;
      if (track.kind == TrackKind::Ranges)
        bar.nameId = 13 + (hash(key) + static_cast<std::uint32_t>(level)) % 5;
      bar.dimmed = false;
      content.bars.push_back(bar);
    }
  }
  return content;
}

TrackContent counter(const TimelineTrack& track, Interval window, int columns) {
  TrackContent content{track.id, {}, {}, {}, 210, 1980};
  const double length = static_cast<double>(window.length().count);
  for (int c = 0; c < columns; ++c) {
    const double s = (static_cast<double>(window.begin.count) + length * c / columns) * 1e-9;
    const double mean =
        1400 + 420 * std::sin(s * 0.4) + 90 * std::sin(s * 13) - (std::fmod(s, 12.0) > 9.2 ? 800 : 0);
    const double spread = 40 + 130 * noise(static_cast<std::uint64_t>(s * 40));
    CounterColumn column;
    column.minimum = static_cast<float>(mean - spread);
    column.mean = static_cast<float>(mean);
    column.maximum = static_cast<float>(mean + spread);
    column.present = std::fmod(s, 40.0) > 1.0;
    content.counter.push_back(column);
  }
  return content;
}

bool filled(TrackKind kind) {
  return kind != TrackKind::Host && kind != TrackKind::Process;
}

} // namespace

QString nameOf(std::uint32_t id) {
  return id < static_cast<std::uint32_t>(kNames.size()) ? kNames[static_cast<int>(id)] : QString();
}

std::vector<TimelineTrack> tracks() {
  std::vector<TimelineTrack> t;
  const auto add = [&](int parent, TrackKind kind, const QString& label, int depth, int levels = 1,
                       const QString& unit = {}) {
    t.push_back({static_cast<std::uint32_t>(t.size() + 100), parent, kind, label, {}, depth, levels, unit});
    return static_cast<int>(t.size()) - 1;
  };
  const int host = add(-1, TrackKind::Host, "node017", 0);
  for (int rank = 0; rank < 2; ++rank) {
    const int process =
        add(host, TrackKind::Process, QString("rank %1 · train.py (pid 48%2)").arg(rank).arg(211 + rank), 1);
    const int thread = add(process, TrackKind::Ranges, "NVTX ranges, main thread", 2, 3);
    add(process, TrackKind::Calls, "CUDA calls, main thread", 2);
    const int device = add(process, TrackKind::Device, QString("GPU %1 · H100 SXM5 80 GB").arg(rank), 2);
    add(device, TrackKind::Stream, "stream 7", 3);
    add(device, TrackKind::Stream, "stream 13 (NCCL, high priority)", 3);
    add(device, TrackKind::Copies, "copies", 3);
    add(device, TrackKind::Migrations, "migrations", 3);
    add(device, TrackKind::Counter, "SM clock", 3, 1, "MHz");
    (void)thread;
  }
  return t;
}

TimelineOverview overview() {
  TimelineOverview o;
  o.span = kSpan;
  TimelineTrack device;
  device.id = 3;
  o.cells = folded(device, kSpan, 2000).cells;
  const BinsData ranked = bins();
  for (const BinRow& bin : ranked.bins) {
    if (bin.kept) o.bins.push_back({{bin.start, bin.start + ranked.width}, bin.index, true});
  }
  return o;
}

TimelineData timeline(Interval window, int columns) {
  TimelineData data;
  data.window = window;
  data.columns = columns;
  for (const TimelineTrack& track : tracks()) {
    if (!filled(track.kind)) continue;
    if (track.kind == TrackKind::Counter) {
      data.tracks.push_back(counter(track, window, columns));
    } else if (window.length().count > 40'000'000 || track.kind == TrackKind::Device) {
      data.tracks.push_back(folded(track, window, columns));
    } else {
      data.tracks.push_back(bars(track, window));
    }
  }
  return data;
}

static BinsData makeBins() {
  BinsData d;
  d.width = {77'681'000};
  d.span = kSpan;
  d.metric = "kernel variability";
  d.statistic = "sum";
  d.unit = "ns";
  d.top = "top 1 %";
  d.launches = 84'213;
  double total = 0;
  for (std::uint32_t b = 0; b < 2000; ++b) {
    BinRow bin;
    bin.index = b;
    bin.start = {static_cast<std::int64_t>(b) * d.width.count};
    const double u = noise(b * 977 + 5);
    bin.value = 9e3 + 4.2e4 * activity(3, static_cast<double>(bin.start.count) * 1e-9) * noise(b + 1) +
                (u > 0.985 ? 9e5 * (u - 0.98) * 40 : 0);
    bin.n = 20 + hash(b) % 60;
    total += bin.value;
    d.bins.push_back(bin);
  }
  std::stable_sort(d.bins.begin(), d.bins.end(),
                   [](const BinRow& a, const BinRow& b) { return a.value > b.value; });
  for (std::size_t i = 0; i < d.bins.size(); ++i) {
    BinRow& bin = d.bins[i];
    bin.share = bin.value / total;
    bin.kept = i < 20;
    bin.why = QString("%1 %2 % · max %3 µs · %4 launches")
                  .arg(nameOf(hash(bin.index) % 5 == 0 ? 0 : 2))
                  .arg(40 + hash(bin.index) % 58)
                  .arg(120 + hash(bin.index) % 460)
                  .arg(bin.n);
  }
  return d;
}

BinsData bins() {
  static const BinsData made = makeBins();
  return made;
}

CausalGraph causal() {
  CausalGraph g;
  g.target = "kernel variability of reset_d_changed";
  g.method = "BOSS, within configurations";
  g.n = 84'213;
  g.tierNames = QStringList{"environment", "launch configuration", "run-time context", "activity counters",
                            "duration",    "variability"};
  const auto node = [&](int id, const char* label, int tier, NodeRole role = NodeRole::Feature,
                        int members = 1) {
    g.nodes.push_back({id, label, tier, role, members, {}});
  };
  node(0, "device", 0);
  node(1, "grid size", 1, NodeRole::Family, 4);
  node(2, "migration", 2);
  node(3, "migrated bytes", 2, NodeRole::Family, 2);
  node(4, "gap before launch", 2);
  node(5, "SM clock", 2);
  node(6, "concurrent kernels", 2);
  node(7, "DRAM read", 3);
  node(8, "kernel variability", 5, NodeRole::Target);
  const auto edge = [&](int from, int to, int sign, double coefficient, double low, double high,
                        const char* unit, double stability, double percent, bool directed = true) {
    g.edges.push_back(
        {from, to, directed, sign, coefficient, low, high, unit, stability, percent, 84'213, {}});
  };
  edge(2, 8, 1, 21'300, 19'100, 23'900, "ns", 1.0, 62.1);
  edge(5, 8, -1, -14.2, -19.7, -9.1, "ns per MHz", 0.91, 14.3);
  edge(6, 8, 1, 310, 120, 520, "ns per kernel", 0.46, 3.4);
  edge(7, 8, 1, 88, 12, 170, "ns per GB/s", 0.83, 6.2);
  edge(0, 5, 1, 0.2, 0.1, 0.3, "", 0.97, -1);
  edge(1, 7, 1, 0.6, 0.5, 0.7, "", 0.99, -1);
  edge(2, 3, 1, 0.9, 0.88, 0.92, "", 1.0, -1);
  edge(4, 5, -1, -0.3, -0.4, -0.2, "", 0.42, -1);
  edge(6, 7, 0, 0.1, -0.05, 0.24, "", 0.61, -1, false);
  g.edges[0].sentence = "Each launch that overlaps a migration takes 21.3 µs longer on average.";
  g.contributions = {{"migration", 2, 62.1, 57.8, 66.0, 97.5, 91.0, 99.1, 1, false, true},
                     {"SM clock", 5, 14.3, 9.8, 18.9, 4.1, 1.2, 7.5, -1},
                     {"DRAM read", 7, 6.2, 2.1, 10.8, 1.0, 0, 2.4, 1},
                     {"concurrent kernels", 6, 3.4, 0.2, 7.9, 0.6, 0, 1.9, 1},
                     {"unexplained", -1, 14.0, 11.2, 17.1, -1, 0, 0, 0}};
  g.sentences =
      QStringList{"97.5 % (91–99 %) of the variability of reset_d_changed comes from unified-memory "
                  "migrations during the launch "
                  "(17 of 86 launches; each adds 21 µs on average).",
                  "A higher SM clock is associated with less variability: −14 ns per MHz (−20 … −9)."};
  g.warnings = {{"collinear-family",
                 "Four columns of the launch configuration say the same; they are shown as one node."},
                {"latent-possible", "Something not recorded here may act on both SM clock and duration."}};
  return g;
}

CausalGraph causalNothing() {
  CausalGraph g;
  g.nothingFound =
      "Nothing recorded here explains why these 86 launches vary. Record unified-memory events "
      "(--cuda-um-gpu-page-faults=true) and clocks (--gpu-metrics-device=all) and open the new trace.";
  return g;
}

namespace {

struct Row {
  std::array<double, 6> v{};
};

std::vector<Row> makeRows() {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(0, 1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Row> result;
  for (int i = 0; i < 84'213; ++i) {
    Row r;
    const bool migrated = uniform(random) < 0.04;
    r.v[0] = std::floor(uniform(random) * 4);                              // device
    r.v[1] = std::pow(2.0, std::floor(uniform(random) * 6)) * 64;          // blocks
    r.v[2] = std::clamp(1500 + 220 * normal(random), 600.0, 1980.0);       // clock
    r.v[3] = migrated ? 4096 * std::pow(2.0, 1 + 8 * uniform(random)) : 1; // bytes
    r.v[4] = std::exp(8 + 1.4 * normal(random));                           // gap
    r.v[5] = 3000 * (1 + 0.08 * std::abs(normal(random))) * (1700 / r.v[2]) * (r.v[1] / 512 + 0.6) +
             (migrated ? 21'000 + 30 * std::sqrt(r.v[3]) * 40 : 0);
    result.push_back(r);
  }
  return result;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> made = makeRows();
  return made;
}

ParallelData histograms(bool selection) {
  ParallelData d;
  const auto& all = rows();
  d.axes = {
      {"device", "device", "", 0, 3, AxisScale::Linear, {"GPU 0", "GPU 1", "GPU 2", "GPU 3"}, 0, {}, {}},
      {"blocks", "blocks", "", 64, 2048, AxisScale::Log, {}, 0, {}, {}},
      {"clock", "SM clock", "MHz", 600, 1980, AxisScale::Linear, {}, 0.07, {}, {}},
      {"bytes", "migrated bytes", "B", 1, 2'097'152, AxisScale::Log, {}, 0, {}, {}},
      {"gap", "gap before launch", "ns", 10, 1'000'000, AxisScale::Log, {}, 0, {}, {}},
      {"duration", "duration", "ns", 1'000, 100'000, AxisScale::Log, {}, 0, {}, {}}};
  const auto binsOf = [](const ParallelAxis& a) {
    return a.categories.isEmpty() ? 64 : static_cast<int>(a.categories.size());
  };
  const auto binOf = [&](const ParallelAxis& a, double v) {
    double t = 0;
    if (!a.categories.isEmpty()) return static_cast<int>(v);
    t = a.scale == AxisScale::Log ? std::log(v / a.minimum) / std::log(a.maximum / a.minimum)
                                  : (v - a.minimum) / (a.maximum - a.minimum);
    return std::clamp(static_cast<int>(t * 64), 0, 63);
  };
  for (std::size_t a = 0; a + 1 < d.axes.size(); ++a) {
    PairHistogram p;
    p.left = d.axes[a].key;
    p.right = d.axes[a + 1].key;
    p.leftBins = binsOf(d.axes[a]);
    p.rightBins = binsOf(d.axes[a + 1]);
    p.all.assign(static_cast<std::size_t>(p.leftBins * p.rightBins), 0);
    p.selected = p.all;
    d.pairs.push_back(p);
  }
  for (ParallelAxis& axis : d.axes) {
    axis.all.assign(static_cast<std::size_t>(binsOf(axis)), 0);
    axis.selected = axis.all;
  }
  for (const Row& row : all) {
    const bool chosen = !selection || row.v[3] > 8192;
    d.selectedRows += chosen ? 1 : 0;
    for (std::size_t a = 0; a < d.axes.size(); ++a) {
      const int bin = binOf(d.axes[a], row.v[a]);
      ++d.axes[a].all[static_cast<std::size_t>(bin)];
      if (chosen) ++d.axes[a].selected[static_cast<std::size_t>(bin)];
      if (a + 1 == d.axes.size()) continue;
      PairHistogram& p = d.pairs[a];
      const auto at = static_cast<std::size_t>(bin * p.rightBins + binOf(d.axes[a + 1], row.v[a + 1]));
      ++p.all[at];
      if (chosen) ++p.selected[at];
    }
  }
  d.rows = all.size();
  return d;
}

} // namespace

ParallelData parallel() {
  static const ParallelData made = histograms(false);
  return made;
}

ParallelData parallelSelected() {
  static const ParallelData made = histograms(true);
  return made;
}

DistributionData distribution(bool logScale) {
  DistributionData d;
  d.title = "Duration of reset_d_changed";
  d.unit = "ns";
  d.logScale = logScale;
  std::vector<double> values;
  for (const Row& row : rows()) values.push_back(row.v[5]);
  std::sort(values.begin(), values.end());
  const double low = logScale ? 1'000 : 0;
  const double high = logScale ? 100'000 : 40'000;
  const int count = 80;
  for (int i = 0; i <= count; ++i) {
    const double t = static_cast<double>(i) / count;
    d.edges.push_back(logScale ? low * std::pow(high / low, t) : low + (high - low) * t);
  }
  d.all.assign(count, 0);
  d.selected.assign(count, 0);
  double sum = 0;
  for (const double v : values) {
    sum += v;
    const auto above = std::upper_bound(d.edges.begin(), d.edges.end(), v);
    const auto bin = std::clamp<std::ptrdiff_t>(above - d.edges.begin() - 1, 0, count - 1);
    ++d.all[static_cast<std::size_t>(bin)];
    if (v > 9000) {
      ++d.selected[static_cast<std::size_t>(bin)];
      ++d.selectedN;
    }
  }
  d.n = values.size();
  d.mean = sum / static_cast<double>(values.size());
  d.q1 = values[values.size() / 4];
  d.median = values[values.size() / 2];
  d.q3 = values[values.size() * 3 / 4];
  return d;
}

DistributionData distributionGrouped() {
  DistributionData d = distribution(true);
  d.std = 4'100.0;
  d.cv = 0.42;
  d.minimum = d.edges.front();
  d.maximum = d.edges.back();
  for (const double percent : {5.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9})
    d.percentiles.push_back({percent, 3'000 + 100 * percent});
  d.groupedBy = "stream";
  std::vector<std::uint64_t> half = d.all;
  std::uint64_t n = 0;
  for (auto& count : half) n += count /= 2;
  d.groups = {{"7", n, false, half, "stream = 7", 8'200.0},
              {"all others", d.n - n, true, d.all, {}, 9'400.0}};
  const int middle = static_cast<int>(d.all.size()) / 2;
  d.modes = {{middle / 2, 0, middle - 1, d.selectedN / 3},
             {middle, middle, static_cast<int>(d.all.size()) - 1, d.selectedN - d.selectedN / 3}};
  return d;
}

HeatMapData heatMap() {
  HeatMapData map;
  map.title = "Duration of reset_d_changed";
  map.unit = "ns";
  map.window = kSpan;
  map.columns = 120;
  const int rows = 40;
  for (int i = 0; i <= rows; ++i) map.edges.push_back(1'000 * std::pow(100.0, static_cast<double>(i) / rows));
  map.counts.assign(static_cast<std::size_t>(map.columns * rows), 0);
  std::mt19937 random(5);
  std::normal_distribution<double> typical(12, 2), slow(28, 2);
  for (int i = 0; i < 20'000; ++i) {
    const int column = i % map.columns;
    const bool late = column > 80 && i % 7 == 0;
    const int row = std::clamp(static_cast<int>(late ? slow(random) : typical(random)), 0, rows - 1);
    ++map.counts[static_cast<std::size_t>(row * map.columns + column)];
    ++map.n;
  }
  return map;
}

KernelsData kernels() {
  KernelsData d;
  d.range = "whole run";
  double total = 0;
  for (std::uint32_t id = 0; id < 7; ++id) {
    KernelRow r;
    r.id = id;
    r.name = nameOf(id);
    r.count = 500 + hash(id) % 30'000;
    r.mean = 2'400.0 + hash(id + 7) % 90'000;
    r.total = r.mean * static_cast<double>(r.count);
    r.cv = 0.02 + noise(id) * 1.7;
    r.p50 = r.mean * 0.93;
    r.p75 = r.mean * 1.08;
    r.p90 = r.mean * 1.3;
    r.p99 = r.mean * (1.8 + noise(id + 1));
    r.p999 = r.p99 * 1.9;
    r.maximum = r.p999 * (1.2 + 3 * noise(id + 3));
    r.variability = r.total * r.cv * 0.4;
    total += r.variability;
    d.rows.push_back(r);
  }
  KernelRow once;
  once.id = 17;
  once.name = nameOf(17);
  once.count = 1;
  once.total = once.mean = once.p50 = once.p75 = once.p90 = once.p99 = once.p999 = once.maximum = 41'200;
  once.cv = std::nan("");
  d.rows.push_back(once);
  for (KernelRow& r : d.rows) r.share = r.variability / total;
  return d;
}

namespace {

EvidenceScatter scatterOf(bool points) {
  EvidenceScatter s;
  s.x = {"bytes migrated", "B", 0, 1e6, 0};
  s.y = {"kernel variability", "ns", 0, 5e5, 1000};
  s.columns = 20;
  s.rows = 10;
  s.counts.assign(200, 0);
  for (int c = 0; c < 20; ++c)
    s.counts[static_cast<std::size_t>(c * 10 + c / 2)] = static_cast<std::uint32_t>(1 + c * c);
  if (points)
    for (int i = 0; i < 50; ++i) {
      s.pointX.push_back(i * 2e4);
      s.pointY.push_back(i * 1e4);
      s.pointRow.push_back(100 + i);
    }
  return s;
}

} // namespace

EvidenceData evidence(bool points) {
  EvidenceData data;
  data.cause = "unified-memory migration during the launch";
  data.effect = "kernel variability";
  data.held = "gap before the launch";
  data.compared = "launches compared within their configuration";
  data.measured = scatterOf(points);
  data.partial = scatterOf(points);
  data.slope = 0.5;
  data.slopeLow = 0.4;
  data.slopeHigh = 0.6;
  for (int i = 0; i <= 20; ++i) {
    data.lineX.push_back(i * 5e4);
    data.lineY.push_back(i * 2.5e4);
    data.lineLow.push_back(i * 2e4);
    data.lineHigh.push_back(i * 3e4);
  }
  data.curveX = {0, 5e5, 1e6};
  data.curveY = {0, 1e5, 4e5};
  data.event = true;
  data.histogramAxis = data.measured.y;
  for (int i = 0; i <= 10; ++i)
    data.edges.push_back(data.histogramAxis.valueAt(data.histogramAxis.scaled(5e5) * i / 10));
  data.with = {0, 0, 0, 0, 0, 0, 4, 8, 8, 4};
  data.without = {400, 300, 200, 50, 20, 6, 0, 0, 0, 0};
  data.n = 1000;
  data.nWith = 24;
  data.medianWith = 88e3;
  data.medianWithout = 400;
  return data;
}

} // namespace jitterscope::views::sample
