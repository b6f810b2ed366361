// Small motions about a state: z' = z₀' + A δz + B δu, δy = C δz + D δu, and their modes.
//
// The state z = (y, u, r) has as many position coordinates y and velocity coordinates u as the constraints
// leave free (linearization_chart.h), and the force states r. A is exact: it is the derivative of the motion
// on the constraints. With the displacement q and the velocity δv that belong to δz,
//
//   D q = 0,   D δv = −∂(Dv)/∂q q,
//   M δa + Dᵀ δλ = ∂(f − Dᵀλ − Ma)/∂q q + ∂f/∂v δv + ∂f/∂r δr + ∂f/∂λ δλ,
//   D δa         = −∂gᴵᴵ/∂q q − ∂gᴵᴵ/∂v δv,
//
// D = [GZ; HZ]. The geometric stiffness of the joints' forces is ∂(Dᵀλ)/∂q. Redundant constraints are
// allowed.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "trammel/motion/equations.h"
#include "trammel/numerics/failure.h"
#include "trammel/numerics/sparse_matrix.h"

namespace trammel {

struct LinearizationOptions {
  // δu. Of a mechanism: inputs of the model, and forces of actuators, or along joint coordinates; if none are named,
  // all inputs of the model or, if it has none, all actuators. Otherwise forces along named velocities.
  std::vector<std::string> inputs;
  // No forces, though none are named: the inputs are those of the model.
  bool only_model_inputs = false;
  // δy: measures, joint coordinates, their rates ("crank.angle_rate"), positions, velocities, force states.
  // If none are named: all measures and joint coordinates; without a mechanism all positions.
  std::vector<std::string> outputs;
  // Whether B, C and D are wanted.
  bool ports = true;
  // More velocities than this are refused: the matrices are dense.
  Index largest = 2000;
  double rank_tolerance = 1e-9;
};

struct Linearization {
  Failure failure;

  Matrix A, B, C, D;
  std::vector<std::string> states, inputs, outputs;
  Index positions = 0, velocities = 0;  // of the states: y first, then u, then r

  Vector x;              // the state it belongs to, with its multipliers
  Vector rate;           // z₀': zero at an equilibrium
  Vector accelerations;  // v'
  bool at_rest = false;  // an equilibrium: neither velocities nor accelerations
  std::vector<std::string> notes;

  // The displacement of each velocity's direction that belongs to δz, and what it moves.
  Matrix displacement;
  std::vector<std::string> directions;
  SparseMatrix mass;
};

// About x, which is made consistent first. A state that is no equilibrium is allowed and noted. In joint coordinates, if
// ports are wanted, the equations of the bodies are linearised: states, ports and directions have the names that they
// have in Cartesian coordinates, and x and the matrices are in those.
Linearization linearize(EquationsOfMotion& equations, double t, const Vector& x,
                        const LinearizationOptions& options = {});

struct Mode {
  std::complex<double> eigenvalue;  // 1/s; of a pair the one with positive imaginary part
  double frequency_hz = 0;          // damped: |Im| / 2π
  double natural_frequency_hz = 0;  // |eigenvalue| / 2π
  double damping_ratio = 0;         // −Re / |eigenvalue|; 0 for an eigenvalue of zero
  double time_constant = 0;         // 1 / |Re|; infinite if it neither decays nor grows
  ComplexVector shape;              // displacements, the largest one is 1
  std::string description;          // what moves most: "chassis.z, wheel.z"

  bool oscillates() const { return eigenvalue.imag() > 0; }
  bool is_stable() const { return eigenvalue.real() <= 0; }
};

// The slowest first. Eigenvalues that are zero to round-off are zero.
std::vector<Mode> modes(const Linearization& linearization);

}  // namespace trammel
