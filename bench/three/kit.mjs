// Helpers that the scenes share.

/** Adds a sun and ambient light. */
export function daylight({ T, scene }, intensity = 3) {
  const sun = new T.DirectionalLight(0xffffff, intensity);
  sun.position.set(3, 5, 4);
  scene.add(sun, new T.HemisphereLight(0xbfd4ff, 0x40362c, 0.8));
  return sun;
}

export function mesh({ T, scene }, geometry, material, [x, y, z] = [0, 0, 0]) {
  const made = new T.Mesh(geometry, material);
  made.position.set(x, y, z);
  scene.add(made);
  return made;
}

export function floor(stage, material, y = -1) {
  const { T } = stage;
  const grey = new T.MeshStandardMaterial({ color: 0x8a8f98 });
  const made = mesh(stage, new T.PlaneGeometry(12, 12), material ?? grey, [0, y, 0]);
  made.rotation.x = -Math.PI / 2;
  return made;
}

/** A texture of `side`² texels. A function of column and row returns r, g, b (and a) from 0 to 255. */
export function texture({ T }, side, texel, { color = true, repeat = 1 } = {}) {
  const data = new Uint8Array(side * side * 4);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const [r, g, b, a = 255] = texel(x, y);
      data.set([r, g, b, a], (y * side + x) * 4);
    }
  const made = new T.DataTexture(data, side, side);
  made.colorSpace = color ? T.SRGBColorSpace : T.NoColorSpace;
  made.wrapS = made.wrapT = T.RepeatWrapping;
  made.repeat.set(repeat, repeat);
  made.magFilter = T.LinearFilter;
  made.minFilter = T.LinearMipmapLinearFilter;
  made.generateMipmaps = true;
  made.needsUpdate = true;
  return made;
}

export const checker = (stage, repeat = 4) =>
  texture(stage, 64, (x, y) => ((x >> 5) ^ (y >> 5) ? [235, 230, 220] : [60, 80, 120]), { repeat });

/** Pseudo-random numbers from 0 to 1, the same on each run. */
export function random(seed = 1) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Lights the scene with `sky`, by a prefiltered map. */
export function environment({ T, renderer, scene }, { background = false } = {}) {
  const sky = new T.Scene();
  sky.background = new T.Color(0x7f9fc8);
  const box = (color, size, at) => {
    const made = new T.Mesh(new T.BoxGeometry(...size), new T.MeshBasicMaterial({ color }));
    made.position.set(...at);
    sky.add(made);
  };
  box(0xfff4e0, [4, 0.2, 4], [0, 3, 0]);
  box(0xff7040, [0.2, 2, 4], [-4, 1, 0]);
  box(0x3050ff, [4, 2, 0.2], [1, 0.5, -4]);
  box(0x403020, [20, 0.2, 20], [0, -2, 0]);
  const generator = new T.PMREMGenerator(renderer);
  scene.environment = generator.fromScene(sky, 0.04).texture;
  if (background) scene.background = scene.environment;
}
