// Products, LU and Cholesky decompositions that eigen_instances.h promises.
#define TRAMMEL_EIGEN_TEMPLATE template
#include "trammel/numerics/eigen_instances.h"
