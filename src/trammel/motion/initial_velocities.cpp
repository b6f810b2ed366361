#include "trammel/motion/initial_velocities.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <queue>
#include <set>

#include "trammel/motion/cartesian_equations.h"
#include "trammel/motion/euler_parameters.h"
#include "trammel/motion/joint_equations.h"
#include "trammel/motion/sparse_kkt.h"

namespace trammel {

namespace {

using Six = Eigen::Matrix<double, 6, 1>;
using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

// Rows of velocity constraints and of initial rates, A v + c = 0, with the bodies that each of them ties.
struct Rows {
  RowMatrix A;
  Vector c;
  std::vector<std::string> names;
  std::vector<std::vector<int>> bodies;  // without the ground, ascending
};

Rows velocity_rows(MechanismEquations& equations, MechanismMotion& motion, double t, const Vector& x) {
  const Layout& l = equations.layout();
  Vector still = x;
  still.segment(l.v.begin, l.v.size).setZero();
  const Vector rest = Vector::Zero(l.v.size);
  MotionValues values(l, false);
  motion.evaluate({t, still, rest}, part::velocity_level, values);
  motion.differentiate({t, still, rest}, TangentMotion::jacobian);
  const SparseMatrix& D = motion.slopes().jacobian;

  Rows rows;
  rows.names = equations.names().g;
  rows.names.insert(rows.names.end(), equations.names().h.begin(), equations.names().h.end());
  std::vector<double> c(values.gI.begin(), values.gI.end());
  c.insert(c.end(), values.h.begin(), values.h.end());
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int col = 0; col < D.outerSize(); ++col)
    for (SparseMatrix::InnerIterator entry(D, col); entry; ++entry)
      entries.emplace_back(static_cast<int>(entry.row()), col, entry.value());
  Eigen::RowVectorXd gradient(l.total);
  for (const Condition& condition : equations.conditions()) {
    if (condition.level() != Condition::Level::velocity) continue;
    const double residual = condition.evaluate(l, t, still, gradient);
    for (Index col = 0; col < l.v.size; ++col)
      if (gradient[l.v.begin + col] != 0)
        entries.emplace_back(static_cast<int>(c.size()), static_cast<int>(col), gradient[l.v.begin + col]);
    c.push_back(residual);
    rows.names.push_back(condition.name());
  }
  rows.c = Eigen::Map<const Vector>(c.data(), static_cast<Index>(c.size()));
  rows.A.resize(rows.c.size(), l.v.size);
  rows.A.setFromTriplets(entries.begin(), entries.end());
  rows.bodies.resize(c.size());
  for (int row = 0; row < rows.A.outerSize(); ++row) {
    std::vector<int>& bodies = rows.bodies[static_cast<std::size_t>(row)];
    for (RowMatrix::InnerIterator entry(rows.A, row); entry; ++entry) {
      const int body = static_cast<int>(entry.col()) / 6 + 1;
      if (bodies.empty() || bodies.back() != body) bodies.push_back(body);
    }
  }
  return rows;
}

class VelocityGuess {
 public:
  VelocityGuess(MechanismEquations& equations, double t, Vector& x)
      : equations_(equations),
        motion_(equations.mechanism_motion()),
        x_(x),
        count_(static_cast<int>(equations.mechanism().bodies.size())),
        rows_(velocity_rows(equations, *motion_, t, x)),
        sizes_(equations.displacement_sizes(x)) {
    motion_->set_state(t, x, Vector());
    for (const BodyState& state : motion_->bodies()) states_.push_back(state);
    given_.assign(static_cast<std::size_t>(count_), 0);
    for (int i = 1; i < count_; ++i) {
      const Body& body = equations.mechanism().bodies[static_cast<std::size_t>(i)];
      const auto moves = [](const Vec3<double>& v) { return dot(v, v) > 0; };
      given_[static_cast<std::size_t>(i)] = moves(body.velocity) || moves(body.angular_velocity);
    }
  }

  std::string run() {
    const Vector guess = x_;
    connect();
    follow_tree({});
    const std::vector<int> open = open_rows();
    if (open.empty()) return {};
    // bodies of loops that cannot close like that start as one with what carries them
    const Loops loops = loops_of(open);
    x_ = guess;
    follow_tree(loops);
    return close_loops(loops, open);
  }

 private:
  using Loops = std::vector<std::set<int>>;  // bodies, and the ground as 0

  auto velocity(int body) { return x_.segment<6>(equations_.layout().v.begin + 6 * (body - 1)); }

  // The motion that a body has if it moves with another as one: v in world axes, ω in its own.
  Eigen::Matrix<double, 6, 6> carried(int from, int to) const {
    const BodyState &a = states_[static_cast<std::size_t>(from)], &b = states_[static_cast<std::size_t>(to)];
    Eigen::Matrix<double, 6, 6> X = Eigen::Matrix<double, 6, 6>::Zero();
    const Eigen::Matrix3d Ra = eigen(a.R), Rb = eigen(b.R);
    const Eigen::Vector3d arm = eigen(b.r - a.r);
    Eigen::Matrix3d cross;
    cross << 0, -arm[2], arm[1], arm[2], 0, -arm[0], -arm[1], arm[0], 0;
    X.topLeftCorner<3, 3>().setIdentity();
    X.topRightCorner<3, 3>() = -cross * Ra;
    X.bottomRightCorner<3, 3>() = Rb.transpose() * Ra;
    return X;
  }

  // Rows of one or two bodies tie them to the ground or to each other.
  void connect() {
    for (std::size_t row = 0; row < rows_.bodies.size(); ++row) {
      const std::vector<int>& bodies = rows_.bodies[row];
      if (bodies.empty() || bodies.size() > 2) continue;
      const int a = bodies.size() == 2 ? bodies[0] : 0;
      between_[{a, bodies.back()}].push_back(static_cast<int>(row));
    }
    neighbours_.resize(static_cast<std::size_t>(count_));
    std::set<std::pair<int, int>> known;
    const auto add = [&](int a, int b) {
      if (a > b) std::swap(a, b);
      if (a == b || !known.insert({a, b}).second) return;
      neighbours_[static_cast<std::size_t>(a)].push_back(b);
      neighbours_[static_cast<std::size_t>(b)].push_back(a);
    };
    for (const Joint& joint : equations_.mechanism().joints) add(joint.body_a, joint.body_b);
    for (const auto& [pair, rows] : between_) add(pair.first, pair.second);
    for (std::vector<int>& of_one : neighbours_)
      std::sort(of_one.begin(), of_one.end(), [&](int a, int b) {
        return equations_.mechanism().bodies[static_cast<std::size_t>(a)].name <
               equations_.mechanism().bodies[static_cast<std::size_t>(b)].name;
      });
  }

  // From the ground outwards: each body moves with its parent, plus the least that the rows between the two
  // ask for, unless both are in one of the loops. Nothing here depends on the order of bodies and joints in
  // the model.
  void follow_tree(const Loops& loops) {
    std::vector<char> reached(static_cast<std::size_t>(count_), 0);
    std::queue<int> open;
    const auto reach = [&](int body) {
      reached[static_cast<std::size_t>(body)] = 1;
      open.push(body);
    };
    const auto spread = [&] {
      for (; !open.empty(); open.pop())
        for (const int child : neighbours_[static_cast<std::size_t>(open.front())]) {
          if (reached[static_cast<std::size_t>(child)]) continue;
          const int parent = open.front();
          if (!given_[static_cast<std::size_t>(child)]) {
            if (parent == 0)
              velocity(child).setZero();
            else
              velocity(child) = carried(parent, child) * velocity(parent);
            if (!share_a_loop(loops, parent, child)) move_as_asked(parent, child);
          }
          reach(child);
        }
    };
    reach(0);
    spread();
    // what hangs on nothing follows its heaviest body, one with a given velocity first
    const auto& bodies = equations_.mechanism().bodies;
    std::vector<int> order;
    for (int body = 1; body < count_; ++body) order.push_back(body);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      const Body &first = bodies[static_cast<std::size_t>(a)], &second = bodies[static_cast<std::size_t>(b)];
      const char given_a = given_[static_cast<std::size_t>(a)], given_b = given_[static_cast<std::size_t>(b)];
      if (given_a != given_b) return given_a > given_b;
      return first.mass != second.mass ? first.mass > second.mass : first.name < second.name;
    });
    for (const int body : order)
      if (!reached[static_cast<std::size_t>(body)]) {
        reach(body);
        spread();
      }
  }

  static bool share_a_loop(const Loops& loops, int a, int b) {
    return std::any_of(loops.begin(), loops.end(),
                       [&](const std::set<int>& loop) { return loop.contains(a) && loop.contains(b); });
  }

  void move_as_asked(int parent, int child) {
    const auto found = between_.find({std::min(parent, child), std::max(parent, child)});
    if (found == between_.end()) return;
    const auto count = static_cast<Index>(found->second.size());
    Eigen::Matrix<double, Eigen::Dynamic, 6> A(count, 6);
    Vector residual(count);
    A.setZero();
    for (Index i = 0; i < count; ++i) {
      const int row = found->second[static_cast<std::size_t>(i)];
      residual[i] = row_value(row);
      for (RowMatrix::InnerIterator entry(rows_.A, row); entry; ++entry)
        if (static_cast<int>(entry.col()) / 6 + 1 == child) A(i, entry.col() % 6) = entry.value();
    }
    if (residual.lpNorm<Eigen::Infinity>() == 0) return;
    // in units of the mechanism
    const Six sizes = sizes_.segment<6>(6 * (child - 1));
    Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
    decomposition.setThreshold(1e-9);
    decomposition.compute(A * sizes.asDiagonal());
    velocity(child) -= sizes.cwiseProduct(decomposition.solve(residual));
  }

  double row_value(int row) const {
    const Index v = equations_.layout().v.begin;
    double value = rows_.c[row];
    for (RowMatrix::InnerIterator entry(rows_.A, row); entry; ++entry)
      value += entry.value() * x_[v + entry.col()];
    return value;
  }

  // The rows that the tree does not meet.
  std::vector<int> open_rows() const {
    const double rate = 1 + x_.segment(equations_.layout().v.begin, sizes_.size())
                                .cwiseQuotient(sizes_)
                                .lpNorm<Eigen::Infinity>();
    std::vector<int> open;
    for (int row = 0; row < rows_.A.outerSize(); ++row) {
      double size = 0;
      for (RowMatrix::InnerIterator entry(rows_.A, row); entry; ++entry)
        size = std::max(size, std::abs(entry.value()) * sizes_[entry.col()]);
      if (std::abs(row_value(row)) > 1e-10 * size * rate) open.push_back(row);
    }
    return open;
  }

  std::string close_loops(Loops moving, const std::vector<int>& open);
  Loops loops_of(const std::vector<int>& open) const;
  // `uneven` masses give another change unless there is only one.
  bool smallest_change(const Loops& moving, Vector& change, bool uneven = false) const;
  bool is_only_one(const Loops& moving, const Vector& change) const;

  MechanismEquations& equations_;
  std::unique_ptr<MechanismMotion> motion_;
  Vector& x_;
  int count_;
  Rows rows_;
  Vector sizes_;
  std::vector<BodyState> states_;
  std::vector<char> given_;
  std::map<std::pair<int, int>, std::vector<int>> between_;  // rows that tie just these two
  std::vector<std::vector<int>> neighbours_;
};

// Bodies that share a loop with a row that is open: the joints between them may move. Blocks of the graph, by
// its low points (R. Tarjan, 1972), without recursion.
VelocityGuess::Loops VelocityGuess::loops_of(const std::vector<int>& open) const {
  // ties of all kinds; bodies with a given velocity are held by the ground
  std::vector<std::vector<int>> ties = neighbours_;
  const auto tie = [&](int a, int b) {
    if (a == b) return;
    ties[static_cast<std::size_t>(a)].push_back(b);
    ties[static_cast<std::size_t>(b)].push_back(a);
  };
  for (const std::vector<int>& bodies : rows_.bodies)
    if (bodies.size() > 2)  // a coupler ties each of its bodies to each other
      for (std::size_t i = 0; i < bodies.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) tie(bodies[k], bodies[i]);
  for (int body = 1; body < count_; ++body)
    if (given_[static_cast<std::size_t>(body)]) tie(0, body);

  const auto n = static_cast<std::size_t>(count_);
  std::vector<int> number(n, -1), low(n, 0), parent(n, -1);
  std::vector<std::size_t> next(n, 0);
  std::vector<int> path, members;
  std::vector<std::vector<int>> blocks;
  int counter = 0;
  for (int root = 0; root < count_; ++root) {
    if (number[static_cast<std::size_t>(root)] >= 0) continue;
    path.push_back(root);
    members.push_back(root);
    number[static_cast<std::size_t>(root)] = low[static_cast<std::size_t>(root)] = counter++;
    while (!path.empty()) {
      const int body = path.back();
      const auto at = static_cast<std::size_t>(body);
      if (next[at] < ties[at].size()) {
        const int other = ties[at][next[at]++];
        const auto there = static_cast<std::size_t>(other);
        if (number[there] < 0) {
          parent[there] = body;
          number[there] = low[there] = counter++;
          path.push_back(other);
          members.push_back(other);
        } else if (other != parent[at]) {
          low[at] = std::min(low[at], number[there]);
        }
        continue;
      }
      path.pop_back();
      if (path.empty()) {
        members.clear();
        break;
      }
      const int above = path.back();
      const auto over = static_cast<std::size_t>(above);
      low[over] = std::min(low[over], low[at]);
      if (low[at] >= number[over]) {  // a block, hung at `above`
        std::vector<int> block{above};
        while (block.back() != body) {
          block.push_back(members.back());
          members.pop_back();
        }
        blocks.push_back(std::move(block));
      }
    }
  }

  Loops moving;
  for (const std::vector<int>& block : blocks) {
    std::set<int> in(block.begin(), block.end());
    const bool is_open = std::any_of(open.begin(), open.end(), [&](int row) {
      const std::vector<int>& bodies = rows_.bodies[static_cast<std::size_t>(row)];
      const bool tied_to_ground = bodies.size() == 1;
      return std::all_of(bodies.begin(), bodies.end(), [&](int body) { return in.contains(body); }) &&
             (!tied_to_ground || in.contains(0));
    });
    if (is_open) moving.push_back(std::move(in));
  }
  return moving;
}

// Δv of smallest kinetic energy that meets all rows, while joints outside of the loops that move hold.
bool VelocityGuess::smallest_change(const Loops& moving, Vector& change, bool uneven) const {
  const int constraints = static_cast<int>(rows_.A.rows());
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int row = 0; row < constraints; ++row)
    for (RowMatrix::InnerIterator entry(rows_.A, row); entry; ++entry)
      entries.emplace_back(row, static_cast<int>(entry.col()), entry.value());
  int row = constraints;
  for (int a = 0; a < count_; ++a)
    for (const int b : neighbours_[static_cast<std::size_t>(a)]) {
      if (b < a || share_a_loop(moving, a, b)) continue;
      const Eigen::Matrix<double, 6, 6> X = carried(a, b);
      for (int i = 0; i < 6; ++i, ++row) {
        entries.emplace_back(row, 6 * (b - 1) + i, 1.0);
        for (int k = 0; a > 0 && k < 6; ++k)
          if (X(i, k) != 0) entries.emplace_back(row, 6 * (a - 1) + k, -X(i, k));
      }
    }
  SparseMatrix A(row, rows_.A.cols());
  A.setFromTriplets(entries.begin(), entries.end());
  Vector residual = Vector::Zero(row);
  for (int i = 0; i < constraints; ++i) residual[i] = row_value(i);

  // bodies without mass need something to be smallest in
  SparseMatrix mass = motion_->slopes().mass;
  const double least = 1e-9 * std::max(1e-3, Vector(mass.diagonal()).maxCoeff());
  SparseMatrix some(mass.rows(), mass.cols());
  some.setIdentity();
  mass += least * some;
  if (uneven)
    for (Index i = 0; i < mass.cols(); ++i) mass.coeffRef(i, i) *= 1 + 0.5 * static_cast<double>(i % 7);
  SparseKkt system;
  if (!system.factor(mass, A, {}, 1e-12)) return false;
  change = Vector::Zero(A.cols());
  Vector left = residual;
  for (int refinement = 0; refinement < 3; ++refinement) {
    Vector upper = Vector::Zero(A.cols()), lower = -left;
    system.solve(upper, lower);
    change += upper;
    left = residual + A * change;
  }
  return change.allFinite();
}

bool VelocityGuess::is_only_one(const Loops& moving, const Vector& change) const {
  Vector other;
  return smallest_change(moving, other, true) &&
         (other - change).cwiseQuotient(sizes_).lpNorm<Eigen::Infinity>() <=
             1e-6 * change.cwiseQuotient(sizes_).lpNorm<Eigen::Infinity>();
}

std::string VelocityGuess::close_loops(Loops moving, const std::vector<int>& open) {
  const Vector before = x_;
  auto v = x_.segment(equations_.layout().v.begin, sizes_.size());
  Vector change;
  if (smallest_change(moving, change)) v += change;
  // what cannot be met with everything else held: all may move
  if (!open_rows().empty()) {
    x_ = before;
    moving.assign(1, {});
    for (int body = 0; body < count_; ++body) moving[0].insert(body);
    if (smallest_change(moving, change)) v += change;
  }
  const Vector reached = x_;
  x_ = before;
  const bool only_one = is_only_one(moving, change);
  x_ = reached;
  if (only_one) return {};  // it follows from what was asked for

  std::vector<std::string> bodies, given, joints;
  for (int body = 1; body < count_; ++body) {
    const Index at = equations_.layout().v.begin + 6 * (body - 1);
    const Six moved = (x_ - before).segment<6>(at).cwiseQuotient(sizes_.segment<6>(6 * (body - 1)));
    if (moved.lpNorm<Eigen::Infinity>() > 1e-9)
      (given_[static_cast<std::size_t>(body)] ? given : bodies)
          .push_back(equations_.mechanism().bodies[static_cast<std::size_t>(body)].name);
  }
  if (bodies.empty() && given.empty()) return {};
  for (const int row : open) {
    const std::string& name = rows_.names[static_cast<std::size_t>(row)];
    const std::string owner = name.substr(0, name.rfind('.'));
    if (std::find(joints.begin(), joints.end(), owner) == joints.end()) joints.push_back(owner);
  }
  const auto listed = [](std::vector<std::string> names) {
    const std::size_t all = names.size();
    names.resize(std::min<std::size_t>(all, 6));
    return fmt::format("{}{}", fmt::join(names, ", "),
                       all > 6 ? fmt::format(" and {} more", all - 6) : std::string());
  };
  if (bodies.empty())
    return fmt::format("the velocity given for {} does not fit {} and was changed", listed(given),
                       listed(joints));
  return fmt::format(
      "velocities that nobody gave: {} move{} at the start because {} would not hold otherwise",
      listed(bodies), bodies.size() == 1 ? "s" : "", listed(joints));
}

// Coordinates whose velocities are rates of positions: the same with the velocities of the bodies.
std::string guess_rates(MechanismEquations& equations, double t, Vector& x) {
  const Layout& l = equations.layout();
  CartesianEquations twists(equations.mechanism());
  const Layout& of_twists = twists.layout();
  if (l.p.size != of_twists.p.size || l.v.size != l.p.size) return {};
  const auto p = x.segment(l.p.begin, l.p.size);
  auto rates = x.segment(l.v.begin, l.v.size);
  Vector state = Vector::Zero(of_twists.total);
  state.segment(of_twists.p.begin, l.p.size) = p;
  state.segment(of_twists.r.begin, l.r.size) = x.segment(l.r.begin, l.r.size);
  const std::unique_ptr<TangentMotion> motion = twists.tangent();
  motion->rates_to_velocities(p, rates, state.segment(of_twists.v.begin, of_twists.v.size));
  const std::string note = VelocityGuess(twists, t, state).run();
  motion->displacement_to_positions(p, state.segment(of_twists.v.begin, of_twists.v.size),
                                    Vector::Zero(of_twists.normalizations), rates);
  return note;
}

// Joint coordinates: the same with the velocities of the bodies.
std::string guess_joint_velocities(JointEquations& equations, double t, Vector& x) {
  CartesianEquations& twists = equations.cartesian();
  const Layout& l = twists.layout();
  Vector state = equations.to_cartesian(t, x);
  // those that the model gives, which its joints may not allow
  state.segment(l.v.begin, l.v.size) = twists.initial_state().segment(l.v.begin, l.v.size);
  const std::string note = VelocityGuess(twists, t, state).run();
  equations.take_velocities(t, state, x);
  return note;
}

}  // namespace

std::string guess_velocities(MechanismEquations& equations, double t, Vector& x) {
  if (equations.layout().v.size == 0) return {};
  if (auto* joint = dynamic_cast<JointEquations*>(&equations)) return guess_joint_velocities(*joint, t, x);
  return equations.rotates_bodies() ? VelocityGuess(equations, t, x).run() : guess_rates(equations, t, x);
}

}  // namespace trammel
