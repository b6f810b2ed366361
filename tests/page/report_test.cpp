#include "trammel/page/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/result/tag_balance.h"

namespace trammel {
namespace {

const std::string nasty =
    "</script><script>alert(\"1\")</script><img src=x onerror='alert(2)'>&\xE2\x80\xA8\xFF";

Trajectory pendulum(const std::string& multiplier) {
  Trajectory trajectory({"x", "y", "v", multiplier});
  for (int i = 0; i <= 5000; ++i) {
    const double t = 1e-3 * i;
    trajectory.append(t, Eigen::Vector4d(std::sin(t), -std::cos(t), std::cos(t), 9.81 * t));
    if (i > 0) trajectory.steps.push_back({t, 1e-3, 1e-14, 1e-11, 1e-8, 0});
  }
  return trajectory;
}

ReportContent content(const std::string& name) {
  ReportContent content;
  content.title = "Pendulum " + name;
  content.subtitle = "Subtitle " + name;
  content.facts = {{"method", "psf/radau5"}, {"fact " + name, "value " + name}};
  content.notes = {"note " + name};
  content.groups = {{"Positions " + name, "m " + name, {"x", "y"}},
                    {"Multipliers", "N", {name, "absent " + name}}};
  PlanarDrawing drawing;
  drawing.points = {{"", "", 0, 0}, {"x", "y"}, {name, "nowhere " + name}};
  drawing.lines = {{0, 1}};
  drawing.traces = {1};
  content.drawing = drawing;
  return content;
}

TEST(Report, HasAllItsSections) {
  Trajectory trajectory = pendulum("lambda");
  trajectory.events = {{2.5, "bottom"}};
  trajectory.steps.back().invariant_error = 1e-9;
  const std::string page = report_page(trajectory, content("lambda"));
  EXPECT_EQ(tag_fault(page), "");
  for (const char* text : {"<h1>Pendulum lambda</h1>", "Subtitle lambda", "<h2>Motion</h2>", "<canvas",
                           "<h2>Run</h2>", "psf/radau5", "<h2>Notes</h2>", "note lambda", "<h2>Results</h2>",
                           "Positions lambda", "Multipliers", "Constraint violation", "velocities",
                           "Step size", "Error of the invariants", "<h2>Events</h2>", "t = 2.5", "bottom"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(occurrences(page, "<svg"), 5u);
  // the event in each of them
  EXPECT_EQ(occurrences(page, "class=\"plot-mark\""), 5u);
  EXPECT_NE(page.find("no such column: “absent lambda”"), std::string::npos);
}

TEST(Report, StandsAlone) {
  const std::string page = report_page(pendulum("lambda"), content("lambda"));
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("href="), std::string::npos);
  EXPECT_EQ(page.find("url("), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_EQ(occurrences(page, "http://"), occurrences(page, "xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_EQ(page, report_page(pendulum("lambda"), content("lambda")));
}

TEST(Report, NamesCannotBecomeMarkup) {
  Trajectory trajectory = pendulum(nasty);
  trajectory.events = {{1, nasty}, {2, nasty}};
  ReportContent nasty_content = content(nasty);
  nasty_content.time_label = nasty;
  const std::string page = report_page(trajectory, nasty_content);
  EXPECT_EQ(tag_fault(page), "");
  EXPECT_EQ(occurrences(page, "<script"), 2u);
  EXPECT_EQ(occurrences(page, "</script"), 2u);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find('\xFF'), std::string::npos);

  // the data is JSON still
  const std::string opening = "<script type=\"application/json\" id=\"planar-data\">";
  const std::size_t from = page.find(opening) + opening.size();
  const nlohmann::json data = nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
  ASSERT_EQ(data["events"].size(), 2u);
  EXPECT_EQ(data["events"][0]["name"].get<std::string>().substr(0, 17), nasty.substr(0, 17));
  EXPECT_EQ(data["moments"].size(), 2000u);
}

TEST(Report, StaysSmall) {
  Trajectory trajectory = pendulum("lambda");
  for (int i = 5001; i < 200000; ++i) {
    const double t = 1e-3 * i;
    trajectory.append(t, Eigen::Vector4d(std::sin(t), -std::cos(t), std::cos(t), 9.81 * std::sin(37 * t)));
    trajectory.events.push_back({t, "tooth"});
  }
  const std::string page = report_page(trajectory, content("lambda"));
  EXPECT_LT(page.size(), 1'000'000u);
  EXPECT_NE(page.find("and 194799 more"), std::string::npos);
}

TEST(Report, WorksWithHardlyAnything) {
  const std::string nothing = report_page(Trajectory(), {});
  EXPECT_EQ(tag_fault(nothing), "");
  EXPECT_EQ(occurrences(nothing, "<script"), 0u);
  EXPECT_NE(nothing.find("no data"), std::string::npos);

  EXPECT_EQ(tag_fault(report_page(Trajectory(), content("lambda"))), "");
  EXPECT_EQ(tag_fault(report_page(Trajectory({"x", "y", "lambda"}), content("lambda"))), "");

  Trajectory single({"x", "y", "lambda"});
  single.append(0, Eigen::Vector3d(1, NAN, INFINITY));
  EXPECT_EQ(tag_fault(report_page(single, content("lambda"))), "");
}

}  // namespace
}  // namespace trammel
