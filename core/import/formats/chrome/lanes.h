#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/chrome/event.h"
#include "core/import/records/draft.h"
#include "core/import/text/text_table.h"

namespace jitterscope::import::chrome {

/// A pid as described by the metadata events. Its name may come at the end of the file.
struct Process {
  std::string pid;
  std::optional<std::int64_t> number;
  std::string name, label;
  std::int64_t calls = 0, ranges = 0;
  std::uint32_t resource = kNone;
  std::optional<std::int32_t> rank; ///< rank stated by the calls of the process, if any
  bool has_streams = false;         ///< a lane of the process is called a stream
  bool judged = false; ///< the kind of its events was derived from its name and those of its lanes
};

/// A range that has begun and not yet ended.
struct OpenRange {
  std::int64_t start = 0;
  std::uint32_t name = 0, domain = 0, lane = 0;
  std::unique_ptr<KeptEvent> kept; ///< copy of the begin event if it may be a kernel, copy or call; else null
};

/// One (pid, tid) of the trace.
struct Lane {
  std::uint32_t process = 0; ///< number of the process in Lanes
  std::string tid;
  std::string name;
  std::vector<OpenRange> open; ///< ranges begun by events of phase B, innermost last
  bool used = false;           ///< rows refer to the lane; lanes without rows get no thread
  bool on_device = false;      ///< the rows of the lane are ranges projected onto a stream
};

struct StreamPlace {
  std::int64_t device = 0, context = 0, number = 0;
  std::int32_t rank = -1; ///< rank stated by the rows of the stream, -1 if none
  auto operator<=>(const StreamPlace&) const = default;
};

/// Content of a process of TensorFlow's timelines, by its name: each stream of a device is a process, and all
/// streams together are one more.
enum class TimelinePlace : std::uint8_t {
  None,           ///< not a process of a timeline
  Scheduler,      ///< "/job:worker/task:1/device:GPU:0 Compute": when operations were handed to the device
  AllStreams,     ///< "/device:GPU:0/stream:all Compute": the kernels of all streams
  Stream,         ///< "/device:GPU:0/stream:13 Compute", "/gpu:0/context#0/stream#1:Kernel Compute"
  Copies,         ///< "/device:GPU:0/memcpy Compute"
  CopiesOfStream, ///< "/device:GPU:0/stream:14<MemcpyH2D> Compute"
};

/// Content of a lane of a device, by its name.
enum class DeviceLane : std::uint8_t {
  Stream,     ///< activities as the device executed them; also lanes without name
  Operations, ///< "XLA Ops": operations of the compiler, executed by the device where it has no streams
              ///< (TPU)
  Other       ///< steps, modules, scopes
};

/// The processes, threads and streams of a trace's events. While the file is read, rows hold the numbers
/// assigned here: only at its end it is known which pids are processes and which are devices.
/// make_resources() then makes the tree.
class Lanes {
public:
  /// The lane with this name, not marked as used.
  std::uint32_t lane(std::string_view pid, std::string_view tid);
  std::uint32_t used_lane(std::string_view pid, std::string_view tid) {
    const auto row = lane(pid, tid);
    lanes_[row].used = true;
    return row;
  }
  std::uint32_t process(std::string_view pid);
  /// The stream with this number; the name of the lane that contains its rows may determine its name.
  std::uint32_t stream(std::int64_t device, std::int64_t context, std::int64_t number, std::string_view pid,
                       std::string_view tid, std::int32_t rank = -1);
  void name_lane(std::uint32_t lane, std::string name);

  Lane& at(std::uint32_t lane) { return lanes_[lane]; }
  Process& process_at(std::uint32_t process) { return processes_[process]; }
  Process& process_of(std::uint32_t lane) { return processes_[lanes_[lane].process]; }
  std::vector<Lane>& all() { return lanes_; }

  /// The device that a pid represents, by its name or label: "GPU 0", "GPU2", "XPU 1", "/device:GPU:1",
  /// "/device:TPU:0", "/job:worker/task:1/device:GPU:0/stream:all Compute"; "GPU" without a number is device
  /// 0.
  static std::optional<std::int64_t> device_of(const Process& process);
  static DeviceLane kind_of(const Lane& lane);
  static TimelinePlace place_of(const Process& process);
  /// The stream that a process represents: 13 for "/device:GPU:0/stream:13 Compute".
  static std::optional<std::int64_t> stream_of(const Process& process);
  void name_process(std::uint32_t process, std::string name);
  /// True where other processes hold the same content stream by stream.
  bool is_repeated(const Process& process) const;

  /// The tree of resources, for lookups after make_resources().
  struct Tree {
    std::uint32_t host = kNone;
    std::int32_t rank = -1;
    SpillVector<std::uint32_t> threads, streams; ///< resource by lane and by stream
    std::uint32_t main_process = kNone;
    /// The first device with this number.
    std::uint32_t device(std::int64_t number) const;
    std::uint32_t device(std::int64_t number, std::uint32_t process) const;
    struct Device {
      std::int64_t number = 0;
      std::uint32_t resource = kNone,
                    process = kNone; ///< rows of the device and of its process in Draft::resources
    };
    std::vector<Device> devices;
  };
  /// Makes the resources of everything that was named: lanes of devices and of pids that are not processes
  /// ("Spans", "Traces") are placed under the process that launched.
  /// `host`: kNone to make a new one.
  Tree make_resources(Draft& draft, std::int32_t rank, std::uint32_t host);
  /// Returns the device with this number, making it when no stream belongs to it.
  static std::uint32_t add_device(Draft& draft, Tree& tree, std::int64_t number);
  /// Sets the process that launched a stream's activities, where it is not the process with the most calls.
  void set_owner(std::uint32_t stream, std::uint32_t process) { owners_[stream] = process; }
  /// Number of processes with calls.
  std::size_t calling_processes() const;

  /// The resource of a pid's counter samples: its device, else one of its threads.
  std::uint32_t counter_place(Draft& draft, Tree& tree, std::uint32_t process);

private:
  std::uint32_t main_process() const;
  std::uint32_t resource_of(Draft& draft, Process& process, const Tree& tree);
  std::uint32_t owner_of(std::size_t stream) const;
  std::uint32_t device_of_stream(Draft& draft, Tree& tree, std::size_t stream);
  void name_devices(Draft& draft, const Tree& tree) const;

  std::vector<Process> processes_;
  std::vector<Lane> lanes_;
  std::vector<StreamPlace> streams_;
  std::map<std::uint32_t, std::uint32_t> owners_; ///< by stream: process that launched its activities
  SpillVector<std::uint32_t> stream_lanes_;       ///< the lane of each stream's first row
  TextTable<std::uint32_t> process_rows_, lane_rows_;
  std::map<StreamPlace, std::uint32_t> stream_rows_;
  std::uint32_t last_stream_ = kNone; ///< stream that was looked up last
  bool places_are_streams_ = false,
       places_are_copies_ = false; ///< some process has the place Stream, or CopiesOfStream
  std::string key_;
};

} // namespace jitterscope::import::chrome
