#include "trammel/motion/joint_equations.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "trammel/motion/joint_motion.h"
#include "trammel/motion/multipliers_in_laws.h"
#include "trammel/motion/prescribed_motion.h"

namespace trammel {

namespace {

// Joints whose reactions laws of forces or states use: their multipliers have to be unknowns.
std::vector<char> excluded_joints(const Mechanism& mechanism, const Elements& elements) {
  const MultipliersInLaws used(elements);
  std::vector<char> excluded;
  for (std::size_t i = 0; i < mechanism.joints.size(); ++i) {
    const Elements::JointRows& rows = elements.joint_rows[i];
    bool is_used = false;
    for (Index row = rows.first; row < rows.first + rows.count; ++row) is_used |= used.holonomic(row);
    excluded.push_back(is_used || !mechanism.joints[i].in_tree);
  }
  return excluded;
}

std::vector<Index> rows_outside(const JointTree& tree, const Elements& elements) {
  std::vector<char> met(at_index(elements.holonomic.size()), 0);
  for (std::size_t i = 0; i < elements.joint_rows.size(); ++i)
    if (tree.contains(i))
      std::fill_n(met.begin() + elements.joint_rows[i].first, elements.joint_rows[i].count, char{1});
  std::vector<Index> rows;
  for (std::size_t i = 0; i < met.size(); ++i)
    if (!met[i]) rows.push_back(static_cast<Index>(i));
  return rows;
}

std::vector<Index> all_nonholonomic(const Elements& elements) {
  std::vector<Index> rows(at_index(elements.nonholonomic.size()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

// Where each of `count` rows is among those that are kept; −1: nowhere.
std::vector<Index> places_of(const std::vector<Index>& kept, Index count) {
  std::vector<Index> places(at_index(count), -1);
  for (std::size_t i = 0; i < kept.size(); ++i) places[at_index(kept[i])] = static_cast<Index>(i);
  return places;
}

Sizes sizes_of(const JointTree& tree, const Elements& elements, const std::vector<Index>& rows,
               const std::vector<Index>& nonholonomic) {
  Sizes sizes;
  sizes.positions = tree.positions();
  sizes.velocities = tree.velocities();
  if (sizes.positions == 0)
    throw std::invalid_argument(
        "joint coordinates: no body of this mechanism can move, so that there are none; take "
        "'coordinates: cartesian', which finds the reactions too");
  sizes.force_states = static_cast<Index>(elements.states.size());
  sizes.holonomic = static_cast<Index>(rows.size());
  sizes.nonholonomic = static_cast<Index>(nonholonomic.size());
  sizes.normalizations = tree.balls();
  return sizes;
}

Names names_of(const JointTree& tree, const Mechanism& mechanism, const Elements& elements,
               const std::vector<Index>& rows, const std::vector<Index>& nonholonomic) {
  Names names;
  names.p = tree.position_names(mechanism);
  names.v = tree.velocity_names(mechanism);
  names.n = tree.ball_names(mechanism);
  for (const StateEquation& state : elements.states) names.r.push_back(state.name);
  for (const Index row : rows) names.g.push_back(elements.holonomic.names[at_index(row)]);
  for (const Index row : nonholonomic) names.h.push_back(elements.nonholonomic.names[at_index(row)]);
  names.lambda = names.g;
  names.mu = names.h;
  return names;
}

}  // namespace

JointEquations::JointEquations(const Mechanism& mechanism)
    : JointEquations(std::make_shared<CartesianEquations>(mechanism, CartesianEquations::Velocities::angular,
                                                          PointRows::in_first_frame)) {}

JointTree JointEquations::tree_of(const Mechanism& mechanism) {
  return {mechanism, excluded_joints(mechanism, *make_elements(mechanism, PointRows::in_first_frame))};
}

JointEquations::JointEquations(const Bodies& cartesian)
    : JointEquations(cartesian, JointTree(cartesian->mechanism(),
                                          excluded_joints(cartesian->mechanism(), cartesian->elements()))) {}

JointEquations::JointEquations(const Bodies& cartesian, const JointTree& tree)
    : JointEquations(cartesian, tree, rows_that_matter(cartesian, tree),
                     all_nonholonomic(cartesian->elements())) {}

JointEquations::JointEquations(const Bodies& cartesian, const JointTree& tree, std::vector<Index> rows,
                               std::vector<Index> nonholonomic)
    : MechanismEquations(sizes_of(tree, cartesian->elements(), rows, nonholonomic), {},
                         names_of(tree, cartesian->mechanism(), cartesian->elements(), rows, nonholonomic)),
      cartesian_(cartesian),
      tree_(tree),
      kept_(std::move(rows)),
      row_of_(places_of(kept_, elements().holonomic.size())),
      kept_nonholonomic_(std::move(nonholonomic)),
      nonholonomic_row_of_(places_of(kept_nonholonomic_, elements().nonholonomic.size())),
      reference_(tree_.reference(mechanism())) {
  for (const MeasuredExpression& measure : elements().measures)
    for (const int i : measure.inputs) {
      const Input& input = elements().inputs[static_cast<std::size_t>(i)];
      if (input.kind == Input::Kind::multiplier && row_of(input.index) < 0) shows_reactions_of_tree_ = true;
    }
  count_turns();
  scratch_ = std::make_unique<JointMotion>(*this);
}

JointEquations::~JointEquations() = default;

std::unique_ptr<JointEquations> JointEquations::without(const std::vector<char>& holonomic,
                                                        const std::vector<char>& nonholonomic) const {
  std::vector<Index> rows = kept_, others = kept_nonholonomic_;
  std::erase_if(rows, [&](Index row) { return holonomic[at_index(row)] != 0; });
  std::erase_if(others, [&](Index row) { return nonholonomic[at_index(row)] != 0; });
  return std::unique_ptr<JointEquations>(
      new JointEquations(cartesian_, tree_, std::move(rows), std::move(others)));
}

std::unique_ptr<ReducedMotion> JointEquations::reduced(double t, const VectorIn& x) {
  return PrescribedMotion::find(*this, t, x);
}

bool JointEquations::has_loops() const {
  return elements().nonholonomic.size() > 0 || !rows_outside(tree_, elements()).empty();
}

// Rows of joints that no motion of the tree can violate are left out: in a loop of parallel hinges nothing leaves
// its plane. Taken to be so if a row is met and has no slope at several positions of all kinds.
std::vector<Index> JointEquations::rows_that_matter(const Bodies& cartesian, const JointTree& tree) {
  const Elements& elements = cartesian->elements();
  std::vector<Index> rows = rows_outside(tree, elements);
  if (rows.empty()) return rows;
  std::vector<char> may_rest(at_index(elements.holonomic.size()), 0);
  for (const Elements::JointRows& joint : elements.joint_rows)
    std::fill_n(may_rest.begin() + joint.first, joint.count, char{1});
  JointEquations all(cartesian, tree, rows, all_nonholonomic(elements));
  const Layout& l = all.layout();
  JointMotion motion(all);
  MotionValues values(l, false);
  const Vector rest = Vector::Zero(l.v.size), reference = all.initial_state();
  for (int sample = 0; sample < 4; ++sample) {
    Vector x = reference;
    for (Index i = 0; i < l.p.size && sample > 0; ++i)
      x[l.p.begin + i] += 0.7 * std::sin(1.3 * static_cast<double>(i + 1) + 2.1 * sample);
    motion.evaluate({0, x, rest}, part::g, values);
    motion.differentiate({0, x, rest}, TangentMotion::jacobian);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!(std::abs(values.g[static_cast<Index>(i)]) <= 1e-12)) may_rest[at_index(rows[i])] = 0;
    for_entries(motion.slopes().jacobian, [&](Index row, Index, double value) {
      if (row < l.lambda.size && value != 0) may_rest[at_index(rows[at_index(row)])] = 0;
    });
  }
  std::erase_if(rows, [&](Index row) { return may_rest[at_index(row)] != 0; });
  return rows;
}

// Angles of the tree begin in the turn in which they are measured.
void JointEquations::count_turns() {
  const std::unique_ptr<MechanismMotion> motion = cartesian_->mechanism_motion();
  motion->set_state(0, cartesian_->initial_state(), Vector());
  const std::vector<std::string> names = tree_.position_names(mechanism());
  std::unordered_map<std::string, Index> rows;
  for (const JointCoordinate& coordinate : elements().coordinates)
    if (coordinate.is_angle) rows.emplace(coordinate.name, coordinate.row);
  for (const JointTree::Node& node : tree_.nodes()) {
    if (!node.turns()) continue;
    const auto row = rows.find(names[at_index(node.p)]);
    if (row == rows.end()) continue;
    const double turn = 2 * std::acos(-1.0);
    const double measured = motion->measured().value[at_index(row->second)];
    reference_[node.p] += turn * std::round((measured - reference_[node.p]) / turn);
  }
}

Vector JointEquations::initial_state() const {
  const Layout &l = layout(), &from = cartesian_->layout();
  const Vector cartesian = cartesian_->initial_state();
  Vector x = Vector::Zero(l.total);
  x.segment(l.p.begin, l.p.size) = reference_;
  x.segment(l.r.begin, l.r.size) = cartesian.segment(from.r.begin, from.r.size);
  if (scratch_) take_velocities(0, cartesian, x);
  return x;
}

// A joint is kept as firmly as the body that hangs on it.
Vector JointEquations::weights() const {
  constexpr double parameter = 2;  // Euler parameters change by half of an angle
  Vector weights = Vector::Ones(layout().total);
  for (const JointTree::Node& node : tree_.nodes()) {
    const JointTree::Edge& edge = tree_.edges()[static_cast<std::size_t>(node.edge)];
    const double keep = mechanism().bodies[static_cast<std::size_t>(edge.child)].keep;
    weights.segment(layout().p.begin + node.p, node.positions())
        .setConstant(node.is_ball() ? parameter * keep : keep);
    weights.segment(layout().v.begin + node.v, node.velocities()).setConstant(keep);
  }
  return weights;
}

Vector JointEquations::displacement_sizes(const VectorIn& x) const {
  const Vector of_bodies = cartesian_->displacement_sizes(to_cartesian(0, x));
  const double size = of_bodies.size() > 0 ? of_bodies[0] : 1.0;
  Vector sizes = Vector::Ones(layout().v.size);
  for (const JointTree::Node& node : tree_.nodes())
    if (node.kind == JointTree::Node::Kind::slide) sizes[node.v] = size;
  return sizes;
}

std::unique_ptr<TangentMotion> JointEquations::tangent() { return std::make_unique<JointMotion>(*this); }

std::unique_ptr<MechanismMotion> JointEquations::mechanism_motion() {
  return std::make_unique<JointMotion>(*this);
}

void JointEquations::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  scratch_->evaluate(at, wanted, out);
  if (wanted & part::mass) out.M = scratch_->slopes().mass;
}

void JointEquations::differentiate(const MotionPoint& at, Parts wanted, MotionDerivatives& out) {
  scratch_->differentiate_by_coordinates(at, wanted, out);
}

void JointEquations::follow(double t, const VectorIn& x) { scratch_->follow(t, x); }

void JointEquations::carry(Carrier& carried) { scratch_->carry(carried); }

void JointEquations::hold_switches(std::span<const HeldBranch> held, double negligible) {
  scratch_->hold_switches(held, negligible);
}

bool JointEquations::energy(double t, const VectorIn& x, EnergyState& state) {
  return scratch_->energy(t, x, state);
}

std::vector<MotionCorner> JointEquations::corners(double from, double to) const {
  return cartesian_->corners(from, to);
}

std::vector<Condition> JointEquations::conditions() {
  return initial_conditions([this](const InitialCondition& initial, double t, const VectorIn& x,
                                   Eigen::Ref<Eigen::RowVectorXd> gradient) {
    return scratch_->initial_residual(initial, t, x, gradient);
  });
}

EquationsOfMotion::EveryJoint JointEquations::with_every_joint(double t, const VectorIn& x) {
  return {cartesian_.get(), to_cartesian(t, x)};
}

bool JointEquations::accelerates_by_recursion() const { return scratch_->is_open(); }

bool JointEquations::accelerate(double t, const VectorIn& x, const Vector& forces, Vector& a) {
  if (!scratch_->is_open()) return false;
  if (!recursion_) {
    recursion_ = scratch_->acceleration_system(0);
    rest_ = Vector::Zero(layout().v.size);
  }
  recursion_->take({t, x, rest_});
  if (!recursion_->factor()) return false;
  a = forces;
  recursion_->solve_near(a, no_rows_, AccelerationSystem::Rows::all);
  return true;
}

Vector JointEquations::to_cartesian(double t, const VectorIn& x) const {
  scratch_->set_state(t, x, Vector());
  return scratch_->cartesian_state();
}

void JointEquations::take_velocities(double t, const VectorIn& cartesian, Vector& x) const {
  const Layout &l = layout(), &from = cartesian_->layout();
  scratch_->set_state(t, x, Vector());
  scratch_->joint_velocities(cartesian.segment(from.v.begin, from.v.size), x.segment(l.v.begin, l.v.size));
}

}  // namespace trammel
