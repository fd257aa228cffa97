// The page: a list of what there is, or the viewer of one item. The address says which: #item=NAME.
import { follow, getItems, getMaps, pause } from "./feed.js";
import { count, seconds } from "./format.js";
import { showGallery } from "./gallery.js";
import { listen } from "./keys.js";
import { Panel } from "./panel.js";
import { savePicture } from "./picture.js";
import { Player } from "./player.js";
import { Plots } from "./plots.js";
import { Stage } from "./stage.js";

const $ = (id) => document.getElementById(id);
const root = document.documentElement;
const AXES = { x: [1, 0, 0.0001], y: [0, 1, 0.0001], z: [0, 0, 1] };
const CHIPS = { running: "running", finished: "", stopped: "stopped", scene: "not run yet", frame: "" };
let stage = null, maps = null, leave = () => {};

// ---- dark and light ----

const remembered = { get: () => { try { return localStorage.getItem("theme"); } catch { return null; } }, set: (theme) => { try { localStorage.setItem("theme", theme); } catch { /* private window */ } } };
const systemTheme = matchMedia("(prefers-color-scheme: light)");
function applyTheme(theme = remembered.get() ?? (systemTheme.matches ? "light" : "dark")) {
  root.dataset.theme = theme;
  stage?.setInk(theme === "light");
}
systemTheme.addEventListener("change", () => applyTheme());

// ---- one item ----

/** Tells the stage what the bars and the panel cover. */
function measureCover() {
  const isPhone = innerWidth <= 720, hasPanel = !$("viewer").classList.contains("no-panel");
  const panel = $("panel").getBoundingClientRect();
  const bottom = isPhone && hasPanel ? innerHeight - panel.top : innerHeight - $("bar").getBoundingClientRect().top;
  stage.setCovered($("top").offsetHeight, hasPanel && !isPhone ? innerWidth - panel.left : 0, $("bar").hidden ? 0 : bottom);
}

/** Something asked for has not come yet. */
function busy(isBusy) {
  $("busy").hidden = !isBusy;
}

function note(text) {
  $("note").textContent = text;
  $("note").hidden = !text;
}

/** The box to look at: the scene's domain, or where the particles are with room around them. */
function boundsOf(state, frame) {
  if (state.domain) return state.domain;
  const room = frame.min.map((low, axis) => 0.25 * (frame.max[axis] - low));
  return [frame.min.map((low, axis) => low - room[axis]), frame.max.map((high, axis) => high + room[axis])];
}

async function openItem(name, hasOthers) {
  let state = null, isAimed = false;
  stage ??= new Stage($("canvas"), maps);
  stage.radius = undefined;
  stage.points.visible = stage.shadowPoints.visible = false;
  applyTheme();

  const player = new Player(name, {
    onFrame(frame) {
      if (!isAimed) {
        isAimed = true;
        measureCover();
        stage.setBounds(boundsOf(state, frame), frame.dimension, state.camera ?? null, Boolean(state.domain));
      }
      panel.apply(frame);
      stage.setSurfaces(frame.surfaces, state.colliders);
      plots.setTime(frame.time);
      note("");
      busy(false);
      const isThinned = frame.shown < frame.count;
      $("facts").textContent = `${frame.dimension}D · ${count(frame.count)} particles${isThinned ? ` (${count(frame.shown)} shown)` : ""}`;
      Object.assign(root.dataset, { frame: frame.frame, points: frame.shown, field: frame.field ?? "" });
      if (!player.wasShown && state.state !== "running" && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
      player.wasShown = true;
    },
    onChange() {
      $("scrub").max = player.last;
      $("scrub").value = player.index;
      const total = state?.frames_in_all ? `/${state.frames_in_all - 1}` : "";
      const frames = document.createElement("span");
      frames.className = "muted";
      frames.textContent = `frame ${player.numbers[player.index] ?? 0}${total}`;
      $("now").replaceChildren(state?.interval ? seconds(player.times[player.index]) : "", frames);
      root.dataset.playing = player.isPlaying ? "yes" : "no";
      $("live").hidden = !player.isLive;
      $("live").setAttribute("aria-pressed", String(player.isFollowing));
    },
    onProblem: (problem) => {
      busy(false);
      if (problem.code) note(problem.message);
    },
  });
  const panel = new Panel(stage, player, maps);
  const plots = new Plots(name, { section: $("plots"), energy: $("energy"), step: $("step"), limits: $("limits") },
    (time) => player.seek(player.times.reduce((best, t, k) => (Math.abs(t - time) < Math.abs(player.times[best] - time) ? k : best), 0)));

  const endFollowing = follow(name, (news, isNew) => {
    state = news;
    if (isNew) {
      isAimed = false;
      stage.radius = undefined;
      plots.next = 0;
      plots.clear();
    }
    note(news.numbers.length ? "" : "no frames yet");
    if (!news.numbers.length) busy(false);
    $("title").textContent = document.title = news.title;
    Object.assign($("chip"), { textContent: CHIPS[news.state] });
    $("chip").dataset.state = root.dataset.state = news.state;
    root.dataset.frames = news.numbers.length;
    const isStill = news.kind !== "run";
    for (const id of ["previous", "play", "next", "scrub", "speed"]) $(id).disabled = isStill;
    $("bar").hidden = isStill;
    $("viewer").classList.toggle("is-flat", news.dimension === 2);
    $("how").hidden = news.kind !== "scene";
    $("command").textContent = `continua run ${news.path} --view`;
    player.update(news, isNew);
    panel.update(news, isNew);
    plots.update();
  }, (problem) => {
    busy(false);
    if (problem.code === 404 && hasOthers) location.hash = "";
    if (problem.code) note(problem.message);
    $("chip").textContent = problem.code ? "cannot be read" : "reconnecting …";
    $("chip").dataset.state = root.dataset.state = "lost";
  });

  const actions = {
    player, panel, stage,
    lookAlong: (key) => stage.dimension === 3 && stage.resetView(AXES[key]),
    togglePanel() {
      const isOff = $("viewer").classList.toggle("no-panel");
      $("panel-open").setAttribute("aria-expanded", String(!isOff));
      if (!isOff) plots.restyle();
      measureCover();
    },
    toggleTheme() {
      const theme = root.dataset.theme === "light" ? "dark" : "light";
      remembered.set(theme);
      applyTheme(theme);
      plots.restyle();
    },
    savePicture: () => savePicture(stage, panel, $("title").textContent),
    toggleFullScreen: () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen().catch(() => {})),
    toggleHelp: () => ($("help").open ? $("help").close() : $("help").showModal()),
  };
  $("play").onclick = () => player.toggle();
  $("previous").onclick = () => player.step(-1);
  $("next").onclick = () => player.step(1);
  $("scrub").oninput = () => {
    const index = Number($("scrub").value); // pausing writes it
    player.pause();
    player.seek(index);
  };
  $("speed").onchange = () => player.setSpeed(Number($("speed").value));
  $("speed").value = "1";
  $("live").onclick = () => player.followRun(!player.isFollowing);
  $("shot").onclick = actions.savePicture;
  $("theme").onclick = actions.toggleTheme;
  $("help-open").onclick = actions.toggleHelp;
  $("panel-open").onclick = actions.togglePanel;
  $("back").hidden = !hasOthers;
  $("back").onclick = () => (location.hash = "");
  const endListening = listen(actions);
  return () => {
    endFollowing();
    endListening();
    player.pause();
    plots.destroy();
  };
}

// ---- which ----

async function route() {
  leave();
  leave = () => {};
  let items;
  while (!items) items = await getItems().then((answer) => answer.items, () => pause(1));
  maps ??= await getMaps();
  const asked = new URLSearchParams(location.hash.slice(1)).get("item");
  const name = asked ?? (items.length === 1 ? items[0].name : null);
  $("viewer").hidden = name === null;
  $("gallery").hidden = name !== null;
  busy(name !== null);
  leave = name === null ? showGallery() : await openItem(name, items.length > 1);
}

if (innerWidth <= 720) $("viewer").classList.add("no-panel");
applyTheme();
addEventListener("hashchange", route);
addEventListener("resize", () => stage && measureCover());
route();
