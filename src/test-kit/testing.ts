/**
 * Tests of scenes and shaders for every test runner:
 *
 *     import { renderScene } from 'rasterloom/testing';
 */
export { renderScene, type SceneContext, type SceneOptions, type ScenePicture } from './scene';
export { ulps } from './ulp';
