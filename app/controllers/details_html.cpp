#include "app/controllers/details_html.h"

#include <QStringList>
#include <algorithm>

#include "app/controllers/details_text.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using views::Text;

QString href_of(const engine::answers::LinkAnswer& link) {
  const bool launch =
      link.kind == engine::answers::LinkKind::Launch || link.kind == engine::answers::LinkKind::Partner;
  return QString("%1:%2:%3:%4:%5")
      .arg(launch ? "launch" : "event")
      .arg(link.track)
      .arg(link.row)
      .arg(link.begin_ns)
      .arg(link.end_ns);
}

QString title_of(engine::answers::LinkKind kind) {
  if (kind == engine::answers::LinkKind::Call) return Text::tr("created by");
  if (kind == engine::answers::LinkKind::Transfer) return Text::tr("memory operation");
  return kind == engine::answers::LinkKind::Partner ? Text::tr("same kernel on") : Text::tr("launch");
}

// Text such as "host-to-device, 64 KiB, 12 µs": only a duration, because a time relative to the launch would
// need the launch as well.
QString link_text(const engine::answers::LinkAnswer& link) {
  QStringList parts{QString::fromStdString(link.name)};
  if (link.bytes >= 0) parts << views::formatValue(static_cast<double>(link.bytes), "B");
  parts << views::formatDuration(Nanoseconds{link.end_ns - link.begin_ns});
  return parts.join(", ");
}

QString list_html(const std::vector<engine::answers::LinkAnswer>& links) {
  QString html;
  for (const auto& link : links)
    html += QString("<tr><td>%1&nbsp;&nbsp;</td><td><a href='%2'>%3</a></td></tr>")
                .arg(title_of(link.kind), href_of(link), link_text(link).toHtmlEscaped());
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

QString event_html(const engine::answers::EventAnswer& event, bool sample) {
  const Nanoseconds begin{event.begin_ns}, end{event.end_ns};
  QString html = "<h3>" + QString::fromStdString(event.name).toHtmlEscaped() + "</h3><table>";
  if (!sample) html += row_html(Text::tr("duration"), views::formatDuration(end - begin));
  html += row_html(sample ? Text::tr("sampled at") : Text::tr("start"), views::formatTime(begin, {100}));
  if (sample && end > begin)
    html += row_html(Text::tr("time to the next sample"), views::formatDuration(end - begin));
  for (const auto& field : event.fields) html += row_html(field_label(field), field_text(field));
  return html + list_html(event.links) + "</table>";
}

QString links_html(const engine::answers::LaunchLinksAnswer& links) {
  if (links.links.empty()) return {};
  const auto listed = std::ranges::count(links.links, engine::answers::LinkKind::Transfer,
                                         &engine::answers::LinkAnswer::kind);
  QString html = "<h4>" + Text::tr("Linked events") + "</h4><table>" + list_html(links.links) + "</table>";
  if (links.transfers > listed)
    html += Text::tr("<p>%1 of %2 linked memory operations are shown.</p>").arg(listed).arg(links.transfers);
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
