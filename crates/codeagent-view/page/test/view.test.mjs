// Drives the page in a browser. Needs Chromium (CHROMIUM, or /usr/bin/chromium) and a built program
// (CODEAGENT_BIN, or target/debug/codeagent). With SCREENSHOTS=FOLDER, it writes pictures there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { create, HOSTILE_FOLDER, HOSTILE_NAME, serve } from "./repository.mjs";

const AXE = readFileSync(fileURLToPath(new URL("../node_modules/axe-core/axe.min.js", import.meta.url)), "utf8");
const PATIENCE = 30_000;

let repository;
let server;
let browser;
let page;
let faults;

before(async () => {
  repository = create();
  server = await serve(repository.root, repository.outer);
  browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // In a container the browser's own sandbox has no rights; the page is ours.
    args: ["--no-sandbox", "--disable-gpu"],
  });
}, { timeout: 120_000 });

after(async () => {
  await browser?.close();
  server?.stop();
  repository?.remove();
});

beforeEach(async () => {
  page = await browser.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  page.setDefaultTimeout(PATIENCE);
  faults = [];
  const host = new URL(server.address).host;
  page.on("request", (sent) => {
    const url = new URL(sent.url());
    if (url.protocol !== "data:" && url.host !== host) faults.push(`request to ${sent.url()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => faults.push(`dialog: ${dialog.message()}`));
  page.on("console", (message) => {
    // The browser reports each answer that is an error.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) faults.push(message.text());
  });
});

afterEach(async () => {
  assert.equal(await page.evaluate(() => globalThis.hit), undefined, "a script of the repository ran");
  await page.close();
  assert.deepEqual(faults, []);
});

const open = async (hash, selector) => {
  await page.goto(server.address + hash);
  return page.waitForSelector(selector);
};
const text = (selector) => page.$eval(selector, (element) => element.innerText);
const shows = (wanted) => page.waitForFunction((wanted) => document.querySelector("main").innerText.includes(wanted), {}, wanted);
const heading = (wanted) => page.waitForFunction((wanted) => document.querySelector("h1")?.innerText.includes(wanted), {}, wanted);
const shoot = (name) => process.env.SCREENSHOTS && page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });

async function accessible(what) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(serious.map(({ id, nodes }) => `${what}: ${id} ${nodes[0].html}`), []);
}

async function themed(name) {
  for (const theme of ["light", "dark"]) {
    await page.evaluate((theme) => (document.documentElement.dataset.theme = theme), theme);
    await accessible(`${name}, ${theme}`);
    await shoot(`${name}-${theme}`);
  }
}

test("the first page shows the size of the repository", async () => {
  await open("#/", ".home-page");
  assert.match(await text("main"), /\d+ files, [\d,]+ symbols/);
  await themed("home");
});

test("results appear as one types, and open with the keyboard alone", async () => {
  await open("#/", ".home-page");
  await page.keyboard.press("/");
  await page.keyboard.type("OrderServ");
  await page.waitForSelector("#found li");
  await page.waitForFunction(() => /OrderService/.test(document.querySelector("#found").innerText));
  await shoot("search");
  await accessible("search");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await heading("OrderService");
  // From there to a link in the source and back.
  await page.waitForSelector(".source a");
  await page.focus(".source a");
  const before = await text("h1");
  await page.keyboard.press("Enter");
  await page.waitForFunction((before) => document.querySelector("h1")?.innerText !== before, {}, before);
  await page.goBack();
  await heading("OrderService");
});

test("a symbol has its source, callers, calls and tests, and a caller can be followed", async () => {
  await open("#/symbol/PriceCalculator.Price", "[aria-label=Callers]");
  await page.waitForSelector(".source .line");
  assert.match(await text("[aria-label=Callers]"), /OrderService\.Place/);
  await themed("symbol");
  await page.click("[aria-label=Callers] .rows a");
  await heading("OrderService.Place");
  await page.waitForSelector("[aria-label=Calls]");
  assert.match(await text("[aria-label=Calls]"), /PriceCalculator\.Price/);
  await page.reload();
  await heading("OrderService.Place");
});

test("a file opens at a line", async () => {
  await open("#/symbol/src%2FShop.Domain%2FOrder.cs?line=12", ".marked");
  assert.match(await text("h1"), /Order\.cs/);
});

test("long lists come page by page", async () => {
  await open("#/symbol/hub", "[aria-label=Callers]");
  await page.click("[aria-label=Callers] .more");
  await page.waitForFunction(() => document.querySelectorAll("[aria-label=Callers] .rows > li").length === 60);
});

test("changes show what no longer fits and which tests to run", async () => {
  await open("#/changes", ".summary");
  assert.match(await text(".breaks"), /passes 0, two takes/);
  assert.match(await text("main"), /two\(n: number\)/);
  await themed("changes");
  await open("#/changes?base=nothing", ".error");
  assert.match(await text(".error"), /nothing/);
});

test("the folder matrix marks cycles, and its cells are walked with arrows", async () => {
  await open("#/folders/web%2Fpackages%2Fui%2Fsrc", ".matrix .cycle");
  await page.focus(".matrix [tabindex='0']");
  const active = (name) => page.evaluate((name) => document.activeElement.getAttribute(name), name);
  for (const [key, at] of [["ArrowRight", "0,1"], ["ArrowDown", "1,1"], ["ArrowLeft", "1,0"], ["ArrowLeft", "1,0"]]) {
    await page.keyboard.press(key);
    assert.equal(await active("data-at"), at);
    assert.match(await active("aria-label"), /uses/);
    assert.equal(await page.$$eval(".matrix [tabindex='0']", (cells) => cells.length), 1);
  }
  await page.focus(".matrix .cycle a");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".list");
  await shows("Cycles");
  await themed("folders");
  await open("#/folders", ".matrix");
  await accessible("folders of the repository");
});

test("health lists folders with the share of resolved calls", async () => {
  await open("#/health", ".health");
  assert.match(await text(".health"), /%/);
  await themed("health");
});

test("a graph of 200 symbols is readable and walked with arrows", async () => {
  await open("#/graph/hub", ".node");
  const count = await page.$$eval(".node", (nodes) => nodes.length);
  assert.equal(count, 200);
  const overlaps = await page.$$eval(".node rect", (rects) => {
    const boxes = rects.map((rect) => rect.getBoundingClientRect());
    return boxes.filter((a, index) => boxes.slice(index + 1).some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
  });
  assert.equal(overlaps, 0);
  const size = await page.$eval(".node .name", (label) => label.getBoundingClientRect().height);
  assert.ok(size >= 8, `names are ${size} px high`);
  await page.$eval(".node.root", (node) => node.focus());
  await page.keyboard.press("ArrowLeft");
  const label = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.match(label, /user\d+; here it uses 1 and is used by/);
  await themed("graph");
  await page.keyboard.press("0");
  await shoot("graph-whole");
  await page.keyboard.press("Enter");
  await heading("user");
});

test("names and paths of the repository are only text", async () => {
  await open(`#/search?q=hostile`, ".rows li");
  await shoot("hostile-search");
  await open("#/symbol/hostileDoc", ".doc");
  assert.ok((await text(".doc")).includes(HOSTILE_NAME));
  await page.waitForSelector("[aria-label=Callers]");
  await shoot("hostile-symbol");
  await open("#/folders/web%2Fpackages", ".matrix");
  assert.ok((await text(".matrix")).includes(HOSTILE_FOLDER.split("/").pop()));
  await open(`#/graph/hostileDoc`, ".node");
  await open(`#/health/web%2Fpackages`, ".health");
  await open(`#/symbol/${encodeURIComponent(HOSTILE_NAME)}`, ".error, h1");
  await open(`#/search?q=${encodeURIComponent(HOSTILE_NAME)}`, "h1, .error");
  const loaded = await page.$$eval("img, main script, iframe", (found) => found.length);
  assert.equal(loaded, 0);
});

test("the colours follow the button", async () => {
  await open("#/", ".theme");
  const becomes = (theme, ground) => page.waitForFunction(
    (theme, ground) => document.documentElement.dataset.theme === theme && getComputedStyle(document.body).backgroundColor === ground,
    {}, theme, ground,
  );
  await page.click(".theme");
  await becomes("light", "rgb(255, 255, 255)");
  await page.click(".theme");
  await becomes("dark", "rgb(20, 23, 26)");
  await page.reload();
  await becomes("dark", "rgb(20, 23, 26)");
  await page.click(".theme");
  await becomes("system", "rgb(255, 255, 255)");
});

test("a foreign address, origin or token is refused", async () => {
  const url = new URL(server.address);
  const status = (path, headers) =>
    new Promise((resolve, reject) => {
      const sent = request({ host: url.hostname, port: url.port, path, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on("error", reject).end();
    });
  assert.equal(await status(`${url.pathname}api/status`, {}), 200);
  assert.equal(await status(`${url.pathname}api/status`, { host: "evil.example" }), 403);
  assert.equal(await status(`${url.pathname}api/status`, { origin: "http://evil.example" }), 403);
  assert.equal(await status("/0000000000000000/api/status", {}), 401);
  assert.equal(await status("/", {}), 401);
  await page.goto("about:blank");
});
