// trammel new, trammel completion, and the line that tells how far a run is.
#include "tests/cli/called_program.h"
#include "trammel/cli/progress.h"
#include "trammel/cli/starter_models.h"

namespace trammel {
namespace {

TEST(NewCommand, WritesModelsThatRun) {
  for (const StarterModel& starter : starter_models()) {
    ASSERT_EQ(call("new '" + starter.kind + " 1' --kind " + starter.kind).exit_code, 0);
    const nlohmann::json json = call_json("run '" + starter.kind + " 1.yaml'");
    EXPECT_EQ(json["status"], "finished") << starter.kind;
    EXPECT_EQ(json["title"], starter.kind + " 1");
    EXPECT_EQ(call_json("check '" + starter.kind + " 1.yaml'")["assembled"], true);
  }
}

TEST(NewCommand, NeverReplacesAFile) {
  write_file("mine.yaml", "precious");
  EXPECT_EQ(call("new mine").exit_code, 2);
  EXPECT_EQ(call("new mine.yaml").exit_code, 2);
  EXPECT_EQ(read_file(scratch() / "mine.yaml"), "precious");
  EXPECT_EQ(call_json("new mine", 2)["status"], "failed");
  EXPECT_EQ(call_json("new other")["file"], "other.yaml");
  EXPECT_EQ(call("new nowhere/other").exit_code, 2);
  EXPECT_EQ(call("new ''").exit_code, 2);
  EXPECT_EQ(call("new").exit_code, 2);
  EXPECT_EQ(call("new another --kind car").exit_code, 2);
}

TEST(NewCommand, ATitleMayHoldAnything) {
  ASSERT_EQ(call("new 'a \"quoted\": #title'").exit_code, 0);
  EXPECT_EQ(call_json("run 'a \"quoted\": #title.yaml' --end 0 --out here")["title"], "a \"quoted\": #title");
}

// What bash offers for a line, the last word of which is being typed.
std::string completed(const std::string& words) {
  write_file("ask.sh",
             "source ./completion.bash || exit 1\ncompopt() { :; }\nCOMP_WORDS=(trammel " + words +
                 ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_trammel\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const auto folder = scratch();
  const std::string command =
      "cd '" + folder.string() + "' && bash --norc ask.sh > answer 2> trouble < /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(folder / "trouble");
  EXPECT_EQ(read_file(folder / "trouble"), "");
  return read_file(folder / "answer");
}

TEST(CompletionCommand, BashCompletesCommandsOptionsFilesAndNames) {
  write_file("completion.bash", call("completion bash").out);
  write_file("a model.yaml", "");
  write_file("notes.txt", "");
  EXPECT_EQ(completed("eq"), "equilibrium\n");
  EXPECT_EQ(completed("run --no-h"), "--no-hdf5\n");
  EXPECT_EQ(completed("run --method psf1"), "psf1/radau5\n");
  EXPECT_EQ(completed("run --option safe"), "safety=\n");
  EXPECT_EQ(completed("problem andr"), "andrews\n");
  EXPECT_EQ(completed("modes --at eq"), "equilibrium\n");
  EXPECT_EQ(completed("completion f"), "fish\n");
  EXPECT_EQ(completed("check ''"), "a model.yaml\n");
}

TEST(CompletionCommand, ScriptsForOtherShells) {
  EXPECT_TRUE(call("completion zsh").out.starts_with("#compdef trammel\n"));
  EXPECT_NE(call("completion zsh").out.find("'*--method["), std::string::npos);
  EXPECT_NE(
      call("completion fish").out.find("complete -c trammel -n '__fish_seen_subcommand_from run' -l method"),
      std::string::npos);
  EXPECT_EQ(call("completion tcsh").exit_code, 2);
  EXPECT_EQ(call_json("completion fish")["shell"], "fish");
}

TEST(Progress, TellsHowFarAndHowLong) {
  EXPECT_EQ(progress_line({.t = 2.5, .end = 10, .h = 0.002, .steps = 1200, .elapsed = 30}),
            " 25%  t = 2.5 of 10  1200 steps  h = 2.0e-03  1 min 30 s left");
  EXPECT_EQ(progress_line({.t = 0, .end = 10}), "  0%  t = 0 of 10  0 steps  h = 0.0e+00");
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(59), "59 s");
  EXPECT_EQ(duration_text(3600 + 125), "1 h 02 min");
  EXPECT_EQ(duration_text(1e300), duration_text(1e12));
}

TEST(Progress, IsSilentWithoutATerminal) {
  write_file("pendulum.yaml", pendulum_model);
  EXPECT_EQ(call("run pendulum.yaml").err, "");
}

}  // namespace
}  // namespace trammel
