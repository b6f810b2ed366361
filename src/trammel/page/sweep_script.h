// Style, frame and script of the page of a sweep (sweep_page.cpp).
#pragma once

namespace trammel {

extern const char* const sweep_page_style;
extern const char* const sweep_page_body;
extern const char* const sweep_page_script;

}  // namespace trammel
