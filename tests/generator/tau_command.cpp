#include "tests/generator/tau_command.h"

#include <cstdio>
#include <string>

#include "tests/generator/arguments.h"
#include "tests/generator/tau_run.h"

namespace jitterscope::generator {
namespace {

constexpr const char* kTauHelp =
    R"(Writes profiles of TAU for an MPI program whose ranks form a ring.

jitterscope-generate tau [options] -o FOLDER   files profile.RANK.0.THREAD

  --ranks N            ranks (4)
  --ranks-per-host N   ranks of a host (2)
  --steps N            steps, each with a message and an all-reduce (100)
  --bytes N            size of a message (65536)
  --alpha US           start-up time of a message in microseconds (2)
  --rate N             bytes per microsecond of a message (10000)
  --metric NAME        a metric; may be repeated, the first replaces TIME
  --paths yes|no       call paths (yes)
  --receivers yes|no   sizes of messages by receiver (no)
  --gpu yes|no         a thread with kernels of a GPU for each rank (no)
  --seed N             the same seed gives the same files (1)
  -o FOLDER            files in it are replaced
)";

bool parse_switch(std::string_view value, bool& to) {
  to = value == "yes";
  return to || value == "no";
}

bool parse_option(std::string_view name, std::string_view value, TauOptions& options, bool& metrics,
                  std::string& folder) {
  if (name == "--ranks") return parse(value, options.ranks);
  if (name == "--ranks-per-host") return parse(value, options.ranks_per_host);
  if (name == "--steps") return parse(value, options.steps);
  if (name == "--bytes") return parse(value, options.message_bytes);
  if (name == "--alpha") return parse(value, options.alpha_us);
  if (name == "--rate") return parse(value, options.bytes_per_us);
  if (name == "--seed") return parse(value, options.seed);
  if (name == "--paths") return parse_switch(value, options.call_paths);
  if (name == "--receivers") return parse_switch(value, options.receivers);
  if (name == "--gpu") return parse_switch(value, options.gpu);
  if (name == "--metric") {
    if (!metrics) options.metrics.clear();
    metrics = true;
    options.metrics.emplace_back(value);
    return !value.empty();
  }
  if (name == "-o") folder = value;
  return name == "-o";
}

} // namespace

int run_tau(int count, char** arguments) {
  TauOptions options;
  std::string folder;
  bool metrics = false;
  for (int i = 0; i < count; i += 2) {
    const std::string name = arguments[i];
    if (name == "--help" || name == "-h") {
      std::fputs(kTauHelp, stdout);
      return 0;
    }
    if (i + 1 == count) return refuse("option " + name + " needs a value");
    if (!parse_option(name, arguments[i + 1], options, metrics, folder))
      return refuse("cannot use " + name + " " + arguments[i + 1]);
  }
  if (folder.empty()) return refuse("no output folder was named");
  const auto files = write_tau(options, folder);
  if (!files) {
    std::fprintf(stderr, "jitterscope-generate: %s\n", describe(files.error()).c_str());
    return files.error().kind == ErrorKind::BadUse ? 1 : 3;
  }
  std::printf("%s: %lld files\n", folder.c_str(), static_cast<long long>(*files));
  return 0;
}

} // namespace jitterscope::generator
