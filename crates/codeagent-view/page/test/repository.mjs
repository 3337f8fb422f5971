// A repository for the tests: the shop, with names and paths that would run scripts in a page that
// trusted them, changes that are not committed, and a symbol with more than 200 neighbours.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TOP = fileURLToPath(new URL("../../../..", import.meta.url));
const PROGRAM = process.env.CODEAGENT_BIN ?? join(TOP, "target/debug/codeagent");
const USERS = 260;

export const HOSTILE_FOLDER = `web/packages/<img src=x onerror="globalThis.hit=1">`;
export const HOSTILE_NAME = `<script>globalThis.hit=2</script>`;

const HOSTILE = `
/** ${HOSTILE_NAME} <b onclick="globalThis.hit=3">doc</b> */
export function hostileDoc(x: string = "</code><img src=x onerror=globalThis.hit=4>") { return x; }
export const hostile = { "${HOSTILE_NAME}"() { return hostileDoc("javascript:globalThis.hit=5"); } };
export class Hostile { "<img src=x onerror=globalThis.hit=6>"(a: "</script><script>globalThis.hit=7</script>") { return hostileDoc(a); } }
`;

const ONE = `import { two } from "../b/two";\nexport function one() { return two(); }\n`;
const TWO = `import { one } from "../a/one";\nexport function two() { return one(); }\n`;

function hubs() {
  const users = Array.from({ length: USERS }, (_, index) => `export function user${index}() { return hub(${index}); }`);
  const deep = Array.from({ length: 40 }, (_, index) => `export function outer${index}() { return user${index}(); }`);
  return `export function hub(n: number): number { return innerWithANameLongerThanItsBox(n); }\nfunction innerWithANameLongerThanItsBox(n: number) { return n; }\n${[...users, ...deep].join("\n")}\n`;
}

/** Creates the repository; `remove` deletes it. */
export function create() {
  const outer = mkdtempSync(join(tmpdir(), "codeagent-view-"));
  const root = join(outer, "shop");
  cpSync(join(TOP, "tests/shop"), root, { recursive: true });
  const write = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write(`${HOSTILE_FOLDER}/evil.ts`, HOSTILE);
  write("web/packages/ui/src/hub.ts", hubs());
  write("web/packages/ui/src/a/one.ts", ONE);
  write("web/packages/ui/src/b/two.ts", TWO);

  const git = (...args) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root, stdio: "pipe" });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "first");
  write("web/packages/ui/src/b/two.ts", TWO.replace("two()", "two(n: number)"));
  return { outer, root, remove: () => rmSync(outer, { recursive: true, force: true }) };
}

/** Starts the server; resolves to its address. */
export async function serve(root, outer) {
  const env = { ...process.env, CODEAGENT_DATA_DIR: join(outer, "data") };
  const server = spawn(PROGRAM, ["view", "--root", root], { env, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (chunk) => {
      text += chunk;
      const line = /^(http:\S+)\n/.exec(text);
      if (line) resolve(line[1]);
    });
    server.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { address, stop: () => server.kill("SIGTERM") };
}
