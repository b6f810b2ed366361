// What the program says: one JSON object, or an error that helps.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "trammel/mechanism/place.h"
#include "trammel/numerics/failure.h"

namespace trammel {

// On standard output. Text that is no valid UTF-8 is replaced.
void print_json(const nlohmann::ordered_json& json);
std::string json_text(const nlohmann::ordered_json& json);
// Numbers that are not finite have no place in JSON.
nlohmann::ordered_json number_or_null(double value);

// What was asked for makes no sense: says so, as JSON on standard output or as "error: ..." on standard
// error, and returns the exit code for it.
int refuse(bool as_json, const std::string& message,
           const nlohmann::ordered_json& more = nlohmann::ordered_json::object());
// Likewise, with the place in the model file.
int refuse(bool as_json, const ModelError& error);

// What was asked for makes sense and could not be had: adds the failure to the JSON that is to be printed, prints that or
// the message, and returns the exit code for it.
int tell_failure(bool as_json, const Failure& failure, nlohmann::ordered_json& json);

// On standard error, where nothing is said if that is gone.
void print_error(const std::string& message);
void print_warning(const std::string& message);
// What is neither.
void print_message(const std::string& message);

// Hands all that was printed to the system. Empty, or why standard output is not complete.
std::string finish_standard_output();

}  // namespace trammel
