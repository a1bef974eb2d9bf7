#include "tests/generator/paraver_command.h"

#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/generator/arguments.h"
#include "tests/generator/paraver_run.h"

namespace jitterscope::generator {
namespace {

constexpr const char* kParaverHelp =
    R"(Writes an MPI program with threads as a Paraver trace: states of all threads, an MPI_Allreduce each step.

jitterscope-generate paraver [options] -o FILE.prv   with FILE.pcf and FILE.row

  --processes N   processes of one thread group each (64)
  --threads N     threads of each process (8)
  --steps N       steps, two states of each thread in each (100)
  --step-ns N     length of a step (10000000)
  --late N        processes that arrive late in the middle third of the run (1)
  --seed N        the same seed gives the same file (1)
  --region NAME   record this function, which computes
  --counter NAME  record this counter, the microseconds of computing
  -o FILE         an existing file is replaced
)";

bool parse_option(std::string_view name, std::string_view value, ParaverOptions& options, std::string& path) {
  if (name == "--processes") return parse(value, options.processes);
  if (name == "--threads") return parse(value, options.threads);
  if (name == "--steps") return parse(value, options.steps);
  if (name == "--step-ns") return parse(value, options.step_ns);
  if (name == "--late") return parse(value, options.late_processes);
  if (name == "--seed") return parse(value, options.seed);
  if (name == "--region") return !(options.region = value).empty();
  if (name == "--counter") return !(options.counter = value).empty();
  if (name == "-o") path = value;
  return name == "-o";
}

} // namespace

int run_paraver(int count, char** arguments) {
  ParaverOptions options;
  std::string path;
  for (int i = 0; i < count; i += 2) {
    const std::string name = arguments[i];
    if (name == "--help" || name == "-h") {
      std::fputs(kParaverHelp, stdout);
      return 0;
    }
    if (i + 1 == count) return refuse("option " + name + " needs a value");
    if (!parse_option(name, arguments[i + 1], options, path))
      return refuse("cannot use " + name + " " + arguments[i + 1]);
  }
  if (std::filesystem::path(path).extension() != ".prv") return refuse("the output must end in .prv");
  const auto records = write_paraver(options, path);
  if (!records) {
    std::fprintf(stderr, "jitterscope-generate: %s\n", describe(records.error()).c_str());
    return records.error().kind == ErrorKind::BadUse ? 1 : 3;
  }
  std::printf("%s: %lld records\n", path.c_str(), static_cast<long long>(*records));
  return 0;
}

} // namespace jitterscope::generator
