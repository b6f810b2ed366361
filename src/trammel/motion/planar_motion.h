// The motion of a mechanism whose joints let its bodies move parallel to one plane only, as hinges with
// parallel axes do: three velocities for each body, two along the plane and one about its normal, and those
// rows of constraints that such velocities can violate. Positions remain those of the spatial equations.
//
// With v = C v̂, C constant because angular velocities are in body axes, all matrices are products with C and
// choices of rows. That a body stays in the plane is for its positions what the length of its Euler
// parameters is: a normalisation (three more of them). What is redundant in space only, as in every planar
// loop of hinges, is not any more. Out-of-plane forces are carried by joints whatever they are: planar motion
// follows from the constraints alone.
#pragma once

#include <memory>

#include "trammel/motion/cartesian_motion.h"
#include "trammel/motion/minimal_multipliers.h"
#include "trammel/motion/reduced_motion.h"
#include "trammel/numerics/constant_product.h"

namespace trammel {

class PlanarTangent;

// Whether the joints let bodies move parallel to one plane only, as far as the reference position tells.
bool is_planar(const Mechanism& mechanism);

class PlanarMotion final : public ReducedMotion, public EquationsOfMotion {
 public:
  // Nothing if the joints allow more than planar motion, or if forces depend on reactions. (t, x) is an
  // assembled state. The equations must outlive this.
  static std::unique_ptr<PlanarMotion> find(CartesianEquations& spatial, double t, const VectorIn& x);

  ~PlanarMotion() override;

  EquationsOfMotion& equations() override { return *this; }
  Vector reduce(const VectorIn& x) const override;
  Vector restore(double t, const VectorIn& reduced) const override;
  void present(double t, Vector& x, TangentMotion& whole) override;

  void evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) override;
  // Not offered: their derivatives are those of tangent().
  void differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) override;
  std::unique_ptr<TangentMotion> tangent() override;

 private:
  // For each body the directions of its three velocities.
  struct Plane {
    std::array<Vec3<double>, 2> along;  // in the world
    std::vector<Vec3<double>> about;    // in body axes, one for each body
    // Where each body can be: at a distance along the normal, with Euler parameters across these two.
    Vec3<double> normal;
    std::vector<double> distance;
    std::vector<std::array<Eigen::Vector4d, 2>> never;
    std::array<std::string, 3> letters;  // for names
  };
  // Rows of g that planar velocities can violate, each a combination of spatial ones: where points coincide,
  // two along the plane in place of three along the axes of the world.
  using Rows = std::vector<std::vector<ConstantProduct::Share>>;

  PlanarMotion(CartesianEquations& spatial, Plane plane, Rows rows);
  static bool find_plane(CartesianEquations& spatial, const VectorIn& x, Plane& plane);
  static Rows find_rows(CartesianEquations& spatial, const Plane& plane, const std::vector<char>& counts);
  static void to_space(const Plane& plane, const VectorIn& reduced, VectorOut velocities);
  static Sizes sizes_of(const CartesianEquations& spatial, const Rows& rows);
  static Names names_of(const CartesianEquations& spatial, const Plane& plane, const Rows& rows);

  void to_plane(const VectorIn& velocities, VectorOut reduced) const;

  friend class PlanarTangent;
  CartesianEquations& spatial_;
  Plane plane_;
  Rows rows_;
  std::unique_ptr<PlanarTangent> scratch_;
  // for present()
  MotionValues values_;
  MinimalMultipliers minimal_;
};

}  // namespace trammel
