#include "app/model/model_answer.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "app/model/model_terms.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

QString text_of(const json& value) {
  return value.is_string() ? QString::fromStdString(value.get<std::string>()) : QString();
}

QString sentence(const QString& text) {
  return text.left(1).toUpper() + text.mid(1) + '.';
}

views::ModelDevice device_of(const json& gpu) {
  views::ModelDevice out;
  out.name = text_of(gpu.at("name")), out.source = text_of(gpu.at("source"));
  for (const auto& assumed : gpu.at("assumed")) out.assumed << text_of(assumed);
  for (const auto& level : gpu.at("levels")) {
    out.levels << text_of(level.at("name"));
    out.bandwidths.push_back(number(level.at("bandwidth_bytes_per_second")));
  }
  const double clock = number(gpu.at("clock_hz")), lanes = number(gpu.at("lanes")),
               count = number(gpu.at("multiprocessors"));
  if (lanes > 0) {
    // At most 4 warp instructions per cycle and multiprocessor.
    out.instructionRate = clock * count * std::min(lanes / number(gpu.at("warp_size")), 4.0);
    out.flopRate = 2 * clock * count * lanes;
  }
  return out;
}

views::ModelBound bound_of(const std::string& bottleneck) {
  if (bottleneck == "compute") return views::ModelBound::Compute;
  if (bottleneck == "latency") return views::ModelBound::Latency;
  if (bottleneck == "dispatch") return views::ModelBound::Dispatch;
  if (bottleneck == "L1") return views::ModelBound::L1;
  return bottleneck == "L2" ? views::ModelBound::L2 : views::ModelBound::Memory;
}

QString sides(const json& of) {
  QStringList parts;
  for (const auto& side : of) parts << QString::number(side.get<std::uint32_t>());
  while (parts.size() > 1 && parts.back() == "1") parts.removeLast();
  return parts.join(QStringLiteral(" × "));
}

views::ModelKernel kernel_of(const json& k, const json& document) {
  views::ModelKernel out;
  out.name = text_of(k.at("name"));
  out.configuration = QCoreApplication::translate("PerformanceModel", "grid %1, block %2")
                          .arg(sides(k.at("grid")), sides(k.at("block")));
  out.kernel = k.at("kernel").get<std::uint32_t>(), out.number = k.at("configuration").get<std::uint32_t>();
  out.launches = k.at("launches").get<std::int64_t>();
  out.measured = number(k.at("measured_ns")), out.analytical = number(k.at("analytical_ns")),
  out.predicted = number(k.at("predicted_ns"));
  out.bottleneck = text_of(k.at("bottleneck"));
  out.bound = bound_of(k.at("bottleneck").get<std::string>());
  out.mwp = number(k.at("mwp")), out.cwp = number(k.at("cwp")), out.warps = number(k.at("terms").at("warps"));
  out.extrapolated = k.at("extrapolated").get<bool>() || k.at("untrusted").get<bool>();
  out.instructions = number(k.at("instructions")), out.flops = number(k.at("flops"));
  for (const auto& level : k.at("terms").at("levels")) out.bytes.push_back(number(level.at("bytes")));
  const auto of_trace = document.at("gpu_of_trace").at(k.at("trace").get<std::size_t>()).get<std::size_t>();
  const bool other = !document.at("asked_gpu").is_null();
  out.device = other ? 0 : of_trace;
  auto shown = k;
  if (k.contains("before")) {
    out.before = number(k.at("before").at("analytical_ns"));
    shown["before"]["gpu"] = document.at("gpus").at(of_trace);
  }
  out.terms = kernel_terms(shown, other ? document.at("asked_gpu") : document.at("gpus").at(of_trace),
                           document.at("tool").get<std::string>());
  return out;
}

QString rounded(double value) {
  return std::isfinite(value) ? QString::number(value, 'g', 4) : QStringLiteral("–");
}

/// Terms of a message: α, rates and formula of its regime (resources/help/performance-model.md, Messages).
std::vector<views::ModelTerm> message_terms(const json& m, const json& mpi) {
  const auto& r = m.at("regime");
  const auto form = r.at("form").get<std::string>();
  const double alpha = number(r.at("alpha_us")), n = number(m.at("bytes")), k = number(m.at("concurrency"));
  std::vector<views::ModelTerm> terms;
  const auto add = [&](const QString& name, const QString& value, const QString& formula) {
    terms.push_back({name, value, formula, {}, false});
  };
  const auto us = [](double value) {
    return QCoreApplication::translate("PerformanceModel", "%1 µs").arg(rounded(value));
  };
  add("n", views::formatValue(n, "B"), QCoreApplication::translate("PerformanceModel", "mean size"));
  add("k", rounded(k),
      QCoreApplication::translate(
          "PerformanceModel", "mean number of messages of this class that leave the node at the same time"));
  add("p", rounded(number(mpi.at("ranks"))),
      QCoreApplication::translate("PerformanceModel", "ranks of the trace, on %1 nodes")
          .arg(rounded(number(mpi.at("nodes")))));
  add("α", us(alpha),
      QCoreApplication::translate("PerformanceModel",
                                  "start-up time of the protocol that messages of this size use"));
  if (m.at("pipelined").get<bool>()) {
    add(QCoreApplication::translate("PerformanceModel", "Non-blocking"),
        views::formatValue(number(m.at("analytical_ns")), "ns"),
        QCoreApplication::translate("PerformanceModel",
                                    "α + k · n / B: rate B of the bandwidth benchmark for k pairs"));
  } else if (form == "K-model") {
    add("R_Cb",
        QCoreApplication::translate("PerformanceModel", "%1 MB/s")
            .arg(rounded(number(r.at("rate_bytes_per_us")))),
        QCoreApplication::translate("PerformanceModel", "rate of one pair"));
    add("R_Ci",
        QCoreApplication::translate("PerformanceModel", "%1 MB/s")
            .arg(rounded(number(r.at("added_rate_bytes_per_us")))),
        QCoreApplication::translate("PerformanceModel", "added by each further pair"));
    add(QCoreApplication::translate("PerformanceModel", "Point-to-point"),
        us(alpha +
           k * n / (number(r.at("rate_bytes_per_us")) + (k - 1) * number(r.at("added_rate_bytes_per_us")))),
        QCoreApplication::translate("PerformanceModel", "α + k · n / (R_Cb + (k − 1) · R_Ci)"));
  } else {
    const double beta = number(r.at("beta_us_per_byte"));
    add("β", QCoreApplication::translate("PerformanceModel", "%1 µs/B").arg(rounded(beta)),
        QCoreApplication::translate("PerformanceModel", "time per byte"));
    const bool scaled = form == "K-model, short";
    add(QCoreApplication::translate("PerformanceModel", "Point-to-point"),
        us(alpha + (scaled ? k : 1) * beta * n),
        scaled ? QStringLiteral("α + k · β · n") : QStringLiteral("α + β · n"));
  }
  add(QCoreApplication::translate("PerformanceModel", "Analytical"),
      views::formatValue(number(m.at("analytical_ns")), "ns"),
      QCoreApplication::translate(
          "PerformanceModel",
          "mean; for collectives by their formula: all-reduce 2 (p − 1) α + 2 (p − 1)/p · n β, "
          "all-gather and reduce-scatter half of it, trees ceil(log2 p) (α + n β)"));
  add(QCoreApplication::translate("PerformanceModel", "Correction"),
      rounded(number(m.at("predicted_ns")) / number(m.at("analytical_ns"))),
      QCoreApplication::translate("PerformanceModel",
                                  "mean factor of the gradient-boosted trees; 1 where they are not applied"));
  add(QCoreApplication::translate("PerformanceModel", "Predicted"),
      views::formatValue(number(m.at("predicted_ns")), "ns"),
      QCoreApplication::translate("PerformanceModel", "analytical · correction"));
  const bool summed = mpi.at("summed").get<bool>();
  add(QCoreApplication::translate("PerformanceModel", "Measured"),
      views::formatValue(number(m.at("measured_ns")), "ns"),
      summed ? QCoreApplication::translate("PerformanceModel",
                                           "mean time of a call, including the time in which it waits")
             : QCoreApplication::translate(
                   "PerformanceModel",
                   "time from the moment when all sides are ready: the message is sent and the receiver "
                   "waits, or the last rank has begun the collective"));
  if (summed) return terms;
  add(QCoreApplication::translate("PerformanceModel", "Waiting before"),
      views::formatValue(number(m.at("waited_ns")), "ns"),
      QCoreApplication::translate("PerformanceModel",
                                  "for the other side, or for the last rank; not predicted"));
  return terms;
}

views::ModelMessage message_of(const json& m, const json& mpi) {
  views::ModelMessage out;
  out.operation = text_of(m.at("operation")), out.distance = text_of(m.at("distance"));
  out.count = m.at("count").get<std::int64_t>();
  out.bytes = number(m.at("bytes")), out.concurrency = number(m.at("concurrency"));
  out.measured = number(m.at("measured_ns")), out.analytical = number(m.at("analytical_ns")),
  out.predicted = number(m.at("predicted_ns"));
  out.extrapolated = m.at("extrapolated").get<bool>();
  out.terms = message_terms(m, mpi);
  return out;
}

/// Adds the MPI calls of the process by operation, the longest first. Calls that overlap other activities are
/// counted in full.
void add_calls(json calls, std::vector<views::ModelTerm>& terms) {
  if (calls.empty()) return;
  const auto total = [](const json& of) {
    return number(of.at("transfer_ns")) + number(of.at("waiting_ns"));
  };
  std::stable_sort(calls.begin(), calls.end(),
                   [&](const json& a, const json& b) { return total(a) > total(b); });
  const auto time = [](const json& of, const std::string& part) {
    return QCoreApplication::translate("PerformanceModel", "%1 (recorded %2)")
        .arg(views::formatValue(number(of.at(part + "_ns")), "ns"),
             views::formatValue(number(of.at(part + "_recorded_ns")), "ns"));
  };
  terms.push_back({QCoreApplication::translate("PerformanceModel", "MPI calls"), {}, {}, {}, true});
  for (const auto& of : calls)
    terms.push_back({text_of(of.at("operation")),
                     views::formatValue(total(of), "ns"),
                     QCoreApplication::translate("PerformanceModel", "%n call(s): transfer %1 + waiting %2",
                                                 nullptr, of.at("count").get<int>())
                         .arg(time(of, "transfer"), time(of, "waiting")),
                     {},
                     false});
}

views::ModelRun run_of(const json& run) {
  views::ModelRun out;
  out.title = text_of(run.at("title"));
  const char* parts[views::kRunParts] = {"kernels_ns",     "copies_ns",     "messages_ns",
                                         "computation_ns", "overlapped_ns", "other_ns"};
  for (std::size_t part = 0; part < views::kRunParts; ++part) out.parts[part] = number(run.at(parts[part]));
  out.terms.push_back({QCoreApplication::translate("PerformanceModel", "Time"),
                       views::formatValue(out.total(), "ns"),
                       QCoreApplication::translate("PerformanceModel", "of %1, which takes the longest")
                           .arg(text_of(run.at("process"))),
                       {},
                       false});
  for (const auto& term : run.at("terms")) {
    const double value = number(term.at("value"));
    const auto unit = text_of(term.at("unit"));
    out.terms.push_back({text_of(term.at("name")),
                         unit == "ns"  ? views::formatValue(value, unit)
                         : unit == "%" ? QStringLiteral("%1 %").arg(value, 0, 'f', 1)
                                       : rounded(value),
                         text_of(term.at("formula")),
                         {},
                         false});
  }
  add_calls(run.at("calls"), out.terms);
  return out;
}

QString errors(const json& v, const std::string& of) {
  return QCoreApplication::translate("PerformanceModel", "median %1 %, mean %2 %, 95th percentile %3 %")
      .arg(v.at(of + "_median_percent").get<double>(), 0, 'f', 1)
      .arg(v.at(of + "_mean_percent").get<double>(), 0, 'f', 1)
      .arg(v.at(of + "_p95_percent").get<double>(), 0, 'f', 1);
}

QString validation_text(const json& v, const QString& rows) {
  if (v.is_null()) return {};
  const QString n = views::formatCount(v.at("rows").get<std::uint64_t>());
  QString text = QCoreApplication::translate("PerformanceModel", "Error of %1 %2: analytical %3")
                     .arg(n, rows, errors(v, "analytical"));
  if (v.at("applied").get<bool>())
    text += QCoreApplication::translate("PerformanceModel", "; corrected %1 (%2-fold cross-validation, %3)")
                .arg(errors(v, "corrected"))
                .arg(v.at("folds").get<int>())
                .arg(text_of(v.at("split")));
  else
    text +=
        QCoreApplication::translate("PerformanceModel", "; not corrected: %1").arg(text_of(v.at("refusal")));
  text += '.';
  if (!v.contains("families") || !v.at("applied").get<bool>()) return text;
  if (const auto refused = v.at("families_refused").get<int>(); refused > 0)
    text += QCoreApplication::translate("PerformanceModel",
                                        " For %1 of %2 kernel families the correction is not better than the "
                                        "analytical model and is not applied.")
                .arg(refused)
                .arg(v.at("families").get<int>());
  if (v.at("family_folds").get<int>() > 1)
    text += QCoreApplication::translate(
                "PerformanceModel", " On families left out of training, the mean error is %1 % (analytical) "
                                    "and %2 % (corrected); kernels of families that are not in the training "
                                    "data are %3.")
                .arg(v.at("family_analytical_mean_percent").get<double>(), 0, 'f', 1)
                .arg(v.at("family_corrected_mean_percent").get<double>(), 0, 'f', 1)
                .arg(v.at("carries_over").get<bool>()
                         ? QCoreApplication::translate("PerformanceModel", "corrected")
                         : QCoreApplication::translate("PerformanceModel", "not corrected"));
  return text;
}

void add_messages_and_runs(const json& document, views::ModelData& data) {
  if (const auto& mpi = document.at("mpi"); !mpi.is_null()) {
    for (const auto& m : mpi.at("messages")) data.messages.push_back(message_of(m, mpi));
    data.messageValidation =
        validation_text(mpi.at("validation"), QCoreApplication::translate("PerformanceModel", "messages"));
    data.messageNotes
        << QCoreApplication::translate("PerformanceModel", "Network: %1.").arg(text_of(mpi.at("model")));
    if (!mpi.at("measured_network").get<bool>())
      data.messageNotes << QCoreApplication::translate(
          "PerformanceModel", "To use measurements of this machine's network, open the output of its OSU "
                              "micro-benchmarks together with the trace.");
    for (const auto& assumption : mpi.at("assumptions")) data.messageNotes << text_of(assumption);
    if (const auto left = mpi.at("unknown_bytes").get<std::uint64_t>(); left > 0)
      data.messageNotes << QCoreApplication::translate("PerformanceModel",
                                                       "%1 %2 left out: no size is recorded.")
                               .arg(views::formatCount(left),
                                    left == 1
                                        ? QCoreApplication::translate("PerformanceModel", "message is")
                                        : QCoreApplication::translate("PerformanceModel", "messages are"));
  }
  if (const auto& run = document.at("run"); !run.is_null()) {
    for (const auto& one : run.at("runs")) data.runs.push_back(run_of(one));
    for (const auto& note : run.at("notes")) data.runNotes << text_of(note);
  }
}

} // namespace

views::ModelData model_data_of(const json& document, const QString& asked) {
  views::ModelData data;
  data.asked = asked;
  if (document.at("asked_gpu").is_null())
    for (const auto& gpu : document.at("gpus")) data.devices.push_back(device_of(gpu));
  else
    data.devices.push_back(device_of(document.at("asked_gpu")));
  for (const auto& k : document.at("kernels")) data.kernels.push_back(kernel_of(k, document));
  data.validation =
      validation_text(document.at("validation"), QCoreApplication::translate("PerformanceModel", "launches"));
  if (!document.at("missing").is_null()) {
    for (const auto& name : document.at("missing").at("inputs")) data.missing << text_of(name);
    data.command = text_of(document.at("missing").at("command"));
    if (document.at("tool") == "rocprof")
      data.commandNote = QCoreApplication::translate(
          "PerformanceModel", "AMD Instinct GPUs have these counters. Radeon GPUs do not have all of them.");
  }
  for (const auto& warning : document.at("warnings")) data.notes << sentence(text_of(warning.at("text")));
  add_messages_and_runs(document, data);
  return data;
}

} // namespace jitterscope::app
