#include "tests/generator/bulk_command.h"

#include <cstdio>
#include <filesystem>
#include <string>

#include <fmt/core.h>

#include "tests/generator/arguments.h"
#include "tests/generator/bulk.h"

namespace jitterscope::generator {
namespace {

constexpr const char* kBulkHelp =
    R"(Writes long runs for measurements: 74 kernels, 1,707 configurations, 7.4 us from launch to launch.

jitterscope-generate bulk [options] -o FILE.jts      a store, without feature columns
jitterscope-generate bulk [options] -o FILE.sqlite   the same run as Nsight Systems exports it

  --launches N    launches of each file (1000000)
  --files C       C files of one program: FILE-0, FILE-1, ... with seeds N, N + 1, ... (1: FILE itself)
  --seed N        the same seed gives the same launches (1)
  --copies N      one copy per N launches; 0: none (8)
  --streams N     streams, of all devices together (4)
  --devices N     of stores: devices that share the streams (1)
  -o FILE         an existing file is replaced
)";

struct Request {
  BulkOptions options;
  int files = 1;
  std::string path;
};

bool parse_option(std::string_view name, std::string_view value, Request& request) {
  if (name == "--launches") return parse(value, request.options.launches);
  if (name == "--files") return parse(value, request.files) && request.files >= 1;
  if (name == "--seed") return parse(value, request.options.seed);
  if (name == "--copies") return parse(value, request.options.launches_per_copy);
  if (name == "--streams") return parse(value, request.options.streams);
  if (name == "--devices") return parse(value, request.options.devices);
  if (name == "-o") request.path = value;
  return name == "-o";
}

std::string numbered(const std::string& path, int file) {
  const std::filesystem::path whole(path);
  return (whole.parent_path() /
          fmt::format("{}-{}{}", whole.stem().string(), file, whole.extension().string()))
      .string();
}

int write(const BulkOptions& options, const std::string& path) {
  const bool store = std::filesystem::path(path).extension() == ".jts";
  const auto done = store ? write_bulk_store(options, path) : write_bulk_database(options, path);
  if (!done) {
    std::fprintf(stderr, "jitterscope-generate: %s\n", describe(done.error()).c_str());
    return done.error().kind == ErrorKind::BadUse ? 1 : 3;
  }
  std::printf("%s: %lld launches\n", path.c_str(), static_cast<long long>(options.launches));
  return 0;
}

} // namespace

int run_bulk(int count, char** arguments) {
  Request request;
  for (int i = 0; i < count; i += 2) {
    const std::string name = arguments[i];
    if (name == "--help" || name == "-h") {
      std::fputs(kBulkHelp, stdout);
      return 0;
    }
    if (i + 1 == count) return refuse("option " + name + " needs a value");
    if (!parse_option(name, arguments[i + 1], request))
      return refuse("cannot use " + name + " " + arguments[i + 1]);
  }
  const auto kind = std::filesystem::path(request.path).extension();
  if (kind != ".jts" && kind != ".sqlite") return refuse("the output must end in .jts or .sqlite");
  for (int file = 0; file < request.files; ++file) {
    const auto path = request.files == 1 ? request.path : numbered(request.path, file);
    if (const int code = write(request.options, path); code != 0) return code;
    ++request.options.seed;
  }
  return 0;
}

} // namespace jitterscope::generator
