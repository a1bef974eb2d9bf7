#include "app/help_pages.h"

#include <utility>

namespace jitterscope::app {

QString keys_page() {
  static constexpr std::pair<const char*, const char*> kKeys[] = {
      {"Wheel, W / S", "zoom in / out at the pointer (keys: from any view or table)"},
      {"Drag, A / D", "move left / right"},
      {"Shift + drag", "choose an area: tracks and time; on the axis all tracks"},
      {"B", "choose what is in sight as the area, of the chosen track or of all"},
      {"Up / Down", "choose a track of the timeline; Enter folds it, Shift+Enter all of its kind"},
      {"P, H / Shift+H", "pin the track above, hide it / show all hidden ones"},
      {"Alt+Up / Alt+Down", "move the track; or drag its label"},
      {"Alt+Plus / Alt+Minus", "make the track higher, lower; or drag its lower border, double click: as at first"},
      {"T", "filter tracks by a regular expression"},
      {"C", "colour by kernel, against usual, by stream (columns: menu of the legend)"},
      {"[ and ]", "previous, next launch of the kernel of the chosen one"},
      {", and .", "previous, next launch of its stream; with none chosen the last or first one in sight, of the chosen track"},
      {"R", "measure: drag shows the time between edges of events; Left, Right go from edge to edge, with Shift both ends, Enter begins anew there, M marks it; Escape ends"},
      {"M, N", "mark the time under the pointer, name the chosen range"},
      {"1 … 9 / Ctrl+1 … 9", "go to a mark / set it at the pointer"},
      {"Drag the names' right border", "make room for the names of tracks; double click: as at first"},
      {"Click / double click", "choose / zoom to a launch; a click on a bin goes there"},
      {"F", "zoom to what is chosen"},
      {"Home", "whole run"},
      {"E / Shift+E", "next / previous stretch of launches, where gaps between them are long"},
      {"Z, Ctrl+Z / Ctrl+Shift+Z", "undo / redo of zoom, filter and selection"},
      {"Escape", "clear the selection; in the filter box: back to the timeline, the selection stays"},
      {"/", "filter: a condition, a word or /regular expression/ of kernel names"},
      {"Drag on an axis", "choose values (parallel coordinates); double click beside the brush clears"},
      {"Click on lines, Space", "select the rows at the pointer or stepped to (parallel coordinates)"},
      {"Up, Down (with Ctrl)", "the next row of the focused axis (the last one); Left, Right: another axis"},
      {"Enter, double click on a brush", "type its numbers; M chooses missing values, I inverts the axis"},
      {"Shift+Up / Shift+Down", "choose values of the focused axis: the upper end of the brush; with Ctrl the lower end, Alt alone moves it"},
      {"B / Shift+B", "the next brush of the axis / one more (parallel coordinates); Delete takes all of the axis away"},
      {"P, H, K, X", "pin or hide the focused axis, keep or exclude the brushed rows (parallel coordinates)"},
      {"Ctrl+Left / Ctrl+Right", "move the focused axis"},
      {"Menu key, right click on an axis", "scale, sorting, colour, pin, hide, columns"},
      {"Drag / double click an axis title", "reorder / invert the axis"},
      {"L / Y", "logarithmic or linear values / bars (distribution, heat map)"},
      {"Arrows, Page up/down, Home/End, Enter", "move in the table of launches; Enter zooms to one"},
      {"Left / Right, with Shift", "choose the next values, more or fewer of them (distribution)"},
      {"Arrows, with Shift, Enter", "move the brush, its upper right corner, select what is in it (heat map)"},
      {"Drag the dashed line", "keep more or fewer bins"},
      {"Shift+P", "open the view that has the keyboard once more, pinned to the selection (any view, also by View ▸ Open once more)"},
      {"O", "from a launch to the same kernel on the next device (the partner of a collective); says who starts last"},
      {"Shift+O", "to the one that starts last, for which the others wait, and why it does; without a launch chosen, to the worst collective of who comes last to most"},
      {"Ctrl+Shift+P", "command palette: commands, kernels and their longest launches, bins, marks, times (475 ms)"},
      {"Ctrl+S / Ctrl+Shift+S", "save the session / under another name"},
      {"Ctrl+Shift+E", "save the numbers of the view that has the keyboard as CSV (of timeline and parallel coordinates: the selected launches)"},
      {"Ctrl+E / Ctrl+Shift+C", "export a view or a table (PDF, SVG, PNG in mm, CSV) / copy the view as a picture"},
      {"Up / Down, Left / Right", "edges, nodes of the causal graph; the card tells effect, interval, stability, methods"},
      {"Enter, double click", "evidence of an edge; lists the columns of a family (causal graph)"},
      {"+, −, 0, Shift+arrows", "zoom where the chosen edge is, show the whole, move (causal graph)"},
      {"Menu key, right click", "state what you know of a node or an edge, lay out anew (causal graph)"},
      {"Left / Right, Page up/down, Enter", "set the feature by the slider, its value by number (what if); Tab goes from one to the other"},
      {"H, Left / Right, Enter", "hold other causes, step through launches, choose one (evidence)"},
      {"Ctrl+O / Ctrl+Shift+O", "open files / a folder"},
      {"?", "this page"}};
  QString html = "<table cellpadding=4>";
  for (const auto& [keys, meaning] : kKeys)
    html += QString("<tr><td><b>%1</b></td><td>%2</td></tr>").arg(keys, meaning);
  return html + "</table>";
}

QString filter_page() {
  return "<p>A filter is a condition on launches:</p>"
         "<pre>duration &gt; 20us and name ~ /gemm/ and stream in (7, 13)</pre>"
         "<p>Comparisons: = != &lt; &lt;= &gt; &gt;=, <b>between</b> a <b>and</b> b, <b>in</b> (a, b), "
         "<b>~</b> /regular expression/, "
         "<b>is missing</b>. Joined by <b>and</b>, <b>or</b>, <b>not</b> and brackets. Numbers take units: "
         "ns us ms s, B KB MiB …, %.</p>"
         "<p>A word, or /a regular expression/, alone is looked for in the names of kernels.</p>"
         "<p>Columns are those of <i>jitterscope info --columns</i>; hover a launch to see them with their "
         "values, or the title of an axis for its column. <i>migration</i> will do for <i>migration_ns</i>.</p>";
}

QString causal_page() {
  return "<p><b>What is compared.</b> Launches with launches of their own configuration; grid, block and "
         "other "
         "parameters with other configurations of the same kernel. <i>--reading</i> asks for all rows "
         "(pooled), only within or only between configurations.</p>"
         "<p><b>Attributable</b>: the share of the summed |duration − usual duration| that would vanish "
         "without "
         "the cause. <b>Of variance</b>: its share of the target's variance (LMG). <b>Intrinsic</b>: the "
         "part "
         "that enters at this feature and was not passed on to it. Brackets are 95 % intervals.</p>"
         "<p><b>Cause or association.</b> Something is called a cause when it is found again in 80 % of the "
         "resamples, explains at least 10 %, beside the stronger causes too, and its interval excludes 0. "
         "Waiting in a queue is never called one: it tells how long earlier work took. Copies and migrations "
         "that "
         "long launches meet by chance alone are counted in the usual time of a launch (note usual-time). "
         "What was not recorded "
         "cannot be named.</p>"
         "<p><b>Edges.</b> An arrow points from cause to effect; a line without arrow says that the data "
         "cannot "
         "tell. Each edge says what other methods (BOSS, PC-stable, GES, DirectLiNGAM where columns are not "
         "Gaussian) see there.</p>"
         "<p><b>Background knowledge</b> (<i>--tiers FILE</i>): an edge never goes from a later to an "
         "earlier "
         "tier: 0 environment, 1 launch configuration, 2 context, 3 counters, 4 duration, 5 variability. "
         "Columns of a plain table whose names say nothing have tier 6, unknown: they are associated with "
         "the target, and their "
         "direction stays open until you state a tier. "
         "JSON:</p>"
         "<pre>{\"tiers\": {\"sm_clock\": 2},\n \"required\": [[\"sm_clock\", \"kernel_variability\"]],\n"
         " \"forbidden\": [[\"gap_ns\", \"kernel_variability\"]]}</pre>"
         "<p><i>\"ignored\": [\"gap_ns\"]</i> leaves columns out. Or CSV with the header <i>column,tier</i> "
         "(a tier or "
         "<i>ignored</i>) or <i>from,to,kind</i> (required, forbidden). In the window the menu of a node or "
         "an edge states the "
         "same; the Knowledge dock lists it, takes it back, and saves and loads such files. Stated edges "
         "start from a ring, as the legend says.</p>"
         "<p><b>Why this moment.</b> With a selection the answer begins with why its launches took longer than the same launches "
         "elsewhere: peers are the launches of the same configuration and call site outside of it, at least 10. The parts come from one "
         "model of the session's durations and add up to the excess. What differs inside the selection follows. A long run gets a first "
         "answer from a sample, which says so. <i>How sure?</i> shows intervals and shares of the variance.</p>"
         "<p><b>Why along time.</b> The strip below the time axis stacks the same parts: excess per time, upward what took longer than "
         "usual, downward what took less. A click on a colour filters the launches with more than half the mean excess by that cause. "
         "The list of bins has the leading reason of every kept bin, <i>Details</i> the parts of one launch.</p>"
         "<p><b>Evidence.</b> A click on an edge shows the launches behind it: each as a point, or how many, "
         "with what the other "
         "causes tell of both sides taken off (Hold other causes); the slope is the effect per unit with a "
         "95 % interval. Beside "
         "it the target's distribution with and without the cause, as shares of each side. Both sides can be "
         "selected in all "
         "views.</p>"
         "<p><b>Per kernel, per rank, per run</b> puts the whole beside its six largest groups, every column "
         "at the same place; ± "
         "marks edges whose sign differs between them. A click chooses a group's launches.</p>"
         "<p><b>What if</b> sets a feature in every row and tells the expected mean and variance of the "
         "target, and for the "
         "chosen launch what it would have taken. Values are typed plain or with units (500us, 2M). A column "
         "of few values (tile sizes, flags) is set to these, each with its own answer. "
         "Variability by causes that were measured is told around the median, as shares are. Outside the "
         "observed range it warns: nothing shows that the line goes on.</p>";
}

QString formats_page() {
  static constexpr std::pair<const char*, const char*> kFormats[] = {
      {"Nsight Systems", "SQLite exports (nsys export --type sqlite), CSV tables of nsys stats"},
      {"Nsight Compute",
       "CSV of the details and raw pages (ncu --import FILE --page raw --csv --print-units base)"},
      {"nvprof", "databases (.nvvp), GPU traces in CSV"},
      {"rocprof, rocprof-compute",
       "counter tables (pmc_perf.csv) and folders of passes, results.csv, .json, .db, traces of rocprofv2"},
      {"rocprofv3, rocpd, RPD", "CSV, JSON, SQLite"},
      {"PyTorch, JAX, Chrome", "trace JSON, one file per rank"},
      {"Paraver", ".prv with the .pcf and .row beside it"},
      {"Tables", "CSV with titles (start_ns and end_ns make it a trace), results of Kernel Tuner, KTT and CLTune"}};
  QString html =
      "<p>The kind of a file is known by its content. Files may be compressed (.gz, .xz, .zst …) or lie in "
      "archives (.zip, .tar). A folder, or several files, form one session; of a run in several formats "
      "the one that says most is read.</p><table cellpadding=4>";
  for (const auto& [tool, files] : kFormats)
    html += QString("<tr><td><b>%1</b></td><td>%2</td></tr>").arg(tool, files);
  return html +
         "</table><p>Tables without time have an axis of launches. Help ▸ Import report lists what was "
         "repaired, dropped or doubted. Environment variables and command lines are never copied.</p>";
}

} // namespace jitterscope::app
