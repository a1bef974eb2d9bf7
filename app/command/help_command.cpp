#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/command/command.h"
#include "app/help/help_text.h"
#include "app/help/help_topics.h"
#include "core/base/similar_names.h"

namespace jitterscope::app {
namespace {

/// Width of the terminal in columns, limited to a readable line length.
int terminal_width() {
  constexpr int kWidest = 100, kNarrowest = 40;
  winsize size{};
  if (!::isatty(STDOUT_FILENO) || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return kWidest;
  return std::clamp<int>(size.ws_col, kNarrowest, kWidest);
}

class HelpCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    parser_ = &parser;
    auto* app = parser.add_subcommand("help", "Show a help page, or list the topics");
    app->add_option("TOPIC", words_, "Page, view or command, e.g. causal, filter, glossary");
    app->add_option("--search", search_, "List the sections of all pages that contain these words");
    app->add_flag("--man", man_, "Write the manual page (roff)");
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    topic_ = fmt::format("{}", fmt::join(words_, " "));
    if (man_) return print(manual_page(*parser_));
    if (!search_.empty()) return print_hits();
    if (topic_.empty()) return print_topics();
    if (const auto* topic = find_topic(QString::fromStdString(topic_))) return print_topic(*topic);
    return unknown_topic();
  }

private:
  static Expected<void> print(const QString& text) {
    fmt::print("{}", text.toStdString());
    return {};
  }

  Expected<void> print_topics() {
    nlohmann::json topics = nlohmann::json::array();
    for (const HelpTopic& topic : help_topics())
      topics.push_back({{"topic", topic.id.toStdString()}, {"title", topic.title.toStdString()}});
    if (!common.json.empty()) return write_json(common, {{"topics", topics}});
    fmt::print("Help topics, shown by `jitterscope help TOPIC`:\n\n");
    for (const HelpTopic& topic : help_topics())
      fmt::print("  {:<20}{}\n", topic.id.toStdString(), topic.title.toStdString());
    fmt::print("\n`jitterscope help --search WORDS` searches all pages. `jitterscope COMMAND --help` lists "
               "the options of a command.\n");
    return {};
  }

  Expected<void> print_topic(const HelpTopic& topic) {
    if (!common.json.empty())
      return write_json(common, {{"topic", topic.id.toStdString()},
                                 {"title", topic.title.toStdString()},
                                 {"markdown", topic.text.toStdString()}});
    return print(terminal_text(topic.text, terminal_width()));
  }

  Expected<void> print_hits() {
    nlohmann::json hits = nlohmann::json::array();
    for (const HelpHit& hit : search_help(QString::fromStdString(search_)))
      hits.push_back({{"topic", hit.topic->id.toStdString()},
                      {"heading", hit.heading.toStdString()},
                      {"text", hit.line.toStdString()}});
    if (!common.json.empty()) return write_json(common, {{"hits", hits}});
    if (hits.empty()) fmt::print("No page contains \"{}\".\n", search_);
    for (const auto& hit : hits) {
      const auto heading = hit.at("heading").get<std::string>();
      fmt::print("{}{}{}\n    {}\n", hit.at("topic").get<std::string>(), heading.empty() ? "" : " > ",
                 heading, hit.at("text").get<std::string>());
    }
    return {};
  }

  Expected<void> unknown_topic() const {
    std::vector<std::string> names;
    for (const HelpTopic& topic : help_topics()) names.push_back(topic.id.toStdString());
    const bool found = !search_help(QString::fromStdString(topic_)).empty();
    return failure(ErrorKind::BadUse, "there is no help topic \"" + topic_ + "\"", {}, {},
                   did_you_mean(topic_, names,
                                found ? "Search the pages: jitterscope help --search \"" + topic_ + "\""
                                      : "List the topics: jitterscope help"));
  }

  const CLI::App* parser_ = nullptr;
  std::vector<std::string> words_;
  std::string topic_, search_;
  bool man_ = false;
};

} // namespace

std::unique_ptr<Command> help_command() {
  return std::make_unique<HelpCommand>();
}

} // namespace jitterscope::app
