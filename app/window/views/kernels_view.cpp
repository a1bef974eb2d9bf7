#include <QLineEdit>
#include <QMainWindow>
#include <QTableView>
#include <algorithm>
#include <memory>

#include "app/engine/decode.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/table_pictures.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "core/engine/messages/selection.h"
#include "views/base/format.h"
#include "views/base/text.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table_parts/tsv.h"

namespace jitterscope::app {
namespace {

using views::KernelsWidget;
using views::Text;

QString kernels_text(std::uint64_t n) {
  return (n == 1 ? Text::tr("%1 kernel") : Text::tr("%1 kernels")).arg(views::formatCount(n));
}

ViewExports exports_of(KernelsWidget* kernels) {
  ViewExports exports;
  exports.pictures = [kernels](Pictures& pictures, const QString& title) {
    const auto count = static_cast<std::uint64_t>(kernels->model().rowCount());
    pictures[title] = painter_of(kernels->table(), Text::tr("Kernels · %1").arg(kernels_text(count)));
  };
  exports.csv = [kernels](const QString&) { return views::toCsv(*kernels->table()->model()); };
  return exports;
}

QDockWidget* pin_kernels(ViewContext& context, const ViewSpec& spec) {
  auto* widget = new KernelsWidget;
  const auto ask = context.pinned.request(
      spec, widget,
      std::make_shared<engine::KernelsOptions>(
          with_selection(engine::KernelsOptions(), context.session.selection_options())),
      [range = context.session.selection_range()](KernelsWidget* view, const engine::Answer& answer) {
        if (const auto kernels = engine::table_of<engine::answers::KernelsAnswer>(answer))
          view->setKernels(kernels_data(*kernels, range));
      });
  return context.pinned.show({spec, widget, style_of(widget), exports_of(widget), ask});
}

View make_kernels(ViewContext& context) {
  auto* kernels = context.parts.kernels = new KernelsWidget(&context.window);
  View view = view_of(kernels);
  view.connect = [&context, kernels] {
    QObject::connect(kernels, &KernelsWidget::kernelSelected, &context.window,
                     [&context](const QList<quint32>& ids) {
                       context.change([&](SelectionState& s) {
                         s.kernels.assign(ids.begin(), ids.end());
                         std::sort(s.kernels.begin(), s.kernels.end());
                       });
                     });
    QObject::connect(&context.session, &SessionController::kernels, kernels, &KernelsWidget::setKernels);
  };
  view.show_state = [kernels](const SelectionState& now, const SelectionState&) {
    kernels->setSelected(QList<quint32>(now.kernels.begin(), now.kernels.end()));
  };
  view.save = [kernels](nlohmann::json& views) {
    views["kernels"] = {{"filter", kernels->filterBox()->text().toStdString()},
                        {"sort", kernels->sortColumn().toStdString()},
                        {"descending", kernels->sortOrder() == Qt::DescendingOrder}};
  };
  view.restore = [kernels](const nlohmann::json& views, const SelectionState&) {
    const auto state = views.find("kernels");
    if (state == views.end()) return;
    const auto text = [&](const char* key) {
      return QString::fromStdString(state->at(key).get<std::string>());
    };
    kernels->setNameFilter(text("filter"));
    kernels->setSort(text("sort"),
                     state->at("descending").get<bool>() ? Qt::DescendingOrder : Qt::AscendingOrder);
  };
  view.pin = [&context](const ViewSpec& spec) { return pin_kernels(context, spec); };
  view.exports = exports_of(kernels);
  return view;
}

} // namespace

ViewSpec kernels_view() {
  return {"kernels", QT_TRANSLATE_NOOP("Jitterscope", "Kernels"), "distribution",
          DockPlace{.tabbed_on = "bins"}, make_kernels};
}

} // namespace jitterscope::app
