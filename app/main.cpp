#include <QApplication>
#include <QCoreApplication>
#include <QFile>
#include <QGuiApplication>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "app/command/command.h"
#include "app/engine/store_cache.h"
#include "app/window/window_main.h"
#include "core/base/output_file.h"

namespace jitterscope::app {
namespace {

bool has_display() {
  return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
         !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

// Suppresses Qt messages about the environment that do not help a user (no session directory on a node).
void quiet_messages(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (text.startsWith("QStandardPaths: XDG_RUNTIME_DIR not set") || text.contains("propagateSizeHints"))
    return;
  if (type != QtDebugMsg && type != QtInfoMsg)
    std::fputs(("jitterscope: " + text.toStdString() + "\n").c_str(), stderr);
  if (type == QtFatalMsg) std::abort();
}

int run_command(Command& command, int argc, char** argv) {
  std::unique_ptr<QCoreApplication> application;
  if (command.paints()) {
    // Pictures are painted in memory, without a display.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    application = std::make_unique<QGuiApplication>(argc, argv);
  } else {
    application = std::make_unique<QCoreApplication>(argc, argv);
  }
  std::setlocale(LC_NUMERIC, "C"); // Qt chooses the user's locale: numbers in options have a decimal point
  const auto done = command.run();
  if (!done) return report(command.common, done.error());
  if (std::fflush(stdout) == 0 && std::cout.flush()) return command.exit_code_of_result();
  return report(command.common,
                {ErrorKind::Io, "the standard output cannot be written", {}, {}, std::strerror(errno)});
}

// Output may fail: the reader of a pipe (`| head`) may have ended, or a disk may be full.
int run_and_print(Command& command, int argc, char** argv) {
  try {
    return run_command(command, argc, argv);
  } catch (const std::system_error& problem) { // thrown by fmt::print
    constexpr int kBrokenPipe = 141;           // exit status that a shell shows for SIGPIPE
    if (problem.code() == std::errc::broken_pipe) return kBrokenPipe;
    return report({},
                  {ErrorKind::Io, "the standard output cannot be written", {}, {}, problem.code().message()});
  }
}

int run_window(const std::vector<std::string>& files, const CommonOptions& common, int argc, char** argv) {
  bool platform = false;
  for (int i = 1; i < argc; ++i) platform = platform || std::strcmp(argv[i], "-platform") == 0;
  if (!platform && !has_display()) {
    fmt::print(stderr,
               "jitterscope: there is no display (DISPLAY is not set). For the same analysis without a "
               "window, run: jitterscope report FILES -o report.html\n");
    return kBadUse;
  }
  QApplication application(argc, argv);
  std::setlocale(LC_NUMERIC, "C");
  QStringList names;
  for (const auto& file : files) names << QFile::decodeName(file.c_str());
  return window_main(names, mapping_list(common.mapping));
}

/// True for a word that can only be the name of a command: neither an option nor a path, and no such file.
bool names_a_command(const CLI::App& parser, const std::string& word) {
  const bool plain = !word.empty() && word.front() != '-' && word.find_first_of("./\\:") == std::string::npos;
  std::error_code ignored;
  return plain && !std::filesystem::exists(word, ignored) &&
         parser.get_subcommands([&](const CLI::App* one) { return one->get_name() == word; }).empty();
}

/// The options of a command that were given: "kernel_column" for --kernel-column; flags are true. Without
/// those on which results do not depend.
nlohmann::json given_options(const CLI::App& command) {
  auto given = nlohmann::json::object();
  for (const auto* option : command.get_options()) {
    auto name = option->get_single_name();
    if (option->count() == 0 || option->get_positional() || name == "json" || name == "help" ||
        name == "ranks")
      continue;
    std::replace(name.begin(), name.end(), '-', '_');
    const auto& values = option->results();
    given[name] = option->get_items_expected_max() == 0 ? nlohmann::json(true)
                  : values.size() == 1                  ? nlohmann::json(values.front())
                                                        : nlohmann::json(values);
  }
  return given;
}

/// The file of --json in arguments that may be wrong otherwise; empty if there is none.
std::string json_output(int argc, char** argv) {
  constexpr std::string_view kOption = "--json", kWithValue = "--json=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(kWithValue)) return std::string(argument.substr(kWithValue.size()));
    if (argument == kOption && i + 1 < argc) return argv[i + 1];
  }
  return {};
}

int no_command(const std::string& word) {
  return report({}, {ErrorKind::BadUse,
                     "there is no command " + word + ", and no file of this name",
                     {},
                     {},
                     "\"jitterscope --help\" lists the commands."});
}

int main(int argc, char** argv) {
  report_file_size_limit_as_error();
  qInstallMessageHandler(quiet_messages);
  QCoreApplication::setApplicationName("jitterscope");
  QCoreApplication::setApplicationVersion(JITTERSCOPE_VERSION);
  CLI::App parser("See when GPU kernels vary, and why. Without a subcommand, opens the window.",
                  "jitterscope");
  parser.set_version_flag("--version", std::string("jitterscope ") + JITTERSCOPE_VERSION);
  parser.require_subcommand(0, 1);
  std::vector<std::string> files;
  parser.add_option("FILES", files, "Stores, profiler files, folders or archives to open in the window");
  CommonOptions window_options;
  add_open(parser, window_options);
  auto commands = all_commands();
  std::vector<CLI::App*> parsers;
  for (auto& command : commands) parsers.push_back(command->add(parser));
  // Qt's own options are left to Qt.
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    const bool value_of_qt =
        i > 1 && (std::strcmp(argv[i - 1], "-platform") == 0 || std::strcmp(argv[i - 1], "-style") == 0);
    if (!value_of_qt && std::strcmp(argv[i], "-platform") != 0 && std::strcmp(argv[i], "-style") != 0)
      arguments.emplace_back(argv[i]);
  }
  if (!arguments.empty() && names_a_command(parser, arguments.back())) return no_command(arguments.back());
  try {
    parser.parse(arguments);
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == 0) return parser.exit(problem); // --help, --version
    CommonOptions common;
    common.json = json_output(argc, argv);
    return report(common,
                  {ErrorKind::BadUse, problem.what(), {}, {}, "Run with --help for more information."});
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (!parsers[i]->parsed()) continue;
    commands[i]->common.given = given_options(*parsers[i]);
    return run_and_print(*commands[i], argc, argv);
  }
  if (!files.empty() && names_a_command(parser, files.front())) return no_command(files.front());
  return run_window(files, window_options, argc, argv);
}

} // namespace
} // namespace jitterscope::app

int main(int argc, char** argv) {
  return jitterscope::app::main(argc, argv);
}
