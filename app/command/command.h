#pragma once

#include <QStringList>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/engine/blocking_engine.h"
#include "app/engine/time_text.h"
#include "core/base/error.h"
#include "core/base/job.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/session_answers.h"
#include "core/engine/ranks/placement.h"

namespace jitterscope::app {

/// Exit codes of the command line.
enum ExitCode {
  kOk = 0,
  kBadUse = 1,
  kBadInput = 2,
  kEngineFailure = 3,
  kFileFailure = 4,
  kFailedCondition = 5
};
int exit_code(const Error& error);

/// Options that several subcommands share.
struct CommonOptions {
  std::string json;                 ///< --json FILE or -
  int ranks = 1;                    ///< --ranks N|auto
  std::string where;                ///< --where
  bool short_names = false;         ///< --names short
  std::vector<std::string> mapping; ///< --map and --kernel-column, as import::parse_mapping reads it
  std::vector<std::string> metrics; ///< --metric where it adds columns (chosen_columns.h)
  std::string efficiencies;         ///< --efficiencies
  /// Metrics and efficiencies that a session file has as columns, as columns_question() reads them.
  nlohmann::json session_columns = nlohmann::json::object();
  nlohmann::json given = nlohmann::json::object(); ///< options of the command line by name, as texts
};

void add_json(CLI::App& app, CommonOptions& common);
void add_engine(CLI::App& app, CommonOptions& common, engine::Divides work);
/// Adds the options that define how ambiguous files are read.
void add_open(CLI::App& app, CommonOptions& common);

/// Options of causal questions for pictures and pages.
struct CausalQuestionOptions {
  std::string knowledge;             ///< --tiers
  std::string reading = "automatic"; ///< --reading
  void add_to(engine::CausalOptions& options) const;
};
void add_causal_question(CLI::App& app, CausalQuestionOptions& causal);

/// Job with progress on a terminal, cancelled by Ctrl+C; quiet if stderr is not a terminal.
Job terminal_job();
void end_progress();

/// Imports files into a store. A store that the engine cannot write is an engine failure.
Expected<engine::answers::ImportAnswer> import_store(const std::vector<std::string>& files,
                                                     const std::string& output, const CommonOptions& common,
                                                     const Job& job);

/// Paths of stores; profiler files are imported into the cache first.
Expected<std::vector<std::string>> stores_of(const std::vector<std::string>& files,
                                             const CommonOptions& common, const Job& job);

/// BadUse if one of these options was given, because it would be ignored. `why` completes "NAME has no
/// effect".
Expected<void> refuse_options(const CLI::App& app, const std::vector<std::string>& names,
                              const std::string& why);

/// BadUse when an output would replace one of the inputs or a file that is read with it (a mistake that
/// cannot be undone), and when two outputs are the same file or both are the standard output ("-"). This
/// checks before the work begins; until the program ends, OutputFile protects these files and those that
/// open_session() opens.
Expected<void> keep_inputs(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

/// BadUse for "-": a command that writes in the engine, or several files, cannot use the standard output.
Expected<void> refuse_standard_output(const std::string& output);

/// Opens stores or profiler files in the engine; returns the info document.
Expected<nlohmann::json> open_session(BlockingEngine& engine, const std::vector<std::string>& files,
                                      const CommonOptions& common, const Job& job);

/// Files that are not opened as a session, as "inputs" of a document: path, bytes, sha256.
Expected<nlohmann::json> inputs_of_files(const std::vector<std::string>& files, const Job& job);

/// Adds `schema_version`, and to `options` those of the command line that it lacks.
void complete(const CommonOptions& common, nlohmann::json& document);
/// Writes the completed document to the file that --json names, "-" being standard output.
Expected<void> write_json(const CommonOptions& common, nlohmann::json document);
/// Writes to this file, "-" being standard output.
Expected<void> write_text(const std::string& output, std::string_view text);

/// Prints the error on stderr and, with --json, as JSON; returns the exit code.
int report(const CommonOptions& common, const Error& error);

/// One subcommand: adds itself to the parser; `run` is called if it was selected.
class Command {
public:
  virtual ~Command() = default;
  virtual CLI::App* add(CLI::App& parser) = 0;
  virtual Expected<void> run() = 0;
  /// Exit code after a run without an error.
  virtual int exit_code_of_result() const { return kOk; }
  /// True if the command paints pictures, which need a QGuiApplication.
  virtual bool paints() const { return false; }
  CommonOptions common;
};

std::vector<std::unique_ptr<Command>> all_commands();
std::unique_ptr<Command> import_command();
std::unique_ptr<Command> info_command();
std::unique_ptr<Command> bins_command();
std::unique_ptr<Command> causal_command();
std::unique_ptr<Command> compare_command();
std::unique_ptr<Command> cut_command();
std::unique_ptr<Command> devices_command();
std::unique_ptr<Command> efficiency_command();
std::unique_ptr<Command> export_command();
std::unique_ptr<Command> filter_command();
std::unique_ptr<Command> metric_command();
std::unique_ptr<Command> predict_command();
std::unique_ptr<Command> render_command();
std::unique_ptr<Command> report_command();
std::unique_ptr<Command> help_command();

} // namespace jitterscope::app
