#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/import/formats/paraver/header.h"
#include "core/import/formats/paraver/labels.h"
#include "core/import/records/draft.h"

namespace jitterscope::import::paraver {

/// A thread of the trace: of the host, or one that represents a stream of a GPU.
struct Object {
  std::uint32_t resource = 0; ///< thread or stream; if `metrics`, the device
  std::uint32_t process = 0;
  std::int32_t rank = -1;
  bool gpu = false;
  bool states = false;  ///< the object has recorded states; those of a stream are its busy times
  bool metrics = false; ///< helper row that holds sampled counters of a GPU
  std::int64_t last_event = std::numeric_limits<std::int64_t>::min(); ///< time of the last event record [ns]
};

/// "CUDA-D1.S2-node7", "HIP-D0.S1", "GPU-D1.S2", "GPU_a2f80454.1": the device and stream of a row.
struct StreamLabel {
  std::int64_t device = 0, stream = 0;
  std::string uuid; ///< empty where the device has a number
};
std::optional<StreamLabel> stream_label(std::string_view row_name);

/// The objects of a trace by application, task and thread; their resources are created on first use.
class Objects {
public:
  Objects(Draft& draft, const Header& header, const Rows& rows);

  /// Null for numbers that no object can have. Fast for objects of the same task as the last one.
  Object* find(std::int64_t application, std::int64_t task, std::int64_t thread) {
    if (application == last_.application && task == last_.task &&
        static_cast<std::uint64_t>(thread - 1) < last_.place.threads)
      if (auto& place = declared_[last_.place.first + static_cast<std::size_t>(thread - 1)]; place.made)
        return &place.object;
    return find_or_make(application, task, thread);
  }
  /// Ranks of the tasks of a single application, −1 for a task without one; must be set before find(). By
  /// default, tasks are numbered by rank.
  void set_ranks(std::vector<std::int32_t> ranks) { ranks_ = std::move(ranks); }
  bool has_ranks() const { return !ranks_.empty(); }
  /// Makes all processes ones without a rank, as in a program without MPI.
  void remove_ranks();
  /// Whether the header declares a thread.
  bool is_declared(std::int64_t application, std::int64_t task, std::int64_t thread) const {
    const auto* known = declared(application, task);
    return known && thread >= 1 && thread <= known->threads;
  }
  /// Number of objects in records that are missing from the header.
  std::int64_t undeclared() const { return undeclared_; }
  /// Whether the header declares tasks of more than one application.
  bool several_applications() const;
  /// Number of tasks in the header without any record, except tasks that are known to have no rank.
  std::int64_t without_records() const;

private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  const Task* declared(std::int64_t application, std::int64_t task) const;
  std::int32_t index_of(std::int64_t application, std::int64_t task) const;
  std::int32_t rank_of(std::int64_t application, std::int64_t task) const;
  std::uint32_t host(std::int64_t node);
  std::uint32_t process(std::int64_t application, std::int64_t task);
  std::uint32_t device(std::uint32_t process, const StreamLabel& label);
  std::uint32_t measured_device(const Task& task, std::uint32_t process, std::string_view number);
  Object make(std::int64_t application, std::int64_t task, std::int64_t thread);

  Draft& draft_;
  const Header& header_;
  const Rows& rows_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> task_rows_;
  std::map<std::int64_t, std::uint32_t> hosts_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> processes_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> devices_;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Declared {
    Object object;
    bool made = false;
  };
  struct Place { ///< place of a task's threads in declared_
    std::size_t first = 0, threads = 0;
  };
  struct LastTask {
    std::int64_t application = 0, task = 0;
    Place place;
  };
  Object* find_or_make(std::int64_t application, std::int64_t task, std::int64_t thread);
  Declared* declared_place(std::int64_t application, std::int64_t task, std::int64_t thread);
  LastTask last_;
  std::vector<std::int32_t> ranks_; ///< by task; empty if the trace does not state them
  std::vector<std::vector<Place>>
      places_;                     ///< by application and task; empty for a header of too many threads
  std::vector<Declared> declared_; ///< threads declared in the header
  std::unordered_map<Key, Object, KeyHash> objects_; ///< objects that are not in declared_
  std::size_t count_ = 0;
  std::int64_t undeclared_ = 0;
};

} // namespace jitterscope::import::paraver
