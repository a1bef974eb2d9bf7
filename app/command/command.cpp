#include "app/command/command.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include <QFile>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/engine/row_texts.h"
#include "app/engine/store_cache.h"
#include "core/analysis/columns/info.h"
#include "core/analysis/filter/filter_tokens.h"
#include "core/base/output_file.h"
#include "core/engine/messages/request_limits.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/ranks/placement.h"
#include "core/import/import.h"
#include "core/store/hdf5/checksum.h"

namespace jitterscope::app {
namespace {

std::atomic<bool> g_interrupted{false};
std::atomic<bool> g_progress_shown{false};

// Unlike fmt::print this does not throw: if the error cannot be printed, the exit code is kept.
void print_error(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

// True for an existing file in the folder or its subfolders.
bool is_below(const std::string& file, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code problem;
  if (!fs::is_directory(folder, problem) || !fs::is_regular_file(file, problem)) return false;
  const auto path = fs::canonical(file, problem).string(), prefix = fs::canonical(folder, problem).string();
  return !problem && path.starts_with(prefix + "/");
}

// Protects files until the program ends: a failed command also writes its error to the file of --json.
void protect(InputFiles files) {
  static std::vector<InputFiles> kept;
  kept.push_back(std::move(files));
}

// True if both are the same file, pipe or terminal; not for /dev/null, which keeps nothing.
bool same_output(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  if (one == other && one == "-") return true;
  const auto status_of = [](const std::string& output, struct stat& status) {
    return ::stat(output == "-" ? "/dev/stdout" : output.c_str(), &status) == 0;
  };
  const auto same = [](const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  };
  struct stat first {
  }, second{}, nothing{};
  if (!status_of(one, first) || !status_of(other, second)) // files that do not exist yet
    return std::filesystem::path(one).lexically_normal() == std::filesystem::path(other).lexically_normal();
  return same(first, second) && !(status_of("/dev/null", nothing) && same(first, nothing));
}

} // namespace

int exit_code(const Error& error) {
  switch (error.kind) {
  case ErrorKind::BadUse:
    return kBadUse;
  case ErrorKind::BadInput:
    return kBadInput;
  case ErrorKind::Io:
    return kFileFailure;
  default:
    return kEngineFailure;
  }
}

void add_json(CLI::App& app, CommonOptions& common) {
  app.add_option("--json", common.json, "Write the result as JSON to this file, - for standard output");
}

void add_engine(CLI::App& app, CommonOptions& common, engine::Divides work) {
  app.add_option("--where", common.where,
                 "Only launches that meet this condition, e.g. \"duration > 20us and name ~ /gemm/\"");
  app.add_option_function<std::string>(
         "--ranks",
         [&common, work](const std::string& text) {
           char* end = nullptr;
           const long number = std::strtol(text.c_str(), &end, 10);
           common.ranks = text == "auto" ? engine::place(0, engine::this_machine(), work).ranks
                          : *end || number < 0 || number > engine::RequestLimits::kRanks
                              ? 0
                              : static_cast<int>(number);
           if (common.ranks < 1) throw CLI::ValidationError("--ranks", "1 to 1024, or auto");
         },
         "Number of MPI ranks of the engine, or auto (default 1)")
      ->type_name("N|auto");
}

namespace {

void add_names(CLI::App& app, CommonOptions& common) {
  app.add_option_function<std::string>(
         "--names", [&common](const std::string& names) { common.short_names = names == "short"; },
         "Kernels with the same full name (default), or with the same short name, are one kernel: full or "
         "short")
      ->check(CLI::IsMember({"full", "short"}));
}

} // namespace

void add_open(CLI::App& app, CommonOptions& common) {
  const auto map = [&common](const std::string& entry) { common.mapping.push_back(entry); };
  app.add_option_function<std::string>(
         "--kernel-column", [map](const std::string& column) { map("kernel=" + column); },
         "Column of plain tables that names the kernels, or several: kernel,M,N")
      ->type_name("TEXT");
  app.add_option_function<std::vector<std::string>>(
         "--map",
         [map](const std::vector<std::string>& entries) {
           std::for_each(entries.begin(), entries.end(), map);
         },
         "Role of a column of plain tables: kernel=COLUMN (likewise start, end, duration, device, stream, "
         "rank), samples=COLUMN (times of a log) or unit:COLUMN=UNIT; may be repeated")
      ->type_name("ROLE=COLUMN")
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
         "--rows",
         [map](const std::string& rows) {
           if (rows != "launches") map("rows=" + rows);
         },
         "Analysis rows: launches (default; bursts where a trace has none), bursts of computation between "
         "MPI "
         "calls, ranges or calls")
      ->check(CLI::IsMember({"launches", "bursts", "ranges", "calls"}));
  app.add_option_function<std::string>(
         "--collective-kernels", [map](const std::string& pattern) { map("collective_kernels=" + pattern); },
         "Regular expression for the names of further kernels that communicate, besides NCCL, RCCL and "
         "NVSHMEM")
      ->type_name("REGEX");
  add_names(app, common);
}

void add_causal_question(CLI::App& app, CausalQuestionOptions& causal) {
  app.add_option(
      "--tiers", causal.knowledge,
      "Background knowledge for causal answers: JSON or CSV file of tiers, required and forbidden edges");
  app.add_option("--reading", causal.reading,
                 "Differences that causal answers compare: automatic (default), pooled, within or between "
                 "configurations");
}

void CausalQuestionOptions::add_to(engine::CausalOptions& options) const {
  options.knowledge_file = knowledge;
  options.reading = reading;
}

Job terminal_job() {
  Job job;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, [](int received) {
      g_interrupted = true;
      std::signal(received, SIG_DFL); // the second signal ends the process immediately
    });
  job.cancelled = [] { return g_interrupted.load(); };
  if (!::isatty(STDERR_FILENO)) return job;
  job.progress = [last = std::chrono::steady_clock::time_point()](std::int64_t done, std::int64_t total,
                                                                  const std::string& what) mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < std::chrono::milliseconds(100)) return;
    last = now;
    g_progress_shown = true;
    if (total > 0)
      print_error(fmt::format("\r\033[K{}: {:.0f} %", what,
                              100.0 * static_cast<double>(done) / static_cast<double>(total)));
    else
      print_error(fmt::format("\r\033[K{} …", what));
    std::fflush(stderr);
  };
  return job;
}

void end_progress() {
  if (g_progress_shown.exchange(false)) print_error("\r\033[K");
}

Expected<engine::answers::ImportAnswer> import_store(const std::vector<std::string>& files,
                                                     const std::string& output, const CommonOptions& common,
                                                     const Job& job) {
  auto answer =
      BlockingEngine(1)
          .run(engine::ImportOptions{.files = files, .output = output, .mapping = common.mapping}, job)
          .and_then(engine::table_of<engine::answers::ImportAnswer>);
  if (answer) return answer;
  auto error = answer.error();
  if (error.kind == ErrorKind::Io) error.kind = ErrorKind::Engine;
  return forward(std::move(error));
}

Expected<std::vector<std::string>> stores_of(const std::vector<std::string>& files,
                                             const CommonOptions& common, const Job& job) {
  QStringList names;
  for (const auto& file : files) names << QFile::decodeName(file.c_str());
  auto plan = plan_open(names, mapping_list(common.mapping));
  if (!plan) return forward(plan.error());
  if (!plan->to_import.isEmpty()) {
    std::vector<std::string> inputs;
    for (const auto& file : plan->to_import) inputs.push_back(QFile::encodeName(file).toStdString());
    auto imported = import_store(inputs, QFile::encodeName(plan->import_target).toStdString(), common, job);
    if (!imported) return forward(imported.error());
  }
  std::vector<std::string> stores;
  for (const auto& store : plan->stores) stores.push_back(QFile::encodeName(store).toStdString());
  return stores;
}

Expected<void> refuse_options(const CLI::App& app, const std::vector<std::string>& names,
                              const std::string& why) {
  for (const auto& name : names)
    if (app.get_option(name)->count() > 0)
      return failure(ErrorKind::BadUse, name + " has no effect " + why, {}, name, "Leave it out.");
  return {};
}

Expected<void> keep_inputs(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  auto read = inputs;
  for (const auto& input : inputs) {
    const auto files = import::companions_of(input);
    read.insert(read.end(), files.begin(), files.end());
    for (const auto& output : outputs)
      if (is_below(output, input) && import::is_readable(output)) read.push_back(output);
  }
  protect(InputFiles(read));
  for (const auto& output : outputs)
    if (auto free = refuse_input(output); !free) return free;
  for (auto one = outputs.begin(); one != outputs.end(); ++one)
    for (auto other = one + 1; other != outputs.end(); ++other)
      if (same_output(*one, *other))
        return failure(ErrorKind::BadUse,
                       *one == "-" ? "two results cannot be written to standard output"
                                   : "two results have the same file",
                       *one == "-" ? std::string() : *one, {}, "Write one of them to another file.");
  return {};
}

Expected<void> refuse_standard_output(const std::string& output) {
  if (output != "-") return {};
  return failure(ErrorKind::BadUse, "this output needs a file name: it cannot be the standard output", output,
                 {}, "Name a file; to write a file named \"-\", use ./-.");
}

Expected<nlohmann::json> open_session(BlockingEngine& engine, const std::vector<std::string>& files,
                                      const CommonOptions& common, const Job& job) {
  auto stores = stores_of(files, common, job);
  if (!stores) return forward(stores.error());
  auto info = engine.run(engine::OpenOptions{.stores = *stores, .short_names = common.short_names}, job);
  if (!info) return forward(info.error());
  protect(inputs_of_session(info->document));
  for (const auto& entry : info->document.at("report"))
    if (entry.at("code").get<std::string>() == analysis::kSameSource)
      fmt::print(stderr, "note: {}\n", entry.at("text").get<std::string>());
  set_rows_of_texts(info->document);
  return std::move(info->document);
}

Expected<nlohmann::json> inputs_of_files(const std::vector<std::string>& files, const Job& job) {
  auto inputs = nlohmann::json::array();
  for (const auto& file : files) {
    auto sum = store::sha256_of_file(file, job);
    if (!sum) return forward(sum.error());
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(file, unknown);
    inputs.push_back(
        {{"path", file}, {"bytes", unknown ? std::uintmax_t{0} : bytes}, {"sha256", std::move(*sum)}});
  }
  return inputs;
}

void complete(const CommonOptions& common, nlohmann::json& document) {
  document.emplace("schema_version", 1);
  auto& options = document["options"];
  for (const auto& [name, value] : common.given.items())
    if (!options.contains(name)) options[name] = value;
  if (options.is_null()) options = nlohmann::json::object();
}

Expected<void> write_json(const CommonOptions& common, nlohmann::json document) {
  if (common.json.empty()) return {};
  if (!document.contains("error")) complete(common, document);
  return write_text(common.json,
                    document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Expected<void> write_text(const std::string& output, std::string_view text) {
  if (output != "-") return write_output(output, text);
  std::cout << text << std::flush;
  if (!std::cout) return failure(ErrorKind::Io, "the standard output cannot be written");
  return {};
}

int report(const CommonOptions& common, const Error& error) {
  end_progress();
  print_error(fmt::format("jitterscope: {}\n", describe(error)));
  // An error about the output file is not written into it: the file may be an input.
  if (!common.json.empty() && error.file != common.json)
    (void)write_json(common, {{"error",
                               {{"kind", to_string(error.kind)},
                                {"message", error.message},
                                {"file", error.file},
                                {"place", error.place},
                                {"hint", error.hint}}}});
  return exit_code(error);
}

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (auto make : {import_command, info_command, bins_command, causal_command, compare_command,
                    devices_command, efficiency_command, metric_command, cut_command, filter_command,
                    export_command, predict_command, render_command, report_command, help_command})
    commands.push_back(make());
  return commands;
}

} // namespace jitterscope::app
