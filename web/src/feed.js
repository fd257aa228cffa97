// What comes from the server (src/view/answers.h). A connection that is lost is tried again until it is back.

const query = (parameters) => new URLSearchParams(parameters).toString();

async function ask(path, parameters = {}, options = {}) {
  const response = await fetch(`/api/${path}?${query(parameters)}`, { cache: "no-store", ...options });
  if (!response.ok) {
    const problem = new Error(await response.text());
    problem.code = response.status;
    throw problem;
  }
  return response;
}

export const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
export const getItems = async () => (await ask("items")).json();
export const thumbnailOf = (item) => `/api/thumbnail?${query({ item: item.name, seen: item.signature })}`;

/** The two colour maps, each 256 RGBA colours for a texture. */
export async function getMaps() {
  const bytes = new Uint8Array(await (await ask("maps")).arrayBuffer());
  return [0, 1].map((map) => {
    const colors = new Uint8Array(1024).fill(255);
    for (let k = 0; k < 256; k++) colors.set(bytes.subarray(768 * map + 3 * k, 768 * map + 3 * k + 3), 4 * k);
    return colors;
  });
}

/** A frame as src/view/encode.h describes it: the header, and arrays that lie in the bytes received. */
export async function getFrame(item, number, field) {
  const buffer = await (await ask("frame", { item, frame: number, field })).arrayBuffer();
  const bytes = new Uint8Array(buffer);
  if (bytes.length < 8 || new TextDecoder().decode(bytes.subarray(0, 4)) !== "CTV1") throw new Error("this is not a frame");
  const length = new DataView(buffer).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const padded = (count) => Math.ceil(count / 4) * 4;
  let place = 8 + length;
  const position = new Uint16Array(buffer, place, 3 * header.shown);
  place += padded(6 * header.shown);
  const value = header.field ? new Uint16Array(buffer, place, header.shown) : null;
  if (value) place += padded(2 * header.shown);
  const body = new Uint8Array(buffer, place, header.shown);
  place += padded(header.shown);
  const triangles = new Uint32Array(buffer, place, 3 * header.triangles);
  const lines = new Uint32Array(buffer, place + 12 * header.triangles, 2 * header.lines);
  return { ...header, position, value, body, triangles, lines, bytes: buffer.byteLength };
}

/** The colliders at a frame (src/view/surfaces.h): [{vertices, corners}]. */
export async function getSurfaces(item, number, dimension) {
  const buffer = await (await ask("colliders", { item, frame: number })).arrayBuffer();
  const length = new DataView(buffer).getUint32(4, true);
  const { surfaces } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  let place = 8 + length;
  return surfaces.map(({ vertices, elements }) => {
    const surface = { vertices: new Float32Array(buffer, place, 3 * vertices), corners: new Uint32Array(buffer, place + 12 * vertices, dimension * elements) };
    place += 12 * vertices + 4 * dimension * elements;
    return surface;
  });
}

/** Rows of stats.csv after byte `from`: {text, next}. */
export async function getStats(item, from) {
  const response = await ask("stats", { item, from });
  return { text: await response.text(), next: Number(response.headers.get("X-Next")) };
}

/**
 * Tells about an item again and again: onState(state, isNew) with the frames known so far in state.numbers and
 * state.times; `isNew` when the run is another than before. onLost(problem) while the server does not answer.
 * Returns a function that ends it.
 */
export function follow(item, onState, onLost) {
  let identity = null, numbers = [], times = [], seen = "", isOver = false;
  const stop = new AbortController();

  async function once() {
    const parameters = { item, from: numbers.length };
    if (seen) parameters.seen = seen;
    const state = await (await ask("state", parameters, { signal: stop.signal })).json();
    const [now] = state.signature.split("-");
    const isNew = now !== identity;
    if (isNew && state.from > 0) {
      [identity, numbers, times, seen] = [null, [], [], ""]; // another run took its place: from the start
      return;
    }
    identity = now;
    numbers = [...numbers.slice(0, state.from), ...state.numbers];
    times = [...times.slice(0, state.from), ...state.times];
    seen = numbers.length < state.frames ? "" : state.signature;
    onState({ ...state, numbers, times }, isNew);
  }

  (async () => {
    for (let failures = 0; !isOver;) {
      try {
        await once();
        failures = 0;
      } catch (problem) {
        if (isOver) return;
        onLost(problem);
        seen = "";
        failures++;
        await pause(Math.min(0.3 * 1.6 ** failures, 3));
      }
    }
  })();
  return () => {
    isOver = true;
    stop.abort();
  };
}
