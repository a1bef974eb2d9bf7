#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace jitterscope::app {

/// One page of resources/help, compiled in as ":/help/ID.md".
struct HelpTopic {
  QString id;    ///< file name without its ending: "causal"
  QString title; ///< its first heading
  QString text;  ///< Markdown
};

/// All pages: those that a reader meets first come first, others by title.
const std::vector<HelpTopic>& help_topics();
/// By id, title, or the name of a view or command ("Ranked bins", "render"); any case. Null without one.
const HelpTopic* find_topic(const QString& name);
/// The page of a view, by the title of its dock, also of a pinned one. Views without a page have the first
/// steps.
const HelpTopic& topic_of_view(const QString& title);

/// "Excess of a selection" → "excess-of-a-selection", as links write it after #.
QString anchor_of(const QString& heading);

/// A section of a page.
struct HelpHit {
  const HelpTopic* topic = nullptr;
  QString heading; ///< empty above the first section
  QString anchor;
  QString line; ///< the line that holds the most of the words
};
/// Sections that hold all words, in any order and case; those with the words in their heading first.
std::vector<HelpHit> search_help(const QString& words);

} // namespace jitterscope::app
