// Objects of SUNDIALS that are shared by the adapters, with owners that free them. The structures are only
// named here, so that no header of Trammel needs one of SUNDIALS.
#pragma once

#include <functional>
#include <memory>

#include "trammel/integrator/sundials_functions.h"

struct _SUNContext;
struct _generic_N_Vector;
struct _generic_SUNMatrix;
struct _generic_SUNLinearSolver;
struct _generic_SUNNonlinearSolver;

namespace trammel::sundials {

struct Free {
  void operator()(_SUNContext* object) const noexcept;
  void operator()(_generic_N_Vector* object) const noexcept;
  void operator()(_generic_SUNMatrix* object) const noexcept;
  void operator()(_generic_SUNLinearSolver* object) const noexcept;
  void operator()(_generic_SUNNonlinearSolver* object) const noexcept;
};

using ContextOwner = std::unique_ptr<_SUNContext, Free>;
using VectorOwner = std::unique_ptr<_generic_N_Vector, Free>;
using MatrixOwner = std::unique_ptr<_generic_SUNMatrix, Free>;
using LinearSolverOwner = std::unique_ptr<_generic_SUNLinearSolver, Free>;
using NonlinearSolverOwner = std::unique_ptr<_generic_SUNNonlinearSolver, Free>;

// Everything below throws std::bad_alloc if SUNDIALS cannot make the object.
ContextOwner make_context();

// A vector on memory of ours, and the memory of one of theirs.
VectorOwner wrap(Vector& x, _SUNContext* context);
Eigen::Map<Vector> entries(_generic_N_Vector* vector);

// A norm for error tests in place of the usual one, for this vector and for all that are made like it. `counted` is
// positive where an error counts.
using ErrorNorm = double (*)(_generic_N_Vector* error, _generic_N_Vector* weights,
                             _generic_N_Vector* counted);
void set_error_norm(_generic_N_Vector* vector, ErrorNorm norm);
double usual_error_norm(_generic_N_Vector* error, _generic_N_Vector* weights, _generic_N_Vector* counted);

// A matrix without entries, and a direct solver that leaves its work to the problem: it solves with what
// the functions prepared last.
MatrixOwner make_matrix(_SUNContext* context);
LinearSolverOwner make_linear_solver(SundialsFunctions& functions, _SUNContext* context);

// The nonlinear iteration of SUNDIALS, by Newton or by fixed point. In Newton's, every guess is handed over
// before it is used, and so is the result: `complete` gets the predicted values and their correction, which
// it may change, and returns a flag like the functions.
struct NonlinearSolver {
  enum class Iteration { newton, fixed_point };
  using Complete = std::function<int(Eigen::Map<Vector> predicted, Eigen::Map<Vector> correction)>;

  NonlinearSolver(Iteration iteration, SundialsFunctions& functions, Complete complete,
                  _generic_N_Vector* like, _SUNContext* context);
  NonlinearSolver(const NonlinearSolver&) = delete;

  Iteration iteration;
  SundialsFunctions& functions;
  Complete complete;
  // The same once more for the result of an iteration that has converged, if set: what it does counts for this step alone.
  Complete finish;
  // Watch the changes in the error norm, and how the iteration ended, if set; iterations count from 0. They
  // must not throw.
  std::function<void(int iteration, double change)> observe;
  std::function<void(bool converged)> ended;
  // Whether what the integrator takes for converged has converged, if set: asked after every change.
  std::function<bool(int iteration, double change, double tolerance)> confirm;
  // what the integrator gave to the iteration, and its memory
  int (*system)(_generic_N_Vector* correction, _generic_N_Vector* residual, void* memory) = nullptr;
  int (*setup)(int jacobian_bad, int* jacobian_current, void* memory) = nullptr;
  int (*solve)(_generic_N_Vector* b, void* memory) = nullptr;
  int (*test)(_generic_SUNNonlinearSolver*, _generic_N_Vector* correction, _generic_N_Vector* change,
              double tolerance, _generic_N_Vector* weights, void* data) = nullptr;
  void* test_data = nullptr;
  void* memory = nullptr;
  _generic_N_Vector* predicted = nullptr;
  NonlinearSolverOwner inner, outer;  // theirs, and the one to give to an integrator
};

using WeightFunction = int (*)(_generic_N_Vector* x, _generic_N_Vector* weights, void* data);

// What the codes have under names of their own, but with the same arguments. Every function returns 0 if all
// is well.
struct Code {
  const char* name;
  void (*free)(void** memory);
  int (*set_messages)(void* memory, void (*keep)(int, const char*, const char*, char*, void*), void* text);
  int (*set_data)(void* memory, void* data);
  int (*set_weights)(void* memory, WeightFunction weights);
  int (*set_iteration)(void* memory, _generic_SUNNonlinearSolver* iteration);
  int (*set_linear_solver)(void* memory, _generic_SUNLinearSolver* solver, _generic_SUNMatrix* matrix);
  int (*set_max_iterations)(void* memory, int most);
  int (*set_max_convergence_failures)(void* memory, int most);
  int (*set_max_error_failures)(void* memory, int most);
  int (*set_max_step)(void* memory, double h);
  int (*set_min_step)(void* memory, double h);
  int (*set_first_step)(void* memory, double h);
  int (*set_stop_time)(void* memory, double t);
  int (*error_failures)(void* memory, long* number);
  int (*convergence_failures)(void* memory, long* number);
  int (*iterations)(void* memory, long* number);
  int (*last_step)(void* memory, double* h);
  int (*next_step)(void* memory, double* h);
  int (*present_t)(void* memory, double* t);
  int (*interpolate)(void* memory, double t, int derivative, _generic_N_Vector* x);
  int (*local_errors)(void* memory, _generic_N_Vector* errors);
};

// Functions in the form that CVODES and ARKODE take, with SundialsFunctions as user data. IDAS has its own.
int rates(double t, _generic_N_Vector* x, _generic_N_Vector* xdot, void* functions);
int weights(_generic_N_Vector* x, _generic_N_Vector* weights, void* functions);
// Prepares solves with I − γ f_x.
int linear_system(double t, _generic_N_Vector* x, int keep, int* renewed, double gamma, void* functions);
// Keeps a message, in a std::string, in place of printing it.
void keep_message(int code, const char* module, const char* function, char* message, void* text);

}  // namespace trammel::sundials
