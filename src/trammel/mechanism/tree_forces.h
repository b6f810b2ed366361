// Functions of a tree of bodies that laws of computed torques are made from: with S the columns of the joints, I the
// inertias and V the twists of the bodies outward of a joint A,
//
//   gravity   −S_Aᵀ Σ G                         what holds them against gravity
//   mass      S_Aᵀ Σ I S_B                      the entry of the mass matrix
//   bias      S_Aᵀ Σ (I A₀ + V ×* I V − G)      A₀ = Σ V_inner × V_outer over the joints inward: the force at u' = 0
//
// as six-vectors at one point (R. Featherstone, Rigid Body Dynamics Algorithms, 2008). They depend on poses and twists of
// many bodies. As a block of rows, each of them has elements for two bodies at a time, which add to one row; the row's rate
// is the function, so that it may depend on twists.
#pragma once

#include <Eigen/Dense>
#include <string>
#include <vector>

#include "trammel/mechanism/constraint_block.h"
#include "trammel/mechanism/mechanism.h"

namespace trammel {

class TreeForces final : public ConstraintBlock {
 public:
  explicit TreeForces(const Mechanism& mechanism);

  // A coordinate of a joint: which, and the place of the coordinate among the joint's own.
  struct Coordinate {
    int joint = 0;
    int place = 0;
    bool operator==(const Coordinate&) const = default;
  };

  // Why the functions of a joint make no sense, in words; empty if they do. `inertial`: mass and bias, which need to know
  // how all joints move that matter to this one.
  std::string fault(int joint, bool inertial) const;
  // The coordinates whose accelerations matter to the forces along those of a joint.
  std::vector<Coordinate> related(int joint) const;
  // What a rotor adds to the mass of a coordinate with itself.
  double rotor_inertia(const Coordinate& along) const;
  // Whether a mass is always zero: no joint is outward of the other.
  bool unrelated(int joint_a, int joint_b) const;

  // The function of a row of the system that this block is in.
  void add_gravity(Index row, const Coordinate& along);
  void add_bias(Index row, const Coordinate& along);
  void add_mass(Index row, const Coordinate& a, const Coordinate& b);

  std::unique_ptr<ConstraintBlock> clone() const override { return std::make_unique<TreeForces>(*this); }
  int rows() const override { return 1; }
  bool holonomic() const override { return false; }
  bool relative() const override { return false; }
  void evaluate(std::span<const BodyState> bodies, unsigned wanted, const RowValues& out) const override;
  void react(std::span<const BodyState> bodies, Index element, std::span<const double> multipliers,
             Wrench<double>& on_a, Wrench<double>& on_b) const override;
  void differentiate(std::span<const BodyState> bodies, std::span<const double> multipliers,
                     unsigned wanted) override;
  void track(std::span<const BodyState>, double) override {}
  void expect(double) override {}
  void carry(Carrier&) override {}
  Turning turning(Index) override { return {}; }
  double angle(std::span<const BodyState>, Index) const override { return 0; }

 private:
  using Six = Eigen::Matrix<double, 6, 1>;
  using SixBySix = Eigen::Matrix<double, 6, 6>;
  enum class Kind { gravity, bias, mass };

  // A column of a joint: the axis of its frame on the inner body, in that body's axes and from its centre of mass.
  struct Column {
    int carrier = 0;
    Vec3<double> origin, axis;
    bool slides = false;
    double lead = 0;  // of a screw
  };
  struct Function {
    Kind kind;
    Column a, b;               // b: of masses
    int outer = 0;             // the body outward of the joint, or of the outer of two
    std::size_t first, count;  // elements
  };
  // Of the bodies at one state; rows of plain numbers.
  struct Work {
    Vec3<double> centre;
    std::vector<Six> twist, drift, before, force,
        gravity;  // drift: of the joint inward; before: of all of them
    std::vector<SixBySix> inertia, composite;
  };

  bool is_outward(int body, int of) const;
  Column column(const Coordinate& along) const;
  void add(Function function, Index row, std::vector<int> bodies);
  std::vector<int> outward(int body) const;
  void take(std::span<const BodyState> bodies) const;
  Six value_of(const Column& column, std::span<const BodyState> bodies) const;
  double value(const Function& function, std::span<const BodyState> bodies) const;
  // Derivatives by pose and twist of one body.
  std::array<double, 12> slope(const Function& function, int body, std::span<const BodyState> bodies) const;

  struct Link {
    double mass = 0;
    Mat3<double> inertia;
    int parent = -1;  // −1: hangs on nothing; of the ground itself, too
    int joint = -1;
    std::vector<int> children;
  };
  Vec3<double> gravity_;
  std::vector<Link> links_;
  std::vector<int> order_;         // bodies of the tree, inner ones first
  std::vector<Joint> joints_;      // of the mechanism
  std::vector<Vec3<double>> com_;  // of its bodies
  std::vector<int> closing_;       // joints that are not in the tree
  std::vector<Function> functions_;
  mutable Work work_;
};

}  // namespace trammel
