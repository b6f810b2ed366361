// Decompositions with orthogonal matrices that eigen_instances.h promises.
#define TRAMMEL_EIGEN_ORTHOGONAL template
#include "trammel/numerics/eigen_instances.h"
