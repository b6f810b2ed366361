#include "trammel/result/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <random>
#include <streambuf>
#include <system_error>

namespace trammel {

namespace fs = std::filesystem;

namespace {

std::string words_of(int error) { return std::generic_category().message(error); }

int create(const fs::path& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

// 0, or the error of the system.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// What a stream is given goes to a file; the first error is kept.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    if (error_ == 0) error_ = write_all(descriptor_, {pbase(), static_cast<std::size_t>(pptr() - pbase())});
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (size <= epptr() - pptr()) return std::streambuf::xsputn(text, size);
    // long texts are not copied
    if (sync() == 0) error_ = write_all(descriptor_, {text, static_cast<std::size_t>(size)});
    return error_ == 0 ? size : 0;
  }

 private:
  int descriptor_, error_ = 0;
  std::array<char, 1 << 16> buffer_;
};

// The file that a name stands for: a link stays a link; a device or a folder must not be renamed away.
Failure find_target(const fs::path& path, fs::path& target) {
  std::error_code error;
  target = path;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) {
    if (!fs::is_regular_file(status)) return not_written(path, "it is not a file");
    target = fs::canonical(path, error);
    if (error) return not_written(path, error.message());
  } else if (!path.has_filename()) {
    return not_written(path, "the name of a file is missing");
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error))
    return not_written(path, fmt::format("there is no folder '{}'", folder.string()));
  return {};
}

}  // namespace

Failure not_written(const fs::path& path, const std::string& why) {
  return {Reason::invalid_options, fmt::format("cannot write '{}': {}", path.string(), why)};
}

Failure replace_file(const fs::path& path, const std::function<Failure(const fs::path&)>& write) {
  fs::path target;
  if (Failure failure = find_target(path, target)) return failure;

  // a name of its own: others may write here at the same time
  struct Temporary {
    fs::path path;
    ~Temporary() {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
  };
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::random_device random;
  const Temporary temporary{folder / fmt::format(".trammel-{:08x}{:08x}.partial", random(), random())};

  if (Failure failure = write(temporary.path)) return failure;
  std::error_code error;
  fs::rename(temporary.path, target, error);
  if (error) return not_written(path, error.message());
  return {};
}

Failure fill_file(const fs::path& path, const fs::path& name,
                  const std::function<void(std::ostream&)>& write) {
  const int descriptor = create(path);
  if (descriptor < 0) return not_written(name, words_of(errno));
  int error = 0;
  try {
    DescriptorBuffer buffer(descriptor);
    std::ostream stream(&buffer);
    write(stream);
    stream.flush();
    error = buffer.error();
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  // some file systems find out only now that there is no room
  if (::close(descriptor) != 0 && error == 0) error = errno;
  return error == 0 ? Failure{} : not_written(name, words_of(error));
}

Failure write_file(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  return replace_file(path, [&](const fs::path& temporary) { return fill_file(temporary, path, write); });
}

namespace {

// A file or a folder.
int sync(const fs::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // some file systems have nothing to wait for
  return error == EINVAL || error == ENOTSUP ? 0 : error;
}

}  // namespace

Failure write_file_firmly(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const Failure failure = replace_file(path, [&](const fs::path& temporary) {
    if (Failure of_filling = fill_file(temporary, path, write)) return of_filling;
    const int error = sync(temporary, O_WRONLY);
    return error == 0 ? Failure{} : not_written(path, words_of(error));
  });
  if (failure) return failure;
  // so that the new name is there too
  const int error = sync(path.has_parent_path() ? path.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY);
  return error == 0 ? Failure{} : not_written(path, words_of(error));
}

GrowingFile::~GrowingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Failure GrowingFile::begin(std::string_view piece) {
  int created = -1;
  const Failure failure = replace_file(path_, [&](const fs::path& temporary) {
    created = create(temporary);
    if (created < 0) return not_written(path_, words_of(errno));
    const int error = write_all(created, piece);
    return error == 0 ? Failure{} : not_written(path_, words_of(error));
  });
  if (!failure) {
    descriptor_ = created;
    size_ = static_cast<long long>(piece.size());
  } else if (created >= 0) {
    ::close(created);
  }
  return failure;
}

Failure GrowingFile::go_on(long long size) {
  const int opened = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (opened < 0) return not_written(path_, words_of(errno));
  if (::ftruncate(opened, size) != 0 || ::lseek(opened, 0, SEEK_END) != size) {
    const int error = errno;
    ::close(opened);
    return not_written(path_, words_of(error));
  }
  descriptor_ = opened;
  size_ = size;
  return {};
}

Failure GrowingFile::append(std::string_view piece) {
  if (descriptor_ < 0) return begin(piece);
  if (const int error = write_all(descriptor_, piece)) {
    // back to the last whole piece, so that it can be tried again when there is room
    if (::ftruncate(descriptor_, size_) == 0) ::lseek(descriptor_, size_, SEEK_SET);
    return not_written(path_, words_of(error));
  }
  size_ += static_cast<long long>(piece.size());
  return {};
}

Failure GrowingFile::sync() {
  if (descriptor_ < 0 || ::fsync(descriptor_) == 0 || errno == EINVAL || errno == ENOTSUP) return {};
  return not_written(path_, words_of(errno));
}

Failure GrowingFile::close() {
  if (descriptor_ < 0) return {};
  const int result = ::close(descriptor_), error = errno;
  descriptor_ = -1;
  return result == 0 ? Failure{} : not_written(path_, words_of(error));
}

}  // namespace trammel
