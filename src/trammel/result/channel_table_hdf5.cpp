#include "trammel/result/channel_table_hdf5.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trammel/result/hdf5_file.h"

namespace trammel::hdf5 {
namespace {

// no compression gets below a thousandth; a damaged length must not take all memory there is
constexpr std::uintmax_t most_compression = 1100;
constexpr hsize_t values_per_chunk = 16384;
// Compressing takes several times as long as writing: fewer values than these are left as they are.
constexpr hsize_t least_compressed = 1'000'000;

// Properties of a dataset in compressed pieces; an empty one has none.
template <std::size_t dimensions>
Handle in_pieces(const std::array<hsize_t, dimensions>& chunk) {
  Handle result = timeless(H5P_DATASET_CREATE);
  if (std::find(chunk.begin(), chunk.end(), hsize_t{0}) != chunk.end()) return result;
  check(H5Pset_chunk(result, static_cast<int>(dimensions), chunk.data()), "pieces of a dataset");
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    check(H5Pset_shuffle(result), "shuffling");
    check(H5Pset_deflate(result, 1), "compression");
  }
  // the last pieces reach beyond the values, and what is there is written, too: always the same
  check(H5Pset_fill_time(result, H5D_FILL_TIME_ALLOC), "fill value");
  return result;
}

Handle create(hid_t group, const char* link, hid_t type, hid_t space, hid_t stored) {
  return {H5Dcreate2(group, link, type, space, H5P_DEFAULT, stored, H5P_DEFAULT), H5Dclose,
          fmt::format("dataset '{}'", link)};
}

// Texts of one length, filled with zeros.
Handle fixed_text(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "type of texts");
  check(H5Tset_size(type, length), "length of texts");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "end of texts");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "encoding of texts");
  return type;
}

template <class Text>
void write_texts(hid_t group, const char* link, const PlacedPointers& channels, Text Channel::*text) {
  std::size_t length = 1;
  for (const auto& [column, channel] : channels)
    length = std::max(length, checked_text(channel->*text).size());
  std::string all(length * channels.size(), '\0');
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const std::string& one = channels[i].second->*text;
    std::copy(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(i * length));
  }

  const std::array<hsize_t, 1> size{channels.size()};
  const Handle type = fixed_text(length);
  const Handle space(H5Screate_simple(1, size.data(), nullptr), H5Sclose, link);
  const std::array<hsize_t, 1> chunk{std::min<hsize_t>(channels.size(), values_per_chunk)};
  const Handle dataset = create(group, link, type, space, in_pieces(chunk));
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), link);
}

void write_columns(hid_t group, const PlacedPointers& channels) {
  std::vector<std::int64_t> columns;
  for (const auto& [column, channel] : channels) columns.push_back(column);
  const std::array<hsize_t, 1> size{columns.size()};
  const Handle space(H5Screate_simple(1, size.data(), nullptr), H5Sclose, "columns");
  const std::array<hsize_t, 1> chunk{std::min<hsize_t>(columns.size(), values_per_chunk)};
  const Handle dataset = create(group, "columns", H5T_STD_I64LE, space, in_pieces(chunk));
  check(H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, columns.data()), "columns");
}

// Some rows of the table at a time: channels have their values one after the other, the file has the times so.
void write_values(hid_t group, const PlacedPointers& channels, hsize_t times) {
  const std::array<hsize_t, 2> sizes{times, channels.size()};
  // a channel is read from few pieces, and so is a time
  const hsize_t rows = std::min<hsize_t>(times, 64);
  const std::array<hsize_t, 2> chunk{
      rows,
      rows == 0 ? 0 : std::min<hsize_t>(channels.size(), std::max<hsize_t>(values_per_chunk / rows, 1))};
  const Handle space(H5Screate_simple(2, sizes.data(), nullptr), H5Sclose, "values");
  const Handle stored =
      times * channels.size() < least_compressed ? timeless(H5P_DATASET_CREATE) : in_pieces(chunk);
  const Handle dataset = create(group, "values", H5T_IEEE_F64LE, space, stored);

  std::vector<double> block;
  for (hsize_t first = 0; first < times; first += rows) {
    const std::array<hsize_t, 2> start{first, 0}, count{std::min(rows, times - first), channels.size()};
    block.resize(count[0] * count[1]);
    for (std::size_t j = 0; j < channels.size(); ++j)
      for (std::size_t i = 0; i < count[0]; ++i)
        block[i * count[1] + j] = channels[j].second->values[first + i];
    const Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose, "values");
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "values");
    check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, block.data()), "values");
  }
}

// ---- reading

Handle open_dataset(hid_t group, const char* link) {
  return {H5Dopen2(group, link, H5P_DEFAULT), H5Dclose, fmt::format("dataset '{}'", link)};
}

// The extents of a dataset of so many dimensions.
template <std::size_t dimensions>
std::array<hsize_t, dimensions> extents(hid_t dataset, const char* link, std::size_t bytes,
                                        std::uintmax_t file_size) {
  const Handle space(H5Dget_space(dataset), H5Sclose, link);
  std::array<hsize_t, dimensions> sizes{};
  if (H5Sget_simple_extent_ndims(space) != static_cast<int>(dimensions) ||
      H5Sget_simple_extent_dims(space, sizes.data(), nullptr) < 0)
    throw Hdf5Error(fmt::format("dataset '{}' has other dimensions than it should", link));
  double size = static_cast<double>(bytes);
  for (const hsize_t extent : sizes) size *= static_cast<double>(extent);
  if (size / most_compression > static_cast<double>(file_size))
    throw Hdf5Error(fmt::format("dataset '{}' is longer than the file", link));
  return sizes;
}

std::vector<std::string> read_texts(hid_t group, const char* link, std::uintmax_t file_size) {
  const Handle dataset = open_dataset(group, link);
  const Handle type(H5Dget_type(dataset), H5Tclose, link);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    throw Hdf5Error(fmt::format("dataset '{}' does not hold texts of one length", link));
  const std::size_t length = H5Tget_size(type);
  const hsize_t size = extents<1>(dataset, link, length, file_size)[0];
  std::string all(length * size, '\0');
  check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), link);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < size; ++i) {
    const std::string text = all.substr(i * length, length);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

std::vector<std::int64_t> read_columns(hid_t group, std::uintmax_t file_size) {
  const Handle dataset = open_dataset(group, "columns");
  std::vector<std::int64_t> columns(extents<1>(dataset, "columns", sizeof(std::int64_t), file_size)[0]);
  check(H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, columns.data()), "columns");
  return columns;
}

}  // namespace

void write_channel_table(hid_t group, const PlacedPointers& channels, std::size_t times) {
  write_text(group, "table", "a row of values for each time, a column for each of the names");
  write_texts(group, "names", channels, &Channel::name);
  write_texts(group, "units", channels, &Channel::unit);
  write_texts(group, "descriptions", channels, &Channel::description);
  write_columns(group, channels);
  write_values(group, channels, times);
}

bool has_channel_table(hid_t group) { return H5Aexists(group, "table") > 0; }

void read_channel_table(hid_t group, const std::string& group_name, std::uintmax_t file_size,
                        PlacedChannels& channels) {
  std::vector<std::string> names = read_texts(group, "names", file_size);
  std::vector<std::string> units = read_texts(group, "units", file_size);
  std::vector<std::string> descriptions = read_texts(group, "descriptions", file_size);
  const std::vector<std::int64_t> columns = read_columns(group, file_size);
  const Handle dataset = open_dataset(group, "values");
  const std::array<hsize_t, 2> sizes = extents<2>(dataset, "values", sizeof(double), file_size);
  if (names.size() != sizes[1] || units.size() != names.size() || descriptions.size() != names.size() ||
      columns.size() != names.size())
    throw Hdf5Error(fmt::format("the table of group '{}' has parts of different lengths", group_name));

  const std::size_t first = channels.size();
  for (std::size_t j = 0; j < names.size(); ++j)
    channels.emplace_back(columns[j], Channel{.name = std::move(names[j]),
                                              .group = group_name,
                                              .unit = std::move(units[j]),
                                              .description = std::move(descriptions[j]),
                                              .values = std::vector<double>(sizes[0])});
  const Handle space(H5Dget_space(dataset), H5Sclose, "values");
  std::vector<double> block;
  constexpr hsize_t rows = 64;
  for (hsize_t start_row = 0; start_row < sizes[0]; start_row += rows) {
    const std::array<hsize_t, 2> start{start_row, 0}, count{std::min(rows, sizes[0] - start_row), sizes[1]};
    block.resize(count[0] * count[1]);
    const Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose, "values");
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "values");
    check(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, block.data()), "values");
    for (std::size_t j = 0; j < sizes[1]; ++j)
      for (std::size_t i = 0; i < count[0]; ++i)
        channels[first + j].second.values[start_row + i] = block[i * count[1] + j];
  }
}

}  // namespace trammel::hdf5
