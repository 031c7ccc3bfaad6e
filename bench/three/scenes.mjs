// Scenes for three.js, each of another part of it. A scene gets { T, renderer, scene, camera }, fills the scene, and
// gives what changes with time: `at`, and `render` where it draws otherwise than by renderer.render(scene, camera).
import { effects } from './effects.mjs';
import { materials } from './materials.mjs';
import { objects } from './objects.mjs';

export const scenes = { ...materials, ...objects, ...effects };
