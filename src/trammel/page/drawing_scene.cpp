#include "trammel/page/drawing_scene.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

namespace trammel {

namespace {

using Json = nlohmann::ordered_json;
using DrawnPoint = PlanarDrawing::Point;

bool moves(const DrawnPoint& point) { return !point.x_name.empty() || !point.y_name.empty(); }

Json coordinate(const std::string& name, double value) { return name.empty() ? Json(value) : Json(name); }

Json circle_shape(const PlanarDrawing::Circle& circle) {
  if (!circle.hollow) return {{"type", "sphere"}, {"radius", circle.radius}};
  constexpr int corners = 72;
  Json points = Json::array();
  for (int i = 0; i <= corners; ++i) {
    const double angle = 2 * std::numbers::pi * i / corners;
    points.push_back({circle.radius * std::cos(angle), circle.radius * std::sin(angle), 0});
  }
  return {{"type", "line"}, {"points", std::move(points)}};
}

}  // namespace

Json drawing_scene(const PlanarDrawing& drawing) {
  if (drawing.points.empty()) return {};
  Json bodies = Json::array({{{"name", "ground"}, {"fixed", true}, {"shapes", Json::array()}}});
  // the body that a point belongs to, and where it is on this
  std::vector<std::size_t> body_of;
  const auto place_of = [&](std::size_t i) -> Json {
    const DrawnPoint& point = drawing.points[i];
    return moves(point) ? Json{0, 0, 0} : Json{point.x, point.y, 0};
  };
  for (const DrawnPoint& point : drawing.points) {
    body_of.push_back(moves(point) ? bodies.size() : 0);
    if (!moves(point)) continue;
    const Json x = coordinate(point.x_name, point.x), y = coordinate(point.y_name, point.y);
    const auto text = [](const Json& value) {
      return value.is_string() ? value.get<std::string>() : fmt::format("{:g}", value.get<double>());
    };
    bodies.push_back({{"name", fmt::format("({}, {})", text(x), text(y))},
                      {"shapes", Json::array()},
                      {"pose", {x, y, 0, 1, 0, 0, 0}}});
  }
  for (const PlanarDrawing::Circle& circle : drawing.circles) {
    const std::size_t body = body_of[circle.point];
    Json shape = circle_shape(circle);
    if (body > 0) {
      bodies[body]["shapes"].push_back(std::move(shape));
    } else if (const Json place = place_of(circle.point); circle.hollow) {
      // a track is a body that stays, because pictures do not begin with all of the ground in view
      bodies.push_back({{"name", "circle"},
                        {"shapes", {std::move(shape)}},
                        {"pose", {place[0], place[1], 0, 1, 0, 0, 0}}});
    } else {
      shape["position"] = place;
      bodies[0]["shapes"].push_back(std::move(shape));
    }
  }

  Json lines = Json::array();
  for (const auto& [from, to] : drawing.lines) {
    if (body_of[from] == 0 && body_of[to] == 0)
      bodies[0]["shapes"].push_back({{"type", "line"}, {"points", {place_of(from), place_of(to)}}});
    else
      lines.push_back({{"bodies", {body_of[from], body_of[to]}}, {"points", {place_of(from), place_of(to)}}});
  }
  Json markers = Json::array();
  for (const std::size_t point : drawing.traces)
    markers.push_back({{"name", bodies[body_of[point]]["name"]},
                       {"body", body_of[point]},
                       {"point", place_of(point)},
                       {"trace", true}});
  return {{"up", {0, 1, 0}},
          {"planar", {{"normal", {0, 0, 1}}}},
          {"bodies", std::move(bodies)},
          {"lines", std::move(lines)},
          {"markers", std::move(markers)}};
}

}  // namespace trammel
