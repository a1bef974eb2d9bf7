#include "app/controllers/efficiency_text.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/time.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app::efficiency_text {
namespace {

using views::Text;

struct FactorText {
  const char* factor;
  const char* title;
  const char* meaning;
  const char* where; ///< %1 row, %2 time lost, %3 the row it is compared with
};

constexpr FactorText kTexts[] = {
    {"device.parallel", QT_TRANSLATE_NOOP("EfficiencyText", "Device parallel efficiency"),
     QT_TRANSLATE_NOOP("EfficiencyText",
                       "Share of the devices' time in which kernels run: Σ useful / (devices · elapsed)."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 has the lowest efficiency: it does not compute for %2")},
    {"device.load_balance", QT_TRANSLATE_NOOP("EfficiencyText", "load balance"),
     QT_TRANSLATE_NOOP("EfficiencyText",
                       "Balance of kernel time across devices: mean useful / maximum useful."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 computes %2 less than %3")},
    {"device.communication", QT_TRANSLATE_NOOP("EfficiencyText", "communication"),
     QT_TRANSLATE_NOOP(
         "EfficiencyText",
         "Useful part of the time in which devices compute or communicate: maximum useful / maximum "
         "(useful + communication)."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 has %2 of exposed communication")},
    {"device.orchestration", QT_TRANSLATE_NOOP("EfficiencyText", "orchestration"),
     QT_TRANSLATE_NOOP("EfficiencyText", "Share of the time in which the host keeps the busiest device "
                                         "supplied: maximum (useful + communication) / elapsed."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1, the busiest device, is idle for %2")},
    {"host.parallel", QT_TRANSLATE_NOOP("EfficiencyText", "Host parallel efficiency"),
     QT_TRANSLATE_NOOP("EfficiencyText",
                       "Share of the host threads' time that is useful: Σ useful / (threads · elapsed)."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 has the lowest efficiency: %2 of its time is not useful")},
    {"host.mpi", QT_TRANSLATE_NOOP("EfficiencyText", "MPI parallel efficiency"),
     QT_TRANSLATE_NOOP("EfficiencyText",
                       "Share of the time outside MPI calls: Σ (elapsed − MPI) / (threads · elapsed)."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 spends %2 in MPI calls")},
    {"host.load_balance", QT_TRANSLATE_NOOP("EfficiencyText", "MPI load balance"),
     QT_TRANSLATE_NOOP("EfficiencyText",
                       "Balance of the time outside MPI: mean (elapsed − MPI) / maximum (elapsed − MPI) of a "
                       "process, the mean over its threads."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 spends %2 more in MPI calls than %3, for which it waits")},
    {"host.communication", QT_TRANSLATE_NOOP("EfficiencyText", "MPI communication"),
     QT_TRANSLATE_NOOP("EfficiencyText", "Share of its time that the process with the shortest MPI time "
                                         "spends outside MPI: maximum (elapsed − MPI) / elapsed."),
     QT_TRANSLATE_NOOP("EfficiencyText",
                       "%1 spends %2 in MPI calls; its process has the shortest mean MPI time")},
    {"host.offload", QT_TRANSLATE_NOOP("EfficiencyText", "device offload"),
     QT_TRANSLATE_NOOP(
         "EfficiencyText",
         "Share of the time outside MPI that is not in calls of the GPU runtime: Σ (useful + other) / Σ "
         "(useful + other + offload)."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 spends %2 in calls of the GPU runtime")},
    {"host.runtime", QT_TRANSLATE_NOOP("EfficiencyText", "other runtimes"),
     QT_TRANSLATE_NOOP(
         "EfficiencyText",
         "Share of the time outside MPI and GPU runtime calls that is not OpenMP, I/O or idle: Σ useful "
         "/ Σ (useful + other)."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 is in OpenMP, in I/O or idle for %2")},
    {"mpi.parallel", QT_TRANSLATE_NOOP("EfficiencyText", "Parallel efficiency (POP)"),
     QT_TRANSLATE_NOOP(
         "EfficiencyText",
         "Σ useful / (processes · elapsed). If processes have several threads, or no states are "
         "recorded, useful is the time outside MPI calls of the thread that calls MPI. Without MPI calls, "
         "each thread counts as a process."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 has the lowest efficiency: %2 of its time is not useful")},
    {"mpi.load_balance", QT_TRANSLATE_NOOP("EfficiencyText", "load balance"),
     QT_TRANSLATE_NOOP("EfficiencyText", "Balance of the useful time: mean useful / maximum useful."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 computes %2 less than %3")},
    {"mpi.communication", QT_TRANSLATE_NOOP("EfficiencyText", "communication"),
     QT_TRANSLATE_NOOP("EfficiencyText", "Maximum useful / elapsed."),
     QT_TRANSLATE_NOOP("EfficiencyText", "%1, with the most useful time, does not compute for %2")},
    {"mpi.serialisation", QT_TRANSLATE_NOOP("EfficiencyText", "serialisation"),
     QT_TRANSLATE_NOOP(
         "EfficiencyText",
         "Maximum useful / elapsed on an ideal network: below 1 if processes wait for each other."),
     ""},
    {"mpi.transfer", QT_TRANSLATE_NOOP("EfficiencyText", "transfer"),
     QT_TRANSLATE_NOOP("EfficiencyText",
                       "Elapsed on an ideal network / elapsed: below 1 if moving data takes time."),
     ""},
    {"hosts.global", QT_TRANSLATE_NOOP("EfficiencyText", "Global efficiency, hosts"),
     QT_TRANSLATE_NOOP("EfficiencyText",
                       "Parallel efficiency of the host threads × computation scaling, relative to the "
                       "reference run."),
     ""},
    {"devices.global", QT_TRANSLATE_NOOP("EfficiencyText", "Global efficiency, devices"),
     QT_TRANSLATE_NOOP("EfficiencyText",
                       "Parallel efficiency of the devices × computation scaling, relative to the reference "
                       "run."),
     ""},
    {"scaling.parallel", QT_TRANSLATE_NOOP("EfficiencyText", "parallel efficiency"),
     QT_TRANSLATE_NOOP("EfficiencyText", "As above: of this run."), ""},
    {"scaling.computation", QT_TRANSLATE_NOOP("EfficiencyText", "computation efficiency"),
     QT_TRANSLATE_NOOP(
         "EfficiencyText",
         "Computation scaling: Σ useful of the reference / Σ useful; with weak scaling times the "
         "ratio of the numbers of host threads or devices."),
     ""},
    {"scaling.instructions", QT_TRANSLATE_NOOP("EfficiencyText", "instructions"),
     QT_TRANSLATE_NOOP("EfficiencyText", "Useful instructions of the reference / useful instructions."), ""},
    {"scaling.ipc", QT_TRANSLATE_NOOP("EfficiencyText", "IPC"),
     QT_TRANSLATE_NOOP("EfficiencyText", "Instructions per cycle / those of the reference."), ""},
    {"scaling.frequency", QT_TRANSLATE_NOOP("EfficiencyText", "frequency"),
     QT_TRANSLATE_NOOP("EfficiencyText", "Cycles per useful time / those of the reference."), ""}};

/// FactorText::where of the factors of POP, if they are those of the master threads.
constexpr std::pair<const char*, const char*> kOfMasters[] = {
    {"mpi.parallel",
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 spends %2 in MPI calls, the most of all master threads")},
    {"mpi.load_balance",
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 spends %2 more in MPI calls than %3, for which it waits")},
    {"mpi.communication",
     QT_TRANSLATE_NOOP("EfficiencyText", "%1 spends %2 in MPI calls, the least of all master threads")}};

const FactorText* find(const QString& factor) {
  for (const auto& text : kTexts)
    if (factor == QLatin1String(text.factor)) return &text;
  return nullptr;
}

QString duration(const nlohmann::json& ns) {
  return views::formatDuration(ns.get<double>(), 3);
}

QString named(const nlohmann::json& name) {
  return QString::fromStdString(name.get<std::string>());
}

// With a capital and a full stop.
QString sentence(const QString& text) {
  return text.left(1).toUpper() + text.mid(1) + (text.endsWith('.') ? "" : ".");
}

} // namespace

QString title(const QString& factor) {
  const auto* text = find(factor);
  return text ? Text::tr(text->title) : factor;
}

QString title_in_tree(const QString& factor, int depth) {
  return QString(2 * depth, ' ') + (depth > 0 ? QString::fromUtf8("× ") : QString()) + title(factor);
}

QString meaning(const QString& factor) {
  const auto* text = find(factor);
  return text ? Text::tr(text->meaning) : QString();
}

QString percent(const nlohmann::json& value) {
  return value.is_null() ? Text::tr("not determined")
                         : QString("%1 %").arg(100 * value.get<double>(), 0, 'f', 1);
}

QString where(const nlohmann::json& loss) {
  const auto& place = loss.at("place");
  const auto* text = find(named(loss.at("factor")));
  if (place.is_null() || !text || !*text->where) return {};
  const char* where = text->where;
  for (const auto& [factor, of_masters] : kOfMasters)
    if (loss.value("lost_in_mpi", false) && named(loss.at("factor")) == QLatin1String(factor))
      where = of_masters;
  QString sentence = Text::tr(where).arg(named(place.at("name")), duration(place.at("lost_ns")));
  if (!place.at("other_name").is_null()) sentence = sentence.arg(named(place.at("other_name")));
  const Nanoseconds begin{place.at("begin_ns").get<std::int64_t>()},
      end{place.at("end_ns").get<std::int64_t>()};
  const Nanoseconds step{std::max<std::int64_t>((end.count - begin.count) / 10, 1)};
  const auto inside = place.at("lost_inside_ns").get<double>();
  if (inside <= 0) return sentence;
  // Differences of both signs add up to the total, so that one time can have more than all of it.
  const bool more = inside > place.at("lost_ns").get<double>();
  return (more ? Text::tr("%1; %2 between %3 and %4, partly made up at other times")
               : Text::tr("%1; %2 of it between %3 and %4"))
      .arg(sentence, duration(inside), views::formatTime(begin, step), views::formatTime(end, step));
}

QString where_in_short(const nlohmann::json& loss) {
  const auto& place = loss.at("place");
  if (place.is_null()) return {};
  const Nanoseconds begin{place.at("begin_ns").get<std::int64_t>()},
      end{place.at("end_ns").get<std::int64_t>()};
  const Nanoseconds step{std::max<std::int64_t>((end.count - begin.count) / 10, 1)};
  return Text::tr("%1 at %2").arg(named(place.at("name")), views::formatTime(begin, step));
}

QString convention(const nlohmann::json& document) {
  return document.at("collectives_as") == "useful" ? Text::tr("collectives count as useful")
                                                   : Text::tr("collectives count as communication");
}

bool covers_recorded(const nlohmann::json& document) {
  return document.at("range_ns") == document.at("recorded_range_ns");
}

bool is_recorded(const nlohmann::json& document, std::string_view part) {
  const auto& recorded = document.at("recorded");
  return part == "mpi_ns"       ? recorded.at("mpi").get<bool>()
         : part == "offload_ns" ? recorded.at("offload").get<bool>()
                                : true;
}

QString range_text(const nlohmann::json& range) {
  return views::formatTimeRange(
      {{range.at("begin").get<std::int64_t>()}, {range.at("end").get<std::int64_t>()}});
}

QStringList notes_on_range(const nlohmann::json& document, Advice advice) {
  QStringList notes;
  if (document.contains("range_requested_ns"))
    notes << Text::tr("The requested range, %1, exceeds the recorded time. The efficiencies are of %2.")
                 .arg(range_text(document.at("range_requested_ns")), range_text(document.at("range_ns")));
  if (document.at("range_given").get<bool>()) return notes;
  if (covers_recorded(document)) {
    const bool devices = !document.at("devices").empty(), mpi = document.at("recorded").at("mpi").get<bool>();
    const auto lowered = devices && mpi ? Text::tr("orchestration and MPI efficiencies")
                         : devices      ? Text::tr("orchestration")
                         : mpi          ? Text::tr("MPI efficiencies")
                                        : Text::tr("efficiencies");
    notes << (advice == Advice::None
                  ? Text::tr("The range covers all recorded activity: start-up and shutdown lower %1.")
                  : Text::tr("The range covers all recorded activity. Choose a region of interest: start-up "
                             "and shutdown lower %1."))
                 .arg(lowered);
    return notes;
  }
  const auto range = range_text(document.at("range_ns")),
             all_time = range_text(document.at("recorded_range_ns"));
  notes << (range == all_time
                ? Text::tr("The range is the GPU activity, %1: nearly all of the recorded time.").arg(range)
                : Text::tr("The range is the GPU activity, %1 of the recorded %2.").arg(range, all_time));
  constexpr double kMuch = 0.01;
  QStringList outside;
  const auto& hosts = document.at("hosts_outside");
  for (const auto& [part, whole, text] :
       {std::tuple{"active_ns", "active_recorded_ns",
                   document.at("recorded").at("states").get<bool>()
                       ? Text::tr("%1 % of the time of host threads in recorded calls and state Running")
                       : Text::tr("%1 % of the time of host threads in recorded calls")},
        {"mpi_ns", "mpi_recorded_ns", Text::tr("%1 % of the time in MPI calls")}}) {
    const double all = hosts.at(whole).get<double>();
    const double share = all > 0 ? hosts.at(part).get<double>() / all : 0;
    if (share > kMuch) outside << text.arg(100 * share, 0, 'f', 1);
  }
  if (outside.isEmpty()) return notes;
  const auto what = outside.join(Text::tr(" and "));
  const auto& all = document.at("recorded_range_ns");
  const auto time = [&](const char* end) {
    return QString::fromStdString(exact_time(all.at(end).get<std::int64_t>()));
  };
  switch (advice) {
  case Advice::CommandLine:
    notes << Text::tr("Outside the range, and not part of any number, are %1. To include them, choose all "
                      "recorded activity: --range %2:%3.")
                 .arg(what, time("begin"), time("end"));
    break;
  case Advice::Window:
    notes << Text::tr("Outside the range, and not part of any number, are %1. To include them, select %2 in "
                      "the timeline.")
                 .arg(what, all_time);
    break;
  case Advice::None:
    notes << Text::tr("Outside the range, and not part of any number, are %1.").arg(what);
  }
  return notes;
}

QStringList notes(const nlohmann::json& document, Advice advice) {
  QStringList notes;
  if (document.at("repeated_processes").get<bool>()) {
    notes << Text::tr("Several processes have the same rank or number. If they are of different runs, these "
                      "efficiencies mean nothing: they are of one program.");
    if (advice == Advice::CommandLine)
      notes << Text::tr("To compare runs, open one run, and choose the other as the reference run: "
                        "--reference.");
    if (advice == Advice::Window)
      notes << Text::tr("To compare runs, open one run, and choose the other as the reference run.");
  }
  for (const auto& text : document.value("import_notes", nlohmann::json::array()))
    notes << sentence(named(text));
  if (const auto late = document.value("late_processes", nlohmann::json()); late.is_object())
    notes << Text::tr(
                 "The first record of %1 of %2 processes is up to %3 after the beginning of the range. Until "
                 "then, their devices count as idle and their host threads as useful.")
                 .arg(late.at("late").get<std::int64_t>())
                 .arg(late.at("all").get<std::int64_t>())
                 .arg(duration(late.at("latest_ns")));
  return notes + notes_on_range(document, advice) + notes_on_recording(document, advice);
}

std::int64_t threads_without_counters(const nlohmann::json& document) {
  if (!document.contains("sums")) return 0;
  return document.at("sums").at("hosts").value("threads_without_counters", std::int64_t{0});
}

QStringList notes_on_choice(const QString& ranks, const QString& devices) {
  QStringList notes;
  if (!ranks.isEmpty()) notes << Text::tr("Only ranks %1 are included.").arg(ranks);
  if (!devices.isEmpty()) notes << Text::tr("Only devices %1 are included.").arg(devices);
  return notes;
}

QStringList notes_on_reference(const nlohmann::json& document, const nlohmann::json& reference) {
  const auto there = reference.contains("range_ns")
                         ? range_text(reference.at("range_ns"))
                         : Text::tr("TALP region %1").arg(named(reference.at("region")));
  QStringList notes;
  notes << Text::tr("Reference: %1, %2.").arg(named(reference.at("name")), there);
  for (const auto& [of, words] : {std::pair{"hosts", Text::tr("hosts")}, {"devices", Text::tr("devices")}}) {
    const auto& scaling = document.at("scaling").at(of);
    if (scaling.is_null()) continue;
    notes << (scaling.at("scaling") == "weak" ? Text::tr("Weak scaling is assumed for %1.").arg(words)
                                              : Text::tr("Strong scaling is assumed for %1.").arg(words));
    if (scaling.at("speedup").is_number())
      notes << Text::tr("Speedup of %1: %2.").arg(words).arg(scaling.at("speedup").get<double>(), 0, 'f', 3);
  }
  if (reference.value("range_given", false) != document.at("range_given").get<bool>())
    notes << Text::tr("Scaling compares %1 of this run with %2 of the reference: they may contain different "
                      "work. Show the whole run without a selection to compare all activity of both.")
                 .arg(range_text(document.at("range_ns")), there);
  return notes;
}

QStringList notes_on_recording(const nlohmann::json& document, Advice advice) {
  QStringList notes;
  const auto& recorded = document.at("recorded");
  if (!document.at("devices").empty() && !recorded.at("collectives").get<bool>())
    notes << Text::tr(
        "No collective kernel is recorded: both ways to count collectives give the same numbers.");
  if (!document.at("devices").empty() && !recorded.value("memory_operations", true))
    notes << (recorded.at("collectives").get<bool>()
                  ? Text::tr("No memory operation is recorded: if the program copies data, the time of the "
                             "copies counts as idle, and communication efficiency is overestimated.")
                  : Text::tr("Neither memory operations nor collective kernels are recorded: communication "
                             "efficiency is 100 % because nothing is known of it. Its time counts as idle."));
  if (!document.at("hosts").empty() && !recorded.at("states").get<bool>())
    notes << Text::tr(
        "No states of host threads are recorded: time outside recorded calls counts as useful although "
        "it includes waiting and I/O. Host efficiencies are upper bounds.");
  if (const auto without = recorded.value("hosts_without_states", std::int64_t{0}); without > 0)
    notes << Text::tr(
                 "No states are recorded for %1 of the host threads: for these, time outside recorded calls "
                 "counts as useful.")
                 .arg(without);
  if (const auto without = threads_without_counters(document); without > 0)
    notes << Text::tr("%1 host threads with useful time have no counters of instructions and cycles: IPC, "
                      "frequency and their scaling are not determined.")
                 .arg(without);
  if (!document.at("hosts").empty() && !recorded.at("mpi").get<bool>())
    notes << Text::tr("No MPI calls are recorded: the cost of MPI is not determined.");
  if (document.at("hosts").empty())
    notes << Text::tr(
        "No calls or states of host threads are recorded: host efficiencies are not determined.");
  if (const auto hybrid = document.value("hybrid", nlohmann::json()); hybrid.is_object()) {
    const auto factors = [](const nlohmann::json& of) {
      return Text::tr("%1 = load balance %2 × communication %3")
          .arg(percent(of.at("parallel")), percent(of.at("load_balance")), percent(of.at("communication")));
    };
    notes << Text::tr("All host threads: parallel efficiency %1. The part of it that POP's efficiencies of "
                      "MPI do not explain is that of the other runtimes, such as OpenMP or the GPU's: %2.")
                 .arg(factors(hybrid), factors(hybrid.at("inner")));
  }
  if (const auto& serialisation = document.at("mpi").at("serialisation");
      serialisation.is_number() && serialisation.get<double>() > 1)
    notes << Text::tr("Serialisation exceeds 100 %: the time on an ideal network is shorter than the useful "
                      "time of a process. Check %1: it is the elapsed time of a replay of the same range.")
                 .arg(advice == Advice::CommandLine ? QString("--ideal-time") : Text::tr("the ideal time"));
  if (recorded.at("mpi").get<bool>() && document.at("mpi").at("transfer").is_null())
    notes << (advice == Advice::CommandLine
                  ? Text::tr("Serialisation and transfer need the elapsed time on an ideal network, as "
                             "Dimemas computes it: --ideal-time.")
              : advice == Advice::Window
                  ? Text::tr("Serialisation and transfer need the elapsed time on an ideal network, as "
                             "Dimemas computes it: enter it as the ideal time.")
                  : Text::tr("Serialisation and transfer need the elapsed time on an ideal network, as "
                             "Dimemas computes it."));
  return notes;
}

} // namespace jitterscope::app::efficiency_text
