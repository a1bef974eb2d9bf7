#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace jitterscope::test {

/// Counters of one launch of counter_table(), with `waves` waves of 64 threads in blocks of 256.
struct CountedLaunch {
  std::int64_t waves = 65'536, work = 0; ///< work: instructions of a wave
  std::int64_t memory = 8;               ///< memory instructions of a wave
  std::int64_t accesses = 32;            ///< L1 accesses of a wave
  std::int64_t reads = 16, writes = 16;  ///< requests of a wave to L2
  std::int64_t hits = 8, misses = 24;    ///< hits and misses of a wave in L2
  std::int64_t duration = 0;             ///< duration of the launch [ns]
};

/// Launch i of counter_table().
inline CountedLaunch counted_launch(int i) {
  CountedLaunch launch;
  launch.work = 50 + 40 * (i % 60);
  launch.duration = 90'000 + 700 * launch.work * (i % 2 ? 2 : 1);
  return launch;
}

/// Writes a table of rocprof with the given number of launches of 60 kernels on an MI100; every kernel in one
/// configuration.
inline void write_counter_table(const std::string& path, int launches) {
  std::ofstream out(path);
  out << "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,"
         "Arch_VGPR,"
         "Accum_VGPR,SGPR,wave_size,obj,SQ_WAVES,SQ_INSTS,SQ_INSTS_VMEM,TCP_TOTAL_CACHE_ACCESSES_sum,"
         "TCP_TCC_READ_REQ_sum,TCP_TCC_WRITE_REQ_sum,TCC_HIT_sum,TCC_MISS_sum,Start_Timestamp,End_"
         "Timestamp\n";
  std::int64_t now = 1'000'000;
  for (int i = 0; i < launches; ++i) {
    const auto c = counted_launch(i);
    out << i << ",kernel_" << i % 60 << ",0," << c.waves * 64 << ",256,0,0,24,0,32,64,0x1," << c.waves << ','
        << c.waves * c.work << ',' << c.waves * c.memory << ',' << c.waves * c.accesses << ','
        << c.waves * c.reads << ',' << c.waves * c.writes << ',' << c.waves * c.hits << ','
        << c.waves * c.misses << ',' << now << ',' << now + c.duration << '\n';
    now += c.duration + 5'000;
  }
}

} // namespace jitterscope::test
