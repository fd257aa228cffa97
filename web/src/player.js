// Which frame is shown. One request at a time: while it is under way wishes change freely, and the last one counts. So a
// slow connection skips frames instead of lagging behind, whether the run is live, played or scrubbed.
import { getFrame, getSurfaces } from "./feed.js";

const MOST_BYTES = 384 * 2 ** 20; // of frames kept for the way back

export class Player {
  constructor(item, { onFrame, onChange, onProblem }) {
    Object.assign(this, { item, onFrame, onChange, onProblem });
    this.numbers = [];
    this.times = [];
    this.interval = 1 / 24; // s between frames
    this.index = 0;
    this.field = "";
    this.speed = 1;
    this.isPlaying = false;
    this.isFollowing = false;
    this.kept = new Map(); // the oldest use first
    this.keptBytes = 0;
    this.shown = "";
    this.colliders = [];
    this.surfaces = null; // of colliders that stand still
  }

  /** News of the run. */
  update(state, isNew) {
    if (isNew) {
      this.kept.clear();
      this.keptBytes = 0;
      this.shown = "";
      this.index = 0;
      this.colliders = state.colliders;
      this.dimension = state.dimension;
      this.surfaces = null;
    }
    this.numbers = state.numbers;
    this.times = state.times;
    if (state.interval) this.interval = state.interval;
    this.isLive = state.state === "running";
    if (isNew && this.isLive) this.isFollowing = true;
    if (this.isFollowing) this.index = this.last;
    if (!this.isLive) this.isFollowing = false;
    this.index = Math.min(this.index, this.last);
    this.show();
  }

  get last() {
    return Math.max(0, this.numbers.length - 1);
  }

  seek(index) {
    this.isFollowing = false;
    this.index = Math.max(0, Math.min(index, this.last));
    this.show();
  }

  step(count) {
    this.pause();
    this.seek(this.index + count);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (this.numbers.length < 2) return;
    this.isFollowing = false;
    this.isPlaying = true;
    if (this.index === this.last) this.index = 0;
    this.began = null;
    requestAnimationFrame((now) => this.tick(now));
    this.onChange();
  }

  pause() {
    this.isPlaying = false;
    this.onChange();
  }

  followRun(isOn) {
    this.isPlaying = false;
    this.isFollowing = isOn;
    if (isOn) this.index = this.last;
    this.show();
  }

  setField(field) {
    this.field = field;
    this.show();
  }

  /** Moves on by the clock; frames that cannot be had in time are left out. */
  tick(now) {
    if (!this.isPlaying) return;
    this.began ??= { now, index: this.index };
    const target = this.began.index + Math.floor(((now - this.began.now) / 1000) * this.speed / this.interval);
    if (target !== this.index && !this.isBusy) {
      this.index = target;
      if (this.index > this.last) {
        this.index = this.isLive ? this.last : 0;
        this.isFollowing = this.isLive;
        this.isPlaying = !this.isLive;
        this.began = null;
      }
      this.show();
    }
    requestAnimationFrame((later) => this.tick(later));
  }

  setSpeed(speed) {
    this.speed = speed;
    this.began = null;
  }

  /** Brings the frame that is wanted now, and goes on until nothing else is. */
  async show() {
    this.onChange();
    if (this.isBusy || !this.numbers.length) return;
    this.isBusy = true;
    while (this.shown !== this.key(this.index)) {
      const key = this.key(this.index);
      try {
        const frame = await this.load(this.index);
        this.shown = key;
        this.onFrame(frame);
      } catch (problem) {
        this.onProblem(problem);
        break;
      }
    }
    this.isBusy = false;
    if (this.isPlaying) this.fetchAhead();
  }

  key(index) {
    return `${this.numbers[index]} ${this.field}`;
  }

  async load(index) {
    const key = this.key(index);
    let frame = this.kept.get(key);
    if (frame) {
      this.kept.delete(key);
    } else {
      const number = this.numbers[index];
      const [points, surfaces] = await Promise.all([getFrame(this.item, number, this.field), this.loadSurfaces(number)]);
      frame = { ...points, surfaces };
      if (!this.kept.has(key)) this.keptBytes += frame.bytes; // two may have asked
    }
    this.kept.set(key, frame);
    for (const [old, { bytes }] of this.kept) {
      if (this.keptBytes <= MOST_BYTES || this.kept.size < 2) break;
      this.kept.delete(old);
      this.keptBytes -= bytes;
    }
    return frame;
  }

  /** Colliders that stand still are the same in each frame. */
  loadSurfaces(number) {
    if (!this.colliders.length) return undefined;
    if (this.colliders.some((collider) => collider.moves)) return getSurfaces(this.item, number, this.dimension);
    this.surfaces ??= getSurfaces(this.item, 0, this.dimension).catch((problem) => {
      this.surfaces = null;
      throw problem;
    });
    return this.surfaces;
  }

  async fetchAhead() {
    if (this.isAhead) return;
    this.isAhead = true;
    for (let k = 1; k <= 4 && this.isPlaying; k++) {
      const index = Math.min(this.index + k, this.last);
      if (!this.kept.has(this.key(index))) await this.load(index).catch(() => {});
    }
    this.isAhead = false;
  }
}
