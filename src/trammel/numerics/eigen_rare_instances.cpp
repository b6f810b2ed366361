// What eigen_rare_instances.h promises.
#define TRAMMEL_EIGEN_RARE template
#include "trammel/numerics/eigen_rare_instances.h"
