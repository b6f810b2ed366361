// The chain against the multipliers of its reference solution.
#include <gtest/gtest.h>

#include <array>

#include "trammel/motion/equations.h"
#include "trammel/published/builtin.h"

namespace trammel {
namespace {

ProblemCase make(double N, const std::map<std::string, double>& changes = {}) {
  const BuiltinProblem chain = chain_problem();
  auto values = chain.values(changes);
  values["N"] = N;
  return chain.make(values);
}

TEST(ChainEquations, FallsFreelyAtFirst) {
  ProblemCase chain = make(5, {{"l", 0.3}, {"m", 2}});
  Vector x = chain.x0;
  const AssemblyReport report = Assembly(*chain.equations).run(0, x);
  ASSERT_FALSE(report.failure) << report.failure.message;
  for (Index i = 0; i < 5; ++i) {
    EXPECT_EQ(report.accelerations[2 * i], 0);
    EXPECT_EQ(report.accelerations[2 * i + 1], -9.81);
  }
  EXPECT_EQ(x.tail(5), Vector::Zero(5));
}

// One mass a row: x, y, vx, vy, lambda at t = 1, from the chain in angles in quadruple precision.
using Rows = std::vector<std::array<double, 5>>;
const Rows references[] = {
    {{-5.851683919988750689362232e-01, -8.109118034690646209421244e-01, -3.180622802160461616496450e+00,
      2.295194030636891778897095e+00, 4.163607887258981465936742e+01},
     {-1.444818849943475796516224e+00, -1.321794461381464555847231e+00, -3.846353609858094777922740e+00,
      3.415403896525958084870423e+00, 1.994585969650900593654067e+01}},
    {{-1.416154336027964143170752e-01, -9.899217489102317728650379e-01, -1.836352519795046506867861e+00,
      2.627034496662480335287466e-01, 5.772702521311605522200321e+01},
     {-3.048640294245757551046926e-01, -1.976506715328338778857391e+00, -5.218116131626848418089078e+00,
      8.222783264627877586130300e-01, 4.458537022261314274685968e+01},
     {-1.062832140526391119234402e+00, -2.628798323853809601926119e+00, -7.920371379070286058367345e+00,
      3.962320722914514678582383e+00, 2.568571891788978552319789e+01}},
    {{2.216131190788675133259320e-01, -9.751346704184687575444303e-01, -9.218496741074820655349506e-01,
      -2.095033514838786585652707e-01, 1.236323638692796435022641e+02},
     {4.346448133712370102547566e-01, -1.952179959658902292067803e+00, -2.722286422380884566629402e+00,
      -6.020645717002962975263342e-01, 1.131769680749212638068373e+02},
     {7.112900366439526922663503e-01, -2.913152082272450998748077e+00, -3.627733309801938500011195e+00,
      -8.627251574110802784984342e-01, 9.954494521443847528247906e+01},
     {8.537442029204657523189267e-01, -3.902953481801903861204288e+00, -6.507363164512638053763281e+00,
      -1.277167155909752471953217e+00, 8.607955849790859300538544e+01},
     {1.444697024099680475735777e+00, -4.709659601240901959989825e+00, -1.332874618323514177353980e+01,
      -6.274173428852595250816991e+00, 7.374026975441386110827567e+01}}};

TEST(ChainEquations, MultipliersAtTheEndAreThoseOfTheReference) {
  for (const Rows& rows : references) {
    const auto N = static_cast<Index>(rows.size());
    ProblemCase chain = make(static_cast<double>(N));
    Vector x = Vector::Zero(5 * N), lambda(N);
    for (Index i = 0; i < N; ++i) {
      const auto& row = rows[static_cast<std::size_t>(i)];
      x.segment(2 * i, 2) << row[0], row[1];
      x.segment(2 * N + 2 * i, 2) << row[2], row[3];
      lambda[i] = row[4];
    }
    EXPECT_GE(chain.digits(1, x).value(), 15) << N;
    const AssemblyReport report = Assembly(*chain.equations).run(1, x);
    ASSERT_FALSE(report.failure) << report.failure.message;
    EXPECT_TRUE(report.largest_change.empty()) << report.largest_change;
    EXPECT_LE((x.tail(N) - lambda).lpNorm<Eigen::Infinity>(), 1e-11) << N;
  }
}

TEST(ChainEquations, EachRodKnowsItsTwoEndsOnly) {
  ProblemCase chain = make(20);
  const Layout& layout = chain.equations->layout();
  MotionDerivatives derivatives(layout);
  chain.equations->differentiate({0, chain.x0, Vector::Zero(40)}, part::g, derivatives);
  for (Index i = 0; i < 20; ++i)
    for (Index j = 0; j < layout.total; ++j)
      if (j / 2 != i && j / 2 != i - 1) {
        EXPECT_EQ(derivatives.g(i, j), 0) << i << " " << j;
      }
}

TEST(ChainEquations, DigitsAreKnownForTheReferencesOnly) {
  const ProblemCase chain = make(10);
  EXPECT_FALSE(chain.digits(0.5, chain.x0).has_value());
  Vector x = chain.x0;
  x.segment(18, 2) << 7.631034524506942785713731e+00, -4.904996545094760872906846e+00 + 1e-5;
  EXPECT_NEAR(chain.digits(1, x).value(), 5, 1e-6);
  EXPECT_TRUE(make(2, {{"m", 3}}).digits);
  EXPECT_FALSE(make(4).digits);
  EXPECT_FALSE(make(5, {{"l", 0.5}}).digits);
}

TEST(ChainEquations, CanBeLong) { EXPECT_EQ(make(500).equations->layout().total, 2500); }

}  // namespace
}  // namespace trammel
