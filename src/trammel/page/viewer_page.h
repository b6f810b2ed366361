// The page that shows a run in a browser: one HTML file with the script and style of viewer/ and the data
// inside. viewer/README.md is the manual of the data.
#pragma once

#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trammel {

// Whether this build has script and style; pages are empty otherwise.
bool has_viewer();

// `data` is JSON. Nothing in it can end its element or be executed.
std::string viewer_page(std::string_view title, std::string_view data);
// The same as it goes; what `data` writes must be without <.
void write_viewer_page(std::string_view title, const std::function<void(std::ostream& out)>& data,
                       std::ostream& out);

// A page that fetches its data from an address of its own server, again and again while the run goes on.
std::string live_viewer_page(std::string_view title, std::string_view address);

// The data of a page that viewer_page() made; empty if there is none.
std::string viewer_data_of_page(std::string_view page);

// Numbers as the data has them: little-endian in base64, in single ("f32") and in double precision ("f64").
std::string base64_floats(std::span<const double> values);
std::string base64_doubles(std::span<const double> values);

}  // namespace trammel
