// Rotors on coordinates of joints that close loops, in joint coordinates: J ∇c ∇cᵀ with ∇c along the joints of the tree
// (cartesian_rotors.cpp). Those on coordinates of the tree are numbers on the diagonal of the mass matrix.
#include <algorithm>

#include "trammel/motion/joint_motion.h"

namespace trammel {

void JointMotion::rest_rotors() {
  const std::vector<std::string>& names = equations_.names().p;
  const RowSystem& rotors = equations_.elements().rotors;
  for (const std::unique_ptr<ConstraintBlock>& block : bodies_.rotors_.blocks) {
    std::vector<char> resting;
    for (const ConstraintBlock::Element& element : block->elements())
      resting.push_back(std::find(names.begin(), names.end(), rotors.names[at_index(element.row)]) !=
                        names.end());
    rotors_work_ |= std::find(resting.begin(), resting.end(), char{0}) != resting.end();
    block->set_resting(std::move(resting));
  }
  if (!rotors_work_) return;
  for (AssembledMatrix& matrix : rotor_rows_)
    matrix = AssembledMatrix(rotors.size(), equations_.layout().v.size);
}

void JointMotion::take_rotor_rows(std::span<AssembledMatrix* const> matrices) {
  for (AssembledMatrix* matrix : matrices) matrix->begin();
  chain_rotor_rows(matrices);
  for (AssembledMatrix* matrix : matrices) matrix->finish();
  if (!rotor_entries_.empty()) return;
  rotor_entries_.resize(bodies_.rotor_forces_.size());
  int slot = 0;
  for_entries(rotor_rows_[0].matrix(), [&](Index row, Index column, double) {
    rotor_entries_[at_index(row)].push_back({column, slot++});
  });
}

void JointMotion::add_rotor_mass() {
  bodies_.differentiate_rotors(jacobian);
  const std::array only = {&rotor_rows_[0]};
  take_rotor_rows(only);
  const double* gradient = rotor_rows_[0].matrix().valuePtr();
  for (std::size_t rotor = 0; rotor < rotor_entries_.size(); ++rotor)
    for (const RotorEntry& row : rotor_entries_[rotor])
      for (const RotorEntry& column : rotor_entries_[rotor])
        slopes_.mass.add(
            row.column, column.column,
            equations_.elements().rotor_inertias[rotor] * gradient[row.slot] * gradient[column.slot]);
}

// The size of the force varies; how its direction does is in the slopes of the bodies.
void JointMotion::add_rotor_slopes() {
  const std::array all = {&rotor_rows_[0], &rotor_rows_[1], &rotor_rows_[2], &rotor_rows_[3]};
  take_rotor_rows(all);
  const double* gradient = rotor_rows_[0].matrix().valuePtr();
  const double *by_pose = rotor_rows_[2].matrix().valuePtr(), *by_twist = rotor_rows_[3].matrix().valuePtr();
  for (std::size_t rotor = 0; rotor < rotor_entries_.size(); ++rotor)
    for (const RotorEntry& row : rotor_entries_[rotor])
      for (const RotorEntry& column : rotor_entries_[rotor]) {
        const double along = -equations_.elements().rotor_inertias[rotor] * gradient[row.slot];
        slopes_.force_pose.add(row.column, column.column, along * by_pose[column.slot]);
        slopes_.force_twist.add(row.column, column.column, along * by_twist[column.slot]);
      }
}

}  // namespace trammel
