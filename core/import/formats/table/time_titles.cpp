#include "core/import/formats/table/time_titles.h"

#include <algorithm>
#include <array>

#include "core/import/records/units.h"

namespace jitterscope::import::table {
namespace {

constexpr std::array kStarts = {
    "start",     "starttime", "starttimestamp", "begin",   "begintime", "begintimestamp", "timestart",
    "tstart",    "tsstart",   "kernelstart",    "started", "startts",   "beginat",        "startat",
    "timebegin", "tbegin",    "gpustart",       "ts",      "sincestart"};
constexpr std::array kEnds = {"end",       "endtime",    "endtimestamp", "stop",     "stoptime",
                              "finish",    "finishtime", "timeend",      "tend",     "tsend",
                              "kernelend", "ended",      "endts",        "finished", "endat",
                              "timestop",  "tstop",      "gpuend",       "stopped"};

template <class Titles>
bool contains(const Titles& titles, std::string_view title) {
  return std::find(titles.begin(), titles.end(), title) != titles.end();
}

} // namespace

std::string plain_title(std::string_view title) {
  std::string out;
  for (const char c : title) {
    if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += c;
  }
  return out;
}

TimeTitle time_title(const Column& column) {
  TimeTitle out{plain_title(column.title), nanoseconds_in(column.unit), false};
  out.other_unit = !out.scale && !column.unit.empty();
  for (const std::string_view unit : {"ns", "us", "ms"})
    if (column.unit.empty() && out.title.size() > 2 && out.title.ends_with(unit) && column.title.size() > 2 &&
        column.title[column.title.size() - 2] == static_cast<char>(unit[0] - 'a' + 'A')) {
      out.scale = nanoseconds_in(unit);
      out.title.resize(out.title.size() - 2);
    }
  if (out.title == "nssincestart" && column.unit.empty()) { // tracy-csvexport
    out.title = "sincestart";
    out.scale = 1;
  }
  // In other names one letter is more often an index than a unit.
  if (column.unit.empty() && !out.scale && (column.title.ends_with("_s") || column.title.ends_with(" s"))) {
    out.scale = nanoseconds_in("s");
    out.title.pop_back();
  }
  return out;
}

bool is_start_title(std::string_view title) {
  return contains(kStarts, title);
}

bool is_end_title(std::string_view title) {
  return contains(kEnds, title);
}

} // namespace jitterscope::import::table
