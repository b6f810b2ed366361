// All force elements of the library, as functions of the motions of two bodies (force_block.h).
#pragma once

#include "trammel/mechanism/applied_force_kernels.h"
#include "trammel/mechanism/bushing_kernel.h"
#include "trammel/mechanism/contact_kernels.h"
#include "trammel/mechanism/joint_force_kernels.h"
#include "trammel/mechanism/spring_kernels.h"
