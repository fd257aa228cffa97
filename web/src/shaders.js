// Particles are points drawn as balls. A first pass draws them with the light of a lamp at the camera's shoulder; a second
// darkens what lies behind its neighbours in the picture (eye-dome lighting, Boucheny 2009), which shows shape where
// thousands of equal balls would be a fog; a third, from above, gives the shadow on the floor.

export const pointVertex = /* glsl */ `
in vec3 position;   // 0..1 of the box
in float value;     // 0..1 of the range of the frame
in float body;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec3 low, extent;          // m, of the box
uniform vec2 range, colors;        // of the value: in the frame, on the map
uniform float radius, pixels, isFlat; // m; pixels of a metre at distance 1
uniform vec4 plane;                // clip: shown where dot(plane.xyz, x) < plane.w
uniform sampler2D palette, map;    // by body, alpha 0: hidden; by value
uniform bool usesMap, isPoint;
out vec3 color, at;
out float size, side;
void main() {
  vec3 place = low + position * extent;
  vec4 seen = modelViewMatrix * vec4(place, 1.0);
  gl_Position = projectionMatrix * seen;
  vec4 own = texelFetch(palette, ivec2(int(body + 0.5), 0), 0);
  float share = (mix(range.x, range.y, value) - colors.x) / max(colors.y - colors.x, 1e-30);
  color = usesMap ? texture(map, vec2(clamp(share, 0.002, 0.998), 0.5)).rgb : own.rgb;
  size = radius * pixels / mix(-seen.z, 1.0, isFlat);
  gl_PointSize = clamp(2.0 * size, 1.5, 256.0);
  at = seen.xyz;
  side = own.a < 0.5 ? -1.0 : plane.w - dot(plane.xyz, place);
  if (isPoint && side < 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

// Sheets and strands: the same vertices, joined. A triangle is lit on the side that is seen.
export const sheetFragment = /* glsl */ `
precision highp float;
in vec3 color, at;
in float side;
uniform float isFlat;
uniform bool isLine;
out vec4 pixel;
void main() {
  if (side < 0.0) discard;
  vec3 normal = normalize(cross(dFdx(at), dFdy(at)));
  normal *= sign(-dot(normal, at));
  float key = max(0.0, dot(normal, normalize(vec3(-0.35, 0.75, 0.65))));
  float light = 0.36 + 0.2 * (0.5 + 0.5 * normal.y) + 0.5 * key;
  pixel = vec4(color * (isLine || isFlat > 0.5 ? 0.95 : light), 1.0);
}`;

export const sheetShadowFragment = /* glsl */ `
precision mediump float;
out vec4 pixel;
void main() {
  pixel = vec4(1.0);
}`;

export const pointFragment = /* glsl */ `
precision highp float;
in vec3 color;
in float size;
uniform float isFlat;
out vec4 pixel;
void main() {
  vec2 off = 2.0 * gl_PointCoord - 1.0;
  float square = dot(off, off);
  if (square > 1.0 && size > 1.0) discard;
  vec3 normal = vec3(off.x, -off.y, sqrt(max(0.0, 1.0 - square)));
  float key = max(0.0, dot(normal, normalize(vec3(-0.35, 0.75, 0.65))));
  float sky = 0.5 + 0.5 * normal.y;
  float ball = 0.34 + 0.26 * sky + 0.5 * key;
  float round = 0.35 + 0.65 * smoothstep(3.0, 16.0, size); // small balls are grain: the second pass shows the shape
  float light = mix(mix(0.84, ball, round), 1.0 - 0.18 * square, isFlat);
  pixel = vec4(color * light, 1.0);
}`;

export const shadowFragment = /* glsl */ `
precision mediump float;
out vec4 pixel;
void main() {
  vec2 off = 2.0 * gl_PointCoord - 1.0;
  if (dot(off, off) > 1.0) discard;
  pixel = vec4(1.0);
}`;

export const wholeVertex = /* glsl */ `
in vec3 position;
out vec2 place;
void main() {
  place = position.xy * 0.5 + 0.5;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

export const edlFragment = /* glsl */ `
precision highp float;
in vec2 place;
uniform sampler2D picture, depth;
uniform vec2 pixel;       // 1 / size
uniform vec2 reach;       // near and far, m
uniform float strength;
out vec4 result;
float distanceAt(vec2 at) {
  float z = texture(depth, at).r;
  return z >= 1.0 ? reach.y : reach.x * reach.y / (reach.y - z * (reach.y - reach.x));
}
void main() {
  vec4 own = texture(picture, place);
  float here = log2(distanceAt(place));
  float behind = 0.0;
  for (int ring = 1; ring <= 3; ring++)
    for (int k = 0; k < 8; k++) {
      float angle = 0.7853982 * float(k) + 0.4 * float(ring);
      vec2 at = place + float(ring * ring) * 1.4 * vec2(cos(angle), sin(angle)) * pixel;
      behind += clamp(here - log2(distanceAt(at)), 0.0, 0.06) / float(ring);
    }
  float shade = exp(-strength * behind);
  result = vec4(own.rgb * shade, own.a);
}`;

export const floorVertex = /* glsl */ `
in vec3 position;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec3 low, extent;
out vec3 at;
void main() {
  at = position;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(low + position * extent, 1.0);
}`;

export const floorFragment = /* glsl */ `
precision highp float;
in vec3 at;               // 0..1 over the floor
uniform vec3 extent;      // m
uniform float spacing;    // m, of the lines
uniform vec3 ink;
uniform sampler2D shadow;
uniform float opacity;
out vec4 pixel;
float lines(vec2 x) {
  vec2 near = abs(fract(x - 0.5) - 0.5) / max(fwidth(x), vec2(1e-6));
  return 1.0 - min(min(near.x, near.y), 1.0);
}
void main() {
  vec2 metres = at.xz * extent.xz;
  float dark = 0.0;
  for (int i = -3; i <= 3; i++)
    for (int j = -3; j <= 3; j++) dark += texture(shadow, vec2(at.x, 1.0 - at.z) + 0.009 * vec2(i, j)).r;
  dark /= 49.0;
  float fade = smoothstep(0.75, 0.45, distance(at.xz, vec2(0.5)));
  float line = opacity * lines(metres / spacing) * fade;
  float alpha = max(0.42 * dark, line);
  if (alpha < 0.004) discard;
  vec3 color = mix(ink, vec3(0.0), 0.42 * dark / max(alpha, 1e-3));
  pixel = vec4(color, alpha);
}`;

// Colliders are glass: seen at their rims, transparent where one looks straight at them.
export const surfaceVertex = /* glsl */ `
in vec3 position;
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec4 plane;
out vec3 seen;
out float side;
void main() {
  vec4 place = modelViewMatrix * vec4(position, 1.0);
  seen = place.xyz;
  side = plane.w - dot(plane.xyz, position);
  gl_Position = projectionMatrix * place;
}`;

export const surfaceFragment = /* glsl */ `
precision highp float;
in vec3 seen;
in float side;
uniform vec3 color;
uniform float isFlat;
out vec4 pixel;
void main() {
  if (side < 0.0) discard;
  vec3 normal = normalize(cross(dFdx(seen), dFdy(seen)));
  float facing = abs(dot(normal, normalize(seen)));
  float light = 0.7 + 0.5 * abs(dot(normal, normalize(vec3(-0.35, 0.75, 0.65))));
  float alpha = isFlat > 0.5 ? 0.9 : mix(0.72, 0.2, facing);
  pixel = isFlat > 0.5 ? vec4(color, alpha) : vec4(color * light, alpha);
}`;
