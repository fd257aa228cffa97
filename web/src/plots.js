// Energies and the time step over time, from stats.csv as it grows.
import uPlot from "uplot";
import { getStats } from "./feed.js";
import { short } from "./format.js";

const ENERGIES = [["total", "#9aa5b1"], ["kinetic", "#ff8a4c"], ["elastic", "#5ab0ff"], ["gravitational", "#6fce8a", "gravity"]];
const LIMIT_COLORS = ["#ff8a4c", "#5ab0ff", "#6fce8a", "#d58cf0", "#f2c14e", "#ff6f91", "#9aa5b1", "#7de0d0"];
const MOST_ROWS = 20000; // beyond it every second row goes

export class Plots {
  constructor(item, elements, onSeek) {
    Object.assign(this, { item, elements, onSeek });
    this.next = 0;
    this.time = 0;
    this.clear();
  }

  clear() {
    this.columns = null;
    this.rows = [];
    this.limits = [];
    this.tally = {};
    this.destroy();
  }

  destroy() {
    this.energy?.destroy();
    this.step?.destroy();
    this.energy = this.step = null;
  }

  /** Reads what is new. One at a time; news while it reads are read afterwards. */
  async update() {
    this.isWanted = true;
    if (this.isReading) return;
    this.isReading = true;
    try {
      while (this.isWanted) {
        this.isWanted = false;
        const { text, next } = await getStats(this.item, this.next);
        if (next < this.next || (text && this.next && text.startsWith("time,"))) this.clear(); // resumed: the file was cut
        this.next = next;
        if (text) {
          this.read(text);
          this.isWanted = true; // there may be more
        }
      }
    } catch { /* the connection is tried again by others, who call again */ }
    this.isReading = false;
    this.draw();
  }

  read(text) {
    for (const line of text.trimEnd().split("\n")) {
      const cells = line.split(",");
      if (cells[0] === "time") {
        this.columns = Object.fromEntries(cells.map((name, place) => [name, place]));
        continue;
      }
      if (!this.columns) continue;
      this.rows.push(cells);
      const limit = cells[this.columns.limited_by];
      if (limit && !this.limits.includes(limit)) this.limits.push(limit);
      for (const part of (cells[this.columns.limits] ?? "").split(";")) {
        const [name, steps] = part.split(":");
        if (steps) this.tally[name] = (this.tally[name] ?? 0) + Number(steps);
      }
    }
    if (this.rows.length > MOST_ROWS) this.rows = this.rows.filter((_, k) => k % 2 === 0);
  }

  column(name) {
    const place = this.columns[name];
    return this.rows.map((row) => (row[place] === "nan" || row[place] === undefined ? null : Number(row[place])));
  }

  draw() {
    this.elements.section.hidden = this.rows.length < 2;
    if (this.rows.length < 2) return;
    const time = this.column("time");
    const energies = ENERGIES.filter(([name]) => name in this.columns);
    const energyData = [time, ...energies.map(([name]) => this.column(name))];
    const dt = this.column("dt");
    const limiter = this.rows.map((row) => row[this.columns.limited_by]);
    const stepData = [time, ...this.limits.map((name) => dt.map((value, k) => (limiter[k] === name && value > 0 ? value : null)))];
    const all = Object.values(this.tally).reduce((a, b) => a + b, 0);
    this.elements.limits.textContent = "limited by " + Object.entries(this.tally).sort((a, b) => b[1] - a[1]).slice(0, 3)
      .map(([name, steps]) => `${name} ${((100 * steps) / all).toFixed(0)}%`).join(", ");
    if (this.energy && this.energy.series.length === energyData.length && this.step.series.length === stepData.length) {
      this.energy.setData(energyData);
      this.step.setData(stepData);
      return;
    }
    this.destroy();
    this.energy = this.make(this.elements.energy, energyData, energies.map(([name, stroke, label = name], k) => ({ label, stroke, width: k ? 1.6 : 1.2, dash: k ? undefined : [5, 4], points: { show: false } })), {});
    this.step = this.make(this.elements.step, stepData, this.limits.map((label, k) => ({
      label, stroke: LIMIT_COLORS[k % LIMIT_COLORS.length], width: 1, paths: () => null, points: { show: true, size: 3, width: 0, fill: LIMIT_COLORS[k % LIMIT_COLORS.length] },
    })), { range: (_, low, high) => [0, 1.05 * high] });
  }

  make(element, data, series, yScale) {
    const muted = () => getComputedStyle(element).getPropertyValue("--muted");
    const line = () => getComputedStyle(element).getPropertyValue("--line");
    const axis = (size, values) => ({ stroke: muted, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: "10px system-ui", size, gap: 4, values, space: 36 });
    const plot = new uPlot({
      width: element.clientWidth, height: 108, padding: [6, 8, 0, 0], legend: { live: false },
      cursor: { y: false, points: { show: false }, drag: { setScale: false } },
      scales: { x: { time: false }, y: yScale },
      axes: [axis(18, (_, ticks) => ticks.map(short)), axis(46, (_, ticks) => ticks.map((tick) => (tick === null ? "" : short(tick))))],
      series: [{}, ...series],
      hooks: { draw: [(self) => this.drawNow(self)] },
    }, data, element);
    plot.over.addEventListener("click", () => this.onSeek(plot.posToVal(plot.cursor.left, "x")));
    return plot;
  }

  /** A line where the frame on the stage is. */
  drawNow(plot) {
    const x = plot.valToPos(this.time, "x", true);
    if (!(x >= plot.bbox.left && x <= plot.bbox.left + plot.bbox.width)) return;
    plot.ctx.fillStyle = getComputedStyle(plot.root).getPropertyValue("--accent");
    plot.ctx.fillRect(Math.round(x) - 1, plot.bbox.top, 2, plot.bbox.height);
  }

  setTime(time) {
    this.time = time ?? 0;
    this.energy?.redraw(false);
    this.step?.redraw(false);
  }

  /** Colours come from the page's, which have changed. */
  restyle() {
    this.destroy();
    if (this.columns) this.draw();
  }
}
