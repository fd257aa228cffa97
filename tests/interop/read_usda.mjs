// node read_usda.mjs TINYUSDZ PARTICLES.usda SURFACE.usda SURFACE.obj WOVEN.usda: TinyUSDZ, a reader of USD from npm, takes the
// stages, finds the surface's triangles and points where the OBJ has them, and refuses a stage that is broken.
import assert from "assert";
import fs from "fs";
import path from "path";
import { fileURLToPath, pathToFileURL } from "url";

const [folder, particles, surface, obj, woven] = process.argv.slice(2);

// It is built for browsers: what it asks of one, it is told.
process.type = "renderer";
globalThis.window = globalThis;
globalThis.fetch = async (url) =>
  new Response(fs.readFileSync(fileURLToPath(url)), { headers: { "Content-Type": "application/wasm" } });

async function main() {
  const usd = await (await import(pathToFileURL(path.join(folder, "tinyusdz.js")))).default();
  const load = (bytes) => {
    const loader = new usd.TinyUSDZLoaderNative();
    return { isGood: loader.loadFromBinary(bytes, "stage.usda"), loader };
  };
  assert(load(fs.readFileSync(particles)).isGood, "the particles are refused");
  const { isGood, loader } = load(fs.readFileSync(surface));
  assert(isGood && loader.numMeshes() === 1, "the surface is refused");
  const mesh = loader.getMesh(0);
  const lines = fs.readFileSync(obj, "utf8").split("\n");
  const vertices = lines.filter((line) => line.startsWith("v ")).map((line) => line.split(" ").slice(1).map(Number));
  const faces = lines.filter((line) => line.startsWith("f ")).length;
  assert.equal(mesh.points.length, 3 * vertices.length);
  assert.equal(mesh.faceVertexIndices.length, 3 * faces);
  vertices.forEach((vertex, v) =>
    vertex.forEach((x, a) => assert(Math.abs(x - mesh.points[3 * v + a]) <= 1e-6 * Math.max(1, Math.abs(x)))));
  const mixed = load(fs.readFileSync(woven)); // a sheet, a strand and a particle (write_sample.c)
  assert(mixed.isGood && mixed.loader.numMeshes() === 1, "sheets and strands are refused");
  assert.deepEqual([...mixed.loader.getMesh(0).faceVertexIndices], [0, 1, 2, 0, 2, 3]);
  const text = fs.readFileSync(surface, "utf8");
  assert(!load(Buffer.from(text.replace("point3f[] points = [", "point3f[] points = [("))).isGood, "broken, and taken");
  console.log(`TinyUSDZ reads ${vertices.length} points and ${faces} triangles`);
}

main().catch((reason) => {
  console.error(String(reason.stack).slice(0, 500));
  process.exit(1);
});
