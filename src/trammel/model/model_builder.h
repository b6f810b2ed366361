// A model while it is read: the files as trees, the numbers known so far, and the names. The sections of the
// file are read one after the other by the functions at the end; each adds to the model what its section
// says.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trammel/model/map_reader.h"
#include "trammel/model/model.h"

namespace trammel {

// A body by its name; or part of one, as a link of a URDF that was merged into a body: with its frame in the
// body's.
struct BodyReference {
  int body = 0;
  Frame frame;
};

struct ModelBuilder {
  // A map of sections: a file, or one turn of a repeat block.
  struct Block {
    const ModelNode* node = nullptr;
    std::vector<NumberScope::Index> indices;
  };

  Model model;
  NumberScope scope;
  std::deque<ModelNode> documents;  // included ones before those that include them
  std::vector<Block> blocks;
  std::unordered_map<std::string, BodyReference> bodies{{"ground", {}}};
  std::unordered_map<std::string, int> markers, joints;  // indices into the mechanism's
  // Joints from URDF files that carry nothing with a mass: hold_joints_without_mass.
  struct JointWithoutMass {
    std::string joint, file;
    bool follows = false;  // it mimics another one
  };
  std::vector<JointWithoutMass> joints_without_mass;
  // Likewise such that must be driven, and what is said if they are not.
  struct JointWithNegativeInertia {
    std::string joint;
    SourcePlace place;
    std::string message;
  };
  std::vector<JointWithNegativeInertia> joints_with_negative_inertia;
  // Where names were written, for each section.
  std::unordered_map<std::string, std::unordered_map<std::string, SourcePlace>> places;

  Mechanism& mechanism() { return model.mechanism; }
  // A file that something in the model was read from, besides the documents.
  void note_file(const std::string& path) {
    if (std::find(model.files.begin(), model.files.end(), path) == model.files.end())
      model.files.insert(model.files.begin(), path);
  }
};

// One named thing of a section.
struct NamedEntry {
  std::string name;
  const ModelNode& node;
  SourcePlace place;  // of the name
};

// Calls `read` for all entries of a section, of all blocks, with the scope set to the block's. Names are
// checked.
void for_each_entry(ModelBuilder& builder, const std::string& section,
                    const std::function<void(const NamedEntry&)>& read);

// Notes a name; throws ModelError if the section has it already.
void claim_name(ModelBuilder& builder, const std::string& section, const std::string& name,
                const SourcePlace& place);

// What is wrong with a name of a body, joint, ...; empty if nothing is.
std::string fault_of_name(const std::string& name);

// Throw ModelError at the word, with the nearest name, if there is none of this name.
BodyReference read_body_name(const ModelBuilder& builder, const ModelNode& node, const std::string& what);
const Joint& read_joint_name(const ModelBuilder& builder, const ModelNode& node, const std::string& what);

// The frame of a body (or link) in the world at the reference position.
Frame reference_frame(const ModelBuilder& builder, const BodyReference& body);

// A color as "#rrggbb". Throws ModelError.
std::string read_color(const MapReader& map);

// ---- the sections, in the order in which they are read

void resolve_parameters(ModelBuilder& builder, const ModelOverrides& overrides);
void expand_repeats(ModelBuilder& builder);
void read_tables(ModelBuilder& builder);
void read_world(ModelBuilder& builder);  // title, gravity
void read_urdfs(ModelBuilder& builder);
void read_bodies(ModelBuilder& builder);
void read_markers(ModelBuilder& builder);
void read_joints(ModelBuilder& builder);
void read_roads(ModelBuilder& builder);
void note_variables(ModelBuilder& builder);  // names of states, inputs and measures
void read_couplers(ModelBuilder& builder);
void read_drivers(ModelBuilder& builder);
void read_forces(ModelBuilder& builder);
void read_states(ModelBuilder& builder);
void read_inputs(ModelBuilder& builder);
void read_measures(ModelBuilder& builder);
void read_initial_conditions(ModelBuilder& builder);
// Nothing determines the motion of a massless end of a robot: its joints are held where they are, unless
// something of the model moves them. A warning says so. Throws ModelError if a joint that carries a negative
// moment of inertia is not driven.
void hold_joints_without_mass(ModelBuilder& builder);
void read_simulation(ModelBuilder& builder);
void read_view(ModelBuilder& builder);

}  // namespace trammel
