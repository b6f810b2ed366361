// The data of a page in a browser (viewer/README.md), whatever the run was of.
#pragma once

#include <nlohmann/json.hpp>
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
  nlohmann::ordered_json scene;  // null: there is nothing to animate
};

// JSON. Samples are thinned where the page would become too large to open; it says so then.
std::string viewer_data(const PageContent& content, const Recording& recording);

}  // namespace trammel
