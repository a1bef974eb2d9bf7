#include "app/export/efficiency_picture.h"

#include <cmath>

#include "app/controllers/efficiency_controller.h"
#include "views/base/text.h"
#include "views/efficiency/efficiency_painter.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;
using views::Text;

constexpr int kTimelineParts = 120; // columns of the timeline, as in the window
constexpr int kListedRows = 60;     // devices and host threads that a picture lists

} // namespace

Expected<Picture> efficiency_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job) {
  json options = {{"collectives_as", request.options.value("collectives_as", std::string("comm"))},
                  {"most_rows", kListedRows},
                  {"timeline", kTimelineParts},
                  {"timeline_fits", true}};
  for (const char* key : {"ranks", "devices", "ideal_ns"})
    if (const auto chosen = request.options.find(key); chosen != request.options.end())
      options[key] = *chosen;
  if (request.range) options["range"] = {request.range->begin.count, request.range->end.count};
  auto answer = engine.run("efficiency", options, job);
  if (!answer) return forward(answer.error());
  auto data = efficiency_data_of(answer->document,
                                 request.range ? Text::tr("chosen range") : Text::tr("all activity"),
                                 efficiency_text::Advice::None);
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
