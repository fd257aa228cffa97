// A picture of the stage with what is needed to understand it: title, time, legend.
import { seconds, short } from "./format.js";

export async function savePicture(stage, panel, title) {
  const { canvas } = stage;
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const pen = copy.getContext("2d");
  const unit = canvas.width / canvas.clientWidth;
  const sky = pen.createRadialGradient(copy.width / 2, 0.2 * copy.height, 0, copy.width / 2, 0.2 * copy.height, copy.width);
  sky.addColorStop(0, color("--sky"));
  sky.addColorStop(1, color("--earth"));
  pen.fillStyle = sky;
  pen.fillRect(0, 0, copy.width, copy.height);
  stage.draw(); // the canvas is only whole right after
  pen.drawImage(canvas, 0, 0);
  pen.fillStyle = color("--text");
  pen.font = `600 ${17 * unit}px system-ui`;
  pen.fillText(title, 20 * unit, 34 * unit);
  const { frame } = panel;
  pen.fillStyle = color("--muted");
  pen.font = `${13 * unit}px system-ui`;
  if (frame) pen.fillText(seconds(frame.time), 20 * unit, 54 * unit);
  if (frame?.field && panel.color !== "body") {
    const [low, high] = panel.range();
    const [x, y, width] = [20 * unit, copy.height - 46 * unit, 220 * unit];
    pen.drawImage(document.getElementById("map"), x, y, width, 10 * unit);
    const info = frame.fields.find((field) => field.name === frame.field);
    pen.fillText(`${frame.field}${info?.unit ? ` (${info.unit})` : ""}`, x, y - 8 * unit);
    pen.fillText(short(low), x, y + 26 * unit);
    pen.textAlign = "right";
    pen.fillText(short(high), x + width, y + 26 * unit);
  }
  const blob = await new Promise((done) => copy.toBlob(done, "image/png"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${title.replace(/[^\w-]+/g, "_") || "continua"}_${String(frame?.frame ?? 0).padStart(6, "0")}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
