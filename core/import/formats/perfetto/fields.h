#pragma once

#include <cstdint>

// Field numbers of Perfetto's messages, grouped by message; only those that are read.
namespace jitterscope::import::perfetto {

inline constexpr std::uint32_t kPacketOfTrace = 1;

namespace packet {
inline constexpr std::uint32_t kFtraceEvents = 1, kProcessTree = 2, kClockSnapshot = 6, kTimestamp = 8,
                               kSequence = 10, kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
                               kTraceConfig = 33, kStateCleared = 41, kProcess = 43, kThread = 44,
                               kSystemInfo = 45, kCompressed = 50, kGpuCounters = 52, kGpuRenderStage = 53,
                               kTimestampClock = 58, kDefaults = 59, kTrackDescriptor = 60;
inline constexpr std::uint64_t kFlagStateCleared = 1;
} // namespace packet

namespace event {
inline constexpr std::uint32_t kTimestampDelta = 1, kCategoryNumbers = 3, kAnnotation = 4, kType = 9,
                               kNameNumber = 10, kTrack = 11, kTimestampAbsolute = 16, kCategories = 22,
                               kName = 23, kCounterValue = 30, kDoubleCounterValue = 44;
inline constexpr std::uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;
} // namespace event

namespace annotation {
inline constexpr std::uint32_t kNameNumber = 1, kBool = 2, kUnsigned = 3, kSigned = 4, kDouble = 5, kText = 6,
                               kName = 10, kTextNumber = 17;
}

namespace track {
inline constexpr std::uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8,
                               kStaticName = 10;
}
namespace counter {
inline constexpr std::uint32_t kType = 1, kUnit = 3, kMultiplier = 4, kIncremental = 5, kUnitName = 6;
inline constexpr std::uint64_t kThreadTime = 1, kNanoseconds = 1, kBytes = 3; // of kType; of kUnit
} // namespace counter
namespace process {
inline constexpr std::uint32_t kPid = 1, kName = 6;
}
namespace thread {
inline constexpr std::uint32_t kPid = 1, kTid = 2, kName = 5;
}
namespace interned {
inline constexpr std::uint32_t kCategories = 1, kNames = 2, kAnnotationNames = 3, kAnnotationTexts = 29,
                               kNumber = 1, kText = 2;
}
namespace defaults {
inline constexpr std::uint32_t kTrackEvent = 11, kTrack = 11, kTimestampClock = 58;
}
namespace clocks {
inline constexpr std::uint32_t kClock = 1, kNumber = 1, kTimestamp = 2, kIncremental = 3, kUnit = 4;
inline constexpr std::uint64_t kRealtime = 1, kBoottime = 6, kFirstOfSequence = 64, kLastOfSequence = 127;
} // namespace clocks

} // namespace jitterscope::import::perfetto
