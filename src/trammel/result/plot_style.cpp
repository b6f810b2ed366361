#include "trammel/result/plot_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace trammel {
namespace {

// After Okabe and Ito, "Color universal design": told apart with every kind of colour vision. Each is
// darkened for a white page or lightened for a black one until a thin line has contrast enough.
struct Colour {
  std::string_view light, dark;
  std::string_view in(ColourScheme scheme) const { return scheme == ColourScheme::light ? light : dark; }
};
constexpr std::array<Colour, 8> palette = {{{"#0072b2", "#4aa8e8"},
                                            {"#d55e00", "#f0803c"},
                                            {"#008a64", "#2cc79b"},
                                            {"#b8578d", "#dd8fba"},
                                            {"#a87400", "#e6a817"},
                                            {"#4a9cd0", "#a9dafa"},
                                            {"#7d7300", "#ece15a"},
                                            {"#555555", "#c0c0c0"}}};

// beyond the eighth line the colours repeat with another dash
constexpr std::array<std::string_view, 4> dashes = {"", "6 4", "2 4", "9 4 2 4"};

std::string attributes(std::string_view kind, std::size_t series) {
  const std::size_t colour = series % palette.size();
  return fmt::format("class=\"{} plot-{}\" fill=\"none\" stroke=\"{}\"", kind, colour + 1,
                     palette[colour].light);
}

std::string line_colours(std::size_t series, ColourScheme scheme) {
  std::string rules;
  for (std::size_t i = 0; i < std::min(series, palette.size()); ++i) {
    rules += fmt::format(".trammel-plot .plot-{}{{stroke:var(--plot-{},{})}}", i + 1, i + 1,
                         palette[i].in(scheme));
  }
  return rules;
}

// Solid markers have the colour of their line, outlines hide the line behind them.
std::string marker_colours(std::size_t series, ColourScheme scheme) {
  std::string rules = fmt::format(".trammel-plot .plot-hollow{{fill:var(--card,{})}}",
                                  scheme == ColourScheme::light ? "#fff" : "#14181f");
  for (std::size_t i = 0; i < std::min(series, palette.size()); ++i) {
    rules += fmt::format(".trammel-plot .plot-solid.plot-{}{{fill:var(--plot-{},{})}}", i + 1, i + 1,
                         palette[i].in(scheme));
  }
  return rules;
}

}  // namespace

std::string line_attributes(std::size_t series) {
  const std::string_view dash = dashes[series / palette.size() % dashes.size()];
  std::string text = attributes("plot-line", series);
  if (!dash.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", dash);
  return text;
}

std::string dot_attributes(std::size_t series) { return attributes("plot-dot", series); }

// Five shapes and eight colours: no pair repeats before the fortieth series.
std::string marker_path(std::size_t series, double x, double y) {
  switch (series % 5) {
    case 0:
      return fmt::format("M{:.1f} {:.1f}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", x - 3.5, y);
    case 1:
      return fmt::format("M{:.1f} {:.1f}h6.4v6.4h-6.4z", x - 3.2, y - 3.2);
    case 2:
      return fmt::format("M{:.1f} {:.1f}l4.1 7h-8.2z", x, y - 4.6);
    case 3:
      return fmt::format("M{:.1f} {:.1f}l4.4 4.4l-4.4 4.4l-4.4 -4.4z", x, y - 4.4);
    default:
      return fmt::format("M{:.1f} {:.1f}l-4.1 -7h8.2z", x, y + 4.6);
  }
}

std::string marker_attributes(std::size_t series, bool hollow) {
  const std::size_t colour = series % palette.size();
  return fmt::format("class=\"plot-marker {} plot-{}\" fill=\"{}\" stroke=\"{}\"",
                     hollow ? "plot-hollow" : "plot-solid", colour + 1,
                     hollow ? "#fff" : palette[colour].light, palette[colour].light);
}

// What draws without CSS variables keeps the colours of the attributes. Only a file of its own matches
// svg:root.
std::string plot_style_sheet(std::size_t series, bool markers) {
  const auto colours = [&](ColourScheme scheme) {
    return line_colours(series, scheme) + (markers ? marker_colours(series, scheme) : "");
  };
  return "svg:root{color:#1d2430;background:#fff}"
         ".trammel-plot .plot-line,.trammel-plot .plot-dot{stroke-linejoin:round;stroke-linecap:round}"
         ".trammel-plot .plot-line{stroke-width:1.6}.trammel-plot .plot-dot{stroke-width:5}" +
         std::string(markers ? ".trammel-plot .plot-marker{stroke-width:1.4}" : "") +
         colours(ColourScheme::light) +
         "@media(prefers-color-scheme:dark){svg:root{color:#e3e7ee;background:#14181f}" +
         colours(ColourScheme::dark) + "}";
}

std::string plot_colour_variables(ColourScheme scheme) {
  std::string declarations;
  for (std::size_t i = 0; i < palette.size(); ++i) {
    declarations += fmt::format("--plot-{}:{};", i + 1, palette[i].in(scheme));
  }
  return declarations;
}

}  // namespace trammel
