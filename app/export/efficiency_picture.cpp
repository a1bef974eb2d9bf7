#include "app/export/efficiency_picture.h"

#include <cmath>

#include "app/controllers/efficiency_controller.h"
#include "core/engine/messages/efficiency_options.h"
#include "core/engine/messages/selection.h"
#include "views/base/text.h"
#include "views/efficiency/efficiency_painter.h"

namespace jitterscope::app {
namespace {

using views::Text;

constexpr int kTimelineParts = 120; // columns of the timeline, as in the window
constexpr int kListedRows = 60;     // devices and host threads that a picture lists

} // namespace

Expected<Picture> efficiency_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  auto options = request.efficiencies;
  options.most_rows = kListedRows;
  if (!options.timeline) options.timeline = kTimelineParts;
  options.timeline_fits = true;
  if (request.range) set_range(options, *request.range);
  auto answer = engine.run(options, job);
  if (!answer) return forward(answer.error());
  auto data = efficiency_data_of(answer->document,
                                 request.range ? Text::tr("chosen range") : Text::tr("all activity"),
                                 efficiency_text::Advice::None);
  const auto listed = [](const auto& numbers) {
    QStringList texts;
    for (const auto number : numbers) texts << QString::number(number);
    return texts.join(QStringLiteral(", "));
  };
  data.notes = efficiency_text::notes_on_choice(listed(options.ranks), listed(options.devices)) + data.notes;
  std::vector<std::string> factors;
  for (const auto& loss : answer->document.at("losses"))
    factors.push_back(loss.at("factor").get<std::string>());
  data.parts = efficiency_parts_of(answer->document, factors);
  data.source = request.runs.join(QStringLiteral(", "));
  const auto needed = static_cast<int>(
      std::ceil(views::efficiency::pictureHeight(data, request.size.width(), request.style)));
  Picture made{views::PaintFunction(
                   [data = std::move(data), style = request.style](QPainter& painter, const QRectF& rect) {
                     views::efficiency::paintPicture(painter, rect, data, style);
                   }),
               with_height(request.size, needed)};
  made.left_out = shown_at(needed, made.size);
  return made;
}

} // namespace jitterscope::app
