// The picture: particles, the box they are in, the floor, and the camera. It is drawn when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { edlFragment, floorFragment, floorVertex, pointFragment, pointVertex, shadowFragment, sheetFragment, sheetShadowFragment, surfaceFragment, surfaceVertex, wholeVertex } from "./shaders.js";

const SHADOW_PIXELS = 256;
const GIVEN_ASPECT = 1.4;
const raw = (vertexShader, fragmentShader, uniforms, more = {}) =>
  new THREE.RawShaderMaterial({ vertexShader, fragmentShader, uniforms, glslVersion: THREE.GLSL3, ...more });
const uniform = (value) => ({ value });
const colorTexture = (bytes) => {
  const texture = new THREE.DataTexture(bytes, 256, 1, THREE.RGBAFormat);
  texture.needsUpdate = true;
  return texture;
};

/** 1, 2 or 5 times a power of ten, about a tenth of `length`. */
function roundLength(length) {
  const power = 10 ** Math.floor(Math.log10(length / 10));
  return [1, 2, 5, 10].find((k) => (k * power * 12) >= length) * power;
}

export class Stage {
  constructor(canvas, maps) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, alpha: true, antialias: false, powerPreference: "high-performance" });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // shaders work in the space of the screen
    this.renderer.setClearColor(0, 0);
    this.maps = maps.map((bytes) => Object.assign(colorTexture(bytes), { magFilter: THREE.LinearFilter, minFilter: THREE.LinearFilter }));
    this.scene = new THREE.Scene();
    this.shadowScene = new THREE.Scene();
    this.makePoints();
    this.makeSheets();
    this.makeFloor();
    this.makePost();
    this.box = new THREE.LineSegments(new THREE.EdgesGeometry(new THREE.BoxGeometry()), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.35 }));
    this.scene.add(this.box);
    this.colliders = new THREE.Group();
    this.scene.add(this.colliders);
    this.sizeFactor = 1;
    this.covered = { top: 0, right: 0, bottom: 0 };
    this.clip = { axis: -1, share: 0.5, isFlipped: false };
    this.setBounds([[0, 0, 0], [1, 1, 1]], 3, null);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
    this.needsDrawing = true;
    this.renderer.setAnimationLoop(() => this.drawIfNeeded());
  }

  makePoints() {
    this.uniforms = {
      low: uniform(new THREE.Vector3()), extent: uniform(new THREE.Vector3(1, 1, 1)),
      range: uniform(new THREE.Vector2(0, 1)), colors: uniform(new THREE.Vector2(0, 1)),
      radius: uniform(0.01), pixels: uniform(1), isFlat: uniform(0), plane: uniform(new THREE.Vector4(0, 0, 0, 1)),
      palette: uniform(colorTexture(new Uint8Array(1024).fill(255))), map: uniform(this.maps[0]), usesMap: uniform(false), isPoint: uniform(true),
    };
    this.shadowUniforms = { ...this.uniforms, isFlat: uniform(1), pixels: uniform(1) };
    this.points = new THREE.Points(new THREE.BufferGeometry(), raw(pointVertex, pointFragment, this.uniforms));
    this.shadowPoints = new THREE.Points(this.points.geometry, raw(pointVertex, shadowFragment, this.shadowUniforms));
    for (const points of [this.points, this.shadowPoints]) {
      points.frustumCulled = false;
      points.visible = false;
    }
    this.scene.add(this.points);
    this.shadowScene.add(this.shadowPoints);
  }

  /** Sheets and strands: the points' vertices, joined to triangles and lines. */
  makeSheets() {
    const material = (fragment, uniforms, isLine) =>
      raw(pointVertex, fragment, { ...uniforms, isPoint: uniform(false), isLine: uniform(isLine) }, { side: THREE.DoubleSide });
    this.sheets = new THREE.Mesh(new THREE.BufferGeometry(), material(sheetFragment, this.uniforms, false));
    this.strands = new THREE.LineSegments(new THREE.BufferGeometry(), material(sheetFragment, this.uniforms, true));
    this.shadowSheets = new THREE.Mesh(this.sheets.geometry, material(sheetShadowFragment, this.shadowUniforms, false));
    this.scene.add(this.sheets, this.strands);
    this.shadowScene.add(this.shadowSheets);
    for (const drawn of [this.sheets, this.strands, this.shadowSheets]) {
      drawn.frustumCulled = false;
      drawn.visible = false;
    }
  }

  /** `like` has the vertices; `corners` says which are joined. */
  setSheet(drawn, like, corners) {
    drawn[0].geometry.dispose();
    const geometry = new THREE.BufferGeometry();
    for (const name of ["position", "body", "value"]) geometry.setAttribute(name, like.getAttribute(name));
    geometry.setIndex(new THREE.BufferAttribute(corners, 1));
    for (const one of drawn) {
      one.geometry = geometry;
      one.visible = corners.length > 0;
    }
  }

  makeFloor() {
    this.shadowTarget = new THREE.WebGLRenderTarget(SHADOW_PIXELS, SHADOW_PIXELS, { depthBuffer: false });
    this.shadowCamera = new THREE.OrthographicCamera();
    const square = new THREE.BufferGeometry();
    square.setAttribute("position", new THREE.BufferAttribute(new Float32Array([0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1]), 3));
    this.floor = new THREE.Mesh(square, raw(floorVertex, floorFragment, {
      low: uniform(new THREE.Vector3()), extent: uniform(new THREE.Vector3()), spacing: uniform(0.1), ink: uniform(new THREE.Vector3()),
      shadow: uniform(this.shadowTarget.texture), opacity: uniform(0.3),
    }, { transparent: true, side: THREE.DoubleSide, depthWrite: false }));
    this.floor.frustumCulled = false;
    this.scene.add(this.floor);
  }

  makePost() {
    this.target = new THREE.WebGLRenderTarget(1, 1, { depthTexture: new THREE.DepthTexture(1, 1, THREE.UnsignedIntType) });
    const whole = new THREE.BufferGeometry();
    whole.setAttribute("position", new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    this.post = new THREE.Mesh(whole, raw(wholeVertex, edlFragment, {
      picture: uniform(this.target.texture), depth: uniform(this.target.depthTexture), pixel: uniform(new THREE.Vector2()),
      reach: uniform(new THREE.Vector2()), strength: uniform(1),
    }, { depthTest: false, depthWrite: false }));
    this.post.frustumCulled = false;
  }

  /** `bounds` [[m], [m]] is what the camera shows; `given` the scene's own camera or null. */
  setBounds(bounds, dimension, given, hasBox = true) {
    this.bounds = bounds.map((corner) => new THREE.Vector3(...corner));
    if (dimension === 2) this.bounds.forEach((corner) => (corner.z = 0));
    this.dimension = dimension;
    this.given = given;
    this.extent = this.bounds[1].clone().sub(this.bounds[0]);
    this.span = Math.max(this.extent.x, this.extent.y, this.extent.z, 1e-9);
    this.uniforms.isFlat.value = dimension === 2 ? 1 : 0;
    const middle = this.bounds[0].clone().addScaledVector(this.extent, 0.5);
    this.box.visible = hasBox;
    this.box.position.copy(middle);
    this.box.scale.copy(this.extent).max(new THREE.Vector3(1e-9, 1e-9, 1e-9).multiplyScalar(this.span));
    this.floor.visible = dimension === 3;
    const floor = this.floor.material.uniforms;
    floor.low.value.copy(this.bounds[0]).addScaledVector(this.extent, -0.25).setY(this.bounds[0].y);
    floor.extent.value.copy(this.extent).multiplyScalar(1.5).setY(0);
    floor.spacing.value = roundLength(this.span);
    this.aimShadow(floor);
    this.setCamera();
    this.setClip();
  }

  /** A camera far above the middle of the floor, looking down at all of it. */
  aimShadow(floor) {
    const { x, z } = floor.extent.value;
    Object.assign(this.shadowCamera, { left: -x / 2, right: x / 2, top: z / 2, bottom: -z / 2, near: 0, far: 4 * this.span });
    this.shadowCamera.position.copy(floor.low.value).add(new THREE.Vector3(x / 2, 2 * this.span + this.extent.y, z / 2));
    this.shadowCamera.up.set(0, 0, -1);
    this.shadowCamera.lookAt(this.shadowCamera.position.clone().setY(this.bounds[0].y));
    this.shadowCamera.updateProjectionMatrix();
    this.shadowUniforms.pixels.value = SHADOW_PIXELS / Math.max(x, 1e-9);
  }

  setCamera() {
    this.controls?.dispose();
    this.camera = this.dimension === 2 ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(this.given?.fov ?? 35, 1, 1, 10);
    this.controls = new OrbitControls(this.camera, this.canvas);
    Object.assign(this.controls, { enableDamping: true, dampingFactor: 0.12, zoomToCursor: true, enableRotate: this.dimension === 3 });
    if (this.dimension === 2) {
      this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      this.controls.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
    }
    this.controls.addEventListener("change", () => (this.needsDrawing = true));
    this.resetView();
  }

  /** The scene's camera, or one that shows all; `direction` looks along an axis. */
  resetView(direction) {
    const middle = this.bounds[0].clone().addScaledVector(this.extent, 0.5);
    this.camera.up.set(0, 1, 0);
    if (this.dimension === 2) {
      this.camera.zoom = 1;
      this.camera.position.set(middle.x, middle.y, 10 * this.span);
      this.controls.target.copy(middle);
    } else if (this.given && !direction) {
      // The scene's camera is meant for a wide picture: on a narrow one it stands back.
      const back = Math.max(1, GIVEN_ASPECT / this.openAspect);
      this.controls.target.set(...this.given.target);
      this.camera.position.set(...this.given.from).sub(this.controls.target).multiplyScalar(back).add(this.controls.target);
    } else {
      const from = direction ? new THREE.Vector3(...direction) : new THREE.Vector3(0.62, 0.36, 1);
      const half = THREE.MathUtils.degToRad(this.camera.fov / 2);
      const far = (0.5 * this.extent.length()) / Math.sin(Math.atan(Math.tan(half) * Math.min(1, this.openAspect)));
      this.camera.position.copy(middle).addScaledVector(from.normalize(), 0.92 * far);
      this.controls.target.copy(middle);
    }
    this.resize();
    this.controls.update();
  }

  setFrame(frame, colors, isDiverging) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(frame.position, 3, true));
    geometry.setAttribute("body", new THREE.BufferAttribute(frame.body, 1));
    geometry.setAttribute("value", frame.value ? new THREE.BufferAttribute(frame.value, 1, true) : new THREE.BufferAttribute(frame.body, 1));
    this.points.geometry.dispose();
    for (const points of [this.points, this.shadowPoints]) {
      points.geometry = geometry;
      points.visible = frame.loose > 0;
    }
    geometry.setDrawRange(0, frame.loose);
    this.setSheet([this.sheets, this.shadowSheets], geometry, frame.triangles);
    this.setSheet([this.strands], geometry, frame.lines);
    this.uniforms.low.value.set(...frame.min);
    this.uniforms.extent.value.set(...frame.max).sub(this.uniforms.low.value);
    this.uniforms.usesMap.value = Boolean(frame.value) && Boolean(colors);
    if (frame.value) this.uniforms.range.value.set(...frame.range);
    this.radius ??= frame.radius || 0.01 * this.span;
    this.setSize();
    this.setColors(colors, isDiverging);
  }

  /** surfaces [{vertices, corners}] of the colliders [{color}]; undefined: none. */
  setSurfaces(surfaces, colliders) {
    if (this.surfaces === surfaces) return;
    this.surfaces = surfaces;
    for (const child of this.colliders.children) {
      child.geometry.dispose();
      child.material.dispose();
    }
    this.colliders.clear();
    (surfaces ?? []).forEach(({ vertices, corners }, k) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(vertices, 3));
      geometry.setIndex(new THREE.BufferAttribute(corners, 1));
      const number = parseInt(colliders[k].color.slice(1), 16);
      const color = new THREE.Vector3(number >> 16, (number >> 8) & 255, number & 255).divideScalar(255);
      const material = raw(surfaceVertex, surfaceFragment, { color: uniform(color), plane: this.uniforms.plane, isFlat: this.uniforms.isFlat },
        { transparent: true, side: THREE.DoubleSide, depthWrite: false });
      const drawn = this.dimension === 2 ? new THREE.LineSegments(geometry, material) : new THREE.Mesh(geometry, material);
      drawn.frustumCulled = false;
      this.colliders.add(drawn);
    });
    this.needsDrawing = true;
  }

  setColors(colors, isDiverging) {
    if (colors) this.uniforms.colors.value.set(...colors);
    this.uniforms.map.value = this.maps[isDiverging ? 1 : 0];
    this.needsDrawing = true;
  }

  setSize(factor = this.sizeFactor) {
    this.sizeFactor = factor;
    this.uniforms.radius.value = (this.radius ?? 0.01) * factor;
    this.needsDrawing = true;
  }

  /** colors [{color: "#rrggbb", isHidden}] by body; those beyond repeat. */
  setBodies(bodies) {
    const { image } = this.uniforms.palette.value;
    for (let k = 0; k < 256; k++) {
      const body = bodies.length ? bodies[k % bodies.length] : { color: "#7fb2e5" };
      const number = parseInt(body.color.slice(1), 16);
      image.data.set([number >> 16, (number >> 8) & 255, number & 255, body.isHidden ? 0 : 255], 4 * k);
    }
    this.uniforms.palette.value.needsUpdate = true;
    this.needsDrawing = true;
  }

  setClip(change = {}) {
    Object.assign(this.clip, change);
    const { axis, share, isFlipped } = this.clip;
    const plane = [0, 0, 0, 1];
    if (axis >= 0) {
      const sign = isFlipped ? -1 : 1;
      plane[axis] = sign;
      plane[3] = sign * (this.bounds[0].getComponent(axis) + share * this.extent.getComponent(axis));
    }
    this.uniforms.plane.value.set(...plane);
    this.needsDrawing = true;
  }

  setInk(isLight) {
    this.box.material.color.set(isLight ? 0x30404f : 0xb8c6d4);
    const ink = isLight ? [0.15, 0.2, 0.27] : [0.75, 0.82, 0.9];
    this.floor.material.uniforms.ink.value.set(...ink);
    this.floor.material.uniforms.opacity.value = isLight ? 0.16 : 0.13;
    this.needsDrawing = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height || !this.camera) return;
    const ratio = Math.min(window.devicePixelRatio, 2);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.target.setSize(Math.round(width * ratio), Math.round(height * ratio));
    const aspect = width / height;
    if (this.dimension === 2) {
      const open = (height - this.covered.top - this.covered.bottom) / height;
      const half = (0.53 / open) * Math.max(this.extent.y, this.extent.x / this.openAspect, 1e-9);
      Object.assign(this.camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half, near: 0, far: 20 * this.span });
    } else {
      this.camera.aspect = aspect;
    }
    // What is not covered by the panel is the picture's middle.
    this.camera.setViewOffset(width, height, this.covered.right / 2, (this.covered.bottom - this.covered.top) / 2, width, height);
    this.camera.updateProjectionMatrix();
    this.needsDrawing = true;
  }

  /** How much of the stage the page covers, CSS pixels. */
  setCovered(top, right, bottom) {
    this.covered = { top, right, bottom };
    this.resize();
  }

  /** Width over height of what is not covered. */
  get openAspect() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    return Math.max(1, width - this.covered.right) / Math.max(1, height - this.covered.top - this.covered.bottom);
  }

  drawIfNeeded() {
    this.controls.update();
    if (this.needsDrawing) this.draw();
  }

  draw() {
    this.needsDrawing = false;
    const { renderer, camera, target } = this;
    const distance = camera.position.distanceTo(this.controls.target);
    if (this.dimension === 3) {
      camera.near = Math.max(distance - 3 * this.span, 0.01 * distance);
      camera.far = distance + 4 * this.span;
      camera.updateProjectionMatrix();
      this.uniforms.pixels.value = target.height / (2 * Math.tan(THREE.MathUtils.degToRad(camera.fov / 2)));
      renderer.setRenderTarget(this.shadowTarget);
      renderer.clear();
      renderer.render(this.shadowScene, this.shadowCamera);
    } else {
      this.uniforms.pixels.value = (target.height * camera.zoom) / (camera.top - camera.bottom);
    }
    renderer.setRenderTarget(target);
    renderer.clear();
    renderer.render(this.scene, camera);
    renderer.setRenderTarget(null);
    const post = this.post.material.uniforms;
    post.pixel.value.set(1 / target.width, 1 / target.height).multiplyScalar(renderer.getPixelRatio());
    post.reach.value.set(Math.max(camera.near, 1e-6), camera.far);
    post.strength.value = this.dimension === 3 ? 1.3 : 0;
    renderer.render(this.post, camera);
  }
}
