#include "app/report/assessment.h"

#include <QDateTime>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "app/controllers/efficiency_text.h"
#include "app/report/html.h"
#include "core/base/median.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;
using namespace html;

struct Advice {
  const char* factor;
  const char* text;
};
constexpr Advice kAdvice[] = {
    {"device.load_balance", "Distribute the kernels' work more evenly over the devices: compare the kernels "
                            "of the busiest device with those of the others."},
    {"device.communication", "Hide transfers and collectives behind kernels: separate streams, pinned host "
                             "memory, larger buckets, or earlier starts."},
    {"device.orchestration",
     "Keep the devices supplied: launch ahead, use CUDA or HIP graphs, avoid synchronisation between "
     "launches, and move host work between steps off the critical path."},
    {"host.load_balance", "Distribute the work of the ranks more evenly: compare the time outside MPI of the "
                          "waiting ranks with that of the rank that they wait for."},
    {"host.communication", "Reduce the time in MPI of all ranks: fewer or larger messages, non-blocking "
                           "calls around computation, collectives on fewer ranks."},
    {"host.offload", "Reduce the time in calls of the GPU runtime: fewer synchronising calls, memory "
                     "allocated once, more work per launch."},
    {"host.runtime", "Find what threads wait for outside MPI: OpenMP load imbalance, serial parts and I/O."},
    {"mpi.load_balance", "Distribute computation more evenly over the processes."},
    {"mpi.communication",
     "Reduce the time in communication. \"jitterscope efficiency --ideal-time\" separates waiting from "
     "transfer."},
    {"mpi.serialisation",
     "Reduce dependences between processes: chains of messages make processes wait for each other."},
    {"mpi.transfer", "Reduce bytes and messages, or overlap them with computation."}};

/// Of factors with other reasons in traces without MPI calls, where the rows are threads.
constexpr Advice kAdviceWithoutMpi[] = {
    {"mpi.load_balance",
     "Distribute computation more evenly over the threads: schedule loops dynamically, and "
     "make serial parts parallel."},
    {"mpi.communication",
     "Find what the thread with the most useful time waits for: I/O, locks, or other threads."}};

QString advice_of(const QString& factor, bool mpi_recorded) {
  if (!mpi_recorded)
    for (const auto& advice : kAdviceWithoutMpi)
      if (factor == QLatin1String(advice.factor)) return QString::fromUtf8(advice.text);
  for (const auto& advice : kAdvice)
    if (factor == QLatin1String(advice.factor)) return QString::fromUtf8(advice.text);
  return {};
}

bool of_devices(const QString& factor) {
  return factor.startsWith("device");
}

QString group_of(const std::string& factor) {
  return factor.starts_with("device") ? "devices" : factor.starts_with("host") ? "hosts" : "POP hierarchy";
}

QString share(const json& value) {
  return value.is_null() ? QString("–") : QString("%1 %").arg(100 * value.get<double>(), 0, 'f', 1);
}

QString moment(const json& ns, double resolution) {
  return views::formatTime({ns.get<std::int64_t>()},
                           {std::max<std::int64_t>(static_cast<std::int64_t>(resolution), 1)});
}

QString range_text(const json& begin, const json& end) {
  const double length = end.get<double>() - begin.get<double>();
  return QString("%1 – %2").arg(moment(begin, length / 1000), moment(end, length / 1000));
}

QString paragraph(const QString& text, const char* kind = "") {
  return QString("<p%1>%2</p>\n").arg(*kind ? QString(" class=%1").arg(kind) : QString(), text);
}

QString figure(const AssessmentContent& content, const QString& id) {
  for (const auto& f : content.figures)
    if (f.id == id)
      return QString("<figure><img alt=\"%1\" "
                     "src=\"data:image/png;base64,%2\"><figcaption>%3</figcaption></figure>\n")
          .arg(f.title.toHtmlEscaped(), QString::fromLatin1(f.png.toBase64()), f.caption.toHtmlEscaped());
  return {};
}

QString recorded_activity(const AssessmentContent& content) {
  const auto& info = content.info;
  const auto& recorded = content.whole.at("recorded");
  const auto counted = [&](const char* rows) { return info.at(rows).at("count").get<std::int64_t>() > 0; };
  const auto rows = info.at("rows").get<std::string>(); // what the table of launches contains
  const bool kernels = rows == "launches" ? counted("launches") : rows == "mixed";
  QStringList has;
  for (const auto& [present, text] : {std::pair{kernels, "kernels"},
                                      {counted("transfers") || counted("memsets"), "memory operations"},
                                      {recorded.at("collectives").get<bool>(), "collective kernels"},
                                      {recorded.at("mpi").get<bool>(), "MPI calls"},
                                      {recorded.at("offload").get<bool>(), "calls of the GPU runtime"},
                                      {recorded.at("states").get<bool>(), "states of host threads"},
                                      {counted("ranges"), "ranges"},
                                      {counted("samples"), "counters"}})
    if (present) has << text;
  return has.isEmpty() ? QString("No activity is recorded.") : QString("Recorded: %1.").arg(has.join(", "));
}

/// Length of a range {begin, end} [ns].
double length_of(const json& range) {
  return range.at("end").get<double>() - range.at("begin").get<double>();
}

QString background(const AssessmentContent& content) {
  const auto& info = content.info;
  HtmlTable table({"file", "format", "tool", "bytes", "sha256"}, {0, 1, 2, 4});
  for (const auto& input : info.at("inputs"))
    table.row({escaped(input.at("path")), escaped(input.at("format")), escaped(input.at("tool")),
               count(input.at("bytes")), escaped(input.at("sha256").get<std::string>().substr(0, 16)) + "…"});
  QStringList parts;
  const auto add = [&](const json& number, const char* one) {
    if (number != 0) parts << number_of(number, one);
  };
  add(info.at("ranks"), "MPI rank");
  add(content.whole.at("hosts").size(), "host thread");
  add(content.whole.at("devices").size(), "device");
  const auto names = device_names(info);
  return table.html() +
         paragraph(QString("The analysis covers %1%2. The recorded activity lasts %3.")
                       .arg(parts.join(", "), names.isEmpty() ? QString() : " (" + names + ")",
                            time(length_of(content.whole.at("recorded_range_ns"))))) +
         paragraph(recorded_activity(content));
}

QString focus(const AssessmentContent& content) {
  const auto text = efficiency_text::range_text(content.focus.at("range_ns"));
  const auto elapsed = time(content.focus.at("elapsed_ns"));
  QString html;
  if (content.range_given)
    html = paragraph(QString("The focus of analysis is %1 (%2), as requested.").arg(text, elapsed));
  else if (!content.steps.is_null())
    html = paragraph(QString("The focus of analysis is %1 (%2): the %3 steps \"%4\" that %5 marks. The time "
                             "before and after them (%6 of the recorded activity) is start-up and shutdown.")
                         .arg(text, elapsed)
                         .arg(content.steps.at("ranges").size())
                         .arg(escaped(content.steps.at("name")), escaped(content.steps.at("host")),
                              share(std::max(1 - length_of(content.focus.at("range_ns")) /
                                                     length_of(content.whole.at("recorded_range_ns")),
                                             0.0))));
  else if (efficiency_text::covers_recorded(content.focus))
    html = paragraph(QString("The focus of analysis is all of the recorded activity, %1 (%2), including "
                             "start-up and shutdown, because %3.")
                         .arg(text, elapsed, content.no_steps.toHtmlEscaped()));
  else
    html = paragraph(
        QString("The focus of analysis is the GPU activity, %1 (%2), because %3. It may include start-up and "
                "shutdown.")
            .arg(text, elapsed, content.no_steps.toHtmlEscaped()));
  if (!content.range_given && content.steps.is_null() && efficiency_text::covers_recorded(content.focus))
    return html + figure(content, "timeline");
  for (const auto& note : efficiency_text::notes_on_range(content.focus))
    html += paragraph(note.toHtmlEscaped());
  return html + figure(content, "timeline");
}

QString structure(const AssessmentContent& content) {
  if (content.steps.is_null())
    return paragraph(
        QString("%1. Mark steps with NVTX or ROCTX ranges to see the structure of the program.")
            .arg(content.no_steps.isEmpty()
                     ? QString("No steps were found")
                     : (content.no_steps.left(1).toUpper() + content.no_steps.mid(1)).toHtmlEscaped()));
  const auto& ranges = content.steps.at("ranges");
  std::vector<double> lengths;
  for (const auto& step : ranges)
    lengths.push_back(step.at("end_ns").get<double>() - step.at("begin_ns").get<double>());
  auto sorted = lengths;
  const auto [shortest, longest_step] = std::minmax_element(lengths.begin(), lengths.end());
  double sum = 0, squares = 0;
  for (const double length : lengths) sum += length;
  const double mean = sum / static_cast<double>(lengths.size());
  for (const double length : lengths) squares += (length - mean) * (length - mean);
  const double deviation =
      lengths.size() > 1 ? std::sqrt(squares / static_cast<double>(lengths.size() - 1)) : 0;
  HtmlTable table({"steps", "shortest", "median", "longest", "mean", "CV"}, {});
  table.row({QString::number(lengths.size()), time(*shortest), time(median_of(sorted)), time(*longest_step),
             time(mean), QString::number(mean > 0 ? deviation / mean : 0, 'f', 3)});
  HtmlTable longest({"longest steps", "range", "duration", "device parallel efficiency",
                     "host parallel efficiency", "parallel efficiency (POP)"},
                    {0, 1});
  std::vector<std::size_t> order(lengths.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 5); ++i) {
    const auto& step = ranges[order[i]];
    longest.row({QString("step %1").arg(order[i] + 1), range_text(step.at("begin_ns"), step.at("end_ns")),
                 time(lengths[order[i]]), share(step.at("device").at("parallel")),
                 share(step.at("host").at("parallel")), share(step.at("mpi").at("parallel"))});
  }
  return table.html() + longest.html();
}

/// Table with factors as rows and one column per run.
QString efficiencies(const AssessmentContent& content) {
  QStringList heads{"factor"};
  for (const auto& reference : content.references) heads << reference.name.toHtmlEscaped();
  heads << "this run"
        << "cost"
        << "largest part at";
  HtmlTable table(heads, {0, static_cast<int>(heads.size()) - 1});
  std::map<std::string, std::string> parents;
  for (const auto& loss : content.focus.at("losses"))
    if (!loss.at("parent").is_null()) parents[loss.at("factor")] = loss.at("parent");
  for (const auto& loss : content.focus.at("losses")) {
    const auto factor = loss.at("factor").get<std::string>();
    QString indent;
    for (auto parent = parents.find(factor); parent != parents.end(); parent = parents.find(parent->second))
      indent += "&emsp;";
    const auto dot = factor.find('.');
    QStringList row{indent + (indent.isEmpty() ? "" : "× ") +
                    efficiency_text::title(QString::fromStdString(factor)).toHtmlEscaped()};
    for (const auto& reference : content.references)
      row << share(reference.efficiency.at(factor.substr(0, dot)).at(factor.substr(dot + 1)));
    row << share(loss.at("value")) << time(loss.at("cost_ns"))
        << efficiency_text::where_in_short(loss).toHtmlEscaped();
    table.row(row);
  }
  return table.html() +
         paragraph("The product of the factors of a group is the factor above them. The cost of a factor is "
                   "the mean time per device or thread that would be useful if the factor were 100 %. " +
                       (content.focus.at("devices").empty()
                            ? QString()
                            : efficiency_text::convention(content.focus).replace(0, 1, "C") + "."),
                   "soft");
}

QString scaling(const AssessmentContent& content) {
  if (content.references.empty())
    return paragraph("No reference run was given: scaling is not assessed. Add runs with --reference.",
                     "soft");
  QString html;
  for (const auto& reference : content.references)
    html +=
        paragraph(QString("The numbers of %1 are of %2 of that run%3")
                      .arg(reference.name.toHtmlEscaped(),
                           efficiency_text::range_text(reference.efficiency.at("range_ns")),
                           content.range_given ? ", to which the requested range does not apply: they may "
                                                 "contain different work."
                                               : "."),
                  "soft");
  QStringList names; // of the runs that are compared with the first reference
  std::vector<const json*> runs;
  for (std::size_t i = 1; i < content.references.size(); ++i) {
    names << content.references[i].name.toHtmlEscaped();
    runs.push_back(&content.references[i].efficiency.at("scaling"));
  }
  names << (runs.empty() ? QString("value") : QString("this run"));
  runs.push_back(&content.focus.at("scaling"));
  for (const char* key : {"hosts", "devices"}) {
    if (std::ranges::all_of(runs, [&](const json* run) { return run->at(key).is_null(); })) continue;
    HtmlTable table(
        QStringList{QString(key) + " against " + content.references.front().name.toHtmlEscaped()} + names,
        {0});
    const auto row = [&](const QString& title, const auto& text) {
      QStringList cells{title};
      bool any = false;
      for (const json* run : runs) {
        const auto cell = run->at(key).is_null() ? QString() : text(run->at(key));
        any = any || !cell.isEmpty();
        cells << (cell.isEmpty() ? QString("–") : cell);
      }
      if (any) table.row(cells);
    };
    row("scaling", [](const json& s) { return escaped(s.at("scaling")); });
    for (const auto& [name, words] : {std::pair{"global", "global efficiency"},
                                      {"computation", "computation scaling"},
                                      {"instructions", "&emsp;× instruction scaling"},
                                      {"ipc", "&emsp;× IPC scaling"},
                                      {"frequency", "&emsp;× frequency scaling"}})
      row(words, [name = name](const json& s) { return s.contains(name) ? share(s.at(name)) : QString(); });
    row("speedup", [](const json& s) {
      return s.at("speedup").is_null() ? QString() : QString::number(s.at("speedup").get<double>(), 'f', 3);
    });
    html += table.html();
  }
  return html;
}

/// Table row of one part of the time (`key`): its minimum and maximum with the names of their rows, and its
/// mean over all rows.
QString spread(const json& rows, const char* key, const QString& title, const QString& elapsed) {
  if (rows.empty()) return {};
  double sum = 0;
  const json *minimum = &rows.front(), *maximum = &rows.front();
  for (const auto& row : rows) {
    const double value = row.at(key).get<double>();
    sum += value;
    if (value < minimum->at(key).get<double>()) minimum = &row;
    if (value > maximum->at(key).get<double>()) maximum = &row;
  }
  return QString("<tr><td class=t>%1</td><td>%2</td><td class=t>%3</td><td>%4</td><td>%5</td><td "
                 "class=t>%6</td><td>%7</td></tr>\n")
      .arg(title, time(minimum->at(key)), escaped(minimum->at("name")),
           time(sum / static_cast<double>(rows.size())), time(maximum->at(key)), escaped(maximum->at("name")),
           elapsed);
}

QString spreads(const AssessmentContent& content, const std::vector<std::array<const char*, 3>>& requested) {
  const QString elapsed = time(content.focus.at("elapsed_ns"));
  QString rows;
  for (const auto& [list, key, title] : requested)
    if (efficiency_text::is_recorded(content.focus, key))
      rows += spread(content.focus.at(list), key, title, elapsed);
  if (rows.isEmpty()) return paragraph("The trace contains no data for this section.", "soft");
  return "<div class=wide><table>\n<tr><th class=t></th><th>minimum</th><th "
         "class=t>of</th><th>mean</th><th>maximum</th>"
         "<th class=t>of</th><th>elapsed</th></tr>\n" +
         rows + "</table></div>\n";
}

QString load_balance(const AssessmentContent& content) {
  QString html = spreads(content, {{"devices", "useful_ns", "kernels on devices"},
                                   {"hosts", "useful_ns", "useful on host threads"}});
  HtmlTable ranks({"rank", "device parallel efficiency", "device communication efficiency",
                   "host parallel efficiency", "parallel efficiency (POP)"},
                  {0});
  for (const auto& rank : content.focus.value("ranks", json::array()))
    ranks.row({rank.at("rank").is_null() ? QString("unknown") : QString::number(rank.at("rank").get<int>()),
               share(rank.at("device").at("parallel")), share(rank.at("device").at("communication")),
               share(rank.at("host").at("parallel")), share(rank.at("mpi").at("parallel"))});
  const auto count_of_ranks = content.focus.value("ranks", json::array()).size();
  return html + (count_of_ranks > 1 && count_of_ranks <= 64 ? ranks.html() : QString());
}

QString communication(const AssessmentContent& content) {
  QString html = spreads(content, {{"devices", "communication_ns", "exposed communication of devices"},
                                   {"devices", "hidden_communication_ns", "communication behind kernels"},
                                   {"hosts", "mpi_ns", "MPI calls of host threads"},
                                   {"hosts", "offload_ns", "calls of the GPU runtime"}});
  const auto& sentences = content.collectives.sentences;
  if (!sentences.empty() && !efficiency_text::covers_recorded(content.focus))
    html += paragraph("All collectives of the run, inside and outside the focus of analysis:");
  for (const auto& sentence : sentences) html += paragraph(escaped(sentence));
  return html;
}

QString computation(const AssessmentContent& content) {
  const auto& hosts = content.focus.at("sums").at("hosts");
  const auto instructions = hosts.at("instructions").get<double>(), cycles = hosts.at("cycles").get<double>(),
             useful = hosts.at("useful_ns").get<double>();
  QString html;
  if (instructions > 0 && cycles > 0 && useful > 0)
    html = paragraph(QString("In useful time the host threads complete %1 instructions per cycle at %2 GHz.")
                         .arg(instructions / cycles, 0, 'f', 3)
                         .arg(cycles / useful, 0, 'f', 3));
  else
    html = paragraph(
        "Instructions and cycles are not recorded on all host threads: IPC and frequency are not determined.",
        "soft");
  auto kernels = content.kernels;
  std::ranges::stable_sort(kernels, std::greater(), &engine::answers::KernelAnswer::sum);
  HtmlTable table({content.info.value("rows", std::string("launches")) == "launches"
                       ? "kernels with the largest total time"
                       : "rows with the largest total time",
                   "n", "total", "mean", "CV", "variability Σ|d − mean|"},
                  {0});
  for (std::size_t k = 0; k < std::min<std::size_t>(kernels.size(), 12); ++k) {
    const auto& kernel = kernels[k];
    table.row({escaped(kernel.name), count(kernel.n), time(kernel.sum), time(kernel.mean), number(kernel.cv),
               time(kernel.variability_sum)});
  }
  if (!kernels.empty()) html += table.html();
  if (content.causal)
    for (const auto& sentence : content.causal->sentences) html += paragraph(escaped(sentence));
  return html;
}

QString anchor(const QString& factor) {
  return "factor-" + QString(factor).replace('.', '-');
}

/// A word of a command for a POSIX shell.
QString shell_word(QString word) {
  static const QRegularExpression kPlain("^[A-Za-z0-9_./+,:=@%][A-Za-z0-9_./+,:=@%-]*$");
  return kPlain.match(word).hasMatch() ? word : "'" + word.replace("'", "'\\''") + "'";
}

QString command(const AssessmentContent& content, const json& begin, const json& end) {
  QStringList files;
  for (const auto& file : content.files) files << shell_word(QString::fromStdString(file));
  return QString("<code>jitterscope render %1 --view timeline --range %2:%3 -o moment.png</code>")
      .arg(files.join(' ').toHtmlEscaped(), QString::number(begin.get<std::int64_t>()),
           QString::number(end.get<std::int64_t>()));
}

/// The first observation that is not about devices.
const Observation* hosts_begin(const std::vector<Observation>& list) {
  return list.data() +
         (std::ranges::find_if(list, [](const Observation& one) { return !of_devices(one.factor); }) -
          list.begin());
}

QString observed(const AssessmentContent& content, const std::vector<Observation>& list) {
  if (list.empty()) return paragraph("No factor costs more than 0.1 % of the elapsed time.");
  const bool two_lists = of_devices(list.front().factor) && !of_devices(list.back().factor);
  QString html = two_lists ? "<h3>Devices</h3>\n<ol>\n" : "<ol>\n";
  const double elapsed = content.focus.at("elapsed_ns").get<double>();
  for (const auto& one : list) {
    if (two_lists && &one == hosts_begin(list)) html += "</ol>\n<h3>Hosts</h3>\n<ol>\n";
    html += QString("<li id=\"%1\"><b>%2 (%3)</b>: %4")
                .arg(anchor(one.factor), time(one.cost_ns), share(one.cost_ns / elapsed),
                     one.text.toHtmlEscaped());
    if (!one.recommendation.isEmpty())
      html += QString(" <a href=\"#recommend-%1\">What to do</a>.").arg(anchor(one.factor));
    if (!one.begin.is_null()) html += "<br>" + command(content, one.begin, one.end);
    html += "</li>\n";
  }
  return html + "</ol>\n" +
         paragraph("Costs are mean times per device or per host thread: do not add costs of devices to costs "
                   "of hosts. The POP hierarchy and the hosts divide the same time in two ways: do not add "
                   "their costs either.",
                   "soft");
}

/// Whether a loss of the POP hierarchy has the value of the hosts' factor of the same name.
bool repeats_host(const json& losses, const json& loss) {
  constexpr double kSamePercentage = 5e-4; // percentages are printed with one decimal place
  const auto factor = loss.at("factor").get<std::string>();
  if (!factor.starts_with("mpi.")) return false;
  return std::any_of(losses.begin(), losses.end(), [&](const json& other) {
    return other.at("factor") == "host." + factor.substr(4) &&
           std::abs(other.at("value").get<double>() - loss.at("value").get<double>()) < kSamePercentage;
  });
}

QString recommendations(const AssessmentContent& content, const std::vector<Observation>& list) {
  QString html = "<ol>\n";
  for (const auto& one : list)
    if (!one.recommendation.isEmpty())
      html += QString("<li id=\"recommend-%1\">%2 (<a href=\"#%1\">%3</a>)</li>\n")
                  .arg(anchor(one.factor), one.recommendation.toHtmlEscaped(), time(one.cost_ns));
  if (content.causal)
    for (const auto& c : content.causal->contributions) {
      const auto percent = c.attributable_percent.value_or(0);
      if (c.role != causal::Role::cause || percent < 10) continue;
      html += QString("<li>Reduce what makes durations vary: %1 accounts for %2 % of the variability.</li>\n")
                  .arg(escaped(c.label), QString::number(percent, 'f', 0));
    }
  return html + "</ol>\n";
}

} // namespace

std::vector<Observation> observations(const json& efficiency) {
  std::vector<Observation> list;
  const auto& losses = efficiency.at("losses");
  const double elapsed = efficiency.at("elapsed_ns").get<double>();
  const bool mpi_recorded = efficiency.at("recorded").at("mpi").get<bool>();
  for (const auto& loss : losses) {
    const auto factor = loss.at("factor").get<std::string>();
    const bool has_parts = std::any_of(losses.begin(), losses.end(),
                                       [&](const json& other) { return other.at("parent") == factor; });
    const double cost = loss.at("cost_ns").get<double>();
    if (has_parts || repeats_host(losses, loss) || !(cost > elapsed / 1000)) continue;
    Observation one;
    one.factor = QString::fromStdString(factor);
    one.cost_ns = cost;
    const auto where = efficiency_text::where(loss);
    one.text = QString("the efficiency \"%1\" of the %2 is %3")
                   .arg(efficiency_text::title(one.factor), group_of(factor), share(loss.at("value"))) +
               (where.isEmpty() ? QString(".") : ". " + where + ".");
    if (!loss.at("place").is_null()) {
      one.begin = loss.at("place").at("begin_ns");
      one.end = loss.at("place").at("end_ns");
    }
    one.recommendation = advice_of(one.factor, mpi_recorded);
    list.push_back(std::move(one));
  }
  std::stable_sort(list.begin(), list.end(), [](const Observation& a, const Observation& b) {
    return std::pair(!of_devices(a.factor), -a.cost_ns) < std::pair(!of_devices(b.factor), -b.cost_ns);
  });
  return list;
}

QStringList limits_of(const AssessmentContent& content) {
  QStringList limits;
  const auto& recorded = content.focus.at("recorded");
  if (!content.left_out_selection.isEmpty())
    limits << QString("The session selects the launches %1. The assessment does not: it covers all launches.")
                  .arg(content.left_out_selection);
  if (content.focus.at("devices").empty()) limits << "No GPU activity is recorded: devices are not assessed.";
  if (!content.range_given && content.steps.is_null())
    limits << (efficiency_text::covers_recorded(content.focus)
                   ? "The steps of the program are unknown: start-up and shutdown are part of every number."
                   : "The steps of the program are unknown: start-up and shutdown of the GPU activity are "
                     "part of "
                     "every number.");
  if (!recorded.at("offload").get<bool>() && !content.focus.at("devices").empty())
    limits << "No calls of the GPU runtime are recorded: the host's cost of offloading is not determined.";
  for (const auto& note : efficiency_text::notes_on_recording(content.focus))
    if (!limits.contains(note)) limits << note;
  if (content.focus.at("sums").at("hosts").at("instructions") == 0 &&
      efficiency_text::threads_without_counters(content.focus) == 0)
    limits << "No counters of instructions and cycles are recorded: computation cannot be divided into "
              "instructions, IPC and frequency.";
  if (content.references.empty()) limits << "There is only one run: scaling is not assessed.";
  limits << "The numbers describe this run only. Record several runs to see how runs differ.";
  return limits;
}

QByteArray assessment_page(const AssessmentContent& content) {
  QString html =
      QString(
          "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
          "content=\"width=device-width\"><title>%1</title><style>%2code{font-size:.82rem;color:var(--soft)}"
          "li{margin:.5rem 0}</style></head><body>\n")
          .arg(content.title.toHtmlEscaped(), kStyle);
  html += "<h1>" + content.title.toHtmlEscaped() + "</h1>\n<p class=soft>Jitterscope, " +
          QDateTime::currentDateTime().toString(Qt::ISODate) + "</p>\n";
  const auto list = observations(content.focus);
  QString largest;
  const auto add_largest = [&](const Observation& one, const QString& of) {
    largest += paragraph(
        QString("The largest cost of the %1 (%2 of %3 on average): %4")
            .arg(of, time(one.cost_ns), time(content.focus.at("elapsed_ns")), one.text.toHtmlEscaped()));
  };
  if (!list.empty() && of_devices(list.front().factor)) add_largest(list.front(), "devices");
  if (const auto* hosts = hosts_begin(list); hosts != list.data() + list.size()) add_largest(*hosts, "hosts");
  if (!largest.isEmpty()) html += "<div class=answer>" + largest + "</div>\n";
  html += "<h2>1 Background</h2>\n" + background(content);
  html += "<h2>2 Focus of analysis</h2>\n" + focus(content);
  html += "<h2>3 Structure</h2>\n" + structure(content);
  html += "<h2>4 Efficiencies</h2>\n" + efficiencies(content);
  html += "<h2>5 Scaling</h2>\n" + scaling(content);
  html += "<h2>6 Load balance</h2>\n" + load_balance(content);
  html += "<h2>7 Communication</h2>\n" + communication(content);
  html += "<h2>8 Computation</h2>\n" + computation(content);
  html += "<h2>9 Main observations</h2>\n" + observed(content, list);
  html += "<h2>10 Recommendations</h2>\n" + recommendations(content, list);
  html += "<h2>11 Limits of the trace</h2>\n<ul>\n";
  for (const auto& limit : limits_of(content)) html += "<li>" + limit.toHtmlEscaped() + "</li>\n";
  return (html + "</ul>\n</body></html>\n").toUtf8();
}

} // namespace jitterscope::app
