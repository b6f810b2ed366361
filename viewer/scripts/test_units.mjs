// Runs the unit tests: bundles the modules without DOM for node, then node's own test runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const modules = [
  "decode",
  "run",
  "interpolate",
  "decimate",
  "ticks",
  "numbers",
  "csv",
  "playback",
  "vectors",
  "hull",
  "pieces",
  "body_shapes",
  "joint_glyphs",
  "poses",
  "force_arrows",
  "view",
  "graph_layout",
  "live",
  "palette",
  "plot/axes",
  "plot/channel_dialog",
  "scene/assembly",
];
await build({
  entryPoints: modules.map((name) => join(root, `src/${name}.ts`)),
  outdir: join(root, "test/output/modules"),
  outbase: join(root, "src"),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  logLevel: "warning",
});
const folder = join(root, "test/unit");
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".test.mjs"))
  .map((name) => join(folder, name));
process.exit(spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1);
