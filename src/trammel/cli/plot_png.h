// An SVG drawing as PNG, made by the program rsvg-convert.
#pragma once

#include <string>

namespace trammel {

// The bytes of the picture, on white, `scale` pixels for each of the drawing's. Throws std::runtime_error if
// there is no such program or it fails.
std::string png_of_svg(const std::string& svg, double scale);

}  // namespace trammel
