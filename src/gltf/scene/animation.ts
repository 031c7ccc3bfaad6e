// Animations (glTF 2.0 §3.11): the values of their tracks at a time. Only + − × ÷ and sqrt are used, so that poses have
// the same bits everywhere.
import type { Accessor, GLTF } from '@gltf-transform/core';
import { quoted } from '../../base/printable';
import { ModelError } from '../errors';
import type { Model } from '../files/load';
import { findProperty, type PropertyValues } from './animated-properties';

/** Properties of a node that an animation has changed. */
interface NodePose {
  translation?: readonly number[];
  rotation?: readonly number[];
  scale?: readonly number[];
  weights?: readonly number[];
  visible?: boolean;
}

/** What an animation has changed at a moment. */
export interface Pose {
  /** By their index in the file; nodes that are missing are at rest. */
  nodes: ReadonlyMap<number, NodePose>;
  /** Properties of materials, lights and cameras. */
  properties: PropertyValues;
}

/** The moment that a picture shows. */
export interface Moment {
  /** Name or index of an animation; undefined: the first one. */
  animation: string | undefined;
  /** Seconds; beyond the end the animation begins again. */
  time: number;
}

interface Track {
  /** Seconds, growing. */
  times: Float32Array;
  /** `size` numbers per time, or three times as many for cubic splines. */
  values: Float32Array;
  size: number;
  interpolation: 'STEP' | 'LINEAR' | 'CUBICSPLINE';
  isRotation: boolean;
}

const PROPERTIES: readonly string[] = ['translation', 'rotation', 'scale', 'weights'];
const SIZES: Record<string, number> = { translation: 3, rotation: 4, scale: 3 };
/** Targets of KHR_animation_pointer that are properties of nodes. */
const NODE_POINTER = /^\/nodes\/(\d+)\/(translation|rotation|scale|weights|extensions\/KHR_node_visibility\/visible)$/;

/** Names of the animations of a model, and their durations in seconds. */
export function listAnimations(model: Model): { name: string; duration: number }[] {
  return (model.json.animations ?? []).map((animation, i) => ({
    name: animation.name ?? String(i),
    duration: duration(model, animation),
  }));
}

/** @throws ModelError if there is no such animation */
function findAnimation(model: Model, wanted: string | undefined): GLTF.IAnimation {
  const animations = model.json.animations ?? [];
  const animation =
    wanted === undefined
      ? animations[0]
      : (animations.find(({ name }) => name === wanted) ?? animations[/^\d+$/.test(wanted) ? Number(wanted) : -1]);
  if (!animation) {
    const names = animations.slice(0, 20).map(({ name }, i) => `${i} (${quoted(name ?? '')})`);
    throw new ModelError(
      animations.length === 0
        ? 'The model has no animations, so that a time has no meaning.'
        : `The model has no animation ${quoted(wanted!)}; it has ${names.join(', ')}.`,
      { code: 'not-found' }
    );
  }
  return animation;
}

/** Moments that are evenly spread over an animation. @throws ModelError if there is no such animation */
export function momentsOf(model: Model, animation: string | undefined, count: number): Moment[] {
  const length = duration(model, findAnimation(model, animation));
  return Array.from({ length: count }, (_, i) => ({ animation, time: (length * i) / count }));
}

/** @throws ModelError if there is no such animation, or if it is damaged */
export function poseAt(model: Model, { animation: wanted, time }: Moment, warn: (sentence: string) => void): Pose {
  const animation = findAnimation(model, wanted);
  const length = duration(model, animation);
  const at = time > length && length > 0 ? time % length : time;
  const nodes = new Map<number, Record<string, unknown>>();
  const properties = new Map<string, readonly number[]>();
  for (const channel of animation.channels) {
    const target = targetOf(model, channel.target, warn);
    if (!target) continue;
    const track = readTrack(model, animation, channel, target);
    if (!track) continue;
    const value = evaluate(track, at);
    if ('pointer' in target) {
      if (!value.every((x) => Number.isFinite(x)))
        throw new ModelError(`The animation of ${quoted(target.pointer)} has numbers that are not finite.`);
      properties.set(target.pointer, value);
      continue;
    }
    const node = nodes.get(target.node) ?? {};
    node[target.path] = target.path === 'visible' ? value[0] !== 0 : value;
    nodes.set(target.node, node);
  }
  return { nodes, properties };
}

/** What a track changes: a property of a node, or another one with a number of components. */
type Target = { node: number; path: keyof NodePose } | { pointer: string; path: 'property'; size: number };

function targetOf(
  model: Model,
  target: GLTF.IAnimationChannelTarget,
  warn: (sentence: string) => void
): Target | undefined {
  const pointer = (target.extensions?.KHR_animation_pointer as { pointer?: unknown } | undefined)?.pointer;
  if ((target.path as string) !== 'pointer') {
    if (!PROPERTIES.includes(target.path)) {
      warn(`The animation of ${quoted(target.path)} is left out; nodes have no such property.`);
      return undefined;
    }
    return target.node === undefined ? undefined : { node: target.node, path: target.path };
  }
  const found = NODE_POINTER.exec(String(pointer));
  if (!found) {
    const property = findProperty(model, String(pointer));
    if (property) return { pointer: String(pointer), path: 'property', size: property.size };
    warn(
      `The animation of ${quoted(String(pointer))} is left out; the model has no such property, or it is not drawn.`
    );
    return undefined;
  }
  return { node: Number(found[1]), path: found[2].replace(/^.*\//, '') as keyof NodePose };
}

function accessorOf(model: Model, index: number): Accessor {
  return model.document.getRoot().listAccessors()[index];
}

function duration(model: Model, { samplers }: GLTF.IAnimation): number {
  let end = 0;
  for (const { input } of samplers) {
    const times = accessorOf(model, input).getArray();
    if (times && times.length > 0) end = Math.max(end, times[times.length - 1]);
  }
  return end;
}

const NORMALIZED: Record<number, number> = { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 };

function readTrack(
  model: Model,
  animation: GLTF.IAnimation,
  channel: GLTF.IAnimationChannel,
  target: Target
): Track | undefined {
  const { path } = target;
  const wanted = 'pointer' in target ? target.size : SIZES[path];
  const sampler = animation.samplers[channel.sampler];
  const interpolation = sampler.interpolation ?? 'LINEAR';
  const times = accessorOf(model, sampler.input).getArray();
  const output = accessorOf(model, sampler.output);
  const raw = output.getArray();
  if (!times || !raw || times.length === 0) return undefined;
  const perTime = (output.getCount() * output.getElementSize()) / times.length;
  const size = interpolation === 'CUBICSPLINE' ? perTime / 3 : perTime;
  if (!Number.isInteger(size) || size < 1 || (wanted !== undefined && wanted !== size))
    throw new ModelError(
      `The animation ${quoted(animation.name ?? '')} is damaged: `
        + `its ${path} has ${raw.length} numbers for ${times.length} times.`
    );
  const divisor = output.getNormalized() ? NORMALIZED[output.getComponentType()] : undefined;
  const values = Float32Array.from(raw as ArrayLike<number>, (x) => (divisor ? Math.max(-1, x / divisor) : x));
  return {
    times: Float32Array.from(times as ArrayLike<number>),
    values,
    size,
    interpolation: interpolation as Track['interpolation'],
    isRotation: path === 'rotation',
  };
}

/** Value of a track; before its first and after its last time, that of the nearest one. */
function evaluate({ times, values, size, interpolation, isRotation }: Track, time: number): number[] {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const [from, to] = [times[low], times[high]];
  const share = to > from ? Math.min(1, Math.max(0, (time - from) / (to - from))) : 0;
  const stride = interpolation === 'CUBICSPLINE' ? 3 * size : size;
  const part = interpolation === 'CUBICSPLINE' ? size : 0;
  const point = (i: number): number[] => [...values.subarray(i * stride + part, i * stride + part + size)];
  if (interpolation === 'STEP' || share === 0) return point(share === 1 ? high : low);
  if (interpolation === 'CUBICSPLINE') {
    const span = to - from;
    const tangent = (i: number, second: number): number[] => [
      ...values.subarray(i * stride + second * size, i * stride + second * size + size),
    ];
    const value = hermite(point(low), tangent(low, 2), point(high), tangent(high, 0), share, span);
    return isRotation ? unit(value) : value;
  }
  const [a, b] = [point(low), point(high)];
  return isRotation ? slerp(a, b, share) : a.map((x, i) => x + (b[i] - x) * share);
}

/** glTF 2.0 appendix C.5. */
function hermite(
  p0: readonly number[],
  m0: readonly number[],
  p1: readonly number[],
  m1: readonly number[],
  t: number,
  span: number
): number[] {
  const t2 = t * t;
  const t3 = t2 * t;
  return p0.map(
    (p, i) =>
      (2 * t3 - 3 * t2 + 1) * p
      + span * (t3 - 2 * t2 + t) * m0[i]
      + (3 * t2 - 2 * t3) * p1[i]
      + span * (t3 - t2) * m1[i]
  );
}

const dot4 = (a: readonly number[], b: readonly number[]): number =>
  a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];

function unit(q: readonly number[]): number[] {
  const length = Math.sqrt(dot4(q, q));
  return length > 0 ? q.map((x) => x / length) : [0, 0, 0, 1];
}

/** Halvings of the arc in `slerp`, after which its ends differ by less than the precision of the numbers. */
const HALVINGS = 40;

/** Point at `share` on the shorter arc between two rotations. The arc is halved as in a binary search. */
export function slerp(a: readonly number[], b: readonly number[], share: number): number[] {
  let from = unit(a);
  let to = unit(b);
  if (dot4(from, to) < 0) to = to.map((x) => -x);
  let [low, high] = [0, 1];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    const half = unit(from.map((x, k) => x + to[k]));
    if (share < middle) [to, high] = [half, middle];
    else [from, low] = [half, middle];
  }
  return from;
}
