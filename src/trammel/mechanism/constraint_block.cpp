#include "trammel/mechanism/constraint_block.h"

#include "trammel/mechanism/constraint_block_implementation.h"
#include "trammel/mechanism/constraint_kernels.h"
#include "trammel/mechanism/velocity_kernels.h"

namespace trammel {

template class Constraints<CoincidentPoints>;
template class Constraints<PointInFrame>;
template class Constraints<Perpendicular>;
template class Constraints<Offset>;
template class Constraints<Distance>;
template class Constraints<Angle>;
template class Constraints<PointDistance>;
template class Constraints<DiskHeight>;
template class Constraints<PointSpeed>;
template class Constraints<Rolling>;
template class Constraints<Spin>;

}  // namespace trammel
