#include "core/store/hdf5/hdf5_driver.h"

#include <memory>
#include <new>

namespace jitterscope::store {
namespace {

// HDF5 passes a pointer to its own part, which is the first member.
struct OpenFile {
  H5FD_t hdf5;
  Hdf5Bytes* bytes;
  haddr_t end;
};

OpenFile& open_file(H5FD_t* file) {
  return *reinterpret_cast<OpenFile*>(file);
}
const OpenFile& open_file(const H5FD_t* file) {
  return *reinterpret_cast<const OpenFile*>(file);
}

/// Content of the file access properties; copied by HDF5.
struct Info {
  Hdf5Bytes* bytes;
};

H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<const Info*>(H5Pget_driver_info(access));
  auto* file = info ? new (std::nothrow) OpenFile{} : nullptr;
  if (!file) return nullptr;
  file->bytes = info->bytes;
  return &file->hdf5;
}

herr_t close(H5FD_t* file) {
  delete &open_file(file);
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) {
  return open_file(file).end;
}

herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  open_file(file).end = end;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return open_file(file).bytes->bytes();
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* out) {
  return open_file(file).bytes->read(at, out, size) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t at, std::size_t size, const void* data) {
  open_file(file).bytes->write(at, data, size, type == H5FD_MEM_DRAW);
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  open_file(file).bytes->truncate(open_file(file).end);
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION // HDF5 1.14
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(600); // ids of private drivers: 512 to 65,535
#endif
  driver.name = "jitterscope";
  driver.maxaddr = HADDR_MAX;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Info);
  driver.open = open;
  driver.close = close;
  driver.query = query;
  driver.get_eoa = end_of_addresses;
  driver.set_eoa = set_end_of_addresses;
  driver.get_eof = end_of_file;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  for (auto& type : driver.fl_map) type = H5FD_MEM_DEFAULT;
  driver.fl_map[H5FD_MEM_DEFAULT] = H5FD_MEM_DEFAULT;
  return driver;
}

bool use_driver(Hdf5Bytes& bytes, hid_t access) {
  static const H5FD_class_t driver = driver_class();
  static const hid_t id = H5FDregister(&driver);
  const Info info{&bytes};
  return id >= 0 && H5Pset_driver(access, id, &info) >= 0;
}

} // namespace

Hdf5Handle create_hdf5(Hdf5Bytes& bytes, const std::string& name, hid_t access) {
  const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE)); // creation properties of the root group
  H5Pset_obj_track_times(creation.get(), false);
  return use_driver(bytes, access)
             ? Hdf5Handle(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation.get(), access))
             : Hdf5Handle();
}

Hdf5Handle open_hdf5(Hdf5Bytes& bytes, const std::string& name) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  return use_driver(bytes, access.get()) ? Hdf5Handle(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access.get()))
                                         : Hdf5Handle();
}

} // namespace jitterscope::store
