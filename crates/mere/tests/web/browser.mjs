// Drives the pages in Chromium. Started by crates/mere/tests/it/web/browser.rs.
import assert from "node:assert/strict";
import { readFileSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const { WEB_TOOLS, REGISTRY_URL, UI_URL, IMAGES } = process.env;
const require = createRequire(`${WEB_TOOLS}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const UI = UI_URL.split("/?")[0];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});

// Opens a page that fails on any error of the browser, such as a refusal by the content policy.
async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => { throw error; });
  page.on("console", (message) => {
    if (message.type() === "error") throw new Error(`${page.url()}: ${message.text()}`);
  });
  return page;
}

async function openUi(options) {
  const page = await open(options);
  await page.goto(UI_URL);
  return page;
}

// The policy of the pages forbids foreign scripts, so the check runs in a world of its own.
async function checkAccessibility(page, what) {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
  });
  await session.send("Runtime.evaluate", { expression: axe, contextId });
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression: "axe.run().then(({ passes, violations }) => JSON.stringify({ passes: passes.length, violations }))",
    awaitPromise: true, returnByValue: true, contextId,
  });
  assert.equal(exceptionDetails, undefined, what);
  const { passes, violations } = JSON.parse(result.value);
  assert.ok(passes > 10, `${what}: only ${passes} rules were checked`);
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const words = serious.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`);
  assert.deepEqual(words, [], what);
}

async function picture(page, name) {
  if (!IMAGES) return;
  mkdirSync(IMAGES, { recursive: true });
  await page.screenshot({ path: `${IMAGES}/${name}.png` });
}

const steps = {
  async "search, open an item, compare its versions"() {
    const page = await open();
    await page.goto(REGISTRY_URL);
    await page.getByRole("searchbox", { name: "Search" }).fill("web tokens");
    await page.getByRole("search").getByRole("button").click();
    await page.getByRole("link", { name: "JSON web tokens" }).click();
    await page.getByRole("heading", { level: 1, name: "JSON web tokens" }).waitFor();
    await page.getByText("valid signature").waitFor();
    await picture(page, "registry-item");
    await page.getByRole("link", { name: "compare with 1.1.0" }).click();
    await page.locator(".difference .added").first().waitFor();
    assert.match(await page.locator(".difference .removed").first().innerText(), /1\.0\.0/);
  },
  async "navigate by category and namespace"() {
    const page = await open();
    await page.goto(REGISTRY_URL);
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByRole("link", { name: "api", exact: true }).click();
    await page.getByRole("link", { name: "Key rotation" }).click();
    await page.getByRole("link", { name: "acme" }).first().click();
    await page.getByText("Signing keys").waitFor();
  },
  async "nothing of an item runs"() {
    const page = await open();
    await page.goto(`${REGISTRY_URL}/i/knowledge/acme/retry`);
    await page.getByText("onerror=").waitFor();
    assert.equal(await page.locator("main img, main a[href^=javascript]").count(), 0);
    assert.match(await page.title(), /^Retry with backoff/);
  },
  async "the graph is drawn"() {
    const page = await open({ colorScheme: "dark" });
    await page.goto(`${REGISTRY_URL}/graph`);
    const drawing = page.getByRole("img", { name: /drawing/ });
    assert.ok(await drawing.evaluate((image) => image.decode().then(() => image.naturalWidth > 200)));
    await picture(page, "registry-graph");
  },
  async "what needs a person is on top, and review shows the command"() {
    const page = await openUi();
    await page.getByRole("heading", { name: "These need you" }).waitFor();
    await picture(page, "ui-items");
    await page.getByRole("link", { name: "Review" }).click();
    await page.getByText("mere review --accept").waitFor();
    await page.getByRole("link", { name: "Runs" }).click();
    await page.getByText("exit 0").waitFor();
    await page.getByRole("link", { name: "Graph" }).click();
    const drawing = page.getByRole("img", { name: /drawing/ });
    assert.ok(await drawing.evaluate((image) => image.decode().then(() => image.naturalWidth > 200)));
    assert.equal(await page.locator("form[method=post]").count(), 0);
  },
  async "the keyboard alone is enough"() {
    const page = await open();
    await page.goto(REGISTRY_URL);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, "solid", "the focus is visible");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Install" }).waitFor();
  },
  async "without script everything is there but the copy button"() {
    const page = await open({ javaScriptEnabled: false });
    await page.goto(`${REGISTRY_URL}/search?q=rotation`);
    await page.getByRole("link", { name: "Key rotation" }).click();
    await page.getByText("mere pull knowledge acme/rotation").waitFor();
    assert.equal(await page.getByRole("button", { name: "Copy" }).count(), 0);
  },
  async "a phone needs no sideways scrolling"() {
    const options = { viewport: { width: 360, height: 740 } };
    const registry = await open(options);
    for (const path of ["/", "/search", "/i/knowledge/acme/jwt", "/graph", "/n/acme"]) {
      await registry.goto(REGISTRY_URL + path);
      const width = await registry.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${path} is ${width} wide`);
    }
    const ui = await openUi(options);
    for (const path of ["/", "/review", "/runs", "/calls", "/clients", "/graph", "/memories"]) {
      await ui.goto(UI + path);
      const width = await ui.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${path} is ${width} wide`);
    }
  },
  async "dark and light differ, and both are accessible"() {
    const grounds = new Set();
    for (const colorScheme of ["light", "dark"]) {
      const registry = await open({ colorScheme });
      const difference = "/i/knowledge/acme/jwt/diff?from=1.0.0&to=1.1.0";
      const tool = "/i/tool/acme/hello_tool";
      for (const path of ["/", "/search?q=jwt", "/c", "/n/acme", "/graph", "/i/knowledge/acme/jwt", tool, difference]) {
        await registry.goto(REGISTRY_URL + path);
        await checkAccessibility(registry, `${colorScheme} ${path}`);
      }
      grounds.add(await registry.evaluate(() => getComputedStyle(document.body).backgroundColor));
      const ui = await openUi({ colorScheme });
      for (const path of ["/", "/review", "/memories", "/graph", "/runs", "/calls", "/clients", "/search?q=jwt", "/item/knowledge/project/api/jwt"]) {
        await ui.goto(UI + path);
        await checkAccessibility(ui, `${colorScheme} ui ${path}`);
      }
    }
    assert.equal(grounds.size, 2);
  },
  async "a page on another origin reads nothing, even with the cookie in the browser"() {
    const server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<p>evil"));
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    const context = (await openUi()).context();
    const evil = await context.newPage();
    await evil.goto(`http://127.0.0.1:${server.address().port}/`);
    const outcome = await evil.evaluate(async (url) => {
      const read = await fetch(url, { credentials: "include" }).then((answer) => answer.text(), () => "refused");
      const loaded = await new Promise((done) => {
        const image = new Image();
        image.onload = () => done("loaded");
        image.onerror = () => done("refused");
        image.src = `${url}/graph.svg`;
      });
      return [read, loaded];
    }, UI);
    assert.deepEqual(outcome, ["refused", "refused"]);
    server.close();
  },
};

for (const [name, step] of Object.entries(steps)) {
  try {
    await step();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`FAILED ${name}\n${error.stack}`);
    process.exitCode = 1;
  }
}
await browser.close();
if (!process.exitCode) console.log("all steps passed");
