message(FATAL_ERROR "npm could not install what the browser page is built from (see above). Is its registry reachable? "
        "Configure with -DTRAMMEL_VIEWER=OFF to build without the page.")
