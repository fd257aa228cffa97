/** A number with about four digits, short. */
export function short(value) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e5) return value.toExponential(2).replace("e+", "e").replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(4)));
}

/** "1 234 567" */
export const count = (value) => value.toLocaleString("en").replaceAll(",", "\u202f");

export const seconds = (value) => (value === null || value === undefined ? "" : `${value.toFixed(value < 10 ? 3 : 2)} s`);
