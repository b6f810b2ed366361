#include "trammel/motion/loop_accelerations.h"

#include <algorithm>
#include <cmath>

#include "trammel/motion/locked_columns.h"

namespace trammel {

namespace {

// Against what is there at all.
constexpr double least_felt = 1e-14;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A symmetric matrix, its lower half row by row, becomes its factor of Cholesky. Matrices here are too small for
// anything but plain loops.
bool factor_cholesky(double* A, int n, double least = least_felt) {
  for (int i = 0; i < n; ++i) {
    double* row = A + i * n;
    for (int j = 0; j < i; ++j) {
      const double* other = A + j * n;
      double sum = row[j];
      for (int k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = sum / other[j];
    }
    const double whole = row[i];
    double rest = whole;
    for (int k = 0; k < i; ++k) rest -= row[k] * row[k];
    if (!(rest > least * whole)) return false;
    row[i] = std::sqrt(rest);
  }
  return true;
}

// B, `width` numbers a row, becomes L⁻¹ B. Zeros of a tree, which stay zero in its factor, are passed over.
void solve_lower(const double* L, int n, double* B, int width) {
  using Row = Eigen::Map<Eigen::ArrayXd>;
  for (int i = 0; i < n; ++i) {
    Row row(B + i * width, width);
    for (int j = 0; j < i; ++j)
      if (const double factor = L[i * n + j]; factor != 0) row -= factor * Row(B + j * width, width);
    row *= 1 / L[i * n + i];
  }
}

// The same of one column.
void solve_lower(const double* L, int n, double* b) {
  for (int i = 0; i < n; ++i) {
    double sum = b[i];
    for (int j = 0; j < i; ++j) sum -= L[i * n + j] * b[j];
    b[i] = sum * (1 / L[i * n + i]);
  }
}

// b becomes L⁻ᵀ b.
void solve_upper(const double* L, int n, double* b) {
  for (int i = n; i-- > 0;) {
    const double value = b[i] /= L[i * n + i];
    for (int j = 0; j < i; ++j) b[j] -= L[i * n + j] * value;
  }
}

}  // namespace

LoopAccelerations::LoopAccelerations(const JointTree& tree, const JointClusters& clusters,
                                     const SparseMatrix& D, double regularization,
                                     const std::vector<char>& locked)
    : regularization_(regularization),
      locked_(marked(locked)),
      node_parts_(tree.parents()),
      cluster_parts_(clusters.parents()),
      D_(D) {
  for (const JointTree::Node& node : tree.nodes())
    nodes_.push_back(
        {node.parent, static_cast<int>(node.v), static_cast<int>(node.velocities()), node.rotor});
  lock_rotors(locked, nodes_);
  articulated_.resize(nodes_.size());
  force_.resize(nodes_.size());
  acceleration_.resize(nodes_.size());

  // parents come before their children
  const auto has_above = [&](int outer, int inner) {
    while (outer > inner) outer = node(outer).parent;
    return outer == inner;
  };
  std::vector<int> place(at_index(D.rows()), -1);
  for (const JointClusters::Cluster& from : clusters.clusters()) {
    Cluster cluster;
    cluster.of = from;
    cluster.columns = static_cast<int>(from.columns.size());
    cluster.rows = static_cast<int>(from.rows.size());
    const auto reversed = [&](std::size_t column) { return cluster.columns - 1 - static_cast<int>(column); };
    for (std::size_t row = 0; row < from.rows.size(); ++row)
      place[at_index(from.rows[row])] = static_cast<int>(row);
    std::vector<int> node_of;  // of each column
    for (const int i : from.nodes) node_of.insert(node_of.end(), at(node(i).velocities), i);
    for (std::size_t outer = 0; outer < from.columns.size(); ++outer) {
      const Index column = from.columns[outer];
      // rows that have entries along a locked column may be those of other clusters
      const bool is_locked = !locked.empty() && locked[at_index(column)] != 0;
      for (int slot = D.outerIndexPtr()[column]; slot < D.outerIndexPtr()[column + 1] && !is_locked; ++slot)
        cluster.places.push_back({slot, place[at(D.innerIndexPtr()[slot])], reversed(outer)});
      for (std::size_t inner = 0; inner <= outer; ++inner)
        if (has_above(node_of[outer], node_of[inner]))
          cluster.pairs.push_back({reversed(inner), reversed(outer), static_cast<int>(from.columns[inner])});
    }
    cluster.L.resize(at(cluster.columns * cluster.columns));
    cluster.W.resize(at(cluster.columns * cluster.width()));
    cluster.K.resize(at(cluster.rows * cluster.rows));
    cluster.K_whole.resize(cluster.K.size());
    cluster.V.resize(at(cluster.rows * 6));
    cluster.felt.resize(at(cluster.columns));
    cluster.z.resize(at(cluster.columns));
    cluster.y.resize(at(cluster.rows));
    clusters_.push_back(std::move(cluster));
  }
}

void LoopAccelerations::take(const std::vector<Six>& columns, const std::vector<RigidInertia>& inertias,
                             const SparseMatrix& D) {
  S_ = columns;
  for (const std::size_t column : locked_) S_[column].setZero();
  inertias_ = inertias;
  std::copy(D.valuePtr(), D.valuePtr() + D.nonZeros(), D_.valuePtr());
}

// H, G and D of a cluster. Inertias of its nodes, articulated already, are added up inward.
void LoopAccelerations::gather(Cluster& cluster) {
  const std::vector<int>& nodes = cluster.of.nodes;
  std::size_t column = 0;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& joint = node(nodes[i]);
    const SixBySix& inertia = articulated_[at(nodes[i])];
    for (int c = joint.velocities; c-- > 0;) cluster.felt[column++].noalias() = inertia * S_[at(joint.v + c)];
    if (joint.parent != cluster.of.parent) articulated_[at(joint.parent)] += inertia;
  }
  std::fill(cluster.L.begin(), cluster.L.end(), 0.0);
  for (const Cluster::Pair& pair : cluster.pairs)
    cluster.L[at(pair.inner * cluster.columns + pair.outer)] =
        S_[at(pair.v)].dot(cluster.felt[at(pair.outer)]);
  int of_rotors = cluster.columns;
  for (const int i : nodes) {
    of_rotors -= node(i).velocities;
    if (node(i).rotor != 0) cluster.L[at(of_rotors * (cluster.columns + 1))] += node(i).rotor;
  }
  std::fill(cluster.W.begin(), cluster.W.end(), 0.0);
  for (const Cluster::Place& place : cluster.places)
    cluster.W[at(place.column * cluster.width() + place.row)] = D_.valuePtr()[place.from];
  for (int k = 0; k < cluster.columns; ++k)
    std::copy_n(cluster.felt[at(k)].data(), 6, &cluster.W[at(k * cluster.width() + cluster.rows)]);
}

bool LoopAccelerations::factor(Cluster& cluster) {
  gather(cluster);
  const int n = cluster.columns, m = cluster.rows, width = cluster.width();
  if (!factor_cholesky(cluster.L.data(), n)) return false;
  solve_lower(cluster.L.data(), n, cluster.W.data(), width);
  if (m > 0) {
    std::fill(cluster.K.begin(), cluster.K.end(), 0.0);
    std::fill(cluster.V.begin(), cluster.V.end(), 0.0);
    for (int k = 0; k < n; ++k) {
      const double* row = &cluster.W[at(k * width)];
      for (int i = 0; i < m; ++i) {
        if (row[i] == 0) continue;
        for (int j = 0; j <= i; ++j) cluster.K[at(i * m + j)] += row[i] * row[j];
        for (int j = 0; j < 6; ++j) cluster.V[at(i * 6 + j)] += row[i] * row[m + j];
      }
    }
    if (!factor_rows(cluster)) return false;
    solve_lower(cluster.K.data(), m, cluster.V.data(), 6);
  }
  return true;
}

// K: as it is where rows are far from depending on each other, with ε otherwise.
bool LoopAccelerations::factor_rows(Cluster& cluster) {
  constexpr double far_from_singular = 1e-4;
  const int m = cluster.rows;
  cluster.K_whole = cluster.K;
  cluster.is_exact = factor_cholesky(cluster.K.data(), m, far_from_singular);
  if (cluster.is_exact) return true;
  cluster.K = cluster.K_whole;
  for (int i = 0; i < m; ++i) {
    double& diagonal = cluster.K[at(i * m + i)];
    diagonal += regularization_ * (diagonal > 0 ? diagonal : 1.0);
  }
  return factor_cholesky(cluster.K.data(), m);
}

void LoopAccelerations::add_inertia_to_parent(const Cluster& cluster) {
  if (cluster.of.parent < 0) return;
  SixBySix& parent = articulated_[at(cluster.of.parent)];
  for (const int i : cluster.of.nodes)
    if (node(i).parent == cluster.of.parent) parent += articulated_[at(i)];
  for (int k = 0; k < cluster.columns; ++k) {
    const Eigen::Map<const Six> row(&cluster.W[at(k * cluster.width() + cluster.rows)]);
    for (int column = 0; column < 6; ++column) parent.col(column) -= row * row[column];
  }
  for (int i = 0; i < cluster.rows; ++i) {
    const Eigen::Map<const Six> row(&cluster.V[at(i * 6)]);
    for (int column = 0; column < 6; ++column) parent.col(column) += row * row[column];
  }
}

bool LoopAccelerations::factor() {
  node_parts_.outward([&](std::size_t i) { inertias_[i].expand(articulated_[i]); });
  const bool well = cluster_parts_.inward([&](std::size_t i) { return factor(clusters_[i]); },
                                          [&](std::size_t i) { add_inertia_to_parent(clusters_[i]); });
  is_exact_ = well && std::all_of(clusters_.begin(), clusters_.end(), [](const Cluster& cluster) {
                return cluster.rows == 0 || cluster.is_exact;
              });
  return well;
}

void LoopAccelerations::inward(Cluster& cluster, const VectorOut& forces, const VectorOut& rows) {
  const std::vector<int>& nodes = cluster.of.nodes;
  const int m = cluster.rows, width = cluster.width();
  std::size_t column = 0;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& joint = node(nodes[i]);
    const Six& force = force_[at(nodes[i])];
    for (int c = joint.velocities; c-- > 0;)
      cluster.z[column++] = forces[joint.v + c] - S_[at(joint.v + c)].dot(force);
    if (joint.parent != cluster.of.parent) force_[at(joint.parent)] += force;
  }
  solve_lower(cluster.L.data(), cluster.columns, cluster.z.data());
  for (int i = 0; i < m; ++i) cluster.y[at(i)] = -rows[cluster.of.rows[at(i)]];
  Six& left = cluster.left;
  left.setZero();
  for (int k = 0; k < cluster.columns; ++k) {
    const double* row = &cluster.W[at(k * width)];
    for (int i = 0; i < m; ++i) cluster.y[at(i)] += row[i] * cluster.z[at(k)];
    left += Eigen::Map<const Six>(row + m) * cluster.z[at(k)];
  }
  if (m > 0) solve_lower(cluster.K.data(), m, cluster.y.data());
  for (int i = 0; i < m; ++i) left -= Eigen::Map<const Six>(&cluster.V[at(i * 6)]) * cluster.y[at(i)];
}

void LoopAccelerations::add_force_to_parent(const Cluster& cluster) {
  if (cluster.of.parent < 0) return;
  Six& parent = force_[at(cluster.of.parent)];
  for (std::size_t i = cluster.of.nodes.size(); i-- > 0;)
    if (node(cluster.of.nodes[i]).parent == cluster.of.parent) parent += force_[at(cluster.of.nodes[i])];
  parent += cluster.left;
}

void LoopAccelerations::outward(Cluster& cluster, VectorOut& forces, VectorOut& rows) {
  const int m = cluster.rows, width = cluster.width();
  if (cluster.of.parent >= 0) {
    const Six& acceleration = acceleration_[at(cluster.of.parent)];
    for (int k = 0; k < cluster.columns; ++k)
      cluster.z[at(k)] -= Eigen::Map<const Six>(&cluster.W[at(k * width + m)]).dot(acceleration);
    for (int i = 0; i < m; ++i)
      cluster.y[at(i)] -= Eigen::Map<const Six>(&cluster.V[at(i * 6)]).dot(acceleration);
  }
  if (m > 0) solve_upper(cluster.K.data(), m, cluster.y.data());
  for (int i = 0; i < m; ++i) rows[cluster.of.rows[at(i)]] = cluster.y[at(i)];
  for (int k = 0; k < cluster.columns; ++k)
    for (int i = 0; i < m; ++i) cluster.z[at(k)] -= cluster.W[at(k * width + i)] * cluster.y[at(i)];
  solve_upper(cluster.L.data(), cluster.columns, cluster.z.data());

  int column = cluster.columns;
  for (const int i : cluster.of.nodes) {
    const Node& joint = node(i);
    Six acceleration = Six::Zero();
    if (joint.parent >= 0) acceleration = acceleration_[at(joint.parent)];
    for (int c = 0; c < joint.velocities; ++c) {
      const double x = cluster.z[at(--column)];
      forces[joint.v + c] = x;
      acceleration += S_[at(joint.v + c)] * x;
    }
    acceleration_[at(i)] = acceleration;
  }
}

void LoopAccelerations::solve(VectorOut forces, VectorOut rows) {
  for (Six& force : force_) force.setZero();
  cluster_parts_.inward(
      [&](std::size_t i) {
        inward(clusters_[i], forces, rows);
        return true;
      },
      [&](std::size_t i) { add_force_to_parent(clusters_[i]); });
  cluster_parts_.outward([&](std::size_t i) { outward(clusters_[i], forces, rows); });
}

void LoopAccelerations::subtract_product(const VectorIn& x, const VectorIn& y, VectorOut forces,
                                         VectorOut rows) {
  node_parts_.outward([&](std::size_t i) {
    const Node& joint = nodes_[i];
    Six acceleration = Six::Zero();
    if (joint.parent >= 0) acceleration = acceleration_[at(joint.parent)];
    for (int c = 0; c < joint.velocities; ++c) acceleration += S_[at(joint.v + c)] * x[joint.v + c];
    acceleration_[i] = acceleration;
    force_[i] = inertias_[i] * acceleration;
  });
  node_parts_.inward(
      [&](std::size_t i) {
        const Node& joint = nodes_[i];
        for (int c = 0; c < joint.velocities; ++c)
          forces[joint.v + c] -= S_[at(joint.v + c)].dot(force_[i]) + joint.rotor * x[joint.v + c];
        return true;
      },
      [&](std::size_t i) {
        if (nodes_[i].parent >= 0) force_[at(nodes_[i].parent)] += force_[i];
      });
  for (int column = 0; column < D_.outerSize(); ++column)
    for (SparseMatrix::InnerIterator entry(D_, column); entry; ++entry) {
      forces[column] -= entry.value() * y[entry.row()];
      rows[entry.row()] -= entry.value() * x[column];
    }
}

}  // namespace trammel
