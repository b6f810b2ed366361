// The section `urdf`: which files, and where the robots stand.
#include "trammel/model/frame_reader.h"
#include "trammel/model/text_file.h"
#include "trammel/model/urdf_import.h"

namespace trammel {
namespace {

MissingInertia read_missing(const ModelNode& node, const NumberScope& scope) {
  const MapReader map(node, key_set("missing_inertia"), "'missing_inertia'", node.place(), scope);
  MissingInertia missing;
  missing.density = map.optional_number("density", NumberRange::positive);
  missing.mass = map.optional_number("mass", NumberRange::positive);
  missing.radius = map.optional_number("radius", NumberRange::positive);
  if (missing.mass.has_value() != missing.radius.has_value() || (!missing.density && !missing.mass))
    map.fail("'missing_inertia' is a 'density' for the shapes, or 'mass' and 'radius' of a ball, or both");
  return missing;
}

}  // namespace

void (*urdf_importer)(ModelBuilder& builder, const UrdfImport& import) = nullptr;

void read_urdfs(ModelBuilder& builder) {
  const auto read = [&](const ModelNode& node) {
    const MapReader map(node, key_set("urdf"), "'urdf'", node.place(), builder.scope);
    UrdfImport import;
    import.place = map.at("file").place();
    import.file = path_beside(import.place.file, map.text("file"));
    import.base.origin = map.vector("at", {});
    if (map.has("orientation")) import.base.axes = read_orientation(map.at("orientation"), builder.scope);
    import.base_is_free = map.choice("base", {"fixed", "free"}, "fixed") == "free";
    import.prefix = map.text("prefix");
    import.reading.strict = map.flag("strict", false);
    if (map.choice("unphysical_inertia", {"as_given", "nearest"}, "as_given") == "nearest")
      import.reading.unphysical_inertia = UrdfReading::UnphysicalInertia::nearest;
    if (const ModelNode* missing = map.find("missing_inertia"))
      import.missing = read_missing(*missing, builder.scope);
    if (urdf_importer == nullptr)
      throw ModelError(import.place, "this program cannot read URDF: it was linked without Trammel::urdf");
    builder.note_file(import.file);
    urdf_importer(builder, import);
  };
  for (const ModelNode& document : builder.documents) {
    const ModelNode* urdf = document.find("urdf");
    if (!urdf || urdf->kind == ModelNode::Kind::nothing) continue;
    if (urdf->kind == ModelNode::Kind::list)
      for (const ModelNode& item : urdf->items) read(item);
    else
      read(*urdf);
  }
}

}  // namespace trammel
