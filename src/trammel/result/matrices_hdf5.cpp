#include "trammel/result/matrices_hdf5.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "trammel/result/hdf5_file.h"
#include "trammel/result/output_file.h"

namespace trammel {

namespace {

void write_matrix(hid_t file, const NamedMatrix& matrix) {
  using namespace hdf5;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const std::string what = fmt::format("dataset '{}'", matrix.name);
  const RowMajor values = matrix.values;
  const std::array sizes{static_cast<hsize_t>(values.rows()), static_cast<hsize_t>(values.cols())};
  const int dimensions = matrix.columns.empty() && values.cols() == 1 ? 1 : 2;
  const Handle space(H5Screate_simple(dimensions, sizes.data(), nullptr), H5Sclose, what);
  const Handle dataset(H5Dcreate2(file, checked_text(matrix.name).c_str(), H5T_IEEE_F64LE, space,
                                  naming(H5P_LINK_CREATE), timeless(H5P_DATASET_CREATE), H5P_DEFAULT),
                       H5Dclose, what);
  if (values.size() > 0)
    check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  write_text(dataset, "description", matrix.description);
  write_text(dataset, "rows", fmt::format("{}", fmt::join(matrix.rows, "\n")));
  write_text(dataset, "columns", fmt::format("{}", fmt::join(matrix.columns, "\n")));
}

}  // namespace

Failure write_hdf5(const std::filesystem::path& path, const std::vector<NamedMatrix>& matrices,
                   const std::vector<std::pair<std::string, std::string>>& metadata) {
  return replace_file(path, [&](const std::filesystem::path& temporary) {
    try {
      const hdf5::Session session;
      const std::string image = hdf5::file_image(temporary, [&](hid_t file) {
        for (const auto& [key, value] : metadata) hdf5::write_text(file, key, value);
        for (const NamedMatrix& matrix : matrices) write_matrix(file, matrix);
      });
      return fill_file(temporary, path, [&](std::ostream& out) { out << image; });
    } catch (const hdf5::Hdf5Error& error) {
      return not_written(path, error.what());
    }
  });
}

}  // namespace trammel
