// The HDF5 library, loaded when it is first used: it brings some thirty libraries with it (for files on the network), which
// take longer to load than a small model takes to run, and most commands have nothing to do with it. The programs have
// this in the place of the library: functions of its names that pass on what they are called with. Everything begins
// with H5open() (hdf5::Session).
//
// A call that is missing here is an undefined reference where the programs are linked.
#include <dlfcn.h>
#include <fmt/format.h>

#include "trammel/result/hdf5_file.h"

namespace {

void* library = nullptr;

template <class Function>
Function* found(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

void load() {
  for (const char* name : {TRAMMEL_HDF5_SONAME, TRAMMEL_HDF5_FILE})
    if (library == nullptr) library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    throw trammel::hdf5::Hdf5Error(
        fmt::format("the HDF5 library cannot be loaded: {}", why == nullptr ? "" : why));
  }
}

}  // namespace

extern "C" {

// Kinds of numbers and properties are variables of the library, set when it is opened.
#define FOR_VARIABLES(visit)                                                                              \
  visit(H5P_CLS_ATTRIBUTE_CREATE_ID_g) visit(H5P_CLS_DATASET_CREATE_ID_g) visit(H5P_CLS_FILE_ACCESS_ID_g) \
      visit(H5P_CLS_FILE_CREATE_ID_g) visit(H5P_CLS_GROUP_CREATE_ID_g) visit(H5P_CLS_LINK_CREATE_ID_g)    \
          visit(H5T_C_S1_g) visit(H5T_IEEE_F64LE_g) visit(H5T_NATIVE_DOUBLE_g) visit(H5T_NATIVE_INT64_g)  \
              visit(H5T_STD_I64LE_g)

#define DEFINE(name) hid_t name = -1;
FOR_VARIABLES(DEFINE)

herr_t H5open() {
  const bool is_new = library == nullptr;
  if (is_new) load();
  static auto* const open = found<herr_t()>("H5open");
  const herr_t status = open();
  if (status < 0 || !is_new) return status;
#define TAKE(name) name = *found<hid_t>(#name);
  FOR_VARIABLES(TAKE)
  return status;
}

#define FORWARD(Result, name, parameters, arguments)            \
  Result name parameters {                                      \
    static auto* const function = found<decltype(name)>(#name); \
    return function arguments;                                  \
  }
FORWARD(herr_t, H5Aclose, (hid_t a), (a))
FORWARD(hid_t, H5Acreate2, (hid_t a, const char* b, hid_t c, hid_t d, hid_t e, hid_t f), (a, b, c, d, e, f))
FORWARD(htri_t, H5Aexists, (hid_t a, const char* b), (a, b))
FORWARD(hid_t, H5Aget_space, (hid_t a), (a))
FORWARD(hid_t, H5Aget_type, (hid_t a), (a))
FORWARD(herr_t, H5Aiterate2,
        (hid_t a, H5_index_t b, H5_iter_order_t c, hsize_t* d, H5A_operator2_t e, void* f),
        (a, b, c, d, e, f))
FORWARD(hid_t, H5Aopen, (hid_t a, const char* b, hid_t c), (a, b, c))
FORWARD(herr_t, H5Aread, (hid_t a, hid_t b, void* c), (a, b, c))
FORWARD(herr_t, H5Awrite, (hid_t a, hid_t b, const void* c), (a, b, c))
FORWARD(herr_t, H5Dclose, (hid_t a), (a))
FORWARD(hid_t, H5Dcreate2, (hid_t a, const char* b, hid_t c, hid_t d, hid_t e, hid_t f, hid_t g),
        (a, b, c, d, e, f, g))
FORWARD(hid_t, H5Dget_space, (hid_t a), (a))
FORWARD(hid_t, H5Dget_type, (hid_t a), (a))
FORWARD(hid_t, H5Dopen2, (hid_t a, const char* b, hid_t c), (a, b, c))
FORWARD(herr_t, H5Dread, (hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, void* f), (a, b, c, d, e, f))
FORWARD(herr_t, H5Dwrite, (hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, const void* f), (a, b, c, d, e, f))
FORWARD(herr_t, H5Eclear2, (hid_t a), (a))
FORWARD(herr_t, H5Eget_auto2, (hid_t a, H5E_auto2_t* b, void** c), (a, b, c))
FORWARD(herr_t, H5Eset_auto2, (hid_t a, H5E_auto2_t b, void* c), (a, b, c))
FORWARD(herr_t, H5Ewalk2, (hid_t a, H5E_direction_t b, H5E_walk2_t c, void* d), (a, b, c, d))
FORWARD(herr_t, H5Fclose, (hid_t a), (a))
FORWARD(hid_t, H5Fcreate, (const char* a, unsigned b, hid_t c, hid_t d), (a, b, c, d))
FORWARD(herr_t, H5Fflush, (hid_t a, H5F_scope_t b), (a, b))
FORWARD(hid_t, H5Fopen, (const char* a, unsigned b, hid_t c), (a, b, c))
FORWARD(herr_t, H5Gclose, (hid_t a), (a))
FORWARD(hid_t, H5Gcreate2, (hid_t a, const char* b, hid_t c, hid_t d, hid_t e), (a, b, c, d, e))
FORWARD(H5I_type_t, H5Iget_type, (hid_t a), (a))
FORWARD(herr_t, H5Literate, (hid_t a, H5_index_t b, H5_iter_order_t c, hsize_t* d, H5L_iterate_t e, void* f),
        (a, b, c, d, e, f))
FORWARD(herr_t, H5Oclose, (hid_t a), (a))
FORWARD(hid_t, H5Oopen, (hid_t a, const char* b, hid_t c), (a, b, c))
FORWARD(herr_t, H5Pclose, (hid_t a), (a))
FORWARD(hid_t, H5Pcreate, (hid_t a), (a))
FORWARD(herr_t, H5Pset_attr_creation_order, (hid_t a, unsigned b), (a, b))
FORWARD(herr_t, H5Pset_char_encoding, (hid_t a, H5T_cset_t b), (a, b))
FORWARD(herr_t, H5Pset_chunk, (hid_t a, int b, const hsize_t* c), (a, b, c))
FORWARD(herr_t, H5Pset_deflate, (hid_t a, unsigned b), (a, b))
FORWARD(herr_t, H5Pset_fapl_core, (hid_t a, size_t b, hbool_t c), (a, b, c))
FORWARD(herr_t, H5Pset_file_image_callbacks, (hid_t a, H5FD_file_image_callbacks_t* b), (a, b))
FORWARD(herr_t, H5Pset_fill_time, (hid_t a, H5D_fill_time_t b), (a, b))
FORWARD(herr_t, H5Pset_fill_value, (hid_t a, hid_t b, const void* c), (a, b, c))
FORWARD(herr_t, H5Pset_libver_bounds, (hid_t a, H5F_libver_t b, H5F_libver_t c), (a, b, c))
FORWARD(herr_t, H5Pset_obj_track_times, (hid_t a, hbool_t b), (a, b))
FORWARD(herr_t, H5Pset_shuffle, (hid_t a), (a))
FORWARD(herr_t, H5Sclose, (hid_t a), (a))
FORWARD(hid_t, H5Screate, (H5S_class_t a), (a))
FORWARD(hid_t, H5Screate_simple, (int a, const hsize_t* b, const hsize_t* c), (a, b, c))
FORWARD(int, H5Sget_simple_extent_dims, (hid_t a, hsize_t* b, hsize_t* c), (a, b, c))
FORWARD(int, H5Sget_simple_extent_ndims, (hid_t a), (a))
FORWARD(hssize_t, H5Sget_simple_extent_npoints, (hid_t a), (a))
FORWARD(herr_t, H5Sselect_hyperslab,
        (hid_t a, H5S_seloper_t b, const hsize_t* c, const hsize_t* d, const hsize_t* e, const hsize_t* f),
        (a, b, c, d, e, f))
FORWARD(herr_t, H5Tclose, (hid_t a), (a))
FORWARD(hid_t, H5Tcopy, (hid_t a), (a))
FORWARD(H5T_class_t, H5Tget_class, (hid_t a), (a))
FORWARD(H5T_cset_t, H5Tget_cset, (hid_t a), (a))
FORWARD(size_t, H5Tget_size, (hid_t a), (a))
FORWARD(htri_t, H5Tis_variable_str, (hid_t a), (a))
FORWARD(herr_t, H5Tset_cset, (hid_t a, H5T_cset_t b), (a, b))
FORWARD(herr_t, H5Tset_size, (hid_t a, size_t b), (a, b))
FORWARD(herr_t, H5Tset_strpad, (hid_t a, H5T_str_t b), (a, b))
FORWARD(htri_t, H5Zfilter_avail, (H5Z_filter_t a), (a))
FORWARD(herr_t, H5check_version, (unsigned a, unsigned b, unsigned c), (a, b, c))
FORWARD(herr_t, H5free_memory, (void* a), (a))

}  // extern "C"
