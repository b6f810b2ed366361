#include "trammel/model/shape_reader.h"

#include <fmt/format.h>

#include "trammel/model/frame_reader.h"
#include "trammel/model/model_builder.h"
#include "trammel/model/text_file.h"

namespace trammel {
namespace {

const std::vector<std::string> kinds = {"box", "cylinder", "sphere", "capsule", "cone", "rod", "mesh"};

void read_box(const ModelNode& node, const NumberScope& scope, Shape& shape) {
  shape.kind = Shape::Kind::box;
  shape.size = read_vector(node, scope, "box");
  if (!(shape.size.x > 0 && shape.size.y > 0 && shape.size.z > 0))
    throw ModelError(node.place(), "the edges of a box must be larger than zero");
}

void read_round(const ModelNode& node, const NumberScope& scope, const std::string& kind, Shape& shape) {
  shape.kind = kind == "cylinder" ? Shape::Kind::cylinder
               : kind == "cone"   ? Shape::Kind::cone
                                  : Shape::Kind::capsule;
  const MapReader map(node, key_set("round_shape"), fmt::format("'{}'", kind), node.place(), scope);
  const double radius = map.number("radius", NumberRange::positive);
  shape.size = {radius, radius, map.number("length", NumberRange::positive)};
}

void read_sphere(const ModelNode& node, const NumberScope& scope, Shape& shape) {
  shape.kind = Shape::Kind::sphere;
  const MapReader map(node, key_set("sphere_shape"), "'sphere'", node.place(), scope);
  const double radius = map.number("radius", NumberRange::positive);
  shape.size = {radius, radius, radius};
}

void read_rod(const ModelNode& node, const NumberScope& scope, ReadShape& read) {
  const MapReader map(node, key_set("rod_shape"), "'rod'", node.place(), scope);
  const Vec3<double> from = read_vector(map.at("from"), scope, "from"),
                     to = read_vector(map.at("to"), scope, "to");
  const double rod_length = length(to - from);
  if (!(rod_length > 0)) map.fail_at("to", "the rod has no length: 'from' and 'to' are the same point");
  const double radius = map.number("radius", NumberRange::positive);
  read.shape.kind = Shape::Kind::capsule;
  read.shape.frame = frame_with_axis((from + to) * 0.5, to - from);
  read.shape.size = {radius, radius, rod_length};
  read.ends = CapsuleEnds::none;
}

void read_mesh(const ModelNode& node, const NumberScope& scope, Shape& shape) {
  shape.kind = Shape::Kind::mesh;
  shape.size = {1, 1, 1};
  if (node.kind == ModelNode::Kind::word) {
    shape.file = path_beside(*node.file, scope.text(node, "mesh"));
    return;
  }
  const MapReader map(node, key_set("mesh_shape"), "'mesh'", node.place(), scope);
  shape.file = path_beside(*node.file, map.text("file"));
  const ModelNode* scale = map.find("scale");
  if (!scale) return;
  if (scale->kind == ModelNode::Kind::list) {
    shape.size = read_vector(*scale, scope, "scale");
  } else {
    const double factor = map.number("scale", NumberRange::positive);
    shape.size = {factor, factor, factor};
  }
}

ReadShape read_shape(const ModelNode& node, const NumberScope& scope) {
  const MapReader map(node, key_set("shape"), "a shape", node.place(), scope);
  std::string kind;
  for (const std::string& known : kinds) {
    if (!map.has(known)) continue;
    if (!kind.empty()) map.refuse_together(kind, known);
    kind = known;
  }
  if (kind.empty()) map.fail(fmt::format("a shape needs one of {}", fmt::join(kinds, ", ")));

  ReadShape read;
  if (kind == "rod")
    for (const std::string key : {"at", "axis", "x", "orientation"}) map.refuse_together("rod", key);
  else
    read.shape.frame = read_frame(map);
  if (kind == "box") read_box(map.at(kind), scope, read.shape);
  if (kind == "sphere") read_sphere(map.at(kind), scope, read.shape);
  if (kind == "rod") read_rod(map.at(kind), scope, read);
  if (kind == "mesh") read_mesh(map.at(kind), scope, read.shape);
  if (kind == "cylinder" || kind == "capsule" || kind == "cone")
    read_round(map.at(kind), scope, kind, read.shape);
  read.shape.color = read_color(map);
  read.density = map.optional_number("density", NumberRange::not_negative);
  if (kind == "mesh" && read.density)
    map.fail_at("density", "a mesh is only for the looks; it cannot have a density");
  return read;
}

}  // namespace

std::vector<ReadShape> read_shapes(const ModelNode* node, const NumberScope& scope) {
  if (!node) return {};
  std::vector<ReadShape> shapes;
  if (node->kind == ModelNode::Kind::list)
    for (const ModelNode& item : node->items) shapes.push_back(read_shape(item, scope));
  else
    shapes.push_back(read_shape(*node, scope));
  return shapes;
}

}  // namespace trammel
