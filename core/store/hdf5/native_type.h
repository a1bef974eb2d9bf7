#pragma once

#include <hdf5.h>

#include "core/store/trace/column_view.h"

namespace jitterscope::store {

inline hid_t native_type(ElementType type) {
  switch (type) {
  case ElementType::Int64:
    return H5T_NATIVE_INT64;
  case ElementType::UInt32:
    return H5T_NATIVE_UINT32;
  case ElementType::UInt16:
    return H5T_NATIVE_UINT16;
  case ElementType::UInt8:
    return H5T_NATIVE_UINT8;
  case ElementType::Float32:
    return H5T_NATIVE_FLOAT;
  case ElementType::Float64:
    break;
  }
  return H5T_NATIVE_DOUBLE;
}

} // namespace jitterscope::store
