#include "views/model/model_details.h"

#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::views::model {
namespace {

QString escaped(const QString& text) {
  return text.toHtmlEscaped().replace('\n', QStringLiteral("<br>"));
}

QString muted(const QString& text, const ViewStyle& style) {
  return QStringLiteral("<span style='color:%1'>%2</span>").arg(style.mutedText.name(), escaped(text));
}

// A term and its value on one line, its formula below, so that it also fits narrow docks.
QString termsOf(const std::vector<ModelTerm>& terms, const ViewStyle& style) {
  QString html = QStringLiteral("<table width='100%' cellspacing='0' cellpadding='1'>");
  for (const auto& term : terms) {
    if (term.heading) {
      html += QStringLiteral("<tr><td colspan='2'><br><b>%1</b></td></tr>").arg(escaped(term.name));
      continue;
    }
    QString value = escaped(term.value).replace(' ', QStringLiteral("&nbsp;"));
    if (!term.before.isEmpty())
      value += muted(QLatin1Char(' ') + Text::tr("(was %1)").arg(term.before), style);
    html += QStringLiteral("<tr><td>%1</td><td align='right'>%2</td></tr><tr><td colspan='2'>%3</td></tr>")
                .arg(escaped(term.name), value, muted(term.formula, style));
  }
  return html + QStringLiteral("</table>");
}

QString paragraph(const QString& text) {
  return text.isEmpty() ? QString() : QStringLiteral("<p>%1</p>").arg(escaped(text));
}

QString list(const QStringList& lines, const ViewStyle& style) {
  QString html;
  for (const auto& line : lines) html += QStringLiteral("<p>%1</p>").arg(muted(line, style));
  return html;
}

QString kernelDetails(const ModelData& data, const ModelKernel& k, const ViewStyle& style) {
  QString html = QStringLiteral("<h3>%1</h3>").arg(escaped(k.name));
  html += QStringLiteral("<p>%1</p>").arg(muted(k.configuration, style));
  QString said;
  if (!std::isnan(k.before))
    said = Text::tr("Predicted %1 %2; %3 as recorded (speedup %4 ×).")
               .arg(formatValue(k.predicted, "ns"), data.asked, formatValue(k.before, "ns"))
               .arg(k.before / k.predicted, 0, 'f', 2);
  else if (k.measured > 0)
    said = Text::tr("Predicted %1, measured %2 (%3). Bound by %4.")
               .arg(formatValue(k.predicted, "ns"), formatValue(k.measured, "ns"), signedPercent(k.error()),
                    k.bottleneck);
  else
    said = Text::tr("Predicted %1; not measured. Bound by %2.")
               .arg(formatValue(k.predicted, "ns"), k.bottleneck);
  if (k.extrapolated)
    said += QLatin1Char(' ') +
            Text::tr("The kernel is not corrected: it is unlike the kernels that the correction was trained "
                     "on, or it belongs to a family for which the correction does not help.");
  return html + paragraph(said) + termsOf(k.terms, style);
}

} // namespace

QString detailsOf(const ModelData& data, Chart chart, int index, const ViewStyle& style) {
  const auto at = static_cast<std::size_t>(index);
  if (chart == Chart::Messages) {
    const auto& m = data.messages.at(at);
    return QStringLiteral("<h3>%1, %2</h3>").arg(escaped(m.operation), escaped(m.distance)) +
           paragraph(Text::tr("Predicted %1, measured %2 (%3).")
                         .arg(formatValue(m.predicted, "ns"), formatValue(m.measured, "ns"),
                              signedPercent(m.error()))) +
           termsOf(m.terms, style);
  }
  if (chart == Chart::Run) {
    const auto& run = data.runs.at(at);
    return QStringLiteral("<h3>%1: %2</h3>").arg(escaped(run.title), formatValue(run.total(), "ns")) +
           termsOf(run.terms, style);
  }
  return kernelDetails(data, data.kernels.at(at), style);
}

QString summaryOf(const ModelData& data, Chart chart, const ViewStyle& style) {
  QString html;
  if (!data.missing.isEmpty() && data.kernels.empty()) {
    html += paragraph(Text::tr("Inputs missing: %1").arg(data.missing.join(QStringLiteral(", "))));
    html += paragraph(Text::tr("Without these counters, kernel times cannot be predicted. Record them:"));
    html += QStringLiteral("<p style='font-family:monospace'>%1</p>").arg(escaped(data.command));
    html += paragraph(data.commandNote);
  }
  if (chart == Chart::Messages)
    return html + paragraph(data.messageValidation) + list(data.messageNotes, style);
  if (chart == Chart::Run) return html + list(data.runNotes, style);
  html += paragraph(data.validation);
  for (const auto& gpu : data.devices) {
    html += QStringLiteral("<p><b>%1</b> %2</p>").arg(escaped(gpu.name), muted(gpu.source, style));
    for (const auto& assumed : gpu.assumed)
      html += QStringLiteral("<p>%1</p>").arg(muted(Text::tr("assumed: %1").arg(assumed), style));
  }
  if (!data.kernels.empty())
    html += paragraph(Text::tr("Choose a kernel to see its terms and their formulas."));
  return html + list(data.notes, style);
}

} // namespace jitterscope::views::model
