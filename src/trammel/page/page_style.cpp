#include "trammel/page/page_style.h"

#include <fmt/format.h>

#include "trammel/result/markup.h"
#include "trammel/result/plot_style.h"

namespace trammel {
namespace {

constexpr const char* rules = R"css(
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{max-width:1120px;margin:0 auto;padding:24px 16px 48px}
h1{font-size:1.7rem;line-height:1.2;margin:0;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:28px 0 10px}
.subtitle{margin:6px 0 0;color:var(--muted);overflow-wrap:anywhere}
.columns{display:grid;gap:16px;grid-template-columns:repeat(auto-fill,minmax(min(100%,440px),1fr));align-items:start}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px;min-width:0}
.card svg{display:block;width:100%;height:auto}
.problem{margin:6px 8px 2px;color:var(--muted);font-size:.9rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:4px 8px;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{font-weight:500;color:var(--muted)}
tr:last-child>*{border-bottom:0}
.notes{margin:0;padding:10px 16px 10px 32px;overflow-wrap:anywhere}
summary{cursor:pointer;padding:4px 8px}
summary:focus-visible{outline:2px solid var(--plot-1);outline-offset:2px}
@media(max-width:520px){main{padding:16px 8px 32px}.card{padding:6px 4px}.notes{padding:8px 12px 8px 28px}}
@media print{.card{break-inside:avoid}}
)css";

std::string style_sheet() {
  return ":root{color-scheme:light "
         "dark;--page:#f5f6f8;--card:#fff;--text:#1d2430;--muted:#5a6474;--line:#dfe3ea;" +
         plot_colour_variables(ColourScheme::light) +
         "}\n@media(prefers-color-scheme:dark){:root{--page:#0f1218;--card:#171b23;--text:#e3e7ee;--muted:#"
         "9aa5b6;"
         "--line:#2b323e;" +
         plot_colour_variables(ColourScheme::dark) + "}}" + rules;
}

}  // namespace

std::string page_head(std::string_view title, std::string_view subtitle, std::string_view more_style) {
  const std::string text = escape_markup(title);
  // the policy lets a browser refuse whatever the page would load
  std::string head = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n<header><h1>{}</h1>",
      text, style_sheet(), more_style, text);
  if (!subtitle.empty()) head += fmt::format("<p class=\"subtitle\">{}</p>", escape_markup(subtitle));
  return head + "</header>\n";
}

}  // namespace trammel
