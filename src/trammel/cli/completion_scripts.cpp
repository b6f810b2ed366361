#include "trammel/cli/completion_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trammel {

namespace {

using Value = CompletedOption::Value;

// For single quotes of bash and zsh.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// fish knows two escapes inside single quotes.
std::string quoted_for_fish(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

// Brackets and colons mean something in _arguments.
std::string escaped_for_zsh(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::vector<std::string> names_of(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> names;
  for (const CompletedCommand& command : commands) names.push_back(command.name);
  return names;
}

// What bash does with the word behind an option.
std::string bash_value(const CompletedOption& option) {
  switch (option.value) {
    case Value::words:
      return fmt::format(
          R"(COMPREPLY=($(compgen -W {} -- "$word")); [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace; return)",
          quoted(fmt::format("{}", fmt::join(option.words, " "))));
    case Value::folder:
      return R"(compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word"); return)";
    case Value::file:
      return R"(compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return)";
    default:
      return "return";
  }
}

std::string zsh_value(const CompletedOption& option) {
  switch (option.value) {
    case Value::none:
      return "";
    case Value::words:
      return fmt::format(":value:({})", fmt::join(option.words, " "));
    case Value::folder:
      return ":folder:_files -/";
    case Value::file:
      return ":file:_files";
    case Value::any:
      return ":value:";
  }
  return "";
}

}  // namespace

std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  std::string text =
      fmt::format(R"(# bash completion of trammel; source this file, or keep it in
# ~/.local/share/bash-completion/completions/trammel
_trammel() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}"
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W {} -- "$word"))
    return
  fi
  case "$command $before" in
)",
                  quoted(fmt::format("{} --help --version", fmt::join(names_of(commands), " "))));
  for (const CompletedCommand& command : commands)
    for (const CompletedOption& option : command.options)
      if (option.value != Value::none)
        text += fmt::format("    {}) {} ;;\n", quoted(command.name + " " + option.name), bash_value(option));
  text += "  esac\n  case \"$command\" in\n";
  for (const CompletedCommand& command : commands) {
    std::vector<std::string> options;
    for (const CompletedOption& option : command.options) options.push_back(option.name);
    text += fmt::format("    {})\n      if [[ $word == -* ]]; then\n", command.name);
    text += fmt::format("        COMPREPLY=($(compgen -W {} -- \"$word\"))\n",
                        quoted(fmt::format("{}", fmt::join(options, " "))));
    if (command.takes_model)
      text +=
          "      else\n        compopt -o filenames\n"
          "        mapfile -t COMPREPLY < <(compgen -f -X '!*.yaml' -- \"$word\"\n"
          "          compgen -f -X '!*.yml' -- \"$word\"; compgen -d -- \"$word\")\n";
    else if (!command.words.empty())
      text += fmt::format("      else\n        COMPREPLY=($(compgen -W {} -- \"$word\"))\n",
                          quoted(fmt::format("{}", fmt::join(command.words, " "))));
    text += "      fi\n      ;;\n";
  }
  return text + "  esac\n}\ncomplete -F _trammel trammel\n";
}

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  std::string text =
      "#compdef trammel\n# zsh completion of trammel; keep this file as _trammel in a folder of $fpath\n"
      "_trammel() {\n  local -a commands\n  commands=(\n";
  for (const CompletedCommand& command : commands)
    text += fmt::format("    {}\n", quoted(command.name + ":" + escaped_for_zsh(command.description)));
  text +=
      "  )\n  if ((CURRENT == 2)); then\n    _describe 'command' commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const CompletedCommand& command : commands) {
    text += fmt::format("    {})\n      _arguments", command.name);
    for (const CompletedOption& option : command.options)
      text += fmt::format(" \\\n        {}",
                          quoted(fmt::format("*{}[{}]{}", option.name, escaped_for_zsh(option.description),
                                             zsh_value(option))));
    if (command.takes_model)
      text += " \\\n        '1:model:_files -g \"*.(yaml|yml)\"'";
    else if (!command.words.empty())
      text +=
          fmt::format(" \\\n        {}", quoted(fmt::format("1:name:({})", fmt::join(command.words, " "))));
    text += "\n      ;;\n";
  }
  return text +
         "  esac\n}\nif [[ $funcstack[1] == _trammel ]]; then\n  _trammel \"$@\"\nelse\n  compdef _trammel "
         "trammel\nfi\n";
}

std::string fish_completion(const std::vector<CompletedCommand>& commands) {
  std::string text =
      "# fish completion of trammel; keep this file as ~/.config/fish/completions/trammel.fish\n"
      "complete -c trammel -f\n";
  for (const CompletedCommand& command : commands)
    text += fmt::format("complete -c trammel -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted_for_fish(command.description));
  for (const CompletedCommand& command : commands) {
    const std::string when =
        fmt::format("complete -c trammel -n '__fish_seen_subcommand_from {}'", command.name);
    if (command.takes_model)
      text += when + " -k -a '(__fish_complete_suffix .yaml)'\n";
    else if (!command.words.empty())
      text +=
          fmt::format("{} -a {}\n", when, quoted_for_fish(fmt::format("{}", fmt::join(command.words, " "))));
    for (const CompletedOption& option : command.options) {
      const std::string name = option.name.substr(option.name.find_first_not_of('-'));
      text += fmt::format("{} {} {} -d {}", when, option.name.starts_with("--") ? "-l" : "-s", name,
                          quoted_for_fish(option.description));
      switch (option.value) {
        case Value::none:
          break;
        case Value::words:
          text += fmt::format(" -x -a {}", quoted_for_fish(fmt::format("{}", fmt::join(option.words, " "))));
          break;
        case Value::folder:
          text += " -x -a '(__fish_complete_directories)'";
          break;
        case Value::file:
          text += " -r -F";
          break;
        case Value::any:
          text += " -x";
          break;
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace trammel
