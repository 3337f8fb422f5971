// Builds app.js and NOTICE.md from src and the installed packages, or with --check compares the
// committed files with a new build.
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const MAX_GZIP = 40_000;
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

const built = await build({
  entryPoints: [at("src/main.jsx")],
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  jsxFactory: "h",
  jsxFragment: "Fragment",
  // Zooming is not animated; with these two the file would be a third larger.
  alias: { "d3-transition": at("src/no-animation.js"), "d3-interpolate": at("src/no-animation.js") },
  banner: { js: "// Built by build.mjs from src; do not edit. Licences of what it contains: NOTICE.md" },
});

const text = built.outputFiles[0].text;
const size = gzipSync(text, { level: 9 }).length;
if (size > MAX_GZIP) {
  throw new Error(`app.js is ${size} bytes with gzip; at most ${MAX_GZIP} are allowed`);
}

const packages = Object.keys(built.metafile.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
const licenses = [...new Set(packages.filter(Boolean))].sort().map((name) => {
  const { version } = JSON.parse(readFileSync(at(`node_modules/${name}/package.json`), "utf8"));
  const license = readFileSync(at(`node_modules/${name}/LICENSE`), "utf8").trim();
  return `\n## ${name} ${version}\n\n\`\`\`text\n${license}\n\`\`\`\n`;
});
const notice = "# Libraries of the page\n\nThe page of `codeagent view` (`app.js`) contains these libraries.\n";
const files = { "app.js": text, "NOTICE.md": notice + licenses.join("") };

for (const [name, content] of Object.entries(files)) {
  if (!process.argv.includes("--check")) {
    writeFileSync(at(name), content);
  } else if (readFileSync(at(name), "utf8") !== content) {
    throw new Error(`${name} differs from its source; run \`npm ci && npm run build\` in crates/codeagent-view/page`);
  }
}
console.log(`app.js: ${text.length} bytes, ${size} with gzip`);
