# Writes script and style of the browser page into a C++ source: `output` from `script_file` and `style_file`, both
# empty if they are not given.
set(script "")
set(style "")
if(script_file)
  file(READ "${script_file}" script)
  file(READ "${style_file}" style)
endif()
file(WRITE "${output}.new" "#include <string_view>

namespace trammel {

extern const std::string_view viewer_script, viewer_style;
const std::string_view viewer_script = R\"trammel(${script})trammel\";
const std::string_view viewer_style = R\"trammel(${style})trammel\";

}  // namespace trammel
")
file(RENAME "${output}.new" "${output}")
