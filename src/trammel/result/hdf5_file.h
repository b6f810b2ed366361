// Files of HDF5 as this library writes them: handles that close themselves, errors as exceptions, texts and numbers
// as attributes, and a file that is made in memory first.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace trammel::hdf5 {

// Turned into a Failure before it leaves the file that caught it.
class Hdf5Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// For as long as it lives: HDF5 prints nothing, and no other thread is in it, for not every build of it can
// stand that.
class Session {
 public:
  Session() : lock_(mutex()) {
    if (H5open() < 0) throw Hdf5Error("the HDF5 library cannot be used");
    H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Session() {
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }

  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

// With what HDF5 says of the last error.
[[noreturn]] void fail(std::string_view what);
void check(herr_t status, std::string_view what);

// Owns an identifier of HDF5.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle(hid_t id, Close close, std::string_view what) : id_(id), close_(close) {
    if (id < 0) fail(what);
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, hid_t{-1})), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;

  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  Close close_;
};

// The text itself; Hdf5Error if it has a zero character.
std::string checked_text(const std::string& text);

Handle properties(hid_t kind);
// Properties of what creates a link or an attribute: its name is UTF-8.
Handle naming(hid_t kind);
// Properties of an object that does not know when it was made: that would make two files of the same content
// different.
Handle timeless(hid_t kind);
// Texts of any length, which Python reads as such.
Handle text_type(H5T_cset_t encoding);

// As attributes.
void write_text(hid_t object, const std::string& name, const std::string& text);
void write_integer(hid_t object, const std::string& name, std::int64_t value);

// The bytes of a file that `fill` fills. HDF5 wants a name even so, and would load a file that has it.
std::string file_image(const std::filesystem::path& unused_name, const std::function<void(hid_t file)>& fill);

}  // namespace trammel::hdf5
