#include <QMainWindow>
#include <QPainter>
#include <QTableView>
#include <QTextBrowser>

#include "app/controllers/model_controller.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/table_pictures.h"
#include "app/window/views/view_list.h"
#include "views/base/text.h"
#include "views/model/model_widget.h"
#include "views/table_parts/tsv.h"

namespace jitterscope::app {
namespace {

using views::ModelQuestion;
using views::ModelWidget;
using views::Text;

ViewExports exports_of(ModelWidget* model) {
  ViewExports exports;
  exports.pictures = [model](Pictures& pictures, const QString& title) {
    if (model->data().empty()) return;
    pictures[title] = [model](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      const auto* canvas = model->canvas();
      views::model::paint(p, r, model->data(), canvas->chart(), s, canvas->device(), canvas->firstLine());
    };
    pictures[Text::tr("%1 as a table").arg(title)] = painter_of(model->table(), title);
    pictures[Text::tr("%1: terms").arg(title)] = painter_of(model->details());
  };
  exports.csv = [model](const QString& picture) {
    if (picture.endsWith(Text::tr("%1: terms").arg(QString()))) return QString(); // a text
    return views::toCsv(*model->table()->model());
  };
  return exports;
}

QDockWidget* pin_model(ViewContext& context, const ViewSpec& spec, ModelWidget* shown) {
  if (shown->data().empty()) return nullptr;
  auto* widget = new ModelWidget;
  auto* dock = context.pinned.show({spec, widget, style_of(widget), exports_of(widget)});
  widget->setQuestion(shown->question());
  widget->freeze(); // another question would need a new answer
  widget->setData(shown->data());
  widget->setChart(shown->chart());
  if (shown->opened()) widget->open(*shown->opened());
  return dock;
}

nlohmann::json document_of(const ModelQuestion& question) {
  return {{"gpu", question.gpu.toStdString()},
          {"block", question.block},
          {"level", question.level.toStdString()},
          {"hit_rate", question.hitRate},
          {"nodes", question.nodes},
          {"weak", question.weak},
          {"message_size", question.messageSize}};
}

ModelQuestion question_in(const nlohmann::json& state) {
  ModelQuestion question;
  question.gpu = QString::fromStdString(state.at("gpu").get<std::string>());
  question.block = state.at("block").get<int>();
  question.level = QString::fromStdString(state.at("level").get<std::string>());
  question.hitRate = state.at("hit_rate").get<double>();
  question.nodes = state.at("nodes").get<int>();
  question.weak = state.at("weak").get<bool>();
  question.messageSize = state.at("message_size").get<double>();
  return question;
}

View make_model(ViewContext& context) {
  auto* model = new ModelWidget(&context.window);
  new ModelController(context.hub, context.session, model, &context.window);
  View view = view_of(model);
  view.pin = [&context, model](const ViewSpec& spec) { return pin_model(context, spec, model); };
  view.exports = exports_of(model);
  view.save = [model](nlohmann::json& views) {
    const auto question = model->question();
    if (question != ModelQuestion()) views["model"] = document_of(question);
  };
  view.restore = [model](const nlohmann::json& views, const SelectionState&) {
    if (const auto state = views.find("model"); state != views.end()) model->setQuestion(question_in(*state));
  };
  return view;
}

} // namespace

ViewSpec model_view() {
  return {"model", QT_TRANSLATE_NOOP("Jitterscope", "Performance model"), "performance-model",
          DockPlace{.area = Qt::RightDockWidgetArea, .tabbed_on = "causal"}, make_model};
}

} // namespace jitterscope::app
