#pragma once

#include <QString>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "views/base/format.h"

/// Building blocks of report pages. All texts from a trace are escaped.
namespace jitterscope::app::html {

using nlohmann::json;

/// Style sheet of every page, in light and dark.
inline constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--ink:#1d2327;--soft:#5b6670;--line:#d9dee3;--card:#f6f8fa;--accent:#0a5ea8}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#a3adb7;--line:#3a424a;--card:#20262c;--accent:#7cb8f2}body{background:#15191d}}
body{font:15px/1.5 system-ui,"DejaVu Sans",sans-serif;color:var(--ink);max-width:1100px;margin:2rem auto;padding:0 1.2rem}
h1{font-size:1.6rem;margin:0 0 .2rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}
.soft{color:var(--soft)}.answer{background:var(--card);border-left:4px solid var(--accent);padding:.7rem 1rem;margin:.8rem 0}
.answer p{margin:.25rem 0}table{border-collapse:collapse;width:100%;font-size:.86rem}.wide{overflow-x:auto}
th,td{text-align:right;padding:.25rem .6rem;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:600}td.t,th.t{text-align:left;white-space:normal;overflow-wrap:anywhere}
figure{margin:.6rem 0}figure img{max-width:100%;border:1px solid var(--line);background:#fff}
figcaption{font-size:.85rem;color:var(--soft)}
)";

inline QString escaped(const std::string& text) {
  return QString::fromStdString(text).toHtmlEscaped();
}
inline QString escaped(const json& text) {
  return escaped(text.get<std::string>());
}
inline QString count(const json& n) {
  return views::formatCount(n.get<std::uint64_t>());
}
/// "1 launch", "23 kernels".
inline QString number_of(const json& n, const QString& one) {
  return count(n) + ' ' + one + (n == 1 ? "" : one.endsWith("ch") ? "es" : "s");
}
/// "2 × NVIDIA A100-SXM4-80GB"; empty if no name is recorded.
inline QString device_names(const json& info) {
  std::vector<std::pair<QString, int>> names;
  for (const auto& device : info.at("devices")) {
    const auto name = escaped(device.at("name"));
    const auto known = std::ranges::find(names, name, &std::pair<QString, int>::first);
    if (known != names.end())
      ++known->second;
    else if (!name.isEmpty())
      names.emplace_back(name, 1);
  }
  QStringList all;
  for (const auto& [name, times] : names)
    all << (times > 1 ? QString::number(times) + QString::fromUtf8(" × ") + name : name);
  return all.join(", ");
}
inline QString time(double ns, int digits = 4) {
  return std::isnan(ns) ? QString("–") : views::formatDuration(ns, digits);
}
inline QString time(const json& ns, int digits = 4) {
  return ns.is_null() ? QString("–") : time(ns.get<double>(), digits);
}
inline QString number(double value) {
  return std::isnan(value) ? QString("–") : QString::number(value, 'f', 2);
}
inline QString percent(const json& share) {
  return share.is_null() ? QString("–") : QString("%1 %").arg(share.get<double>(), 0, 'f', 1);
}

/// Rows of an HTML table; the columns named in `texts` are left-aligned.
class HtmlTable {
public:
  HtmlTable(const QStringList& heads, std::initializer_list<int> texts) : texts_(texts) { row(heads, "th"); }
  void row(const QStringList& cells, const char* tag = "td") {
    html_ += "<tr>";
    for (int i = 0; i < cells.size(); ++i)
      html_ += QString("<%1%2>%3</%1>")
                   .arg(tag, std::find(texts_.begin(), texts_.end(), i) != texts_.end() ? " class=t" : "",
                        cells[i]);
    html_ += "</tr>\n";
  }
  QString html() const { return "<div class=wide><table>\n" + html_ + "</table></div>\n"; }

private:
  std::vector<int> texts_;
  QString html_;
};

} // namespace jitterscope::app::html
