#include "app/help_pages.h"

namespace jitterscope::app {
namespace {

constexpr const char* kIntroduction =
    "<p>Efficiencies say which share of the time of devices and host threads is useful, and what takes the "
    "rest. Factors "
    "multiply to their parent. Next to each is the time that it costs: the mean time of a device or thread "
    "that would be "
    "useful if this factor were 100 %. The costs of the factors below a parent add up to the parent's "
    "cost.</p>"
    "<p>The view follows the brushed range, else the chosen bin, else the visible range. Choose a region of "
    "interest, "
    "such as one step: start-up and shutdown lower orchestration and MPI efficiencies. A click on a factor "
    "goes to the "
    "device or thread and the moment where most of its loss arises. Undo comes back.</p>";

constexpr const char* kDevices =
    "<p><b>Devices</b> (TALP 2026). <i>useful</i>: time with at least one kernel, over all streams; "
    "<i>communication</i>: "
    "time with memory operations but no kernel; T: length of the range; G devices.</p>"
    "<table cellpadding=4>"
    "<tr><td>parallel efficiency</td><td>Σ useful / (G · T) = load balance × communication × "
    "orchestration</td></tr>"
    "<tr><td>load balance</td><td>mean useful / maximum useful: devices with less to compute</td></tr>"
    "<tr><td>communication</td><td>maximum useful / maximum (useful + communication): communication that no "
    "kernel "
    "hides</td></tr>"
    "<tr><td>orchestration</td><td>maximum (useful + communication) / T: even the busiest device has nothing "
    "to "
    "run</td></tr></table>"
    "<p><b>Collectives</b> (kernels of NCCL, RCCL and NVSHMEM) count as communication, as in BasicAnalysis, "
    "or as useful, "
    "as in TALP. The choice changes every number of a device and is shown with it. Migrations of unified "
    "memory are not "
    "memory operations here.</p>";

constexpr const char* kHosts =
    "<p><b>Host threads</b> are all threads with recorded states; in traces without states, the threads that "
    "call MPI or "
    "launch work. Their time is useful U, inside MPI calls M, inside calls of the GPU's runtime O, or other "
    "X (OpenMP, "
    "I/O, idle states). Without recorded states everything outside of calls counts as useful, so host "
    "efficiencies are "
    "upper bounds.</p>"
    "<table cellpadding=4>"
    "<tr><td>parallel efficiency</td><td>Σ U / (n · T) = MPI parallel efficiency × device offload × other "
    "runtimes</td></tr>"
    "<tr><td>MPI parallel efficiency</td><td>Σ (T − M) / (n · T) = MPI load balance × MPI "
    "communication</td></tr>"
    "<tr><td>device offload</td><td>Σ (U + X) / Σ (U + X + O)</td></tr>"
    "<tr><td>other runtimes</td><td>Σ U / Σ (U + X)</td></tr></table>"
    "<p><b>MPI hierarchy</b> (POP). U is the time in state Running, or the time outside MPI calls where no "
    "states are "
    "recorded.</p>"
    "<table cellpadding=4>"
    "<tr><td>parallel efficiency</td><td>Σ U / (P · T) = load balance × communication</td></tr>"
    "<tr><td>load balance</td><td>mean U / maximum U</td></tr>"
    "<tr><td>communication</td><td>maximum U / T = serialisation × transfer</td></tr>"
    "<tr><td>serialisation, transfer</td><td>maximum U / T<sub>ideal</sub>, T<sub>ideal</sub> / T; "
    "T<sub>ideal</sub>, the "
    "elapsed time on an ideal network, comes from Dimemas: <i>--ideal-time</i></td></tr></table>";

constexpr const char* kScaling =
    "<p><b>Against a reference run</b> (<i>jitterscope efficiency RUN --reference OTHER</i>): computation = "
    "Σ U of the "
    "reference / Σ U = instructions × IPC × frequency, where PAPI_TOT_INS and PAPI_TOT_CYC are recorded; "
    "global efficiency "
    "= parallel efficiency × computation. Weak scaling multiplies by the ratio of processes. It is assumed "
    "where at least "
    "two of three ratios exceed 0.9: of instructions to processes, of elapsed times, of mean useful times. "
    "For kernels: "
    "Σ duration in the reference / Σ duration, by name.</p>"
    "<p>On the command line: <i>jitterscope efficiency FILES [--range A:B] [--collectives-as comm|useful] "
    "[--by rank|device|step] [--reference RUN] [--json FILE]</i>. A step is a range that one thread repeats; "
    "<i>--step NAME</i> chooses by name.</p>";

} // namespace

QString efficiency_page() {
  return QString::fromUtf8(kIntroduction) + QString::fromUtf8(kDevices) + QString::fromUtf8(kHosts) +
         QString::fromUtf8(kScaling);
}

} // namespace jitterscope::app
