// Scenes for three.js, each for a different feature. A scene gets { T, renderer, scene, camera } and fills the scene.
// It returns its changes over time: `at`, and `render` if it does not use renderer.render(scene, camera).
import { effects } from './effects.mjs';
import { materials } from './materials.mjs';
import { objects } from './objects.mjs';

export const scenes = { ...materials, ...objects, ...effects };
