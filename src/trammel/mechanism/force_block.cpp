#include "trammel/mechanism/force_block.h"

#include "trammel/mechanism/force_block_implementation.h"
#include "trammel/mechanism/force_kernels.h"

namespace trammel {

const std::string& ForceBlock::switch_name(Index i) const {
  const auto after = std::upper_bound(first_switch_.begin(), first_switch_.end(), static_cast<int>(i));
  return elements_[static_cast<std::size_t>(after - first_switch_.begin()) - 1].name;
}

template class Forces<SpringDamper>;
template class Forces<TorsionSpring>;
template class Forces<Bushing>;
template class Forces<PointForce>;
template class Forces<AppliedTorque>;
template class Forces<Drag>;
template class Forces<Tyre>;
template class Forces<SphereOnPlane>;
template class Forces<JointSpring<Angle>>;
template class Forces<JointSpring<Offset>>;
template class Forces<JointFriction<Angle>>;
template class Forces<JointFriction<Offset>>;
template class Forces<Actuator<Angle>>;
template class Forces<Actuator<Offset>>;

}  // namespace trammel
