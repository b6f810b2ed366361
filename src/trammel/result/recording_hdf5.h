// Recordings as HDF5 files.
//
//   /                      attributes: title, format_version, and the metadata by their keys
//   /time                  the output times
//   /<group>/<channel>     one dataset for each channel, as long as /time
//   /steps/t               the ends of the accepted steps
//   /steps/<channel>       one dataset for each channel over the steps
//
// A dataset has the attributes name, unit and description, and column: its place among the channels, counted
// from 1. A group has the attribute name. Names in paths differ from these where a path would not allow them:
// '/' becomes '_', and "_2", "_3", ... makes different what would be the same. The same recording gives the
// same bytes, whenever it is written. Behind the end of the file there is a checksum, which other programs
// ignore.
#pragma once

#include <filesystem>

#include "trammel/numerics/failure.h"
#include "trammel/result/recording.h"

namespace trammel {

// The file is replaced as a whole. A text with a zero character, which the format cannot hold, is a failure.
Failure write_hdf5(const std::filesystem::path& path, const Recording& recording);

// The recording stays as it was if there is a failure. What else is in the file, added by other programs, is
// left out.
Failure read_hdf5(const std::filesystem::path& path, Recording& recording);

}  // namespace trammel
