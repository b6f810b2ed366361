#include "trammel/numerics/differentiation/compiled_code.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

extern char** environ;

namespace trammel {
namespace {

// A folder of its own, which goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "trammel-code-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error(fmt::format("cannot make a folder for generated code, {}", pattern));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// What it says goes into a file. Returns its exit code; −1 if it cannot be started.
int run_compiler(const std::vector<std::string>& words, const std::filesystem::path& said) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int fault = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

CompiledCode::CompiledCode(const std::string& source) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "generated.c", library = folder.path() / "generated.so",
                              said = folder.path() / "said";
  if (!(std::ofstream(file) << source))
    throw std::runtime_error("cannot write generated code to " + file.string());
  const char* chosen = std::getenv("CC");
  std::istringstream words(chosen != nullptr && *chosen != 0 ? chosen : "cc");
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  if (command.empty()) command.push_back("cc");
  const std::string compiler = command[0];
  // no -ffast-math: conditional nodes rely on infinities that stay where they are. -O1: straight lines gain nothing by -O2, and
  // take twice as long
  for (const char* word :
       {"-O1", "-fno-math-errno", "-fno-trapping-math", "-fno-tree-vectorize", "-fPIC", "-shared", "-o"})
    command.push_back(word);
  command.insert(command.end(), {library.string(), file.string(), "-lm"});
  const auto start = std::chrono::steady_clock::now();
  const int code = run_compiler(command, said);
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (code != 0)
    throw std::runtime_error(
        code < 0 || code == 127
            ? fmt::format("there is no C compiler '{}'; install one, or name it by CC", compiler)
            : fmt::format("the C compiler '{}' failed: {}", compiler, contents(said)));
  bytes_ = std::filesystem::file_size(library);
  library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr)
    throw std::runtime_error(fmt::format("cannot load generated code: {}", ::dlerror()));
}

CompiledCode::~CompiledCode() {
  if (library_ != nullptr) ::dlclose(library_);
}

void* CompiledCode::find(const std::string& name) const {
  void* found = ::dlsym(library_, name.c_str());
  if (found == nullptr) throw std::runtime_error(fmt::format("generated code has no function '{}'", name));
  return found;
}

}  // namespace trammel
