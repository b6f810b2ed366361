#include "trammel/page/live_data.h"

#include <algorithm>

#include "trammel/page/page_server.h"
#include "trammel/result/output_file.h"

namespace trammel {

LiveData::LiveData(const std::filesystem::path& folder, std::function<void(std::ostream& out)> data)
    : path_(folder / live_data_file),
      data_(std::move(data)),
      next_(std::chrono::steady_clock::now() + std::chrono::milliseconds(500)) {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);  // of a run that was killed
}

LiveData::~LiveData() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

// Long data takes long to write: not more than a tenth of the time of the run.
void LiveData::step() {
  const auto begin = std::chrono::steady_clock::now();
  if (begin < next_) return;
  // the run is worth more than the view of it: if there is no room, it is not seen
  static_cast<void>(write_file(path_, data_));
  const auto end = std::chrono::steady_clock::now();
  next_ = end + std::max<std::chrono::steady_clock::duration>(std::chrono::seconds(1), 10 * (end - begin));
}

}  // namespace trammel
