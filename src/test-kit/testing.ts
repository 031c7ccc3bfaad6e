/**
 * Tests of scenes and shaders for every test runner:
 *
 *     import { renderScene, wgsl } from 'rasterloom/testing';
 */
import { create, createCanvas, inspectShader, install } from '../index';
import { virtualTime } from '../virtual-time';
import { makeRenderScene, makeWgsl } from './core';
import type { SceneContext, SceneOptions, ScenePicture, WgslModule, WgslOptions } from './core';

export { ulps } from './core';
export type {
  ComputeOptions,
  FunctionOptions,
  SceneContext,
  SceneOptions,
  ScenePicture,
  ShaderArgument,
  ShaderCall,
  ShaderResourceArgument,
  ShaderTexels,
  ShaderValue,
  ShaderVariables,
  WgslModule,
  WgslOptions,
} from './core';

/**
 * Runs `scene` as in a page, with the globals of `install()`, virtual time and seeded random numbers, and returns the
 * picture of one frame. A scene draws to the canvas that it is given, and may return a promise that ends when it is
 * ready for its first frame. Imports of engines belong in the function: they need the globals. If the scene returns a
 * function, or a promise of one, that is called after the picture.
 *
 *     const picture = await renderScene(async ({ canvas }) => {
 *       const { startScene } = await import('./scene.js');
 *       await startScene(canvas);
 *     }, { width: 320, height: 240, frame: 30, seed: 7 });
 *
 * Scenes run one after another, since they share the global object. Exceptions of a scene reject the promise. Devices
 * that a scene has opened are destroyed after it.
 *
 * @throws TypeError if an option is unknown, or `scene` is no function
 */
export const renderScene: (scene: (context: SceneContext) => unknown, options?: SceneOptions) => Promise<ScenePicture> =
  makeRenderScene({ createCanvas, install, virtualTime });

/**
 * Makes a module whose functions can be called:
 *
 *     const fresnel = wgsl(code).function('fresnel');
 *     expect(await fresnel(0.5, 1.5)).toBeWithinUlps(0.0426, 2);
 *     const results = await fresnel.batch(inputs.map((cosine) => [cosine, 1.5]));
 *
 * Nothing is compiled before the first call.
 *
 * @throws TypeError if the code is no string, or an option is unknown
 */
export const wgsl: (code: string, options?: WgslOptions) => WgslModule = makeWgsl(create, inspectShader);
