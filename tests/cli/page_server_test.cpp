// The server of trammel view: what it gives, to whom, and what it does not give; and the command around it.
#include "trammel/cli/page_server.h"

#include <httplib.h>

#include <chrono>

#include "tests/cli/called_program.h"
#include "trammel/result/viewer_page.h"

namespace trammel {
namespace {

namespace fs = std::filesystem;

// Data as a run gives it, told apart by a word.
std::string data(const std::string& word, const std::string& status = "finished") {
  return R"({"format":1,"status":")" + status + R"(","title":")" + word + "\"}";
}

void set_age(const fs::path& file, int seconds) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
}

// A folder of results with a page, and a server for it.
class PageServerTest : public testing::Test {
 protected:
  PageServerTest() {
    write_page(data("first"));
    set_age(folder() / "index.html", 10);
    write_file("secret.txt", "secret");
    EXPECT_EQ(server_.start(0), "");
  }

  static fs::path folder() { return scratch(); }
  static void write_page(const std::string& json) { write_file("index.html", viewer_page("A page", json)); }

  httplib::Client client() const { return httplib::Client("127.0.0.1", server_.port()); }
  httplib::Result get(const std::string& path, const httplib::Headers& headers = {}) const {
    return client().Get(path, headers);
  }
  // The title in the data, or the status.
  std::string title() const {
    const httplib::Result answer = get("/data");
    if (!answer) return "no answer";
    if (answer->status != 200) return std::to_string(answer->status);
    return nlohmann::json::parse(answer->body)["title"];
  }

  PageServer server_{"My <run>", folder()};
};

TEST_F(PageServerTest, GivesThePageAndItsData) {
  const httplib::Result page = get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page->body, live_viewer_page("My <run>", "/data"));
  const std::string policy = page->get_header_value("Content-Security-Policy");
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(policy.find("connect-src 'self'"), std::string::npos);
  EXPECT_EQ(page->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(page->get_header_value("Cache-Control"), "no-store");

  const httplib::Result answer = get("/data");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->get_header_value("Content-Type"), "application/json");
  EXPECT_EQ(answer->get_header_value("Cache-Control"), "no-store");
  EXPECT_EQ(answer->body, data("first"));
}

TEST_F(PageServerTest, FollowsRunAfterRun) {
  EXPECT_EQ(title(), "first");
  write_file("live.json", data("under way", "running"));
  EXPECT_EQ(title(), "under way");
  write_file("live.json", data("further", "running"));
  EXPECT_EQ(title(), "further");

  // the page is there before the live data goes; half a page is none
  set_age(folder() / "live.json", 5);
  const std::string page = viewer_page("", data("second"));
  write_file("index.html", page.substr(0, page.find("second")));
  EXPECT_EQ(title(), "further");
  write_file("index.html", page);
  EXPECT_EQ(title(), "second");
  fs::remove(folder() / "live.json");
  EXPECT_EQ(title(), "second");

  write_file("live.json", data("again", "running"));
  set_age(folder() / "index.html", 5);
  EXPECT_EQ(title(), "again");
}

TEST_F(PageServerTest, SaysThatThereIsNothingYet) {
  fs::remove(folder() / "index.html");
  const httplib::Result answer = get("/data");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(answer->get_header_value("Content-Type"), "application/json");
  EXPECT_NE(nlohmann::json::parse(answer->body)["message"].get<std::string>().find(folder().string()),
            std::string::npos);
  EXPECT_EQ(get("/")->status, 200);
  write_page(data("now"));
  EXPECT_EQ(title(), "now");
}

TEST_F(PageServerTest, DoesNotSendWhatTheBrowserHas) {
  const std::string tag = get("/data")->get_header_value("ETag");
  ASSERT_GT(tag.size(), 4U);
  for (const std::string& known : {tag, "\"other\", W/" + tag, std::string("*")}) {
    const httplib::Result answer = get("/data", {{"If-None-Match", known}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 304) << known;
    EXPECT_EQ(answer->body, "");
    EXPECT_EQ(answer->get_header_value("ETag"), tag);
  }
  EXPECT_EQ(get("/data", {{"If-None-Match", "\"other\""}})->status, 200);
  write_page(data("newer"));
  EXPECT_EQ(get("/data", {{"If-None-Match", tag}})->body, data("newer"));
}

// Whether a file is read at all cannot be seen from outside, but whether a change that leaves time, size and
// identity alone is noticed.
TEST_F(PageServerTest, ReadsAFileOnceForEachChange) {
  EXPECT_EQ(title(), "first");
  const auto time = fs::last_write_time(folder() / "index.html");
  write_page(data("FIRST"));
  fs::last_write_time(folder() / "index.html", time);
  EXPECT_EQ(title(), "first");
  fs::last_write_time(folder() / "index.html", time + std::chrono::milliseconds(1));
  EXPECT_EQ(title(), "FIRST");
}

TEST_F(PageServerTest, HeadHasNoBody) {
  const httplib::Result answer = client().Head("/data");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->get_header_value("Content-Length"), std::to_string(data("first").size()));
  EXPECT_EQ(answer->get_header_value("ETag"), get("/data")->get_header_value("ETag"));
  EXPECT_EQ(answer->body, "");
  EXPECT_EQ(client().Head("/")->status, 200);
  EXPECT_EQ(client().Head("/other")->status, 404);
}

TEST_F(PageServerTest, RefusesOtherNamesOfThisMachine) {
  const std::string port = std::to_string(server_.port());
  for (const std::string& host :
       {"127.0.0.1:" + port, "localhost:" + port, "LocalHost:" + port, "[::1]:" + port})
    EXPECT_EQ(get("/data", {{"Host", host}})->status, 200) << host;
  for (const std::string& host :
       {"evil.example:" + port, std::string("evil.example"), std::string("127.0.0.1"), "127.0.0.1:1" + port,
        "localhost.evil.example:" + port, "127.0.0.1:" + port + "@evil.example",
        "evil.example:" + port + " "})
    for (const char* path : {"/", "/data", "/other"}) {
      const httplib::Result answer = get(path, {{"Host", host}});
      ASSERT_TRUE(answer) << host;
      EXPECT_EQ(answer->status, 403) << host << path;
      EXPECT_EQ(answer->body.find("first"), std::string::npos);
    }
  EXPECT_EQ(get("/data", {{"Host", "localhost:" + port}, {"Host", "evil.example"}})->status, 403);
}

TEST_F(PageServerTest, ServesNoFilesOfTheFolder) {
  httplib::Client plain = client();
  plain.set_url_encode(false);
  for (const char* path : {"/index.html", "/secret.txt", "/live.json", "/../secret.txt", "/data/",
                           "/data/../secret.txt", "//secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt",
                           "/./data", "/data%00", "/etc/passwd", "/%2fetc%2fpasswd", "/favicon.ico"}) {
    const httplib::Result answer = plain.Get(path);
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 404) << path;
    EXPECT_EQ(answer->body.find("secret"), std::string::npos);
    EXPECT_NE(answer->get_header_value("Content-Security-Policy"), "") << path;
  }
  EXPECT_EQ(get("/data?x=../secret.txt")->body, data("first"));
}

TEST_F(PageServerTest, ThereIsNothingToDoButToLook) {
  for (const char* path : {"/", "/data", "/other"}) {
    EXPECT_EQ(client().Post(path, "text", "text/plain")->status, 405);
    EXPECT_EQ(client().Put(path, "text", "text/plain")->status, 405);
    EXPECT_EQ(client().Patch(path, "text", "text/plain")->status, 405);
    EXPECT_EQ(client().Delete(path)->status, 405);
    const httplib::Result answer = client().Options(path);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 405);
    EXPECT_EQ(answer->get_header_value("Allow"), "GET, HEAD");
  }
}

TEST_F(PageServerTest, LargeDataComesWhole) {
  const std::string large = R"({"format":1,"title":")" + std::string(20'000'000, 'x') + "\"}";
  write_file("live.json", large);
  // browsers offer this, but compressing would take longer than sending
  const httplib::Result answer = get("/data", {{"Accept-Encoding", "gzip, deflate, br"}});
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->has_header("Content-Encoding"));
  EXPECT_TRUE(answer->body == large);
}

TEST_F(PageServerTest, APortHasOneServer) {
  PageServer second("", folder());
  EXPECT_EQ(second.start(server_.port()), "port " + std::to_string(server_.port()) + " is taken");
  EXPECT_EQ(second.start(0), "");
  EXPECT_NE(second.port(), server_.port());
  server_.stop();
  EXPECT_FALSE(get("/"));
}

// --- the command ------------------------------------------------------------------------------------------

// Without the viewer there are pages, but none to serve.
class ViewCommand : public testing::Test {
  void SetUp() override {
    if (!has_viewer()) GTEST_SKIP() << "built without npm";
  }
};

// What is said about a call that makes no sense.
std::string refused(const std::string& arguments) {
  const Called called = call("view " + arguments);
  EXPECT_EQ(called.exit_code, 2) << arguments;
  EXPECT_EQ(called.out, "");
  return called.err;
}

TEST_F(ViewCommand, SaysWhatIsMissingAndWhatToDo) {
  write_file("four-bar.yaml", four_bar_model);
  EXPECT_EQ(refused("nowhere"), "error: there is no 'nowhere'; run the model first: trammel run MODEL\n");
  EXPECT_EQ(refused("four-bar-results/"),
            "error: there is no 'four-bar-results'; run it first: trammel run four-bar.yaml\n");
  EXPECT_EQ(refused("four-bar-results/index.html"), refused("four-bar-results"));
  EXPECT_EQ(
      refused("four-bar.yaml"),
      "error: there is no four-bar-results here; run it first: trammel run four-bar.yaml, or name the folder "
      "that was given to --out\n");
  ASSERT_EQ(call("run four-bar.yaml --no-page").exit_code, 0);
  for (const char* name : {"four-bar.yaml", "four-bar-results", "four-bar-results/index.html"})
    EXPECT_EQ(
        refused(name),
        "error: there is no page in four-bar-results: it was run with --no-page; run it again without\n");

  ASSERT_EQ(call("run four-bar.yaml").exit_code, 0);
  EXPECT_EQ(refused("four-bar"), "error: there is no 'four-bar'; did you mean four-bar-results?\n");
  EXPECT_EQ(refused("four-bar-results/results.csv"),
            "error: there is no results-results here; did you mean the results beside "
            "'four-bar-results/results.csv'? "
            "trammel view four-bar-results\n");
  EXPECT_EQ(refused("."),
            "error: there are no results of a run in .; run the model first: trammel run MODEL\n");
  write_file("other.html", "");
  EXPECT_NE(refused("other.html").find("is not the index.html of a run"), std::string::npos);
  write_file("four-bar-results/index.html", "<p>a page of something else");
  EXPECT_NE(refused("four-bar-results").find("four-bar-results/index.html holds no data"), std::string::npos);
  EXPECT_EQ(call("view").exit_code, 2);
  EXPECT_EQ(call("view four-bar-results --port 65536").exit_code, 2);
}

TEST_F(ViewCommand, ATakenPortIsSaid) {
  write_file("index.html", viewer_page("", data("page")));
  PageServer other("", scratch());
  ASSERT_EQ(other.start(0), "");
  EXPECT_EQ(refused(". --no-browser --port " + std::to_string(other.port())),
            "error: port " + std::to_string(other.port()) + " is taken; choose another with --port\n");
}

// What became of a call that is ended by a signal when it has printed the address and opened the browser,
// which is a script of the test's own.
Called ended_by(const std::string& signal, const std::string& arguments) {
  fs::create_directories(scratch() / "bin");
  write_file("bin/xdg-open", "#!/bin/sh\necho \"$1\" > opened.new; mv opened.new opened\n");
  fs::permissions(scratch() / "bin/xdg-open", fs::perms::owner_all);
  write_file("ask.sh", std::string("rm -f address opened; export DISPLAY=:0 PATH=\"$PWD/bin:$PATH\"\n'") +
                           TRAMMEL_PROGRAM + "' view " + arguments + " > address &\n" +
                           "for i in $(seq 200); do [ -s address ] && [ -e opened ] && break; sleep 0.02; " +
                           "[ -s address ] && [[ '" + arguments + "' == *--no-browser* ]] && break; done\n" +
                           "kill -" + signal + " $!; wait $!\n");
  const int status = std::system(("cd '" + scratch().string() + "' && bash ask.sh < /dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(scratch() / "address"), ""};
}

TEST_F(ViewCommand, PrintsTheAddressOpensTheBrowserAndEndsWhenAsked) {
  write_file("pendulum.yaml", pendulum_model);
  ASSERT_EQ(call("run pendulum.yaml").exit_code, 0);
  for (const char* signal : {"INT", "TERM"}) {
    const Called called = ended_by(signal, "pendulum.yaml");
    EXPECT_EQ(called.exit_code, 0) << signal;
    EXPECT_TRUE(called.out.starts_with("http://127.0.0.1:8")) << called.out;
    EXPECT_TRUE(called.out.ends_with("/  (Ctrl-C ends it)\n")) << called.out;
    EXPECT_EQ(read_file(scratch() / "opened"), called.out.substr(0, called.out.find(' ')) + "\n");
  }
  EXPECT_EQ(ended_by("INT", "pendulum-results/ --no-browser --port 0").exit_code, 0);
  EXPECT_FALSE(fs::exists(scratch() / "opened"));
}

}  // namespace
}  // namespace trammel
