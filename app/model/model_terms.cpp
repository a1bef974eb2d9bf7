#include "app/model/model_terms.h"

#include <cmath>

#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {

double number(const nlohmann::json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

namespace {

using views::Text;

using nlohmann::json;
using views::ModelTerm;

/// About four significant digits, with thousands separators; "–" if unknown.
QString plain(double value) {
  if (!std::isfinite(value)) return QStringLiteral("–");
  if (value == std::floor(value) && std::abs(value) < 1e15) return views::formatFixed(value, 0);
  const double size = std::abs(value);
  if (size >= 1e6) return views::formatFixed(value, 0);
  return views::formatFixed(value, size >= 1'000  ? 0
                                   : size >= 100  ? 1
                                   : size >= 10   ? 2
                                   : size >= 0.01 ? 3
                                                  : 6);
}

QString cycles(double value) {
  return Text::tr("%1 cycles").arg(plain(value));
}

/// Inputs of a term from a kernel's document, as recorded or for the what-if question.
struct Source {
  const json &inputs, &terms, &gpu;
  const json* level_of_gpu(const std::string& name) const {
    for (const auto& level : gpu.at("levels"))
      if (level.at("name") == name) return &level;
    return nullptr;
  }
  double in(const char* name) const { return number(inputs.at(name)); }
  double term(const char* name) const { return number(terms.at(name)); }
};

class Terms {
public:
  void group(const QString& name) {
    ModelTerm term;
    term.name = name, term.heading = true;
    list_.push_back(term);
  }
  void add(const QString& name, const QString& value, const QString& formula) {
    list_.push_back({name, value, formula, {}, false});
  }
  std::vector<ModelTerm> take() { return std::move(list_); }

private:
  std::vector<ModelTerm> list_;
};

/// How an input is computed from counters; empty if counters do not contain it.
QString origin(const char* input, bool ncu) {
  const std::string name = input;
  const auto either = [&](const QString& nvidia, const QString& amd) { return ncu ? nvidia : amd; };
  if (name == "memory_instructions")
    return either(Text::tr("requests of global and local loads and stores to L1, divided by warps"),
                  "SQ_INSTS_VMEM / SQ_WAVES");
  if (name == "compute_instructions")
    return either(Text::tr("(smsp__inst_executed.sum − memory instructions), divided by warps"),
                  "(SQ_INSTS − SQ_INSTS_VMEM) / SQ_WAVES");
  if (name == "transactions")
    return either(Text::tr("sectors / requests"), "TCP_TOTAL_CACHE_ACCESSES / SQ_INSTS_VMEM");
  if (name == "L1")
    return either(Text::tr("hits of global loads / all sectors; stores count as misses"),
                  Text::tr("1 − requests to L2 / TCP_TOTAL_CACHE_ACCESSES"));
  if (name == "L2")
    return either(Text::tr("lts__t_sectors_srcunit_tex_lookup_hit / lts__t_sectors_srcunit_tex, else "
                           "lts__t_sector_hit_rate"),
                  "TCC_HIT / (TCC_HIT + TCC_MISS)");
  return {};
}

void add_inputs(Terms& out, const Source& s, bool ncu) {
  out.group(Text::tr("Inputs of a launch"));
  out.add(Text::tr("Blocks"), plain(s.in("blocks")), Text::tr("product of the grid dimensions"));
  out.add(Text::tr("Threads per block"), plain(s.in("threads_per_block")),
          Text::tr("product of the block dimensions"));
  out.add(
      Text::tr("Resident blocks"), plain(s.in("resident_blocks")),
      Text::tr(
          "per multiprocessor: the smallest of the limits by warps, blocks, registers and shared memory"));
  out.add(QStringLiteral("M"), plain(s.in("memory_instructions")),
          Text::tr("memory instructions of a warp: ") + origin("memory_instructions", ncu));
  out.add(QStringLiteral("Comp"), plain(s.in("compute_instructions")),
          Text::tr("other instructions of a warp: ") + origin("compute_instructions", ncu));
  out.add(QStringLiteral("s"), plain(s.in("transactions")),
          Text::tr("transactions of a memory instruction: ") + origin("transactions", ncu));
  const auto& rates = s.inputs.at("hit_rates");
  for (std::size_t l = 0; l < rates.size() && l < s.gpu.at("levels").size(); ++l) {
    const auto level = s.gpu.at("levels")[l].at("name").get<std::string>();
    out.add(QStringLiteral("h ") + QString::fromStdString(level), plain(number(rates[l])),
            Text::tr("hit rate of the transactions arriving at the level: ") + origin(level.c_str(), ncu));
  }
  if (s.in("synchronisations") > 0)
    out.add(QStringLiteral("Synch"), plain(s.in("synchronisations")), Text::tr("barriers of a warp"));
  if (s.in("tma_bytes") > 0)
    out.add(Text::tr("TMA bytes"), views::formatValue(s.in("tma_bytes"), "B"),
            Text::tr("they occupy L2 and DRAM; warps do not wait for them"));
  if (s.in("tensor_share") > 0)
    out.add(Text::tr("Matrix instructions"), views::formatPercent(s.in("tensor_share")),
            Text::tr("share of all instructions"));
  if (s.in("dram_bytes") >= 0)
    out.add(
        Text::tr("DRAM bytes"), views::formatValue(s.in("dram_bytes"), "B"),
        Text::tr("bytes read and written, from counters; used instead of the bytes computed from hit rates"));
  if (s.in("data_path_cycles") >= 0)
    out.add(Text::tr("Data path"), cycles(s.in("data_path_cycles")),
            Text::tr("of L1 and shared memory for a warp: l1tex__data_pipe_lsu_wavefronts / warps"));
}

void add_gpu(Terms& out, const Source& s) {
  out.group(Text::tr("GPU: ") + QString::fromStdString(s.gpu.at("name").get<std::string>()));
  out.add(QStringLiteral("f"), views::formatValue(s.term("clock_hz"), "Hz"),
          Text::tr("clock: measured if a counter contains it, else that of the specification"));
  out.add(QStringLiteral("S"), plain(number(s.gpu.at("multiprocessors"))), Text::tr("multiprocessors"));
  const double warp = number(s.gpu.at("warp_size")), lanes = number(s.gpu.at("lanes"));
  out.add(Text::tr("Issue"),
          cycles(s.term("compute_cycles") / (s.in("compute_instructions") + s.term("memory_instructions"))),
          Text::tr("to issue an instruction of a warp: warp size / lanes = %1 / %2")
              .arg(plain(warp), plain(lanes)));
  for (const auto& level : s.gpu.at("levels"))
    out.add(Text::tr("L, B, q of ") + QString::fromStdString(level.at("name").get<std::string>()),
            cycles(number(level.at("latency_cycles"))),
            Text::tr("latency; bandwidth %1; transactions of %2")
                .arg(views::formatValue(number(level.at("bandwidth_bytes_per_second")), "B/s"),
                     views::formatValue(number(level.at("transaction_bytes")), "B")));
}

void add_memory(Terms& out, const Source& s) {
  out.group(Text::tr("Memory"));
  QStringList latency, occupied;
  const double transactions = s.in("transactions");
  for (const auto& level : s.terms.at("levels")) {
    const auto name = QString::fromStdString(level.at("name").get<std::string>());
    const double delay = number(level.at("delay_cycles"));
    const auto* of_gpu = s.level_of_gpu(level.at("name").get<std::string>());
    out.add(Text::tr("reach %1").arg(name), plain(number(level.at("reach"))),
            Text::tr("fraction of the transactions that arrive: that of the previous level · (1 − h)"));
    out.add(QStringLiteral("d ") + name, cycles(delay),
            name == QStringLiteral("L1") ? Text::tr("q · S / (B / clock of the specification)")
                                         : QStringLiteral("q · f · S / B"));
    latency << QStringLiteral("%1 · (%2 + %3 · %4)")
                   .arg(plain(number(level.at("slowest_at"))),
                        plain(of_gpu ? number(of_gpu->at("latency_cycles")) : NAN),
                        plain(std::max(transactions - 1, 0.0)), plain(delay));
    occupied << QStringLiteral("%1: %2").arg(name, plain(number(level.at("occupied_cycles"))));
  }
  out.add(QStringLiteral("Mem_L"), cycles(s.term("memory_latency_cycles")),
          QStringLiteral("Σ w · (L + (s − 1) · d) = ") + latency.join(QStringLiteral(" + ")));
  out.add(QStringLiteral("Departure_delay"), cycles(s.term("departure_delay_cycles")),
          Text::tr("largest s · reach · d; ") + occupied.join(QStringLiteral(", ")));
}

QString execution_formula(const Source& s) {
  const auto value = [&](const char* name) { return plain(s.term(name)); };
  if (s.terms.at("floor_active").get<bool>())
    return Text::tr("lower bound max(N · Comp_cycles, N · M · Departure_delay) · Rep");
  if (s.term("memory_instructions") == 0) return Text::tr("no memory instructions: N · Comp_cycles · Rep");
  switch (s.terms.at("case").get<int>()) {
  case 1:
    return Text::tr("case 1, too few warps: (Mem_cycles + Comp_cycles + Comp_cycles / M · (MWP − 1)) · "
                    "Rep = (%1 + %2 + %2 / %3 · %4) · %5")
        .arg(value("memory_cycles"), value("compute_cycles"), value("memory_instructions"),
             plain(s.term("mwp") - 1), value("repetitions"));
  case 2:
    return Text::tr("case 2, bound by memory: (Mem_cycles · N / MWP + Comp_cycles / M · (MWP − 1)) · Rep "
                    "= (%1 · %2 / %3 + %4 / %5 · %6) · %7")
        .arg(value("memory_cycles"), value("warps"), value("mwp"), value("compute_cycles"),
             value("memory_instructions"), plain(s.term("mwp") - 1), value("repetitions"));
  default:
    return Text::tr("case 3, bound by computation: (Mem_L + Comp_cycles · N) · Rep = (%1 + %2 · %3) · %4")
        .arg(value("memory_latency_cycles"), value("compute_cycles"), value("warps"), value("repetitions"));
  }
}

void add_time(Terms& out, const Source& s) {
  const auto value = [&](const char* name) { return plain(s.term(name)); };
  out.group(Text::tr("Warps and time"));
  out.add(QStringLiteral("N"), value("warps"),
          Text::tr("resident warps of a multiprocessor: resident blocks · ceil(threads per block / "
                   "warp size) = %1 · %2")
              .arg(value("active_blocks"),
                   plain(std::ceil(s.in("threads_per_block") / number(s.gpu.at("warp_size"))))));
  out.add(QStringLiteral("Rep"), value("repetitions"),
          Text::tr("waves of blocks on the GPU: Blocks / (resident blocks · min(S, Blocks)) = %1 / (%2 · %3)")
              .arg(plain(s.in("blocks")), value("active_blocks"),
                   plain(std::min(number(s.gpu.at("multiprocessors")), s.in("blocks")))));
  out.add(QStringLiteral("Mem_cycles"), value("memory_cycles"),
          Text::tr("M · Mem_L = %1 · %2").arg(value("memory_instructions"), value("memory_latency_cycles")));
  out.add(QStringLiteral("Comp_cycles"), value("compute_cycles"),
          s.term("pipe_cycles") > 0
              ? Text::tr("max(Issue · (Comp + M), cycles of the busiest other pipe = %1)")
                    .arg(value("pipe_cycles"))
              : Text::tr("Issue · (Comp + M)"));
  out.add(
      QStringLiteral("MWP"), value("mwp"),
      Text::tr("max(1, min(Mem_L / Departure_delay, N)) = max(1, min(%1, %2))")
          .arg(plain(s.term("memory_latency_cycles") / s.term("departure_delay_cycles")), value("warps")));
  out.add(QStringLiteral("CWP"), value("cwp"),
          Text::tr("min((Mem_cycles + Comp_cycles) / Comp_cycles, N) = min(%1, %2)")
              .arg(value("cwp_full"), value("warps")));
  out.add(QStringLiteral("Exec"), cycles(s.term("execution_cycles")), execution_formula(s));
  if (s.term("synchronisation_cycles") > 0)
    out.add(QStringLiteral("Synch_cost"), cycles(s.term("synchronisation_cycles")),
            Text::tr("Departure_delay · (MWP − 1) · Synch · resident blocks · Rep"));
  out.add(
      Text::tr("Analytical time"), views::formatValue(1e9 * s.term("seconds"), "ns"),
      s.term("launch_seconds") > 0 || s.term("dispatch_cycles") > 0
          ? Text::tr(
                "max(Exec + Synch_cost, Blocks / blocks started per cycle = %1) / f + launch = %2 / %3 + %4")
                .arg(value("dispatch_cycles"), value("cycles"), views::formatValue(s.term("clock_hz"), "Hz"),
                     views::formatValue(1e9 * s.term("launch_seconds"), "ns"))
          : Text::tr("(Exec + Synch_cost) / f = %1 / %2")
                .arg(value("cycles"), views::formatValue(s.term("clock_hz"), "Hz")));
}

void add_bytes(Terms& out, const Source& s) {
  out.group(Text::tr("Bytes that arrive at each level"));
  const bool counted = number(s.terms.at("dram_bytes_counted")) >= 0;
  const auto& levels = s.terms.at("levels");
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const bool replaced = counted && l + 1 == levels.size();
    out.add(QString::fromStdString(levels[l].at("name").get<std::string>()),
            views::formatValue(number(levels[l].at("bytes")), "B"),
            replaced ? Text::tr("bytes read and written, from counters; %1 computed from hit rates")
                           .arg(views::formatValue(s.term("dram_bytes_by_hit_rates"), "B"))
                     : Text::tr("M · s · reach · q · warps of the launch"));
  }
}

/// All terms except the group "Prediction".
std::vector<ModelTerm> analytical_terms(const Source& s, bool ncu) {
  Terms out;
  add_inputs(out, s, ncu);
  add_gpu(out, s);
  add_memory(out, s);
  add_time(out, s);
  add_bytes(out, s);
  return out.take();
}

/// Adds the previous values of terms with the same name.
void add_before(std::vector<ModelTerm>& terms, const std::vector<ModelTerm>& before) {
  for (auto& term : terms)
    for (const auto& old : before)
      if (!term.heading && !old.heading && old.name == term.name && old.value != term.value)
        term.before = old.value;
}

} // namespace

std::vector<ModelTerm> kernel_terms(const json& kernel, const json& gpu, const std::string& tool) {
  const bool ncu = tool == "ncu";
  const Source source{kernel.at("inputs"), kernel.at("terms"), gpu};
  auto terms = analytical_terms(source, ncu);
  if (kernel.contains("before")) {
    const auto& before = kernel.at("before");
    add_before(terms, analytical_terms({before.at("inputs"), before.at("terms"),
                                        before.contains("gpu") ? before.at("gpu") : gpu},
                                       ncu));
  }
  Terms last;
  const double analytical = number(kernel.at("analytical_ns")), predicted = number(kernel.at("predicted_ns"));
  last.group(Text::tr("Prediction"));
  last.add(Text::tr("Analytical"), views::formatValue(analytical, "ns"),
           Text::tr("mean over %1 launches").arg(plain(number(kernel.at("launches")))));
  last.add(Text::tr("Correction"), plain(predicted / analytical),
           Text::tr("mean factor of the gradient-boosted trees; 1 where they are not applied"));
  last.add(Text::tr("Predicted"), views::formatValue(predicted, "ns"), Text::tr("analytical · correction"));
  last.add(Text::tr("Roofline"), views::formatValue(number(kernel.at("roofline_ns")), "ns"),
           Text::tr("for comparison: the longer of issuing all instructions and moving all bytes of DRAM"));
  for (auto& term : last.take()) terms.push_back(std::move(term));
  return terms;
}

} // namespace jitterscope::app
