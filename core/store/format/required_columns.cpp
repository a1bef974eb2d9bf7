#include "core/store/format/required_columns.h"

namespace jitterscope::store {
namespace {

using enum ElementType;
using R = Reference;

constexpr RequiredColumn kColumns[] = {
    {"kernels", "name", UInt32, R::String},
    {"kernels", "short_name", UInt32, R::String},
    {"configurations", "kernel", UInt32, R::Kernels},
    {"configurations", "grid_x", UInt32},
    {"configurations", "grid_y", UInt32},
    {"configurations", "grid_z", UInt32},
    {"configurations", "block_x", UInt32},
    {"configurations", "block_y", UInt32},
    {"configurations", "block_z", UInt32},
    {"configurations", "static_shared_memory", UInt32},
    {"configurations", "dynamic_shared_memory", UInt32},
    {"configurations", "registers", UInt32},
    {"configurations", "variant", UInt32, R::String},
    {"launches", "start", Int64},
    {"launches", "duration", Int64},
    {"launches", "configuration", UInt32, R::Configurations},
    {"launches", "stream", UInt32, R::Resource},
    {"launches", "call", UInt32, R::CallsOrNone},
    {"launches", "range", UInt32, R::RangesOrNone},
    {"launches", "correlation", UInt32},
    {"launches", "flags", UInt8},
    {"transfers", "start", Int64},
    {"transfers", "duration", Int64},
    {"transfers", "bytes", Int64},
    {"transfers", "kind", UInt8},
    {"transfers", "migration_cause", UInt8},
    {"transfers", "stream", UInt32, R::Resource},
    {"transfers", "call", UInt32, R::CallsOrNone},
    {"transfers", "correlation", UInt32},
    {"calls", "start", Int64},
    {"calls", "duration", Int64},
    {"calls", "name", UInt32, R::String},
    {"calls", "thread", UInt32, R::Resource},
    {"calls", "correlation", UInt32},
    {"calls", "result", UInt32},
    {"ranges", "start", Int64},
    {"ranges", "duration", Int64},
    {"ranges", "name", UInt32, R::String},
    {"ranges", "domain", UInt32, R::String},
    {"ranges", "thread", UInt32, R::Resource},
    {"ranges", "depth", UInt8},
    {"ranges", "kind", UInt8},
    {"samples", "time", Int64},
    {"samples", "counter", UInt32, R::Counters},
    {"samples", "value", Float64},
    {"counters", "name", UInt32, R::String},
    {"counters", "unit", UInt32, R::String},
    {"counters", "device", UInt32, R::Resource},
    {"messages", "start", Int64},
    {"messages", "duration", Int64},
    {"messages", "thread", UInt32, R::Resource},
    {"messages", "kind", UInt8},
    {"messages", "name", UInt32, R::String},
    {"messages", "peer", UInt32},
    {"messages", "bytes", Int64},
    {"messages", "tag", UInt32},
};

} // namespace

std::span<const RequiredColumn> required_columns() {
  return kColumns;
}

std::string_view referenced_table(Reference reference) {
  switch (reference) {
  case R::Kernels:
    return "kernels";
  case R::Configurations:
    return "configurations";
  case R::Calls:
  case R::CallsOrNone:
    return "calls";
  case R::Ranges:
  case R::RangesOrNone:
    return "ranges";
  case R::Counters:
    return "counters";
  default:
    return {};
  }
}

bool may_be_none(Reference reference) {
  return reference == R::CallsOrNone || reference == R::RangesOrNone;
}

} // namespace jitterscope::store
