#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jitterscope {

/// Distance between the two ends of a message.
enum class Distance : std::uint8_t { unknown, intra_socket, inter_socket, inter_node };
/// Memory that holds the buffers of a message.
enum class BufferMemory : std::uint8_t { unknown, host, device };

inline const char* to_string(Distance distance) {
  switch (distance) {
  case Distance::intra_socket:
    return "intra-socket";
  case Distance::inter_socket:
    return "inter-socket";
  case Distance::inter_node:
    return "inter-node";
  case Distance::unknown:
    break;
  }
  return "unknown";
}

inline const char* to_string(BufferMemory memory) {
  switch (memory) {
  case BufferMemory::host:
    return "host";
  case BufferMemory::device:
    return "device";
  case BufferMemory::unknown:
    break;
  }
  return "unknown";
}

/// The quantity in a column of a network measurement.
enum class NetworkQuantity : std::uint8_t {
  latency,     ///< time of one message or collective [µs]
  bandwidth,   ///< bandwidth of messages in flight together [B/µs = MB/s]
  message_rate ///< messages per second [1/s]
};

struct NetworkPoint {
  double bytes = 0; ///< size of the message [B]
  double value = 0; ///< measured value in the unit of NetworkMeasurement::quantity
};

/// One run of a micro-benchmark: one value for each message size.
struct NetworkMeasurement {
  std::string name; ///< name of the benchmark: "OSU MPI-CUDA Latency Test"
  std::string tool; ///< version of the benchmark: "v7.5"
  NetworkQuantity quantity = NetworkQuantity::latency;
  Distance distance = Distance::unknown;
  BufferMemory memory = BufferMemory::unknown;
  bool point_to_point = true;       ///< single messages, not collectives or one-sided windows
  double pairs = 1;                 ///< pairs of processes that send at the same time
  std::vector<NetworkPoint> points; ///< values by message size, in the order of the file
};

/// A bandwidth that a program measured on a device.
struct BandwidthMeasurement {
  std::string name;            ///< name of the benchmark: "BabelStream Triad"
  std::string device;          ///< name of the device; empty if the output does not state it
  double bytes_per_second = 0; ///< bandwidth of the best repetition
  double array_bytes = 0;      ///< size of one array [B], 0 if unknown
};

} // namespace jitterscope
