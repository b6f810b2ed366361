// Colours, dashes and markers of the lines of a plot, as SVG attributes and CSS.
#pragma once

#include <cstddef>
#include <string>

namespace trammel {

// Attributes that make a path the line, or a lone point, of the series with that number.
std::string line_attributes(std::size_t series);
std::string dot_attributes(std::size_t series);

// A marker around a point, of a shape that repeats with another colour, and its attributes.
std::string marker_path(std::size_t series, double x, double y);
std::string marker_attributes(std::size_t series, bool hollow);

// The style sheet of a plot with so many series.
std::string plot_style_sheet(std::size_t series, bool markers = false);

// Declarations "--plot-1:#0072b2;..." for what shares its colours with the plots on a page.
enum class ColourScheme { light, dark };
std::string plot_colour_variables(ColourScheme scheme);

}  // namespace trammel
