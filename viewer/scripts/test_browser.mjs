// Runs the browser tests with node's own test runner, one file after the other: they share one browser's
// worth of machine.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../test/browser");
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".test.mjs"))
  .sort();
let status = 0;
for (const file of files) {
  status = spawnSync(process.execPath, ["--test", join(folder, file)], { stdio: "inherit" }).status || status;
}
process.exit(status);
