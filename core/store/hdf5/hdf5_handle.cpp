#include "core/store/hdf5/hdf5_handle.h"

#include <string>

namespace jitterscope::store {

Hdf5Handle::~Hdf5Handle() {
  if (id_ < 0) return;
  switch (H5Iget_type(id_)) {
  case H5I_FILE:
    H5Fclose(id_);
    break;
  case H5I_GROUP:
    H5Gclose(id_);
    break;
  case H5I_DATASET:
    H5Dclose(id_);
    break;
  case H5I_DATASPACE:
    H5Sclose(id_);
    break;
  case H5I_DATATYPE:
    H5Tclose(id_);
    break;
  case H5I_ATTR:
    H5Aclose(id_);
    break;
  default:
    H5Pclose(id_);
    break;
  }
}

void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

const char* hdf5_problem() {
  static thread_local std::string text;
  text.clear();
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* entry, void*) -> herr_t {
        if (n == 0 && entry->desc) text = entry->desc;
        return 0;
      },
      nullptr);
  return text.c_str();
}

} // namespace jitterscope::store
