// Serves the page of a run to a browser on this machine: live while the run goes on, then what it left.
//
//   GET /      the page, which asks for its data again and again
//   GET /data  its data, as viewer/README.md describes it; 503 and a message as long as there is none
//   GET /samples/T  samples after the time T as they come, as server-sent events; of a run in real time, for
//              which /data names this address in the header Trammel-Samples
//
// There is nothing else to be had, no other file of the folder either. Nobody but this machine can connect,
// and a web site that has its own name lead here is refused, because browsers tell the name they were given.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace trammel {

// What `trammel run` leaves in its folder for the browser.
inline constexpr const char* live_data_file =
    "live.json";                                        // while it is running: replaced about once a second
inline constexpr const char* page_file = "index.html";  // at its end, with the data inside

class PageServer {
 public:
  PageServer(const std::string& title, const std::filesystem::path& folder);
  ~PageServer();

  // Whether there is anything to show by now.
  bool has_data();

  // Serves from now on, in threads of its own. 0 is any free port. Empty, or why the port cannot be used;
  // then another may be tried.
  std::string start(int port);
  int port() const;
  // Returns when all answers under way are finished or given up, which may take a few seconds. Cannot be
  // started again.
  void stop();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel
