// Jacobians are SUNDIALS's own difference quotients and matrices dense: what its users have without further
// work. Trammel has exact derivatives on the same problems, which favours Trammel.
#include "sundials_peer.h"

#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <limits>
#include <memory>

namespace peers {

namespace {

using Map = Eigen::Map<VectorXd>;

// Work space and what both integrators need of the mechanism.
class Evaluation {
 public:
  explicit Evaluation(const SundialsTask& asked)
      : task(asked), system(*asked.system), nq(system.nq), ng(system.ng) {
    matrix.setZero(nq + ng, nq + ng);
    right.setZero(nq + ng);
    M.setZero(nq, nq);
    G.setZero(ng, nq);
    g.setZero(ng);
    c.setZero(ng);
    f.setZero(nq);
  }

  // v' and λ
  const VectorXd& accelerations(const VectorXd& q, const VectorXd& v) {
    M.setZero();
    f.setZero();
    system.M(q, M);
    system.f(q, v, f);
    matrix.setZero();
    matrix.topLeftCorner(nq, nq) = M;
    right.head(nq) = f;
    if (ng > 0) {
      G.setZero();
      c.setZero();
      system.G(q, G);
      system.curvature(q, v, c);
      matrix.topRightCorner(nq, ng) = G.transpose();
      matrix.bottomLeftCorner(ng, nq) = G;
      right.tail(ng) = -c;
    }
    lu.compute(matrix);
    solution = lu.solve(right);
    return solution;
  }

  // The nearest state that fulfils the constraints, by Newton's iteration with the matrix renewed. False if
  // it does not converge. Leaves the factors of Gᵀ at the result.
  bool project(VectorXd& q, VectorXd& v) {
    if (ng == 0) return true;
    for (int iteration = 0; iteration < 8; ++iteration) {
      G.setZero();
      g.setZero();
      system.G(q, G);
      system.g(q, g);
      decomposition.compute(G);
      if (g.lpNorm<Eigen::Infinity>() <= task.constraint_tolerance) {
        v -= decomposition.solve(G * v);
        return v.allFinite();
      }
      q -= decomposition.solve(g);
      if (!q.allFinite()) return false;
    }
    return false;
  }

  // The part of a change along the constraints.
  void make_tangent(Map change) { change -= decomposition.solve(G * change); }

  Run judge(const VectorXd& q, const VectorXd& v) {
    Run run;
    if (ng > 0) {
      G.setZero();
      g.setZero();
      system.G(q, G);
      system.g(q, g);
      run.position_violation = g.lpNorm<Eigen::Infinity>();
      run.velocity_violation = (G * v).lpNorm<Eigen::Infinity>();
    }
    run.energy_drift = std::abs(system.energy(q, v) - system.energy(task.q, task.v));
    run.error = task.error(q, v);
    return run;
  }

  const SundialsTask& task;
  const ConstrainedSystem& system;
  const Index nq, ng;
  MatrixXd matrix, M, G;
  VectorXd right, solution, f, g, c, present_q, present_v;
  Eigen::PartialPivLU<MatrixXd> lu;
  // the least change, also where constraints depend on each other
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
  bool project_in_rates = false;
};

Map part(N_Vector vector, Index begin, Index size) {
  return Map(N_VGetArrayPointer_Serial(vector) + begin, size);
}

int cvode_rates(double, N_Vector y, N_Vector ydot, void* data) {
  Evaluation& at = *static_cast<Evaluation*>(data);
  at.present_q = part(y, 0, at.nq);
  at.present_v = part(y, at.nq, at.nq);
  if (at.project_in_rates && !at.project(at.present_q, at.present_v)) return 1;
  const VectorXd& solution = at.accelerations(at.present_q, at.present_v);
  if (!solution.allFinite()) return 1;
  part(ydot, 0, at.nq) = at.present_v;
  part(ydot, at.nq, at.nq) = solution.head(at.nq);
  return 0;
}

int cvode_projection(double, N_Vector y, N_Vector correction, double, N_Vector error, void* data) {
  Evaluation& at = *static_cast<Evaluation*>(data);
  at.present_q = part(y, 0, at.nq);
  at.present_v = part(y, at.nq, at.nq);
  if (!at.project(at.present_q, at.present_v)) return 1;
  part(correction, 0, at.nq) = at.present_q - part(y, 0, at.nq);
  part(correction, at.nq, at.nq) = at.present_v - part(y, at.nq, at.nq);
  if (error != nullptr) {
    at.make_tangent(part(error, 0, at.nq));
    at.make_tangent(part(error, at.nq, at.nq));
  }
  return 0;
}

// x = (q, v, λ, μ):  q' = v − Gᵀ μ,  M v' = f − Gᵀ λ,  0 = g,  0 = G v
int ida_residual(double, N_Vector x, N_Vector xdot, N_Vector residual, void* data) {
  Evaluation& at = *static_cast<Evaluation*>(data);
  const Index nq = at.nq, ng = at.ng;
  at.present_q = part(x, 0, nq);
  at.present_v = part(x, nq, nq);
  at.M.setZero();
  at.G.setZero();
  at.f.setZero();
  at.g.setZero();
  at.system.M(at.present_q, at.M);
  at.system.G(at.present_q, at.G);
  at.system.f(at.present_q, at.present_v, at.f);
  at.system.g(at.present_q, at.g);
  const Map lambda = part(x, 2 * nq, ng), mu = part(x, 2 * nq + ng, ng);
  part(residual, 0, nq) = part(xdot, 0, nq) - at.present_v + at.G.transpose() * mu;
  part(residual, nq, nq) = at.M * part(xdot, nq, nq) - at.f + at.G.transpose() * lambda;
  part(residual, 2 * nq, ng) = at.g;
  part(residual, 2 * nq + ng, ng) = at.G * at.present_v;
  return 0;
}

// The objects of a run; freed with it.
struct Objects {
  SUNContext context = nullptr;
  N_Vector x = nullptr, xdot = nullptr, differential = nullptr, absolute = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  SUNNonlinearSolver nonlinear = nullptr;
  void *cvode = nullptr, *ida = nullptr;

  explicit Objects(Index unknowns) {
    SUNContext_Create(nullptr, &context);
    x = N_VNew_Serial(unknowns, context);
    xdot = N_VClone(x);
    differential = N_VClone(x);
    absolute = N_VClone(x);
  }
  Objects(const Objects&) = delete;
  ~Objects() {
    CVodeFree(&cvode);
    IDAFree(&ida);
    if (nonlinear != nullptr) SUNNonlinSolFree(nonlinear);
    if (linear != nullptr) SUNLinSolFree(linear);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    for (N_Vector vector : {x, xdot, differential, absolute}) N_VDestroy(vector);
    SUNContext_Free(&context);
  }
};

constexpr long most_steps = 100'000;

Run failed(const std::string& name, int flag) {
  Run run;
  run.failure = name + " returned " + std::to_string(flag);
  return run;
}

}  // namespace

Run run_cvode(const SundialsTask& task, Formula formula) {
  Evaluation at(task);
  const Index nq = at.nq;
  Objects objects(2 * nq);
  part(objects.x, 0, nq) = task.q;
  part(objects.x, nq, nq) = task.v;
  objects.cvode = CVodeCreate(formula == Formula::bdf ? CV_BDF : CV_ADAMS, objects.context);
  void* cvode = objects.cvode;
  CVodeInit(cvode, cvode_rates, 0, objects.x);
  CVodeSetErrFile(cvode, nullptr);
  CVodeSetUserData(cvode, &at);
  CVodeSStolerances(cvode, task.tolerance, task.tolerance);
  CVodeSetMaxNumSteps(cvode, most_steps);
  CVodeSetStopTime(cvode, task.end);
  if (formula == Formula::bdf) {
    objects.matrix = SUNDenseMatrix(2 * nq, 2 * nq, objects.context);
    objects.linear = SUNLinSol_Dense(objects.x, objects.matrix, objects.context);
    CVodeSetLinearSolver(cvode, objects.linear, objects.matrix);
    if (at.ng > 0) CVodeSetProjFn(cvode, cvode_projection);
  } else {
    objects.nonlinear = SUNNonlinSol_FixedPoint(objects.x, 0, objects.context);
    CVodeSetNonlinearSolver(cvode, objects.nonlinear);
    at.project_in_rates = at.ng > 0;
  }
  const Stopwatch watch;
  double t = 0;
  const int flag = CVode(cvode, task.end, objects.x, &t, CV_NORMAL);
  if (flag < 0) return failed("CVode", flag);
  VectorXd q = part(objects.x, 0, nq), v = part(objects.x, nq, nq);
  if (formula == Formula::adams && !at.project(q, v)) return failed("the last projection", 1);
  const double seconds = watch.seconds();
  Run run = at.judge(q, v);
  run.seconds = seconds;
  long steps = 0;
  CVodeGetNumSteps(cvode, &steps);
  run.steps = static_cast<double>(steps);
  return run;
}

Run run_ida(const SundialsTask& task) {
  Evaluation at(task);
  const Index nq = at.nq, ng = at.ng, unknowns = 2 * (nq + ng);
  Objects objects(unknowns);
  const Stopwatch watch;
  const VectorXd start = at.accelerations(task.q, task.v);
  part(objects.x, 0, unknowns).setZero();
  part(objects.x, 0, nq) = task.q;
  part(objects.x, nq, nq) = task.v;
  part(objects.x, 2 * nq, ng) = start.tail(ng);
  part(objects.xdot, 0, unknowns).setZero();
  part(objects.xdot, 0, nq) = task.v;
  part(objects.xdot, nq, nq) = start.head(nq);
  part(objects.differential, 0, 2 * nq).setOnes();
  part(objects.differential, 2 * nq, 2 * ng).setZero();
  objects.ida = IDACreate(objects.context);
  void* ida = objects.ida;
  IDAInit(ida, ida_residual, 0, objects.x, objects.xdot);
  IDASetErrFile(ida, nullptr);
  IDASetUserData(ida, &at);
  // the error of a multiplier is of the order of the others' divided by h: held to the same tolerance,
  // Newton's iteration would not converge at small steps
  constexpr double any_multiplier = 1e6;
  part(objects.absolute, 0, 2 * nq).setConstant(task.tolerance);
  part(objects.absolute, 2 * nq, 2 * ng).setConstant(any_multiplier);
  IDASVtolerances(ida, task.tolerance, objects.absolute);
  IDASetMaxNumSteps(ida, most_steps);
  IDASetStopTime(ida, task.end);
  IDASetId(ida, objects.differential);
  IDASetSuppressAlg(ida, SUNTRUE);
  objects.matrix = SUNDenseMatrix(unknowns, unknowns, objects.context);
  objects.linear = SUNLinSol_Dense(objects.x, objects.matrix, objects.context);
  IDASetLinearSolver(ida, objects.linear, objects.matrix);
  double t = 0;
  const int flag = IDASolve(ida, task.end, &t, objects.x, objects.xdot, IDA_NORMAL);
  if (flag < 0) return failed("IDASolve", flag);
  const double seconds = watch.seconds();
  Run run = at.judge(part(objects.x, 0, nq), part(objects.x, nq, nq));
  run.seconds = seconds;
  long steps = 0;
  IDAGetNumSteps(ida, &steps);
  run.steps = static_cast<double>(steps);
  return run;
}

}  // namespace peers
