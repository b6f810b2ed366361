#include "trammel/result/hdf5_file.h"

#include <fmt/format.h>

#include <new>

namespace trammel::hdf5 {

namespace {

// What HDF5 says of the last error: the description of the innermost call.
std::string last_error() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* entry, void* data) -> herr_t {
        try {
          if (n == 0 && entry->desc) *static_cast<std::string*>(data) = entry->desc;
        } catch (const std::bad_alloc&) {
          return -1;
        }
        return 0;
      },
      &text);
  return text;
}

}  // namespace

void fail(std::string_view what) {
  const std::string why = last_error();
  throw Hdf5Error(why.empty() ? std::string(what) : fmt::format("{} ({})", what, why));
}

void check(herr_t status, std::string_view what) {
  if (status < 0) fail(what);
}

std::string checked_text(const std::string& text) {
  if (text.find('\0') != std::string::npos)
    throw Hdf5Error(fmt::format("the text '{}' has a zero character in it", text.substr(0, text.find('\0'))));
  return text;
}

Handle properties(hid_t kind) { return {H5Pcreate(kind), H5Pclose, "properties"}; }

Handle naming(hid_t kind) {
  Handle result = properties(kind);
  check(H5Pset_char_encoding(result, H5T_CSET_UTF8), "encoding of names");
  return result;
}

Handle timeless(hid_t kind) {
  Handle result = properties(kind);
  check(H5Pset_obj_track_times(result, false), "times of objects");
  return result;
}

Handle text_type(H5T_cset_t encoding) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type of texts");
  check(H5Tset_size(type, H5T_VARIABLE), "length of texts");
  check(H5Tset_cset(type, encoding), "encoding of texts");
  return type;
}

namespace {

// What all attributes have: a large recording has a hundred thousand of them, and making this anew for each would take
// as long as writing them.
struct AttributeParts {
  Handle space{H5Screate(H5S_SCALAR), H5Sclose, "space of attributes"};
  Handle named = naming(H5P_ATTRIBUTE_CREATE);
  Handle text = text_type(H5T_CSET_UTF8);
};
const AttributeParts& attribute_parts() {
  // never closed: at the end of the program the library may be gone before it
  static const AttributeParts& parts = *new AttributeParts;
  return parts;
}

void write_attribute(hid_t object, const std::string& name, hid_t file_type, hid_t memory_type,
                     const void* value) {
  const hid_t attribute = H5Acreate2(object, checked_text(name).c_str(), file_type, attribute_parts().space,
                                     attribute_parts().named, H5P_DEFAULT);
  if (attribute < 0) fail(fmt::format("attribute '{}'", name));
  const herr_t written = H5Awrite(attribute, memory_type, value);
  H5Aclose(attribute);
  if (written < 0) fail(fmt::format("attribute '{}'", name));
}

}  // namespace

void write_text(hid_t object, const std::string& name, const std::string& text) {
  const hid_t type = attribute_parts().text;
  const std::string checked = checked_text(text);
  const char* characters = checked.c_str();
  write_attribute(object, name, type, type, &characters);
}

void write_integer(hid_t object, const std::string& name, std::int64_t value) {
  write_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

namespace {

// Lets HDF5 write to memory and not to the disk: a disk that is full leaves it in a state in which it crashes
// at the end of the program. The bytes are those of a file once the file is closed.
void keep_in_memory(hid_t access, std::string& bytes) {
  const std::size_t growth = 1 << 20;
  check(H5Pset_fapl_core(access, growth, false), "file in memory");

  H5FD_file_image_callbacks_t callbacks{};
  callbacks.udata = &bytes;
  callbacks.image_realloc = [](void*, std::size_t size, H5FD_file_image_op_t, void* data) -> void* {
    std::string& image = *static_cast<std::string*>(data);
    try {
      image.resize(size);
    } catch (const std::exception&) {
      return nullptr;
    }
    return image.data();
  };
  callbacks.image_free = [](void*, H5FD_file_image_op_t, void*) -> herr_t { return 0; };
  callbacks.udata_copy = [](void* data) { return data; };
  callbacks.udata_free = [](void*) -> herr_t { return 0; };
  check(H5Pset_file_image_callbacks(access, &callbacks), "file in memory");
}

}  // namespace

std::string file_image(const std::filesystem::path& unused_name,
                       const std::function<void(hid_t file)>& fill) {
  const Handle creation = timeless(H5P_FILE_CREATE);
  check(H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
        "order of attributes");
  const Handle access = properties(H5P_FILE_ACCESS);
  // one format whatever the version of the library: read by all since 1.8, and with checksums
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "version of the format");
  std::string image;
  keep_in_memory(access, image);

  {
    const Handle file(H5Fcreate(unused_name.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose,
                      "file in memory");
    fill(file);
    check(H5Fflush(file, H5F_SCOPE_GLOBAL), "file in memory");
  }

  // HDF5 takes memory in larger pieces and gives some back when it closes; where the file ends stands in its
  // beginning (in versions 2 and 3 of the superblock)
  constexpr std::size_t end_address = 28;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    size |= std::uint64_t{static_cast<unsigned char>(image.at(end_address + i))} << (8 * i);
  }
  if (size > image.size()) fail("file in memory");
  image.resize(size);
  return image;
}

}  // namespace trammel::hdf5
