#pragma once

#include <QString>

namespace jitterscope::app {

/// All keys and mouse gestures as HTML.
QString keys_page();
/// Filter language with examples as HTML.
QString filter_page();
/// How to read causal answers, and the file of background knowledge.
QString causal_page();
/// How efficiencies are computed and read.
QString efficiency_page();
/// What can be opened.
QString formats_page();

} // namespace jitterscope::app
