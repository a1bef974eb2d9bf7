#pragma once

#include <QString>
#include <initializer_list>
#include <utility>

class QComboBox;
class QWidget;

namespace jitterscope::app {

/// A combo box with these texts, whose item data are the given values.
QComboBox* choice_box(QWidget* parent, const QString& tip,
                      std::initializer_list<std::pair<QString, const char*>> items);

/// Fills `panel` with a row of controls, which wraps in narrow docks, above the content.
void add_with_choices(QWidget* panel, std::initializer_list<QWidget*> choices, QWidget* content);

} // namespace jitterscope::app
