// Matrices with names for their rows and columns as an HDF5 file: one dataset each, with the attributes description,
// unit, rows and columns (names, one to a line).
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "trammel/numerics/failure.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

struct NamedMatrix {
  std::string name;
  std::string description = {};
  std::vector<std::string> rows = {};     // names, as many as rows
  std::vector<std::string> columns = {};  // of a vector: none
  Matrix values = {};
};

// The file is replaced as a whole. `metadata` become attributes of the file.
Failure write_hdf5(const std::filesystem::path& path, const std::vector<NamedMatrix>& matrices,
                   const std::vector<std::pair<std::string, std::string>>& metadata = {});

}  // namespace trammel
