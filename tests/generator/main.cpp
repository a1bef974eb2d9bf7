#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/generator/arguments.h"
#include "tests/generator/bulk_command.h"
#include "tests/generator/generator.h"
#include "tests/generator/paraver_command.h"
#include "tests/generator/tau_command.h"

namespace {

using namespace jitterscope;
using namespace jitterscope::generator;

constexpr const char* kHelp =
    R"(Writes a trace as Nsight Systems exports it, with known causes of variability, and their true effects as JSON.

jitterscope-generate [options] -o FILE.sqlite     the true effects go to FILE.truth.json
jitterscope-generate bulk [options] -o FILE       runs of any length for measurements: see bulk --help
jitterscope-generate paraver [options] -o FILE.prv   processes and threads for Paraver: see paraver --help
jitterscope-generate tau [options] -o FOLDER     profiles of TAU: see tau --help

  --launches N    launches over all devices (100000)
  --kernels K     kernels, each with four grids (8)
  --streams S     streams per device (4)
  --devices D     devices, each with a process of its own (1)
  --seed N        the same seed gives the same trace (1)
  --cause NAME    none, configuration, copy, migration, clock, stream, warmup or all; may be repeated (none)
  --turns MS      one cause at a time, MS ms each, in the given order, then no cause for MS ms (default: all, all the time)
  --parts FILE    a table (CSV) of all launches with what each cause added to their durations, in ns
  --schema NAME   3.25.0, 3.0.0 or none (3.25.0)
  --harmless-copies yes|no   adds copies that overlap launches without slowing them (no)
  -o FILE         the database to write; an existing file is replaced
)";

bool parse_cause(std::string_view text, Options& options) {
  if (text == "none") return true;
  if (text == "all") {
    options.causes = all_causes();
    return true;
  }
  const auto cause = cause_from(text);
  if (cause) options.causes.push_back(*cause);
  return cause.has_value();
}

bool parse_option(std::string_view name, std::string_view value, Options& options, std::string& path,
                  std::string& parts_path) {
  if (name == "--launches") return parse(value, options.launches);
  if (name == "--kernels") return parse(value, options.kernels);
  if (name == "--streams") return parse(value, options.streams);
  if (name == "--devices") return parse(value, options.devices);
  if (name == "--seed") return parse(value, options.seed);
  if (name == "--harmless-copies") {
    options.harmless_copies = value == "yes";
    return value == "yes" || value == "no";
  }
  if (name == "--turns") {
    const bool known = parse(value, options.turn_ns);
    options.turn_ns *= 1'000'000;
    return known;
  }
  if (name == "--parts") return parts_path = value, true;
  if (name == "--cause") return parse_cause(value, options);
  if (name == "--schema") {
    const auto schema = schema_from(value);
    if (schema) options.schema = *schema;
    return schema.has_value();
  }
  if (name == "-o") path = value;
  return name == "-o";
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "bulk") return run_bulk(argc - 2, argv + 2);
  if (argc > 1 && std::string_view(argv[1]) == "paraver") return run_paraver(argc - 2, argv + 2);
  if (argc > 1 && std::string_view(argv[1]) == "tau") return run_tau(argc - 2, argv + 2);
  Options options;
  std::string path, parts_path;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--help" || name == "-h") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (i + 1 == argc) return refuse("option " + name + " needs a value");
    if (!parse_option(name, argv[i + 1], options, path, parts_path))
      return refuse("cannot use " + name + " " + argv[i + 1]);
  }
  if (path.empty()) return refuse("no output file was named");
  const auto truth = generate(options, path, truth_path_for(path), parts_path);
  if (!truth) {
    std::fprintf(stderr, "jitterscope-generate: %s\n", describe(truth.error()).c_str());
    return truth.error().kind == ErrorKind::BadUse ? 1 : 3;
  }
  std::printf("%s: %lld launches, %lld copies, %lld migrations\n", path.c_str(),
              static_cast<long long>(truth->launches), static_cast<long long>(truth->copies),
              static_cast<long long>(truth->migrations));
  return 0;
}
