#include "trammel/motion/prescribed_tangent.h"

#include "trammel/motion/acceleration_system.h"
#include "trammel/numerics/sparse_partition.h"

namespace trammel {

namespace {

ConstantProduct::Shares taken(Index count, const std::vector<Index>& kept) {
  ConstantProduct::Shares shares(at_index(count));
  for (std::size_t i = 0; i < kept.size(); ++i) shares[at_index(kept[i])] = {{static_cast<Index>(i), 1.0}};
  return shares;
}

ConstantProduct::Shares all_of(Index count) {
  ConstantProduct::Shares shares(at_index(count));
  for (Index i = 0; i < count; ++i) shares[at_index(i)] = {{i, 1.0}};
  return shares;
}

// The recursion over all coordinates with some locked, for vectors of those that are left.
template <class Tangent>
class RemainingAccelerations final : public AccelerationSystem {
 public:
  RemainingAccelerations(Tangent& motion, std::unique_ptr<AccelerationSystem> all, double rank_tolerance)
      : motion_(motion), all_(std::move(all)), rank_tolerance_(rank_tolerance) {}

  void take(const MotionPoint& at) override {
    all_->take(motion_.expanded(at));
    motion_.take_constraints();
  }
  bool factor() override { return all_->factor(); }
  bool is_exact() const override { return all_->is_exact(); }
  bool rows_are_independent() const override { return all_->rows_are_independent(); }
  // by the coordinates that are left: those that are prescribed may tell rows apart that these do not
  bool find_redundant(std::vector<char>& independent) override {
    return find_redundant_rows(motion_.slopes().jacobian, rank_tolerance_, independent);
  }
  void minimize(VectorOut multipliers) override { minimal_.reduce(motion_.slopes().jacobian, multipliers); }
  void subtract_product(const Vector& x, const Vector& y, Vector& upper, Vector& lower) const override {
    motion_.spread(x, x_);
    motion_.spread(upper, upper_);
    all_->subtract_product(x_, y, upper_, lower);
    motion_.pick(upper_, upper);
  }

 protected:
  void solve_once(Vector& upper, Vector& lower, Rows rows) override {
    motion_.spread(upper, upper_);
    all_->solve_near(upper_, lower, rows);
    motion_.pick(upper_, upper);
  }

 private:
  Tangent& motion_;
  std::unique_ptr<AccelerationSystem> all_;
  double rank_tolerance_;
  MinimalMultipliers minimal_;
  mutable Vector x_, upper_;  // work space
};

}  // namespace

PrescribedMotion::Tangent::Tangent(const PrescribedMotion& motion)
    : TangentMotion(motion),
      motion_(motion),
      all_(*motion.rest_),
      values_(motion.rest_->layout(), false),
      x_(Vector::Zero(motion.rest_->layout().total)),
      a_(Vector::Zero(motion.rest_->layout().v.size)),
      p_(Vector::Zero(motion.rest_->layout().p.size)),
      forces_(a_) {
  const Layout& l = motion.rest_->layout();
  std::vector<char> locked(at_index(l.v.size), 0);
  for (const Coordinate& coordinate : motion.coordinates_) locked[at_index(coordinate.v)] = 1;
  all_.lock(std::move(locked));
  shares_ = {taken(l.v.size, motion.kept_v_), all_of(l.lambda.size + l.mu.size), all_of(l.r.size), {}};
  take(SlopeKind::of_forces);
}

void PrescribedMotion::Tangent::spread(const VectorIn& reduced, Vector& all) const {
  all.setZero(motion_.rest_->layout().v.size);
  for (Index i = 0; i < reduced.size(); ++i) all[motion_.kept_v_[at_index(i)]] = reduced[i];
}

void PrescribedMotion::Tangent::pick(const VectorIn& all, VectorOut reduced) const {
  for (Index i = 0; i < reduced.size(); ++i) reduced[i] = all[motion_.kept_v_[at_index(i)]];
}

void PrescribedMotion::Tangent::spread_positions(const VectorIn& reduced, Vector& all) const {
  all.setZero(motion_.rest_->layout().p.size);
  for (Index i = 0; i < reduced.size(); ++i) all[motion_.kept_p_[at_index(i)]] = reduced[i];
}

// Prescribed coordinates are not evaluated twice at one time: those of a velocity or an acceleration are integrals.
MotionPoint PrescribedMotion::Tangent::expanded(const MotionPoint& at) {
  const Layout &from = layout(), &to = motion_.rest_->layout();
  for (Index i = 0; i < from.p.size; ++i)
    x_[to.p.begin + motion_.kept_p_[at_index(i)]] = at.x[from.p.begin + i];
  for (Index i = 0; i < from.v.size; ++i) {
    const Index v = motion_.kept_v_[at_index(i)];
    x_[to.v.begin + v] = at.x[from.v.begin + i];
    a_[v] = at.a.size() > 0 ? at.a[i] : 0.0;
  }
  x_.tail(to.total - to.r.begin) = at.x.tail(from.total - from.r.begin);
  if (known_t_ == at.t && known_changes_ == motion_.changes_) return {at.t, x_, a_};
  for (std::size_t i = 0; i < motion_.coordinates_.size(); ++i) {
    const Coordinate& coordinate = motion_.coordinates_[i];
    const Taylor<double> prescribed = motion_.value(i, at.t);
    x_[to.p.begin + coordinate.p] = prescribed.value;
    x_[to.v.begin + coordinate.v] = prescribed.first;
    a_[coordinate.v] = prescribed.second;
  }
  known_t_ = at.t;
  known_changes_ = motion_.changes_;
  return {at.t, x_, a_};
}

void PrescribedMotion::Tangent::evaluate(const MotionPoint& at, Parts wanted, MotionValues& out) {
  const MotionPoint all = expanded(at);
  all_.evaluate(all, wanted & ~Parts{part::dynamics}, values_);
  if (wanted & part::kinematics)
    for (Index i = 0; i < layout().p.size; ++i)
      out.kinematics[i] = values_.kinematics[motion_.kept_p_[at_index(i)]];
  if (wanted & part::g) out.g = values_.g;
  if (wanted & part::gI) out.gI = values_.gI;
  if (wanted & part::gII) out.gII = values_.gII;
  if (wanted & part::h) out.h = values_.h;
  if (wanted & part::hI) out.hI = values_.hI;
  if (wanted & part::b) out.b = values_.b;
  if (wanted & part::n) out.n = values_.n;
  if (wanted & part::mass) take_mass();
  if ((wanted & part::dynamics) == 0) return;
  // what the prescribed accelerations alone need
  for (const Index v : motion_.kept_v_) a_[v] = 0;
  all_.required_forces({at.t, x_, a_}, JointMotion::Acting::everything, forces_);
  for (Index i = 0; i < layout().v.size; ++i) out.dynamics[i] = -forces_[motion_.kept_v_[at_index(i)]];
}

// --- matrices ---------------------------------------------------------------------------------------------

// Those of a long tree get their patterns when they are first asked for.
void PrescribedMotion::Tangent::take(const SlopeKind& kind, const SparseMatrix& all, ConstantProduct& product,
                                     Index& entries) const {
  if (product.matrix().rows() + product.matrix().cols() > 0 && entries == all.nonZeros())
    return product.update(all);
  const Layout& l = layout();
  const SlopeSizes sizes{l.v.size, l.lambda.size + l.mu.size, l.r.size};
  product.prepare(all, shares_[static_cast<std::size_t>(kind.rows)], sizes[kind.rows],
                  shares_[static_cast<std::size_t>(kind.columns)], sizes[kind.columns]);
  entries = all.nonZeros();
}

void PrescribedMotion::Tangent::take(unsigned level) {
  for_each_slope(
      [&](const SlopeKind& kind, ConstantProduct& product, Index& entries, const SparseMatrix& all) {
        if (kind.level <= level) take(kind, all, product, entries);
      },
      slopes_, entries_, all_.slopes());
}

void PrescribedMotion::Tangent::take_mass() {
  take({Along::velocities, Along::velocities, SlopeKind::of_forces}, all_.slopes().mass, slopes_.mass,
       entries_.mass);
}

std::string PrescribedMotion::Tangent::differentiate(const MotionPoint& at, unsigned wanted) {
  std::string trouble = all_.differentiate(expanded(at), wanted);
  take((wanted & forces) != 0   ? SlopeKind::of_forces
       : (wanted & hidden) != 0 ? SlopeKind::hidden
                                : SlopeKind::at_velocities);
  take_mass();
  return trouble;
}

void PrescribedMotion::Tangent::differentiate_by_coordinates(const MotionPoint& at, Parts wanted,
                                                             MotionDerivatives& out) {
  const Layout& from = motion_.rest_->layout();
  if (derivatives_.dynamics.size() == 0) derivatives_ = MotionDerivatives(from);
  all_.differentiate_by_coordinates(expanded(at), wanted, derivatives_);
  std::vector<Index> columns;
  for (const Index p : motion_.kept_p_) columns.push_back(from.p.begin + p);
  for (const Index v : motion_.kept_v_) columns.push_back(from.v.begin + v);
  for (Index i = from.r.begin; i < from.total; ++i) columns.push_back(i);
  const auto choose = [&](Parts which, const Matrix& all, Matrix& some) {
    if (wanted & which) some = all(Eigen::all, columns);
  };
  choose(part::b, derivatives_.b, out.b);
  choose(part::g, derivatives_.g, out.g);
  choose(part::gI, derivatives_.gI, out.gI);
  choose(part::gII, derivatives_.gII, out.gII);
  choose(part::h, derivatives_.h, out.h);
  choose(part::hI, derivatives_.hI, out.hI);
  choose(part::n, derivatives_.n, out.n);
  if (wanted & part::kinematics) out.kinematics = derivatives_.kinematics(motion_.kept_p_, columns);
  if (wanted & part::dynamics) out.dynamics = derivatives_.dynamics(motion_.kept_v_, columns);
}

// --- displacements ----------------------------------------------------------------------------------------

void PrescribedMotion::Tangent::displacement_to_positions(const VectorIn& p, const VectorIn& q,
                                                          const VectorIn& residual, VectorOut change) {
  spread_positions(p, p_);
  spread(q, q_);
  work_.resize(p_.size());
  all_.displacement_to_positions(p_, q_, residual, work_);
  for (Index i = 0; i < change.size(); ++i) change[i] = work_[motion_.kept_p_[at_index(i)]];
}

void PrescribedMotion::Tangent::pull_back(const VectorIn& p, const VectorIn& gradient,
                                          VectorOut by_displacement) {
  spread_positions(p, p_);
  spread_positions(gradient, work_);
  q_.resize(forces_.size());
  all_.pull_back(p_, work_, q_);
  pick(q_, by_displacement);
}

void PrescribedMotion::Tangent::rates_to_velocities(const VectorIn& p, const VectorIn& rates, VectorOut v) {
  spread_positions(p, p_);
  spread_positions(rates, work_);
  q_.resize(forces_.size());
  all_.rates_to_velocities(p_, work_, q_);
  pick(q_, v);
}

void PrescribedMotion::Tangent::displacement_metric(double t, const VectorIn& x, const VectorIn& weights,
                                                    SparseMatrix& metric) {
  const Layout &from = layout(), &to = motion_.rest_->layout();
  const MotionPoint all = expanded({t, x, Vector()});
  Vector all_weights = Vector::Ones(to.total);
  for (Index i = 0; i < from.p.size; ++i)
    all_weights[to.p.begin + motion_.kept_p_[at_index(i)]] = weights[from.p.begin + i];
  SparseMatrix of_all;
  all_.displacement_metric(t, all.x, all_weights, of_all);
  ConstantProduct product;
  const ConstantProduct::Shares& shares = shares_[static_cast<std::size_t>(Along::velocities)];
  product.prepare(of_all, shares, from.v.size, shares, from.v.size);
  metric = product.matrix();
}

std::unique_ptr<AccelerationSystem> PrescribedMotion::Tangent::acceleration_system(double rank_tolerance) {
  if (auto recursion = all_.recursive_acceleration_system(rank_tolerance))
    return std::make_unique<RemainingAccelerations<Tangent>>(*this, std::move(recursion), rank_tolerance);
  return make_sparse_acceleration_system(*this, rank_tolerance);
}

void PrescribedMotion::Tangent::follow(double t, const VectorIn& x) {
  all_.follow(t, expanded({t, x, Vector()}).x);
}

void PrescribedMotion::Tangent::read_switches(double t, const VectorIn& x,
                                              std::span<SwitchReading> readings) {
  all_.read_switches(t, expanded({t, x, Vector()}).x, readings);
}

}  // namespace trammel
