// Colour, legend, bodies, point size, clip plane.
import { short } from "./format.js";

const $ = (id) => document.getElementById(id);
const BY_BODY = "body";

export class Panel {
  constructor(stage, player, maps) {
    Object.assign(this, { stage, player, maps });
    this.ranges = {}; // by field: of all frames seen
    this.bodies = [];
    this.color = BY_BODY;
    $("color").onchange = () => this.chooseColor($("color").value);
    $("size").oninput = () => stage.setSize(2 ** Number($("size").value));
    $("cut").oninput = () => stage.setClip({ share: Number($("cut").value) });
    $("auto").onchange = () => this.applyRange();
    for (const id of ["low", "high"]) $(id).onchange = () => this.readRange();
    for (const button of $("clip").querySelectorAll("[data-axis]")) button.onclick = () => this.chooseClip(button.dataset.axis);
    $("flip").onclick = () => {
      stage.setClip({ isFlipped: !stage.clip.isFlipped });
    };
    $("size").value = 0;
    $("auto").checked = true;
    this.chooseClip("");
  }

  /** News of the run: bodies and the scene's choice of colour. */
  update(state, isNew) {
    if (!isNew) return;
    this.ranges = {};
    this.bodies = state.bodies.map((body) => ({ ...body, isHidden: false }));
    this.stage.setBodies(this.bodies);
    this.listBodies();
    this.chooseColor(state.color_by ?? BY_BODY);
  }

  listBodies() {
    $("bodies").replaceChildren(...this.bodies.slice(0, 256).map((body) => {
      const button = document.createElement("button");
      const dot = document.createElement("i");
      dot.style.setProperty("--body", body.color);
      button.append(dot, body.name);
      button.setAttribute("aria-pressed", String(!body.isHidden));
      button.title = "Show or hide; double-click: this one alone";
      button.onclick = () => this.hide((other) => (other === body ? !body.isHidden : other.isHidden));
      button.ondblclick = () => this.hide((other) => other !== body);
      return button;
    }));
  }

  hide(rule) {
    this.bodies = this.bodies.map((body) => ({ ...body, isHidden: rule(body) }));
    if (this.bodies.every((body) => body.isHidden)) this.bodies.forEach((body) => (body.isHidden = false));
    this.stage.setBodies(this.bodies);
    this.listBodies();
  }

  chooseColor(name) {
    this.color = name;
    $("auto").checked = true;
    this.player.setField(name === BY_BODY ? "" : name);
    if (name === BY_BODY && this.frame) this.apply(this.frame);
  }

  nextColor() {
    const { options } = $("color");
    if (options.length) this.chooseColor(options[($("color").selectedIndex + 1) % options.length].value);
  }

  /** The fields of a frame as choices. Numbers that only name things are left out. */
  listColors(frame) {
    const names = [BY_BODY, ...frame.fields.map((field) => field.name).filter((name) => !["body", "id"].includes(name))];
    const key = names.join();
    if (key !== this.listed) {
      this.listed = key;
      $("color").replaceChildren(...names.map((name) => {
        const info = frame.fields.find((field) => field.name === name);
        const option = new Option(info?.components > 1 && name !== "speed" ? `|${name}|` : name, name);
        option.title = info?.doc ?? "";
        return option;
      }));
    }
    $("color").value = this.color;
  }

  /** A new frame is here: puts it on the stage in its colours. */
  apply(frame) {
    this.frame = frame;
    this.listColors(frame);
    const isMapped = Boolean(frame.field) && this.color !== BY_BODY;
    if (isMapped) {
      const [low, high] = frame.colors;
      const before = this.ranges[frame.field] ?? [low, high];
      this.ranges[frame.field] = [Math.min(before[0], low), Math.max(before[1], high)];
    }
    $("legend").hidden = !isMapped;
    $("bodies").classList.toggle("plain", isMapped);
    this.stage.setFrame(frame, isMapped ? this.range() : null, frame.diverges);
    if (isMapped) this.drawLegend();
  }

  range() {
    return $("auto").checked || !this.fixed ? this.ranges[this.frame.field] : this.fixed;
  }

  applyRange() {
    this.stage.setColors(this.range(), this.frame.diverges);
    this.drawLegend();
  }

  readRange() {
    const fixed = [$("low"), $("high")].map((input) => Number(input.value.replace(",", ".")));
    if (fixed.every(Number.isFinite) && fixed[0] < fixed[1]) {
      this.fixed = fixed;
      $("auto").checked = false;
    }
    this.applyRange();
  }

  drawLegend() {
    const [low, high] = this.range();
    const field = this.frame.fields.find((one) => one.name === this.frame.field);
    if (document.activeElement !== $("low")) $("low").value = short(low);
    if (document.activeElement !== $("high")) $("high").value = short(high);
    $("unit").textContent = field?.unit ?? "";
    const bytes = new Uint8ClampedArray(this.maps[this.frame.diverges ? 1 : 0]);
    $("map").getContext("2d").putImageData(new ImageData(bytes, 256, 1), 0, 0);
  }

  chooseClip(axis) {
    for (const button of $("clip").querySelectorAll("[data-axis]")) button.setAttribute("aria-pressed", String(button.dataset.axis === axis));
    $("cut").hidden = $("flip").hidden = axis === "";
    this.stage.setClip({ axis: axis === "" ? -1 : Number(axis) });
  }

  resize(steps) {
    $("size").value = Number($("size").value) + 0.2 * steps;
    $("size").oninput();
  }
}
