// What a contest came to: a table, JSON, Markdown and a work-precision plot.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "measurement.h"

namespace peers {

// The errors that times are given for.
inline const std::vector<double> wanted_errors = {1e-3, 1e-6, 1e-9};

// Trammel's fastest method against one peer at an error; like against like, where both exist: a program that
// is given a model is compared with Trammel from a model.
std::optional<double> ratio(const Result& result, const Outcome& peer, double error);

std::string machine();  // the CPU's name
std::string table(const Result& result);
std::string markdown(const Result& result);
nlohmann::ordered_json json(const Result& result);
std::string figure(const Result& result);

}  // namespace peers
