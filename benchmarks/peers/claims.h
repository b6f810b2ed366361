// What is said of Trammel beside other programs in fixed settings, with the numbers that were measured, and
// whether it holds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "measurement.h"

namespace peers {

// One side of a claim.
struct ClaimedRun {
  std::string method;  // "Trammel psf/radau5 at 1e-4"; empty: no run that qualifies
  double seconds = 0, error = 0;
};

struct Claim {
  std::string name;       // short, the same from run to run
  std::string statement;  // what is compared with what
  ClaimedRun ours, theirs;

  bool measured() const { return !ours.method.empty() && !theirs.method.empty(); }
  // Trammel over the other; it holds below 1.
  double ratio() const { return ours.seconds / theirs.seconds; }
  bool holds() const { return measured() && ratio() < 1; }
};

// Of the contests that were held.
std::vector<Claim> claims(const std::vector<Result>& results);

std::string table(const std::vector<Claim>& claims);
std::string markdown(const std::vector<Claim>& claims);
nlohmann::ordered_json json(const std::vector<Claim>& claims);

}  // namespace peers
