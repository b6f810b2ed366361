// Mechanisms of the contests as Trammel has them, made in code.
#pragma once

#include "trammel/mechanism/mechanism.h"

namespace peers {

trammel::Mechanism chain_mechanism(int rods);        // chain.h
trammel::Mechanism four_bar_mechanism(int windows);  // n_four_bar.h
trammel::Mechanism andrews_mechanism();              // andrews_data.h
trammel::Mechanism double_pendulum_mechanism();      // double_pendulum.h

}  // namespace peers
