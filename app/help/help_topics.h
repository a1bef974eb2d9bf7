#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace jitterscope::app {

/// One page of resources/help, compiled in as ":/help/ID.md".
struct HelpTopic {
  QString id;    ///< file name without extension: "causal"
  QString title; ///< first heading of the page
  QString text;  ///< Markdown
};

/// All pages: introductory pages first, the others sorted by title.
const std::vector<HelpTopic>& help_topics();
/// Topic by id, title, or name of a view or command ("Ranked bins", "render"), in upper or lower case. Null
/// if there is none.
const HelpTopic* find_topic(const QString& name);

/// Anchor of a heading: "Excess of a selection" → "excess-of-a-selection", as links write it after #.
QString anchor_of(const QString& heading);

/// A section of a page.
struct HelpHit {
  const HelpTopic* topic = nullptr;
  QString heading; ///< heading of the section; empty: text before the first section
  QString anchor;
  QString line; ///< the line with the most matching words
};
/// Sections that contain all words, in any order and case; sections with the words in their heading come
/// first.
std::vector<HelpHit> search_help(const QString& words);

} // namespace jitterscope::app
