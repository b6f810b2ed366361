// A run to look at while it goes on.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <ostream>

namespace trammel {

// While a run goes on, what `trammel view` shows of it stands in live.json in the folder, written anew about
// once a second and removed at the end. A folder that cannot be written into has none.
class LiveData {
 public:
  // `data` writes the data of the page as it is at that time.
  LiveData(const std::filesystem::path& folder, std::function<void(std::ostream& out)> data);
  ~LiveData();
  LiveData(const LiveData&) = delete;
  LiveData& operator=(const LiveData&) = delete;

  // After every step.
  void step();

 private:
  std::filesystem::path path_;
  std::function<void(std::ostream& out)> data_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace trammel
