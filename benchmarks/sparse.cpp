// What sparse linear algebra costs for a chain of hinged bodies: decompositions of [M, Gᵀ; G, 0] with kept
// and with new pivots, next to a dense one, and the rank of G.
//
// The number behind the name is the size of the matrix: eleven unknowns a body. Before anything is measured
// the solutions are checked.
#include <benchmark/benchmark.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "trammel/numerics/sparse_lu.h"
#include "trammel/numerics/sparse_rank.h"

namespace {

using trammel::Index;
using trammel::SparseMatrix;

template <class Scalar>
using Sparse = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int>;
template <class Scalar>
using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

// --- the matrices

constexpr int velocities = 6, conditions = 5, unknowns = velocities + conditions;

// A hinge between each body and the one before: translations are coupled through arms, rotations about two
// axes.
SparseMatrix hinges(int bodies) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> between(-1, 1);
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int b = 0; b < bodies; ++b)
    for (int i = 0; i < conditions; ++i)
      for (int body = std::max(0, b - 1); body <= b; ++body) {
        if (i < 3) entries.emplace_back(conditions * b + i, velocities * body + i, body == b ? 1.0 : -1.0);
        for (int k = 3; k < velocities; ++k)
          entries.emplace_back(conditions * b + i, velocities * body + k, between(random));
      }
  SparseMatrix G(conditions * bodies, velocities * bodies);
  G.setFromTriplets(entries.begin(), entries.end());
  return G;
}

// Masses are real or, as in an implicit step of higher order, complex.
template <class Scalar>
Sparse<Scalar> chain(int bodies) {
  const SparseMatrix G = hinges(bodies);
  const int n = static_cast<int>(G.cols());
  Scalar mass = 2.0;
  if constexpr (!std::is_same_v<Scalar, double>) mass = {2.0, 1.0};
  std::vector<Eigen::Triplet<Scalar, int>> entries;
  for (int b = 0; b < bodies; ++b)
    for (int i = 0; i < velocities; ++i)
      for (int j = 0; j < velocities; ++j)
        if (i == j || (i >= 3 && j >= 3))
          entries.emplace_back(velocities * b + i, velocities * b + j, mass * (i == j ? 1.0 : 0.1));
  for (int j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator entry(G, j); entry; ++entry) {
      entries.emplace_back(n + static_cast<int>(entry.row()), j, entry.value());
      entries.emplace_back(j, n + static_cast<int>(entry.row()), entry.value());
    }
  Sparse<Scalar> A(n + G.rows(), n + G.rows());
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

template <class Scalar>
trammel::SparseLu<Scalar> decomposed(const Sparse<Scalar>& A) {
  trammel::SparseLu<Scalar> lu;
  lu.analyze(A);
  if (!lu.factor(A)) std::exit(EXIT_FAILURE);
  return lu;
}

// --- what is measured

template <class Scalar>
void analysis(benchmark::State& state, int bodies) {
  const Sparse<Scalar> A = chain<Scalar>(bodies);
  for ([[maybe_unused]] auto _ : state) {
    trammel::SparseLu<Scalar> lu;
    lu.analyze(A);
    benchmark::DoNotOptimize(lu.factor(A));
  }
}

template <class Scalar>
void new_pivots(benchmark::State& state, int bodies) {
  const Sparse<Scalar> A = chain<Scalar>(bodies);
  trammel::SparseLu<Scalar> lu = decomposed(A);
  for ([[maybe_unused]] auto _ : state) {
    lu.forget_pivots();
    benchmark::DoNotOptimize(lu.factor(A));
  }
  state.counters["fill"] = static_cast<double>(lu.fill()) / static_cast<double>(A.nonZeros());
}

template <class Scalar>
void kept_pivots(benchmark::State& state, int bodies) {
  const Sparse<Scalar> A = chain<Scalar>(bodies);
  trammel::SparseLu<Scalar> lu = decomposed(A);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(lu.factor(A));
  if (lu.factorizations() != 1) state.SkipWithError("the pivots were not kept");
}

template <class Scalar>
void solution(benchmark::State& state, int bodies) {
  const Sparse<Scalar> A = chain<Scalar>(bodies);
  trammel::SparseLu<Scalar> lu = decomposed(A);
  const Dense<Scalar> b = Dense<Scalar>::Ones(A.rows(), 1);
  Dense<Scalar> x = b;
  for ([[maybe_unused]] auto _ : state) {
    x = b;
    lu.solve(x);
    benchmark::DoNotOptimize(x.data());
  }
}

template <class Scalar>
void dense(benchmark::State& state, int bodies) {
  const Dense<Scalar> A = chain<Scalar>(bodies);
  Eigen::PartialPivLU<Dense<Scalar>> lu(A.rows());
  for ([[maybe_unused]] auto _ : state) {
    lu.compute(A);
    benchmark::DoNotOptimize(lu.matrixLU().data());
  }
}

void rank(benchmark::State& state, int bodies) {
  const SparseMatrix G = hinges(bodies);
  trammel::SparseRank result;
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(result.factor(G));
  state.counters["work"] = static_cast<double>(result.work()) / static_cast<double>(G.nonZeros());
}

// --- the check

template <class Scalar>
void check(int bodies) {
  const Sparse<Scalar> A = chain<Scalar>(bodies);
  trammel::SparseLu<Scalar> lu = decomposed(A);
  const Dense<Scalar> b = Dense<Scalar>::Ones(A.rows(), 1);
  Dense<Scalar> x = b;
  lu.solve(x);
  const double residual = (A * x - b).norm() / (A.norm() * x.norm());
  if (residual > 1e-13) {
    std::fprintf(stderr, "the residual of the solution is %.3g\n", residual);
    std::exit(EXIT_FAILURE);
  }
  trammel::SparseRank result;
  result.factor(hinges(bodies));
  if (result.rank() == conditions * bodies) return;
  std::fprintf(stderr, "the rank is not that of a chain\n");
  std::exit(EXIT_FAILURE);
}

template <class Function>
benchmark::internal::Benchmark* add(const std::string& name, int bodies, Function function) {
  const std::string full = name + "/" + std::to_string(unknowns * bodies);
  return benchmark::RegisterBenchmark(full.c_str(), function, bodies)->Unit(benchmark::kMicrosecond);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return EXIT_FAILURE;
  for (const int bodies : {9, 91, 455}) {
    check<double>(bodies);
    check<std::complex<double>>(bodies);
    add("analysis and first pivots", bodies, analysis<double>);
    add("new pivots", bodies, new_pivots<double>);
    add("kept pivots", bodies, kept_pivots<double>);
    add("kept pivots, complex", bodies, kept_pivots<std::complex<double>>);
    add("solution", bodies, solution<double>);
    auto* slow = add("dense", bodies, dense<double>);
    if (bodies > 100) slow->Iterations(1);
    add("rank", bodies, rank);
  }
  benchmark::RunSpecifiedBenchmarks();
  return EXIT_SUCCESS;
}
