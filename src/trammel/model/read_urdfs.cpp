// The section `urdf`: which files, and where the robots stand.
#include "trammel/model/frame_reader.h"
#include "trammel/model/text_file.h"
#include "trammel/model/urdf_import.h"

namespace trammel {

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
    import_urdf(builder, import);
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
