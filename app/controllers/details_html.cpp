#include "app/controllers/details_html.h"

#include <QStringList>
#include <algorithm>

#include "app/controllers/details_text.h"
#include "app/engine/json_text.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using views::Text;

using nlohmann::json;

QString href_of(const json& link) {
  const bool launch = link.at("kind") == "launch" || link.at("kind") == "partner";
  return QString("%1:%2:%3:%4:%5")
      .arg(launch ? "launch" : "event")
      .arg(link.at("track").get<std::uint32_t>())
      .arg(link.at("row").get<qint64>())
      .arg(link.at("begin_ns").get<qint64>())
      .arg(link.at("end_ns").get<qint64>());
}

QString title_of(const std::string& kind) {
  if (kind == "call") return Text::tr("created by");
  if (kind == "transfer") return Text::tr("memory operation");
  return kind == "partner" ? Text::tr("same kernel on") : Text::tr("launch");
}

// Text such as "host-to-device, 64 KiB, 12 µs": only a duration, because a time relative to the launch would
// need the launch as well.
QString link_text(const json& link) {
  QStringList parts{text_of(link.at("name"))};
  if (!link.at("bytes").is_null()) parts << views::formatValue(link.at("bytes").get<double>(), "B");
  parts << views::formatDuration(
      Nanoseconds{link.at("end_ns").get<qint64>() - link.at("begin_ns").get<qint64>()});
  return parts.join(", ");
}

QString list_html(const json& links) {
  QString html;
  for (const auto& link : links)
    html += QString("<tr><td>%1&nbsp;&nbsp;</td><td><a href='%2'>%3</a></td></tr>")
                .arg(title_of(link.at("kind").get<std::string>()), href_of(link),
                     link_text(link).toHtmlEscaped());
  return html;
}

} // namespace

QString row_html(const QString& name, const QString& value) {
  return QString("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
      .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

QString lines_html(const QString& text) {
  QStringList lines = text.split('\n');
  QString html = "<h3>" + lines.takeFirst().toHtmlEscaped() + "</h3><table>";
  for (const auto& line : lines) html += row_html(line.section('\t', 0, 0), line.section('\t', 1));
  return html + "</table>";
}

QString event_html(const json& event, bool sample) {
  const Nanoseconds begin{event.at("begin_ns").get<std::int64_t>()},
      end{event.at("end_ns").get<std::int64_t>()};
  QString html = "<h3>" + text_of(event.at("name")).toHtmlEscaped() + "</h3><table>";
  if (!sample) html += row_html(Text::tr("duration"), views::formatDuration(end - begin));
  html += row_html(sample ? Text::tr("sampled at") : Text::tr("start"), views::formatTime(begin, {100}));
  if (sample && end > begin)
    html += row_html(Text::tr("time to the next sample"), views::formatDuration(end - begin));
  for (const auto& field : event.at("fields")) html += row_html(field_label(field), field_text(field));
  return html + list_html(event.at("links")) + "</table>";
}

QString links_html(const json& links) {
  if (links.at("links").empty()) return {};
  const auto listed = std::count_if(links.at("links").begin(), links.at("links").end(),
                                    [](const json& link) { return link.at("kind") == "transfer"; });
  QString html =
      "<h4>" + Text::tr("Linked events") + "</h4><table>" + list_html(links.at("links")) + "</table>";
  const auto all = links.at("transfers").get<std::int64_t>();
  if (all > listed)
    html += Text::tr("<p>%1 of %2 linked memory operations are shown.</p>").arg(listed).arg(all);
  return html;
}

std::optional<LinkedEvent> linked_event(const QString& href) {
  const auto parts = href.split(':');
  if (parts.size() != 5 || (parts[0] != "launch" && parts[0] != "event")) return std::nullopt;
  const Nanoseconds begin{parts[3].toLongLong()}, end{parts[4].toLongLong()};
  return LinkedEvent{parts[1].toUInt(),
                     parts[2].toULongLong(),
                     {begin, std::max(end, begin + Nanoseconds{1})},
                     parts[0] == "launch"};
}

} // namespace jitterscope::app
