// The viewer's page in a real browser: what a person would try, and that the pixels follow. Pictures of each test are left in
// the folder $SHOTS.
import { chromium } from "../../web/node_modules/playwright-core/index.mjs";
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const CONTINUA = process.env.CONTINUA ?? "continua";
const SHOTS = process.env.SHOTS ?? join(tmpdir(), "continua-shots");
const GONE = 150; // pixels: the dots in the list of bodies are in the picture, too
const folder = mkdtempSync(join(tmpdir(), "continua-page-"));
const started = [];
let browser, eye, server;

// Two balls in a box; in 3D to have depth, in 2D to be quick.
const scene = (dimension, end, perCell) => `
name: balls
title: Two balls fall
dimension: ${dimension}
time: {end: ${end} s, frame: 0.02 s}
grid: {spacing: 5 cm}
domain: {min: [0, 0${dimension === 3 ? ", 0" : ""}], max: [1, 1${dimension === 3 ? ", 1" : ""}]}
walls: {default: separate}
materials: {rubber: {type: fixed_corotated, density: 1000, young: 1e5, poisson: 0.3}}
bodies:
  red: {material: rubber, color: "#ff0000", sampling: {per_cell: ${perCell}}, shape: {type: sphere, center: [0.3, 0.5${dimension === 3 ? ", 0.5" : ""}], radius: 0.18}}
  blue: {material: rubber, color: "#0000ff", sampling: {per_cell: ${perCell}}, shape: {type: sphere, center: [0.7, 0.6${dimension === 3 ? ", 0.5" : ""}], radius: 0.18}}
output: {fields: [velocity, J, body]}
`;

const run = (...args) => execFileSync(CONTINUA, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });

/** Starts a program that prints where its page is; resolves to {url, process}. */
function serve(...args) {
  const child = spawn(CONTINUA, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  return new Promise((done, fail) => {
    let text = "";
    child.on("exit", () => fail(new Error(`it ended: ${text}`)));
    child.stdout.on("data", (piece) => {
      text += piece;
      const url = text.match(/http:\/\/\S+?\/(?=["\s])/);
      if (url) done({ url: url[0], process: child });
    });
  });
}

const end = (child, signal = "SIGTERM") => new Promise((done) => {
  if (child.exitCode !== null || child.signalCode) return done();
  child.removeAllListeners("exit");
  child.on("exit", done);
  child.kill(signal);
});

/** A page that must not complain and must not ask anyone but our server. */
async function open(url, { width = 760, height = 440, colorScheme = "dark", mayLose = false } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  page.complaints = [];
  page.on("pageerror", (problem) => page.complaints.push(problem.message));
  page.on("console", (line) => { if (line.type() === "error" && !(mayLose && /ERR_|Failed to load/.test(line.text()))) page.complaints.push(line.text()); });
  page.on("request", (request) => { if (!/^(http:\/\/127\.0\.0\.1:|blob:|data:)/.test(request.url())) page.complaints.push(`asks ${request.url()}`); });
  await page.goto(url);
  return page;
}

const seen = (page) => page.evaluate(() => ({ ...document.documentElement.dataset }));
const until = (page, rule, argument) => page.waitForFunction(rule, argument, { timeout: 30000, polling: 50 });
const atFrame = (page, number) => until(page, (wanted) => document.documentElement.dataset.frame === String(wanted), number);

async function close(page, name) {
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
  assert.deepEqual(page.complaints, []);
  await page.close();
}

/** Pixels of a part of the page by kind: strongly red, strongly blue, any strong colour. */
async function pixels(page, selector = "#canvas") {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const picture = (await page.locator(selector).screenshot()).toString("base64");
  return eye.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    const bytes = pen.getImageData(0, 0, image.width, image.height).data;
    const found = { red: 0, blue: 0, strong: 0, hash: 0 };
    for (let k = 0; k < bytes.length; k += 4) {
      const [r, g, b] = bytes.subarray(k, k + 3);
      if (r > 80 && r > 3 * g && r > 3 * b) found.red++;
      if (b > 80 && b > 3 * r && b > 2 * g) found.blue++;
      if (Math.max(r, g, b) - Math.min(r, g, b) > 60) found.strong++;
      found.hash = (found.hash * 31 + r + 3 * g + 7 * b) % 1000000007;
    }
    return found;
  }, picture);
}

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  writeFileSync(join(folder, "scene.yaml"), scene(3, 0.2, 8));
  writeFileSync(join(folder, "flat.yaml"), scene(2, 0.2, 16));
  writeFileSync(join(folder, "long.yaml"), scene(2, 30, 400));
  run("run", "scene.yaml", "-o", "runs/three", "-q");
  run("run", "flat.yaml", "-o", "runs/two", "-q");
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] });
  eye = await browser.newPage();
  server = await serve("view", "runs", "--port", "0");
});

after(async () => {
  await browser?.close();
  for (const child of started) await end(child, "SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const three = () => `${server.url}#item=runs/three`;

test("a finished run: pixels, bodies on and off, clip plane", async () => {
  const page = await open(three());
  await atFrame(page, 0);
  const { frames, points, state } = await seen(page);
  assert.equal(frames, "11");
  assert.equal(state, "finished");
  assert.ok(Number(points) > 1000);
  const both = await pixels(page);
  assert.ok(both.red > 1000 && both.blue > 1000, JSON.stringify(both));
  await page.click("#bodies button:has-text('red')");
  const blue = await pixels(page);
  assert.ok(blue.red < GONE && blue.blue > 1000, JSON.stringify(blue));
  await page.click("#bodies button:has-text('red')");
  await page.click('[data-axis="0"]'); // x < 0.5: the red one
  const cut = await pixels(page);
  assert.ok(cut.blue < GONE && cut.red > 1000, JSON.stringify(cut));
  await page.click("#flip");
  const other = await pixels(page);
  assert.ok(other.red < GONE && other.blue > 1000, JSON.stringify(other));
  await page.locator("#cut").evaluate((slider) => { slider.value = 1; slider.oninput(); }); // nothing left: background only
  const none = await pixels(page);
  assert.ok(none.red < GONE && none.blue < GONE, JSON.stringify(none));
  await close(page, "bodies");
});

test("play, pause, step, scrub, keys", async () => {
  const page = await open(three());
  await atFrame(page, 0);
  const first = await pixels(page);
  await page.click("#next");
  await atFrame(page, 1);
  await page.keyboard.press("ArrowRight");
  await atFrame(page, 2);
  await page.keyboard.press("ArrowLeft");
  await atFrame(page, 1);
  await page.locator("#scrub").fill("7");
  await atFrame(page, 7);
  assert.notEqual((await pixels(page)).hash, first.hash);
  await page.keyboard.press("End");
  await atFrame(page, 10);
  await page.keyboard.press("Home");
  await atFrame(page, 0);
  assert.match(await page.textContent("#now"), /0\.000 s.*frame 0\/10/);
  await page.selectOption("#speed", "0.1");
  await page.locator("#canvas").focus().catch(() => {});
  await page.click("#play");
  await until(page, () => Number(document.documentElement.dataset.frame) >= 2);
  assert.equal((await seen(page)).playing, "yes");
  await page.keyboard.press(" ");
  assert.equal((await seen(page)).playing, "no");
  const { frame } = await seen(page);
  await page.waitForTimeout(600);
  assert.equal((await seen(page)).frame, frame);
  await close(page, "play");
});

test("colour, legend, size, view, picture", async () => {
  const page = await open(three());
  await atFrame(page, 0);
  await page.keyboard.press("End");
  await atFrame(page, 10);
  const byBody = await pixels(page);
  await page.selectOption("#color", "speed");
  await until(page, () => document.documentElement.dataset.field === "speed");
  assert.ok(await page.isVisible("#legend"));
  assert.equal(await page.textContent("#unit"), "m/s");
  const bySpeed = await pixels(page);
  assert.notEqual(bySpeed.hash, byBody.hash);
  assert.ok((await pixels(page, "#map")).strong > 200, "the legend has no colours");
  await page.fill("#low", "-100");
  await page.keyboard.press("Enter");
  assert.equal(await page.isChecked("#auto"), false);
  assert.notEqual((await pixels(page)).hash, bySpeed.hash);
  await page.locator("#canvas").click({ position: { x: 20, y: 200 } });
  await page.keyboard.press("c"); // the next quantity
  await until(page, () => document.documentElement.dataset.field === "J");
  const middle = await pixels(page);
  await page.keyboard.press("+");
  assert.notEqual((await pixels(page)).hash, middle.hash);
  await page.keyboard.press("x");
  await page.keyboard.press("r");
  await page.mouse.move(300, 300);
  await page.mouse.down();
  await page.mouse.move(380, 320, { steps: 4 });
  await page.mouse.up();
  const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
  assert.equal(file.suggestedFilename(), "Two_balls_fall_000010.png");
  await file.saveAs(join(SHOTS, "saved.png"));
  await close(page, "color");
});

test("plots have lines, a click goes there", async () => {
  const page = await open(three(), { height: 900 });
  await atFrame(page, 0);
  await until(page, () => document.querySelectorAll("#plots canvas").length === 2);
  assert.ok((await pixels(page, "#energy")).strong > 60);
  assert.ok((await pixels(page, "#step")).strong > 10);
  assert.match(await page.textContent("#energy"), /kinetic.*elastic/);
  assert.match(await page.textContent("#limits"), /limited by .*%/);
  const box = await page.locator("#energy .u-over").boundingBox();
  await page.mouse.click(box.x + box.width - 2, box.y + box.height / 2);
  await atFrame(page, 10);
  await close(page, "plots");
});

test("2D, light, help, a phone", async () => {
  const page = await open(`${server.url}#item=runs/two`, { width: 390, height: 780, colorScheme: "light" });
  await atFrame(page, 0);
  assert.equal((await seen(page)).theme, "light");
  const found = await pixels(page);
  assert.ok(found.red > 500 && found.blue > 500, JSON.stringify(found));
  assert.ok(!(await page.isVisible("#panel")));
  for (const id of ["play", "scrub", "now", "panel-open", "shot"]) {
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 780, id);
  }
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.click("#panel-open");
  assert.ok(await page.isVisible("#panel"));
  assert.ok((await pixels(page)).red > 200, "the panel hides the picture");
  await page.screenshot({ path: join(SHOTS, "phone-panel.png") });
  await page.keyboard.press("p");
  await page.keyboard.press("?");
  assert.match(await page.textContent("#help"), /play or pause/);
  await page.keyboard.press("Escape");
  assert.ok(!(await page.isVisible("#help")));
  await page.keyboard.press("t");
  assert.equal((await seen(page)).theme, "dark");
  await close(page, "phone");
});

test("sheets are surfaces, strands are lines", async () => {
  // Points far apart, which as particles would be specks: the size of balls is that of a dense crowd in a corner.
  const crowd = Array.from({ length: 27 }, (_, k) => `${0.01 * (k % 3)} ${0.01 * (Math.floor(k / 3) % 3)} ${0.01 * Math.floor(k / 9)}\n`).join("");
  const head = (points) => `ply\nformat ascii 1.0\nelement vertex ${points}\nproperty float x\nproperty float y\nproperty float z\n`;
  writeFileSync(join(folder, "sheet.ply"), `${head(31)}element face 1\nproperty list uchar uint vertex_indices
end_header\n0 0 0\n1 0 0\n1 1 0.2\n0 1 0\n${crowd}4 0 1 2 3\n`);
  writeFileSync(join(folder, "strand.ply"), `${head(29)}element edge 1\nproperty uint vertex1\nproperty uint vertex2
end_header\n0 0 0\n1 1 0\n${crowd}0 1\n`);
  writeFileSync(join(folder, "points.ply"), `${head(31)}end_header\n0 0 0\n1 0 0\n1 1 0.2\n0 1 0\n${crowd}`);
  const { url } = await serve("view", "sheet.ply", "strand.ply", "points.ply", "--port", "0");
  const strong = {};
  for (const name of ["sheet", "strand", "points"]) {
    const page = await open(`${url}#item=${name}.ply`);
    await atFrame(page, 0);
    strong[name] = (await pixels(page)).strong;
    await close(page, name);
  }
  assert.ok(strong.sheet > 5000, JSON.stringify(strong));
  assert.ok(strong.points < 0.2 * strong.sheet, JSON.stringify(strong)); // the control
  assert.ok(strong.strand > strong.points + 50 && strong.strand < 0.2 * strong.sheet, JSON.stringify(strong));
});

test("the list of runs, with pictures", async () => {
  const page = await open(server.url);
  await until(page, () => document.querySelectorAll("#cards img").length === 2);
  await until(page, () => [...document.querySelectorAll("#cards img")].every((image) => image.complete && image.naturalWidth > 100));
  await page.screenshot({ path: join(SHOTS, "list.png") });
  await page.click("#cards a:has-text('runs/two')");
  await atFrame(page, 0);
  assert.ok((await pixels(page)).red > 500);
  await page.click("#back");
  await until(page, () => !document.getElementById("gallery").hidden);
  await close(page, "back");
});

test("a wheel turns until what was asked for is there", async () => {
  const page = await open(server.url);
  let letGo;
  const gate = new Promise((done) => (letGo = done));
  await page.route(/\/api\/(frame|thumbnail)/, async (route) => {
    await gate;
    await route.continue();
  });
  await page.reload();
  await until(page, () => document.querySelectorAll("#cards .waiting").length === 2);
  await page.evaluate(() => (location.hash = "item=runs/three"));
  await until(page, () => !document.getElementById("viewer").hidden && !document.getElementById("busy").hidden);
  letGo();
  await until(page, () => document.documentElement.dataset.points > 0);
  assert.equal(await page.evaluate(() => document.getElementById("busy").hidden), true);
  await page.evaluate(() => (location.hash = ""));
  await until(page, () => document.querySelectorAll("#cards a").length === 2 && !document.querySelector("#cards .waiting"));
  await close(page, "busy");
});

test("follows a run that is going on", async () => {
  const live = await serve("run", "long.yaml", "-o", "live", "--view", "--log", "json");
  live.process.stdout.resume();
  const page = await open(live.url, { mayLose: true });
  await until(page, () => Number(document.documentElement.dataset.frame) >= 1);
  assert.equal((await seen(page)).state, "running");
  assert.equal(await page.getAttribute("#live", "aria-pressed"), "true");
  const { frame } = await seen(page);
  await until(page, (before) => Number(document.documentElement.dataset.frame) >= Number(before) + 3, frame);
  await page.keyboard.press("Home"); // looking back does not end the run
  await atFrame(page, 0);
  assert.equal(await page.getAttribute("#live", "aria-pressed"), "false");
  await page.keyboard.press("l");
  await until(page, (before) => Number(document.documentElement.dataset.frame) >= Number(before) + 3, frame);
  assert.ok((await pixels(page)).red > 500);
  await page.screenshot({ path: join(SHOTS, "live.png") });
  await end(live.process, "SIGINT");
  await close(page, "live-over");
});

test("finds its server again", async () => {
  let own = await serve("view", "runs/two", "--port", "0");
  const { port } = new URL(own.url);
  const page = await open(own.url, { mayLose: true });
  await atFrame(page, 0);
  await end(own.process);
  await until(page, () => document.documentElement.dataset.state === "lost");
  assert.match(await page.textContent("#chip"), /reconnecting/);
  own = await serve("view", "runs/two", "--port", port);
  await until(page, () => document.documentElement.dataset.state === "finished");
  await page.keyboard.press("End");
  await atFrame(page, 10);
  await close(page, "again");
});
