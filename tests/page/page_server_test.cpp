// The server of trammel view: what it gives, to whom, and what it does not give; and the command around it.
#include "trammel/page/page_server.h"

// clang-format off
#include "trammel/page/live_samples.h"  // before the next, which makes _res a macro: Eigen has arguments of that name
#include <httplib.h>
// clang-format on

#include <arpa/inet.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "tests/cli/called_program.h"
#include "trammel/page/http_server.h"
#include "trammel/page/viewer_page.h"
#include "trammel/result/unfinished_run.h"

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

// A recording of one channel, x = 2 t.
class SampleStream : public PageServerTest {
 protected:
  SampleStream() {
    recording_.add_channel({.name = "x", .unit = "m"});
    write_file("live.json", data("under way", "running"));
  }
  void add(double t) { recording_.append(t, std::vector{2 * t}); }

  Recording recording_;
};

TEST_F(SampleStream, SamplesAreSentAsTheyCome) {
  EXPECT_FALSE(get("/data")->has_header("Trammel-Samples"));
  EXPECT_EQ(get("/samples/0")->status, 404);
  auto samples = std::make_unique<LiveSamples>(folder(), recording_);
  EXPECT_EQ(get("/data")->get_header_value("Trammel-Samples"), "/samples/");
  EXPECT_EQ(get("/samples/")->status, 404);
  EXPECT_EQ(get("/samples/0/../../secret.txt")->status, 404);

  // the page has what there was until t = 1 already
  add(0.5);
  add(1);
  samples->step();
  std::mutex mutex;
  std::string received;
  const auto events = [&] {
    const std::lock_guard lock(mutex);
    return received;
  };
  std::string type;
  std::thread listening([&] {
    client().Get(
        "/samples/1",
        [&](const httplib::Response& response) {
          type = response.get_header_value("Content-Type");
          return true;
        },
        [&](const char* text, std::size_t size) {
          const std::lock_guard lock(mutex);
          received.append(text, size);
          return true;
        });
  });
  const auto wait_for = [&](const std::string& text) {
    for (int i = 0; i < 1000 && events().find(text) == std::string::npos; ++i) {
      samples->step();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return events().find(text) != std::string::npos;
  };
  add(1.5);
  EXPECT_TRUE(wait_for(base64_floats(std::vector{3.0}))) << events();
  EXPECT_EQ(events().find(base64_floats(std::vector{2.0})), std::string::npos) << "what the page has";
  add(2);
  add(2.5);
  EXPECT_TRUE(wait_for(base64_floats(std::vector{4.0, 5.0}))) << events();
  EXPECT_EQ(events().find("event: end"), std::string::npos);
  samples.reset();
  listening.join();
  EXPECT_EQ(type, "text/event-stream");
  EXPECT_NE(events().find("event: end"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder() / "live.samples"));
}

// What nobody writes into any more is not listened to for ever.
TEST_F(SampleStream, ARunThatWasKilledSendsNothingMore) {
  write_file("live.samples", "");
  std::string received;
  client().Get("/samples/0", [&](const char* text, std::size_t size) {
    received.append(text, size);
    return true;
  });
  EXPECT_EQ(received, "event: end\ndata:\n\n");
}

TEST_F(SampleStream, ListenersDoNotKeepTheServerFromEnding) {
  const LiveSamples samples(folder(), recording_);
  std::thread listening([&] { client().Get("/samples/0", [](const char*, std::size_t) { return true; }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(title(), "under way") << "others are answered meanwhile";
  server_.stop();
  listening.join();
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

// --- those who want to keep others from looking ---

// A connection by which a request comes letter by letter, or not at all.
class RawClient {
 public:
  explicit RawClient(int port, const char* from = "127.0.0.1")
      : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, from, &address.sin_addr);
    ::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    connected_ = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { ::close(descriptor_); }
  RawClient(const RawClient&) = delete;

  bool connected() const { return connected_; }
  void send(std::string_view text) { ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL); }
  // All that comes until the server ends the connection.
  std::string rest() {
    std::string text;
    char piece[4096];
    for (ssize_t count = 1; count > 0;) {
      count = ::recv(descriptor_, piece, sizeof piece, 0);
      if (count > 0) text.append(piece, static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int descriptor_;
  bool connected_ = false;
};

using RawClients = std::vector<std::unique_ptr<RawClient>>;

RawClients many(int count, int port) {
  RawClients clients;
  for (int i = 0; i < count; ++i) clients.push_back(std::make_unique<RawClient>(port));
  return clients;
}

TEST_F(PageServerTest, SilentClientsKeepNobodyWaiting) {
  const RawClients silent = many(500, server_.port());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(title(), "first");
}

TEST_F(PageServerTest, SlowClientsKeepNobodyWaiting) {
  const std::string request = "GET /data HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_.port());
  RawClients slow = many(40, server_.port());
  for (std::size_t letter = 0; letter < 5; ++letter) {
    for (const auto& client : slow) client->send(std::string_view(request).substr(letter, 1));
    EXPECT_EQ(title(), "first");
  }
  // and who finishes in time is answered
  slow[7]->send(request.substr(5) + "\r\n\r\n");
  EXPECT_TRUE(slow[7]->rest().ends_with(data("first")));
}

TEST_F(PageServerTest, ClientsThatDoNotReadKeepNobodyWaiting) {
  const std::string large = R"({"format":1,"title":"large","x":")" + std::string(20'000'000, 'x') + "\"}";
  write_file("live.json", large);
  const RawClients deaf = many(40, server_.port());
  for (const auto& client : deaf)
    client->send("GET /data HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_.port()) + "\r\n\r\n");
  EXPECT_EQ(get("/")->status, 200);
  EXPECT_EQ(title(), "large");
}

TEST_F(PageServerTest, WhatIsNoRequestIsToldSo) {
  const auto answer = [&](const std::string& text) {
    RawClient client(server_.port());
    client.send(text);
    const std::string got = client.rest();
    return got.substr(0, got.find('\r'));
  };
  EXPECT_EQ(answer("\r\n\r\n"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(answer("GET /\r\n\r\n"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(answer("GET / HTTP/1.1\r\nno colon\r\n\r\n"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(answer("GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(answer(std::string(100'000, 'x')), "HTTP/1.1 431 Request Header Fields Too Large");
  EXPECT_EQ(answer("GET / HTTP/1.0\n\n"), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(title(), "first");
}

// Whoever has most connections loses one, not the one who comes.
TEST(HttpServer, TooManyConnectionsCostWhoHasMost) {
  HttpServer server([](const HttpRequest&) { return HttpResponse{.status = 404}; }, {.connections = 4});
  ASSERT_EQ(server.start(0), 0);
  RawClient other(server.port(), "127.0.0.2");
  RawClients greedy = many(10, server.port());
  ASSERT_TRUE(other.connected());
  EXPECT_EQ(greedy[0]->rest(), "") << "it was ended";
  for (RawClient* client : {&other, greedy[9].get()}) {
    client->send("GET / HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(client->rest().starts_with("HTTP/1.1 404"));
  }
}

TEST(HttpServer, WhoDoesNotAskInTimeIsLeft) {
  HttpServer server([](const HttpRequest&) { return HttpResponse{}; },
                    {.to_ask = std::chrono::milliseconds(50)});
  ASSERT_EQ(server.start(0), 0);
  RawClient silent(server.port()), slow(server.port());
  slow.send("GET");
  EXPECT_EQ(silent.rest(), "");
  EXPECT_EQ(slow.rest(), "");
}

// Live data of a run that was killed is shown as such.
TEST_F(PageServerTest, ARunThatWasKilledIsNotRunning) {
  const auto status = [&] { return nlohmann::json::parse(get("/data")->body)["status"]; };
  write_file("live.json", data("live", "running"));
  EXPECT_EQ(status(), "running");
  nlohmann::ordered_json mark;
  mark_unfinished(mark);
  write_file("summary.json", mark.dump());
  EXPECT_EQ(status(), "running");
  mark["process_began"] = "another time";
  write_file("summary.json", mark.dump());
  EXPECT_EQ(status(), "stopped");
  EXPECT_EQ(title(), "live");
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
