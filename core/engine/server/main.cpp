// jitterscope-engine: runs long operations for the window and the command line. They start it, alone or
// through mpirun; it connects to the socket passed to it.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <csignal>
#include <sys/prctl.h>

#include <fmt/core.h>

#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/engine/server/server.h"

namespace {

constexpr const char* kUsage = "usage: jitterscope-engine --socket=PATH [--no-mpi]\n"
                               "Started by jitterscope. --no-mpi runs one rank without MPI.\n";

int serve(const std::string& path, jitterscope::Communicator& communicator,
          jitterscope::engine::MpiCommunicator* mpi) {
  auto socket = jitterscope::engine::Socket::connect_to(path);
  if (!socket) {
    jitterscope::log(jitterscope::LogLevel::Error, jitterscope::describe(socket.error()));
    if (mpi) mpi->broadcast("quit");
    return 3;
  }
  jitterscope::engine::Server(std::move(*socket), communicator, mpi).run();
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  std::string path;
  bool mpi = true;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--socket=", 0) == 0)
      path = argument.substr(9);
    else if (argument == "--no-mpi")
      mpi = false;
    else {
      const bool help = argument == "--help";
      std::fputs(kUsage, help ? stdout : stderr);
      return help ? 0 : 1;
    }
  }
  if (path.empty()) {
    std::fputs(kUsage, stderr);
    return 1;
  }
  jitterscope::report_file_size_limit_as_error();
  // Ends with the process that started it, even during an operation.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!mpi) return serve(path, *jitterscope::local_communicator(), nullptr);
  jitterscope::engine::MpiCommunicator communicator(&argc, &argv);
  if (communicator.rank() == 0) return serve(path, communicator, &communicator);
  jitterscope::engine::follow(communicator);
  return 0;
}
