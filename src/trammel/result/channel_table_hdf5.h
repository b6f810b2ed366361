// A group of very many channels in an HDF5 file: one table of values and lists of names, units and descriptions. A dataset
// for each channel would take kilobytes and most of the time of a run with thousands of bodies.
//
//   values                        a row for each time, a column for each channel
//   names, units, descriptions    a text for each channel
//   columns                       its place among all channels of the file
//
// The group has an attribute `table`, which others do not have.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trammel/result/recording.h"

namespace trammel::hdf5 {

// A channel with its place among all channels of the file, from 1 on; time is 0.
using PlacedChannels = std::vector<std::pair<std::int64_t, Channel>>;
using PlacedPointers = std::vector<std::pair<std::int64_t, const Channel*>>;

// All have so many values.
void write_channel_table(hid_t group, const PlacedPointers& channels, std::size_t times);

bool has_channel_table(hid_t group);
// Adds what write_channel_table has written. Throws Hdf5Error where the parts do not fit together, and where they claim to be
// larger than a file of that size can be.
void read_channel_table(hid_t group, const std::string& group_name, std::uintmax_t file_size,
                        PlacedChannels& channels);

}  // namespace trammel::hdf5
