#include "trammel/result/recording_hdf5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "trammel/result/channel_table_hdf5.h"
#include "trammel/result/checksum.h"
#include "trammel/result/hdf5_file.h"
#include "trammel/result/output_file.h"
#include "trammel/result/trial_process.h"

namespace trammel {
namespace {

using namespace hdf5;

// Files with a group of more channels than this are of version 2: such a group is one table.
constexpr std::int64_t format_version = 1, format_version_with_tables = 2;
// A dataset costs as much as some thousand values.
constexpr std::size_t most_datasets = 200;

// Longer columns are compressed, in pieces of so many values.
constexpr std::size_t longest_uncompressed = 1000;
constexpr hsize_t values_per_chunk = 16384;

// ---- the checksum behind the end of the file
//
// Not all parts of an HDF5 file have checksums, and the library has been seen to crash where such a part was
// damaged. So it gets to read only what is as it was written. Other programs ignore what is behind the end;
// one that changes the file cuts it off, and such a file is read in a process of its own first.

constexpr std::string_view checksum_mark = "trammel-checksum";
constexpr std::size_t checksum_size = checksum_mark.size() + 8;

// What is appended to a file.
std::string mark_of(const Checksum& checksum) {
  std::string result(checksum_mark);
  for (unsigned i = 0; i < 8; ++i) result.push_back(static_cast<char>(checksum.value() >> (8 * i) & 0xff));
  return result;
}

enum class Seal { none, fits, broken };

Seal seal_of(const std::filesystem::path& path, std::uintmax_t file_size) {
  if (file_size < checksum_size) return Seal::none;
  std::ifstream file(path, std::ios::binary);
  std::string mark(checksum_size, '\0');
  file.seekg(-static_cast<std::streamoff>(checksum_size), std::ios::end);
  file.read(mark.data(), static_cast<std::streamsize>(mark.size()));
  if (!mark.starts_with(checksum_mark)) return Seal::none;

  file.seekg(0);
  Checksum checksum;
  std::string piece(1 << 16, '\0');
  for (std::uintmax_t left = file_size - checksum_size; left > 0 && file; left -= piece.size()) {
    piece.resize(std::min<std::uintmax_t>(left, piece.size()));
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    checksum.add(piece);
  }
  return file && mark_of(checksum) == mark ? Seal::fits : Seal::broken;
}

// ---- writing

// Properties of a dataset with so many values.
Handle storage(std::size_t size) {
  Handle result = timeless(H5P_DATASET_CREATE);
  if (size <= longest_uncompressed) return result;
  const hsize_t chunk = std::min<hsize_t>(size, values_per_chunk);
  check(H5Pset_chunk(result, 1, &chunk), "pieces of a dataset");
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    // bytes of the same weight side by side: of neighbouring values the first ones are often the same
    check(H5Pset_shuffle(result), "shuffling");
    check(H5Pset_deflate(result, 1), "compression");
  }
  // the last chunk reaches beyond the values, and what is there is written, too
  const double zero = 0;
  check(H5Pset_fill_value(result, H5T_NATIVE_DOUBLE, &zero), "fill value");
  check(H5Pset_fill_time(result, H5D_FILL_TIME_ALLOC), "fill value");
  return result;
}

// What columns of the same length have.
struct ColumnParts {
  explicit ColumnParts(hsize_t length)
      : size(length),
        space(H5Screate_simple(1, &size, nullptr), H5Sclose, "space of a column"),
        stored(storage(length)) {}

  hsize_t size;
  Handle space, stored, named = naming(H5P_LINK_CREATE);
};

void write_column(hid_t group, const std::string& link, const ColumnParts& parts, const Channel& channel,
                  Index column) {
  const std::string what = fmt::format("dataset '{}'", link);
  const std::vector<double>& values = channel.values;
  if (values.size() != parts.size)
    return write_column(group, link, ColumnParts(values.size()), channel, column);
  const Handle dataset(H5Dcreate2(group, checked_text(link).c_str(), H5T_IEEE_F64LE, parts.space, parts.named,
                                  parts.stored, H5P_DEFAULT),
                       H5Dclose, what);
  check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  write_text(dataset, "name", channel.name);
  write_text(dataset, "unit", channel.unit);
  write_text(dataset, "description", channel.description);
  write_integer(dataset, "column", column);
}

Handle create_group(hid_t file, const std::string& link, const std::string& name) {
  const std::string what = fmt::format("group '{}'", link);
  Handle group(H5Gcreate2(file, checked_text(link).c_str(), naming(H5P_LINK_CREATE),
                          timeless(H5P_GROUP_CREATE), H5P_DEFAULT),
               H5Gclose, what);
  write_text(group, "name", name);
  return group;
}

// Gives things in one group names that can stand in a path and differ.
class LinkNames {
 public:
  explicit LinkNames(std::set<std::string> taken) : taken_(std::move(taken)) {}

  std::string link(std::string name) {
    std::replace(name.begin(), name.end(), '/', '_');
    if (name.empty() || name == ".") name = "_";
    std::string result = name;
    for (int n = 2; !taken_.insert(result).second; ++n) result = fmt::format("{}_{}", name, n);
    return result;
  }

 private:
  std::set<std::string> taken_;
};

// The channels of each group, in the order in which groups appear.
std::vector<std::pair<std::string, PlacedPointers>> channels_by_group(const Recording& recording) {
  std::vector<std::pair<std::string, PlacedPointers>> groups;
  std::map<std::string, std::size_t> places;
  std::int64_t column = 0;
  for (const Channel& channel : recording.channels()) {
    const auto [place, is_new] = places.emplace(channel.group, groups.size());
    if (is_new) groups.emplace_back(channel.group, PlacedPointers());
    groups[place->second].second.emplace_back(++column, &channel);
  }
  return groups;
}

bool has_large_group(const Recording& recording) {
  std::map<std::string_view, std::size_t> sizes;
  for (const Channel& channel : recording.channels())
    if (++sizes[channel.group] > most_datasets) return true;
  return false;
}

void write_samples(hid_t file, const Recording& recording) {
  LinkNames group_names({"time", "steps"});
  const ColumnParts parts(recording.times().size());
  write_column(file, "time", parts, {.name = "t", .unit = "s", .values = recording.times()}, 0);
  for (const auto& [name, channels] : channels_by_group(recording)) {
    const Handle group = create_group(file, group_names.link(name), name);
    if (channels.size() > most_datasets) {
      write_channel_table(group, channels, recording.times().size());
      continue;
    }
    LinkNames names({});
    for (const auto& [column, channel] : channels)
      write_column(group, names.link(channel->name), parts, *channel, column);
  }
}

void write_steps(hid_t file, const ChannelTable& steps) {
  const Handle group = create_group(file, "steps", "steps");
  LinkNames names({"t"});
  const ColumnParts parts(steps.times().size());
  write_column(group, "t", parts, {.name = "t", .unit = "s", .values = steps.times()}, 0);
  Index column = 0;
  for (const Channel& channel : steps.channels())
    write_column(group, names.link(channel.name), parts, channel, ++column);
}

// The bytes of the file.
std::string file_image(const Recording& recording, const std::filesystem::path& unused_name) {
  return hdf5::file_image(unused_name, [&](hid_t file) {
    write_integer(file, "format_version",
                  has_large_group(recording) ? format_version_with_tables : format_version);
    write_text(file, "title", recording.title);
    for (const auto& [key, value] : recording.metadata()) write_text(file, key, value);
    write_samples(file, recording);
    write_steps(file, recording.steps);
  });
}

// ---- reading

// An attribute that is there.
struct Attribute {
  Attribute(hid_t object, const std::string& name)
      : what(fmt::format("attribute '{}'", name)),
        handle(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, what),
        type(H5Aget_type(handle), H5Tclose, what) {}

  bool is_one(H5T_class_t type_class) const {
    const Handle space(H5Aget_space(handle), H5Sclose, what);
    return H5Tget_class(type) == type_class && H5Sget_simple_extent_npoints(space) == 1;
  }

  std::string what;
  Handle handle, type;
};

// No value if there is no attribute of that name that holds one text.
std::optional<std::string> read_text(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return {};
  const Attribute attribute(object, name);
  if (!attribute.is_one(H5T_STRING)) return {};

  // other programs write texts of fixed length
  if (H5Tis_variable_str(attribute.type) <= 0) {
    std::string text(H5Tget_size(attribute.type), '\0');
    check(H5Aread(attribute.handle, attribute.type, text.data()), attribute.what);
    return text.substr(0, text.find('\0'));
  }
  char* characters = nullptr;
  check(H5Aread(attribute.handle, text_type(H5Tget_cset(attribute.type)), &characters), attribute.what);
  const std::unique_ptr<char, herr_t (*)(void*)> owner(characters, H5free_memory);
  return characters ? characters : "";
}

std::optional<std::int64_t> read_integer(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return {};
  const Attribute attribute(object, name);
  if (!attribute.is_one(H5T_INTEGER)) return {};
  std::int64_t value = 0;
  check(H5Aread(attribute.handle, H5T_NATIVE_INT64, &value), attribute.what);
  return value;
}

// The function for HDF5 that puts a name into a std::vector<std::string>.
template <class Info>
herr_t collect_name(hid_t, const char* name, const Info* info, void* names) {
  if constexpr (std::is_same_v<Info, H5L_info_t>) {
    // links of other kinds may lead out of the file, and we write none
    if (info->type != H5L_TYPE_HARD) return 0;
  }
  try {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  } catch (const std::bad_alloc&) {
    return -1;
  }
  return 0;
}

std::vector<std::string> links_of(hid_t group, std::string_view what) {
  std::vector<std::string> names;
  check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name<H5L_info_t>, &names), what);
  return names;
}

// In the order in which they were made, if the file knows it.
std::vector<std::string> attributes_of(hid_t object) {
  std::vector<std::string> names;
  hsize_t position = 0;
  if (H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, &position, collect_name<H5A_info_t>, &names) < 0) {
    names.clear();
    position = 0;
    check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &position, collect_name<H5A_info_t>, &names),
          "attributes");
  }
  return names;
}

Handle open_object(hid_t group, const std::string& link) {
  return {H5Oopen(group, link.c_str(), H5P_DEFAULT), H5Oclose, fmt::format("'{}'", link)};
}

std::vector<double> read_values(hid_t dataset, const std::string& link, std::uintmax_t file_size) {
  const std::string what = fmt::format("dataset '{}'", link);
  if (H5Iget_type(dataset) != H5I_DATASET) fail(fmt::format("'{}' is not a dataset", link));
  const Handle type(H5Dget_type(dataset), H5Tclose, what);
  const Handle space(H5Dget_space(dataset), H5Sclose, what);
  hsize_t size = 0;
  if (H5Tget_class(type) != H5T_FLOAT || H5Sget_simple_extent_ndims(space) != 1 ||
      H5Sget_simple_extent_dims(space, &size, nullptr) != 1) {
    fail(fmt::format("{} is not a column of numbers", what));
  }
  // no compression gets below a thousandth; a damaged length must not take all memory there is
  if (size / 1100 > file_size) fail(fmt::format("{} is longer than the file", what));

  std::vector<double> values(size);
  check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  return values;
}

// Adds the channels among the members of a group, with their places.
void read_channels(hid_t group, const std::string& group_name, std::uintmax_t file_size,
                   PlacedChannels& channels) {
  if (has_channel_table(group)) return read_channel_table(group, group_name, file_size, channels);
  for (const std::string& link : links_of(group, fmt::format("group '{}'", group_name))) {
    const Handle dataset = open_object(group, link);
    const std::optional<std::int64_t> column = read_integer(dataset, "column");
    // time itself, or what is not from us
    if (!column || *column == 0) continue;
    channels.emplace_back(*column, Channel{.name = read_text(dataset, "name").value_or(link),
                                           .group = group_name,
                                           .unit = read_text(dataset, "unit").value_or(""),
                                           .description = read_text(dataset, "description").value_or(""),
                                           .values = read_values(dataset, link, file_size)});
  }
}

ChannelTable table_of(std::vector<double> times, PlacedChannels channels) {
  std::stable_sort(channels.begin(), channels.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  ChannelTable table(std::move(times));
  for (auto& [column, channel] : channels) table.add_channel(std::move(channel));
  return table;
}

Recording read_content(const std::filesystem::path& path, std::uintmax_t file_size) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                    "it is not an HDF5 file, or damaged");
  const std::optional<std::int64_t> version = read_integer(file, "format_version");
  if (!version) throw Hdf5Error("it is an HDF5 file, but not one of results");
  if (*version != format_version && *version != format_version_with_tables) {
    throw Hdf5Error(fmt::format("its format has version {}, and this program knows versions {} and {}",
                                *version, format_version, format_version_with_tables));
  }

  Recording recording;
  recording.title = read_text(file, "title").value_or("");
  for (const std::string& key : attributes_of(file)) {
    if (key == "title" || key == "format_version") continue;
    if (std::optional<std::string> value = read_text(file, key))
      recording.set_metadata(key, std::move(*value));
  }

  PlacedChannels channels, step_channels;
  std::vector<double> step_times;
  for (const std::string& link : links_of(file, "the file")) {
    const Handle object = open_object(file, link);
    if (H5Iget_type(object) != H5I_GROUP) continue;
    const std::string name = read_text(object, "name").value_or(link);
    read_channels(object, name, file_size, link == "steps" ? step_channels : channels);
    if (link == "steps") step_times = read_values(open_object(object, "t"), "steps/t", file_size);
  }
  recording.samples =
      table_of(read_values(open_object(file, "time"), "time", file_size), std::move(channels));
  recording.steps = table_of(std::move(step_times), std::move(step_channels));
  return recording;
}

Recording read_file(const std::filesystem::path& path) {
  const std::uintmax_t file_size = std::filesystem::file_size(path);
  const auto patience = static_cast<unsigned>(3 + file_size / 20'000'000);  // s; a gigabyte takes a few
  const Seal seal = seal_of(path, file_size);
  if (seal == Seal::broken) throw Hdf5Error("it is damaged: its checksum does not fit");
  if (seal == Seal::none && !ends_well_apart([&] { read_content(path, file_size); }, patience))
    throw Hdf5Error("it is damaged, so that the HDF5 library cannot read it without crashing");
  return read_content(path, file_size);
}

}  // namespace

Failure write_hdf5(const std::filesystem::path& path, const Recording& recording) {
  return replace_file(path, [&](const std::filesystem::path& temporary) {
    try {
      const Session session;
      const std::string image = file_image(recording, temporary);
      Checksum checksum;
      checksum.add(image);
      return fill_file(temporary, path, [&](std::ostream& out) { out << image << mark_of(checksum); });
    } catch (const Hdf5Error& error) {
      return not_written(path, error.what());
    }
  });
}

Failure read_hdf5(const std::filesystem::path& path, Recording& recording) {
  const auto failed = [&](const std::string& why) {
    return Failure{Reason::invalid_options, fmt::format("cannot read '{}': {}", path.string(), why)};
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return failed("there is no such file");
  if (!std::filesystem::is_regular_file(status)) return failed("it is not a file");

  try {
    const Session session;
    recording = read_file(path);
  } catch (const std::bad_alloc&) {
    return failed("it does not fit into memory");
  } catch (const std::exception& problem) {
    // what HDF5 could not read, or names that are empty or the same
    return failed(problem.what());
  }
  return {};
}

}  // namespace trammel
