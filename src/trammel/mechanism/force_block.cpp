#include "trammel/mechanism/force_block.h"

#include "trammel/mechanism/force_block_implementation.h"
#include "trammel/mechanism/force_kernels.h"

namespace trammel {

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
