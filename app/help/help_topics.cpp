#include "app/help/help_topics.h"

#include <QDir>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <algorithm>

// Outside any namespace, because the resource macro declares a global function.
static void load_help_resource() {
  Q_INIT_RESOURCE(help);
}

namespace jitterscope::app {
namespace {

const char* const kOrder[] = {"start",   "opening",     "screen",   "timeline",     "bins",
                              "causal",  "moment",      "example",  "evidence",     "notes",
                              "advice",  "statistics",  "parallel", "distribution", "efficiency",
                              "metrics", "collectives", "devices",  "comparing",    "rows",
                              "columns", "filter",      "smaller",  "sessions",     "performance-model",
                              "remote",  "commands",    "json",     "keys",         "formats",
                              "limits",  "measured",    "glossary", "contributing"};

// Help page of each view, command and search term; keys in lower case.
const QMap<QString, QString>& aliases() {
  static const QMap<QString, QString> kAliases = {{"ranked bins", "bins"},
                                                  {"window", "screen"},
                                                  {"causal graph", "causal"},
                                                  {"evidence", "evidence"},
                                                  {"what if", "evidence"},
                                                  {"what-if", "evidence"},
                                                  {"knowledge", "causal"},
                                                  {"tiers", "causal"},
                                                  {"why", "moment"},
                                                  {"parallel coordinates", "parallel"},
                                                  {"heat map", "distribution"},
                                                  {"heat-map", "distribution"},
                                                  {"kernels", "distribution"},
                                                  {"launches", "distribution"},
                                                  {"details", "moment"},
                                                  {"area", "timeline"},
                                                  {"marks", "timeline"},
                                                  {"activity", "remote"},
                                                  {"efficiencies", "efficiency"},
                                                  {"metric", "metrics"},
                                                  {"metric histogram", "metrics"},
                                                  {"devices", "devices"},
                                                  {"cut", "smaller"},
                                                  {"talp", "efficiency"},
                                                  {"assessment", "efficiency"},
                                                  {"bursts", "rows"},
                                                  {"predict", "performance-model"},
                                                  {"performance model", "performance-model"},
                                                  {"model", "performance-model"},
                                                  {"import", "opening"},
                                                  {"open", "opening"},
                                                  {"info", "columns"},
                                                  {"where", "filter"},
                                                  {"render", "sessions"},
                                                  {"report", "sessions"},
                                                  {"export", "sessions"},
                                                  {"compare", "comparing"},
                                                  {"runs", "comparing"},
                                                  {"ranks", "remote"},
                                                  {"engine", "remote"},
                                                  {"cluster", "remote"}};
  return kAliases;
}

std::vector<HelpTopic> read_pages() {
  load_help_resource();
  std::vector<HelpTopic> pages;
  for (const QString& name : QDir(":/help").entryList({"*.md"}, QDir::Files)) {
    QFile file(":/help/" + name);
    if (!file.open(QIODevice::ReadOnly)) continue;
    HelpTopic page{name.chopped(3), {}, QString::fromUtf8(file.readAll())};
    page.title = page.text.section('\n', 0, 0).mid(2);
    pages.push_back(std::move(page));
  }
  const auto place = [](const HelpTopic& page) {
    return std::find(std::begin(kOrder), std::end(kOrder), page.id) - std::begin(kOrder);
  };
  std::sort(pages.begin(), pages.end(), [&](const HelpTopic& a, const HelpTopic& b) {
    return std::pair(place(a), a.title) < std::pair(place(b), b.title);
  });
  return pages;
}

const HelpTopic* by_id(const QString& id) {
  for (const HelpTopic& page : help_topics())
    if (page.id == id) return &page;
  return nullptr;
}

int count_of(const QString& text, const QStringList& words) {
  return static_cast<int>(std::count_if(words.begin(), words.end(), [&](const QString& word) {
    return text.contains(word, Qt::CaseInsensitive);
  }));
}

/// Removes Markdown markup; links become their text. The bars of |d − mean| stay, those of a table do not.
QString plain(QString line) {
  static const QRegularExpression kLink("\\[([^\\]]*)\\]\\([^)]*\\)");
  line.replace(kLink, "\\1");
  for (const char* sign : {"**", "`"}) line.remove(sign);
  line = line.simplified();
  if (line.startsWith("| ") && line.endsWith(" |")) line = line.mid(2, line.size() - 4).replace(" | ", " · ");
  return line;
}

} // namespace

const std::vector<HelpTopic>& help_topics() {
  static const std::vector<HelpTopic> kPages = read_pages();
  return kPages;
}

const HelpTopic* find_topic(const QString& name) {
  const QString requested = name.trimmed().toLower();
  if (const auto* page = by_id(requested)) return page;
  for (const HelpTopic& page : help_topics())
    if (page.title.toLower() == requested) return &page;
  return by_id(aliases().value(requested));
}

QString anchor_of(const QString& heading) {
  QString anchor;
  for (const QChar c : heading.toLower())
    if (c.isLetterOrNumber() || c == '_' || c == '-')
      anchor += c;
    else if (c == ' ')
      anchor += '-';
  return anchor;
}

std::vector<HelpHit> search_help(const QString& words) {
  const QStringList requested = words.split(' ', Qt::SkipEmptyParts);
  std::vector<std::pair<int, HelpHit>> found; // with the number of words missing in each heading
  if (requested.isEmpty()) return {};
  for (const HelpTopic& page : help_topics()) {
    const QStringList sections = page.text.split("\n## ");
    for (qsizetype i = 0; i < sections.size(); ++i) {
      const QString heading = i == 0 ? QString() : sections[i].section('\n', 0, 0);
      if (count_of(page.title + ' ' + sections[i], requested) < requested.size()) continue;
      HelpHit hit{&page, heading, anchor_of(heading), {}};
      int maximum = 0;
      for (const QString& line : sections[i].section('\n', 1).split('\n'))
        if (const int here = count_of(line, requested); here > maximum)
          maximum = here, hit.line = plain(line);
      const int in_title = count_of(page.title + ' ' + heading, requested);
      found.emplace_back(static_cast<int>(requested.size()) - in_title, std::move(hit));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<HelpHit> hits;
  for (auto& [lacks, hit] : found) hits.push_back(std::move(hit));
  return hits;
}

} // namespace jitterscope::app
