// Flips single random bits of a store and sends the same requests to each damaged copy as to the original,
// each in a separate process. Prints how many flips were detected (a request failed with a message), were
// harmless (all answers are those of the original), gave other numbers without a message, or ended the
// process. The last two are faults: the exit code is then 1.
//
// fault_bit_flips [--flips=N] [--seed=N] [STORE.jts]     without a store: a generated trace of 3,000 launches

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/socket.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/messages/timeline_options.h"
#include "core/engine/operations/operations.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;

namespace {

struct Settings {
  int flips = 600;
  unsigned seed = 1;
  std::string store;
};

Settings settings_of(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = argument.substr(std::min(argument.find('=') + 1, argument.size()));
    if (argument.starts_with("--flips="))
      settings.flips = std::stoi(value);
    else if (argument.starts_with("--seed="))
      settings.seed = static_cast<unsigned>(std::stoul(value));
    else
      settings.store = argument;
  }
  return settings;
}

std::string generated_store(const test::TemporaryFolder& folder) {
  generator::Options options;
  options.launches = 3'000;
  options.causes = {generator::Cause::Migration, generator::Cause::Stream};
  if (!generator::generate(options, folder.file("trace.sqlite"), {})) return "";
  const auto data = import::import_files({folder.file("trace.sqlite")}, {});
  return data && store::write_store(*data, folder.file("trace.jts")) ? folder.file("trace.jts") : "";
}

const std::vector<engine::Request>& requests() {
  using namespace engine;
  static const std::vector<Request> all = {
      BinsOptions{.all = true},
      BinsOptions{.by = "kernel"},
      KernelsOptions(),
      DistributionOptions{.column = "gap_ns"},
      LaunchesOptions{
          .sort = "duration", .count = 10'000, .columns = {"name", "start", "duration", "gap_ns", "stream"}},
      ParallelOptions{.most_axes = 12},
      TimelineOptions{.end_ns = 40'000'000, .columns = 500},
      TracksOptions(),
      CausalOptions{.features = {"gap_ns", "stream"}, .bootstrap = 2}};
  return all;
}

enum Outcome : int { kSame = 0, kNoticed = 1, kDifferent = 2 };

/// Answers to the requests; empty when one of them fails.
std::optional<engine::Bytes> answers_of(const std::string& path) {
  engine::Workspace workspace;
  const auto communicator = local_communicator();
  const Job job;
  engine::Bytes answers;
  const auto ask = [&](const engine::Request& request) {
    const auto answer = engine::run_operation({workspace, *communicator, job, {}}, request);
    if (!answer) {
      std::fprintf(stderr, "%s: %s\n", request.operation.c_str(), describe(answer.error()).c_str());
      return false;
    }
    const auto bytes = engine::encode(*answer);
    answers.insert(answers.end(), bytes.begin(), bytes.end());
    return true;
  };
  if (!ask(engine::OpenOptions{.stores = {path}})) return {};
  for (const auto& request : requests())
    if (!ask(request)) return {};
  return answers;
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs the requests in a separate process, which writes the answers to a file.
int outcome_of(const std::string& path, const std::string& answers_path, const std::string& expected) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!expected.empty() && !std::freopen("/dev/null", "w", stderr)) ::_exit(3);
    ::alarm(60);
    const auto answers = answers_of(path);
    if (!answers) ::_exit(kNoticed);
    std::ofstream(answers_path, std::ios::binary)
        .write(reinterpret_cast<const char*>(answers->data()), static_cast<std::streamsize>(answers->size()));
    ::_exit(content(answers_path) == expected ? kSame : kDifferent);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

int main(int argc, char** argv) {
  const auto settings = settings_of(argc, argv);
  const test::TemporaryFolder folder;
  const auto store = settings.store.empty() ? generated_store(folder) : settings.store;
  const auto copy = folder.file("copy.jts");
  const auto whole = content(store);
  // All copies have the same path, because it is part of the answers.
  std::ofstream(copy, std::ios::binary).write(whole.data(), static_cast<std::streamsize>(whole.size()));
  const auto answers = folder.file("answers");
  const bool readable = outcome_of(copy, answers, "") == kDifferent;
  const auto expected = content(answers);
  if (!readable || outcome_of(copy, answers, expected) != kSame) {
    std::printf("the store cannot be read, or its answers are not the same twice\n");
    return 2;
  }

  std::mt19937_64 random(settings.seed);
  int noticed = 0, harmless = 0, different = 0, ended = 0;
  for (int i = 0; i < settings.flips; ++i) {
    const auto at = random() % whole.size();
    const auto bit = static_cast<int>(random() % 8);
    std::fstream file(copy, std::ios::binary | std::ios::in | std::ios::out);
    const auto put = [&](char byte) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte).flush();
    };
    put(static_cast<char>(whole[at] ^ (1 << bit)));
    const int outcome = outcome_of(copy, answers, expected);
    put(whole[at]);
    ++(outcome == kSame        ? harmless
       : outcome == kNoticed   ? noticed
       : outcome == kDifferent ? different
                               : ended);
    if (outcome != kSame && outcome != kNoticed)
      std::printf("byte %llu bit %d: %s\n", static_cast<unsigned long long>(at), bit,
                  outcome == kDifferent ? "other numbers" : "the process ended");
  }
  if (outcome_of(copy, answers, expected) != kSame) {
    std::printf("the answers of the original changed\n");
    return 2;
  }
  std::printf("%d bits flipped one by one: %d noticed, %d harmless, %d other numbers, %d ended\n",
              settings.flips, noticed, harmless, different, ended);
  return different + ended > 0 ? 1 : 0;
}
