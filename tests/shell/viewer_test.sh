#!/usr/bin/env bash
# The browser page: types, unit tests, and the page in Chromium, with pages of real runs.
set -euo pipefail
: "${SOURCE_DIR:?}" "${TRAMMEL:?}"

chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
if ! command -v npm >/dev/null || [[ -z $chromium ]]; then
  echo "skipped: the browser page is tested with npm and Chromium"
  exit 77
fi

cd "$SOURCE_DIR/viewer"
# what the tests need besides what the build has installed
if [[ ! -d node_modules/playwright-core || ! -d node_modules/typescript ]]; then
  npm ci --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
npm test
CHROMIUM=$chromium TRAMMEL=$TRAMMEL npm run test:browser
