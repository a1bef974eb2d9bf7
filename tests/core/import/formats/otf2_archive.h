#pragma once

#include <cstdint>
#include <string>

#include <otf2/otf2.h>

namespace jitterscope::import {

namespace otf2_archive {

inline OTF2_FlushType before(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
inline OTF2_TimeStamp after(void*, OTF2_FileType, OTF2_LocationRef) {
  return 0;
}

} // namespace otf2_archive

/// Writes an archive with the OTF2 library, returns its anchor file: a thread of rank 0 that sends, one of
/// rank 1 that receives, and a stream that runs two kernels and a copy. The folder must not exist.
inline std::string write_otf2_archive(const std::string& folder) {
  auto* archive = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, 1024 * 1024,
                                    4 * 1024 * 1024, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  static const OTF2_FlushCallbacks flush{otf2_archive::before, otf2_archive::after};
  OTF2_Archive_SetFlushCallbacks(archive, &flush, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  auto* sender = OTF2_Archive_GetEvtWriter(archive, 0);
  OTF2_EvtWriter_Enter(sender, nullptr, 1000, 0);
  OTF2_EvtWriter_Enter(sender, nullptr, 1100, 1);
  OTF2_EvtWriter_MpiSend(sender, nullptr, 1150, 1, 0, 7, 4096);
  OTF2_EvtWriter_Leave(sender, nullptr, 1200, 1);
  OTF2_EvtWriter_Enter(sender, nullptr, 1250, 3);
  OTF2_EvtWriter_Leave(sender, nullptr, 1260, 3);
  const OTF2_Type type = OTF2_TYPE_UINT64;
  OTF2_MetricValue value;
  value.unsigned_int = 21;
  OTF2_EvtWriter_Metric(sender, nullptr, 1300, 0, 1, &type, &value);
  OTF2_EvtWriter_Leave(sender, nullptr, 2000, 0);
  OTF2_Archive_CloseEvtWriter(archive, sender);
  auto* receiver = OTF2_Archive_GetEvtWriter(archive, 1);
  OTF2_EvtWriter_Enter(receiver, nullptr, 1050, 4);
  OTF2_EvtWriter_MpiCollectiveBegin(receiver, nullptr, 1050);
  OTF2_EvtWriter_MpiCollectiveEnd(receiver, nullptr, 1300, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                  OTF2_UNDEFINED_UINT32, 64, 64);
  OTF2_EvtWriter_Leave(receiver, nullptr, 1310, 4);
  OTF2_EvtWriter_Enter(receiver, nullptr, 1400, 0); // never left
  OTF2_Archive_CloseEvtWriter(archive, receiver);
  auto* stream = OTF2_Archive_GetEvtWriter(archive, 2);
  OTF2_EvtWriter_RmaPut(stream, nullptr, 1010, 0, 0, 512, 5);
  OTF2_EvtWriter_RmaOpCompleteBlocking(stream, nullptr, 1030, 0, 5);
  OTF2_EvtWriter_Enter(stream, nullptr, 1300, 2);
  OTF2_EvtWriter_Leave(stream, nullptr, 1500, 2);
  OTF2_EvtWriter_Enter(stream, nullptr, 1600, 2);
  OTF2_EvtWriter_Leave(stream, nullptr, 1650, 2);
  OTF2_Archive_CloseEvtWriter(archive, stream);
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_OpenDefFiles(archive);
  for (OTF2_LocationRef location = 0; location < 3; ++location)
    OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, location));
  OTF2_Archive_CloseDefFiles(archive);
  auto* definitions = OTF2_Archive_GetGlobalDefWriter(archive);
  OTF2_GlobalDefWriter_WriteClockProperties(definitions, 10'000'000, 1000, 1000, 1'700'000'000'000'000'000);
  OTF2_StringRef next = 0;
  const auto string = [&](const char* text) {
    OTF2_GlobalDefWriter_WriteString(definitions, next, text);
    return next++;
  };
  const auto none = string("");
  const auto region = [&](OTF2_RegionRef self, const char* name, OTF2_Paradigm paradigm) {
    OTF2_GlobalDefWriter_WriteRegion(definitions, self, string(name), none, none, OTF2_REGION_ROLE_FUNCTION,
                                     paradigm, OTF2_REGION_FLAG_NONE, none, 0, 0);
  };
  region(0, "main", OTF2_PARADIGM_COMPILER);
  region(1, "MPI_Send", OTF2_PARADIGM_MPI);
  region(2, "axpy(float*)", OTF2_PARADIGM_CUDA);
  region(3, "cudaLaunchKernel", OTF2_PARADIGM_CUDA);
  region(4, "MPI_Allreduce", OTF2_PARADIGM_MPI);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 0, string("node7"), string("node"),
                                           OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (OTF2_LocationGroupRef rank = 0; rank < 2; ++rank)
    OTF2_GlobalDefWriter_WriteLocationGroup(
        definitions, rank, string(rank == 0 ? "MPI Rank 0" : "MPI Rank 1"), OTF2_LOCATION_GROUP_TYPE_PROCESS,
        0, OTF2_UNDEFINED_LOCATION_GROUP);
  OTF2_GlobalDefWriter_WriteLocationGroup(definitions, 2, string("NVIDIA A100"),
                                          OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0, 0);
  OTF2_GlobalDefWriter_WriteLocation(definitions, 0, string("Master thread"), OTF2_LOCATION_TYPE_CPU_THREAD,
                                     8, 0);
  OTF2_GlobalDefWriter_WriteLocation(definitions, 1, string("Master thread of 1"),
                                     OTF2_LOCATION_TYPE_CPU_THREAD, 5, 1);
  OTF2_GlobalDefWriter_WriteLocation(definitions, 2, string("CUDA[0:7]"),
                                     OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 6, 2);
  const std::uint64_t locations[] = {0, 1};
  OTF2_GlobalDefWriter_WriteGroup(definitions, 0, none, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, locations);
  OTF2_GlobalDefWriter_WriteGroup(definitions, 1, none, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, locations);
  OTF2_GlobalDefWriter_WriteComm(definitions, 0, string("MPI_COMM_WORLD"), 1, OTF2_UNDEFINED_COMM,
                                 OTF2_COMM_FLAG_NONE);
  OTF2_GlobalDefWriter_WriteMetricMember(definitions, 0, string("power"), none, OTF2_METRIC_TYPE_OTHER,
                                         OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 1,
                                         string("W"));
  const OTF2_MetricMemberRef members[] = {0};
  OTF2_GlobalDefWriter_WriteMetricClass(definitions, 0, 1, members, OTF2_METRIC_ASYNCHRONOUS,
                                        OTF2_RECORDER_KIND_CPU);
  OTF2_Archive_CloseGlobalDefWriter(archive, definitions);
  OTF2_Archive_Close(archive);
  return folder + "/traces.otf2";
}

} // namespace jitterscope::import
