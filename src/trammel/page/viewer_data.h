// The data of a page in a browser (viewer/README.md), whatever the run was of.
#pragma once

#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trammel/result/recording.h"
#include "trammel/result/trajectory.h"

namespace trammel {

struct PageContent {
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  std::string title, subtitle;
  std::string status, message;  // finished, failed, stopped or running; why it did not finish
  Pairs facts;                  // how it went: method, counters
  Pairs parameters;
  std::vector<std::string> notes;
  std::vector<EventRecord> events;
  // Writes what is animated, as JSON; absent: there is nothing.
  std::function<void(std::ostream& out)> scene;
};

// JSON without <, so that it can stand in a page as it is. Written as it goes: of large mechanisms the text takes more
// room than all that has been computed. Samples and channels are thinned where the page would become too large to open;
// it says so then.
void write_viewer_data(const PageContent& content, const Recording& recording, std::ostream& out);

}  // namespace trammel
