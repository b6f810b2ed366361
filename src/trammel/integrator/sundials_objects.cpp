#include "trammel/integrator/sundials_objects.h"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <new>
#include <string>

namespace trammel::sundials {

void Free::operator()(SUNContext object) const noexcept { SUNContext_Free(&object); }
void Free::operator()(N_Vector object) const noexcept { N_VDestroy(object); }
void Free::operator()(SUNMatrix object) const noexcept { SUNMatFreeEmpty(object); }
void Free::operator()(SUNLinearSolver object) const noexcept { SUNLinSolFreeEmpty(object); }
void Free::operator()(SUNNonlinearSolver object) const noexcept { SUNNonlinSolFree(object); }

namespace {

template <class Owner, class Object>
Owner own(Object* object) {
  if (object == nullptr) throw std::bad_alloc();
  return Owner(object);
}

NonlinearSolver& self(SUNNonlinearSolver solver) { return *static_cast<NonlinearSolver*>(solver->content); }
SUNNonlinearSolver inner(SUNNonlinearSolver solver) { return self(solver).inner.get(); }

int flag_of_iteration(int flag) {
  if (flag == 0) return SUN_NLS_SUCCESS;
  return flag > 0 ? SUN_NLS_CONV_RECVR : SUN_NLS_EXT_FAIL;
}

int iterate(SUNNonlinearSolver solver, N_Vector predicted, N_Vector correction, N_Vector weights,
            sunrealtype tolerance, sunbooleantype setup, void* memory) {
  NonlinearSolver& own = self(solver);
  own.memory = memory;
  own.predicted = predicted;
  const bool newton = own.iteration == NonlinearSolver::Iteration::newton;
  if (newton && own.functions.needs_jacobian()) setup = SUNTRUE;
  own.functions.begin_iteration();
  const int flag = SUNNonlinSolSolve(own.inner.get(), predicted, correction, weights, tolerance, setup, &own);
  if (own.ended) own.ended(flag == SUN_NLS_SUCCESS);
  if (flag != SUN_NLS_SUCCESS) {
    own.functions.iteration_failed();
    return flag;
  }
  if (!newton) return flag;
  int done = own.complete(entries(predicted), entries(correction));
  if (done == 0 && own.finish) done = own.finish(entries(predicted), entries(correction));
  return flag_of_iteration(done);
}

// The functions that the inner solver is given; its memory is ours.
int system(N_Vector correction, N_Vector residual, void* memory) {
  NonlinearSolver& own = *static_cast<NonlinearSolver*>(memory);
  if (own.iteration == NonlinearSolver::Iteration::newton) {
    const int flag = own.complete(entries(own.predicted), entries(correction));
    if (flag != 0) return flag_of_iteration(flag);
    own.functions.expect_complete();
  }
  return own.system(correction, residual, own.memory);
}

int setup(sunbooleantype jacobian_bad, sunbooleantype* jacobian_current, void* memory) {
  const NonlinearSolver& own = *static_cast<NonlinearSolver*>(memory);
  return own.setup(jacobian_bad, jacobian_current, own.memory);
}

// The first change of an iteration that begins at the predicted values is the whole correction, from which
// CVODES knows the error of the step. Here completing has its part in it.
int test(SUNNonlinearSolver solver, N_Vector correction, N_Vector change, sunrealtype tolerance,
         N_Vector weights, void* data) {
  const NonlinearSolver& own = *static_cast<NonlinearSolver*>(data);
  int iteration = 0;
  SUNNonlinSolGetCurIter(solver, &iteration);
  if (iteration == 0) change = correction;
  const double size = N_VWrmsNorm(change, weights);
  if (own.observe) own.observe(iteration, size);
  const bool confirmed = !own.confirm || own.confirm(iteration, size, tolerance);
  const int flag = own.test(solver, correction, change, tolerance, weights, own.test_data);
  return flag == SUN_NLS_SUCCESS && !confirmed ? SUN_NLS_CONTINUE : flag;
}

int solve(N_Vector b, void* memory) {
  const NonlinearSolver& own = *static_cast<NonlinearSolver*>(memory);
  return own.solve(b, own.memory);
}

}  // namespace

ContextOwner make_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
  return ContextOwner(context);
}

VectorOwner wrap(Vector& x, SUNContext context) {
  return own<VectorOwner>(N_VMake_Serial(x.size(), x.data(), context));
}

Eigen::Map<Vector> entries(N_Vector vector) { return {N_VGetArrayPointer(vector), N_VGetLength(vector)}; }

void set_error_norm(N_Vector vector, ErrorNorm norm) { vector->ops->nvwrmsnormmask = norm; }

double usual_error_norm(N_Vector error, N_Vector weights, N_Vector counted) {
  return N_VWrmsNormMask_Serial(error, weights, counted);
}

MatrixOwner make_matrix(SUNContext context) {
  MatrixOwner matrix = own<MatrixOwner>(SUNMatNewEmpty(context));
  matrix->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  matrix->ops->zero = [](SUNMatrix) { return 0; };  // IDAS wants it
  return matrix;
}

LinearSolverOwner make_linear_solver(SundialsFunctions& functions, SUNContext context) {
  LinearSolverOwner solver = own<LinearSolverOwner>(SUNLinSolNewEmpty(context));
  solver->content = &functions;
  solver->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  solver->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
  solver->ops->initialize = [](SUNLinearSolver) { return 0; };
  // factored already, by the function that would fill the matrix
  solver->ops->setup = [](SUNLinearSolver, SUNMatrix) { return 0; };
  solver->ops->solve = [](SUNLinearSolver self, SUNMatrix, N_Vector x, N_Vector b, sunrealtype) {
    return static_cast<SundialsFunctions*>(self->content)->solve(entries(b), entries(x));
  };
  return solver;
}

NonlinearSolver::NonlinearSolver(Iteration iteration_, SundialsFunctions& functions_, Complete complete_,
                                 N_Vector like, SUNContext context)
    : iteration(iteration_),
      functions(functions_),
      complete(std::move(complete_)),
      inner(own<NonlinearSolverOwner>(iteration == Iteration::newton
                                          ? SUNNonlinSol_Newton(like, context)
                                          : SUNNonlinSol_FixedPoint(like, 0, context))),
      outer(own<NonlinearSolverOwner>(SUNNonlinSolNewEmpty(context))) {
  using sundials::inner;
  outer->content = this;
  SUNNonlinearSolver_Ops ops = outer->ops;
  ops->solve = iterate;
  ops->setsysfn = [](SUNNonlinearSolver s, SUNNonlinSolSysFn f) {
    self(s).system = f;
    return SUNNonlinSolSetSysFn(inner(s), sundials::system);
  };
  ops->setlsetupfn = [](SUNNonlinearSolver s, SUNNonlinSolLSetupFn f) {
    self(s).setup = f;
    return SUNNonlinSolSetLSetupFn(inner(s), f != nullptr ? sundials::setup : nullptr);
  };
  ops->setlsolvefn = [](SUNNonlinearSolver s, SUNNonlinSolLSolveFn f) {
    self(s).solve = f;
    return SUNNonlinSolSetLSolveFn(inner(s), f != nullptr ? sundials::solve : nullptr);
  };
  // the rest is handed on
  ops->gettype = [](SUNNonlinearSolver s) { return SUNNonlinSolGetType(inner(s)); };
  ops->initialize = [](SUNNonlinearSolver s) { return SUNNonlinSolInitialize(inner(s)); };
  ops->setup = [](SUNNonlinearSolver s, N_Vector y, void* its_memory) {
    return SUNNonlinSolSetup(inner(s), y, its_memory);
  };
  ops->setctestfn = [](SUNNonlinearSolver s, SUNNonlinSolConvTestFn f, void* data) {
    self(s).test = f;
    self(s).test_data = data;
    return SUNNonlinSolSetConvTestFn(inner(s), sundials::test, &self(s));
  };
  ops->setmaxiters = [](SUNNonlinearSolver s, int most) { return SUNNonlinSolSetMaxIters(inner(s), most); };
  ops->getnumiters = [](SUNNonlinearSolver s, long* n) { return SUNNonlinSolGetNumIters(inner(s), n); };
  ops->getcuriter = [](SUNNonlinearSolver s, int* i) { return SUNNonlinSolGetCurIter(inner(s), i); };
  ops->getnumconvfails = [](SUNNonlinearSolver s, long* n) {
    return SUNNonlinSolGetNumConvFails(inner(s), n);
  };
  ops->free = [](SUNNonlinearSolver s) {
    SUNNonlinSolFreeEmpty(s);
    return 0;
  };
}

int rates(double t, N_Vector x, N_Vector xdot, void* functions) {
  return static_cast<SundialsFunctions*>(functions)->rates(t, entries(x), entries(xdot));
}

int weights(N_Vector x, N_Vector weights, void* functions) {
  return static_cast<SundialsFunctions*>(functions)->weights(entries(x), entries(weights));
}

int linear_system(double t, N_Vector x, int keep, int* renewed, double gamma, void* functions) {
  bool is_new = false;
  const int flag =
      static_cast<SundialsFunctions*>(functions)->linearize(t, entries(x), gamma, keep != SUNFALSE, is_new);
  *renewed = is_new ? SUNTRUE : SUNFALSE;
  return flag;
}

void keep_message(int /*code*/, const char* /*module*/, const char* /*function*/, char* message, void* text) {
  try {
    *static_cast<std::string*>(text) = message;
  } catch (...) {  // no memory for a message: it is lost
  }
}

}  // namespace trammel::sundials
