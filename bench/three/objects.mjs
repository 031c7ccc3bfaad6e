// Kinds of objects: meshes, lines, points, sprites, text, models.
import { readFile } from 'node:fs/promises';
import { checker, daylight, floor, mesh, random, texture } from './kit.mjs';

export const objects = {
  /** 2 000 instances with individual colours. */
  instances(stage) {
    const { T, scene } = stage;
    const next = random();
    const count = 2000;
    daylight(stage);
    const material = new T.MeshStandardMaterial({ roughness: 0.5 });
    const all = new T.InstancedMesh(new T.DodecahedronGeometry(0.07), material, count);
    const matrix = new T.Matrix4();
    const color = new T.Color();
    for (let i = 0; i < count; i++) {
      const angle = next() * Math.PI * 2;
      const radius = 0.4 + next() * 1.6;
      matrix.makeTranslation(Math.cos(angle) * radius, (next() - 0.5) * 2.4, Math.sin(angle) * radius);
      all.setMatrixAt(i, matrix);
      all.setColorAt(i, color.setHSL(next(), 0.6, 0.55));
    }
    scene.add(all);
    return {
      at: (time) => {
        all.rotation.y = time * 0.5;
      },
    };
  },

  /** Several geometries in one batch. */
  batch(stage) {
    const { T, scene } = stage;
    const next = random(7);
    daylight(stage);
    const batch = new T.BatchedMesh(300, 20000, 60000, new T.MeshStandardMaterial());
    const kinds = [
      new T.ConeGeometry(0.1, 0.25, 12),
      new T.BoxGeometry(0.15, 0.15, 0.15),
      new T.SphereGeometry(0.1, 12, 8),
    ].map((geometry) => batch.addGeometry(geometry));
    const matrix = new T.Matrix4();
    const color = new T.Color();
    for (let i = 0; i < 300; i++) {
      const id = batch.addInstance(kinds[i % 3]);
      matrix
        .makeRotationX(next() * 3)
        .setPosition((i % 20) * 0.22 - 2.1, Math.floor(i / 20) * 0.18 - 1.3, next() - 0.5);
      batch.setMatrixAt(id, matrix);
      batch.setColorAt(id, color.setHSL(i / 300, 0.7, 0.5));
    }
    scene.add(batch);
    return {
      at: (time) => {
        batch.rotation.y = Math.sin(time) * 0.5;
      },
    };
  },

  /** A cylinder bent by four bones. */
  skin(stage) {
    const { T, scene } = stage;
    daylight(stage);
    const geometry = new T.CylinderGeometry(0.35, 0.35, 3, 24, 24);
    const { position } = geometry.attributes;
    const indices = [];
    const weights = [];
    for (let i = 0; i < position.count; i++) {
      const along = position.getY(i) + 1.5;
      const bone = Math.min(2, Math.floor(along));
      const share = along - bone;
      indices.push(bone, bone + 1, 0, 0);
      weights.push(1 - share, share, 0, 0);
    }
    geometry.setAttribute('skinIndex', new T.Uint16BufferAttribute(indices, 4));
    geometry.setAttribute('skinWeight', new T.Float32BufferAttribute(weights, 4));
    const bones = [0, 1, 2, 3].map((i) => {
      const bone = new T.Bone();
      bone.position.y = i === 0 ? -1.5 : 1;
      return bone;
    });
    bones.slice(1).forEach((bone, i) => bones[i].add(bone));
    const body = new T.SkinnedMesh(geometry, new T.MeshStandardMaterial({ map: checker(stage, 2), roughness: 0.6 }));
    body.add(bones[0]);
    body.bind(new T.Skeleton(bones));
    scene.add(body);
    return {
      at: (time) =>
        bones.slice(1).forEach((bone) => {
          bone.rotation.z = Math.sin(time * 2 + 0.5) * 0.5;
        }),
    };
  },

  /** A sphere that morphs between three shapes. */
  morph(stage) {
    const { T } = stage;
    daylight(stage);
    const geometry = new T.SphereGeometry(1, 48, 24);
    const { position } = geometry.attributes;
    const widened = (x) => Math.sign(x) * Math.min(1, Math.abs(x) * 1.6);
    const target = (shape) => {
      const points = new Float32Array(position.count * 3);
      for (let i = 0; i < position.count; i++)
        points.set(shape(position.getX(i), position.getY(i), position.getZ(i)), i * 3);
      return new T.Float32BufferAttribute(points, 3);
    };
    geometry.morphAttributes.position = [
      target((x, y, z) => [widened(x), y, widened(z)]),
      target((x, y, z) => [x * (1 + y * 0.7), y * 1.3, z * (1 + y * 0.7)]),
    ];
    const ball = mesh(stage, geometry, new T.MeshStandardMaterial({ color: 0xd08040, roughness: 0.4 }));
    return {
      at: (time) => {
        ball.morphTargetInfluences = [0.6 + 0.4 * Math.sin(time), 0.5];
      },
    };
  },

  /** A cloud of points of one size. */
  points(stage) {
    const { T, scene } = stage;
    const next = random(3);
    const count = 5000;
    const positions = [];
    const colors = [];
    for (let i = 0; i < count; i++) {
      const angle = i * 0.02;
      const radius = (i / count) * 2;
      positions.push(Math.cos(angle) * radius, (next() - 0.5) * 0.4, Math.sin(angle) * radius);
      colors.push(1 - i / count, 0.4, i / count);
    }
    const geometry = new T.BufferGeometry();
    geometry.setAttribute('position', new T.Float32BufferAttribute(positions, 3));
    geometry.setAttribute('color', new T.Float32BufferAttribute(colors, 3));
    const cloud = new T.Points(geometry, new T.PointsMaterial({ vertexColors: true }));
    scene.add(cloud);
    return {
      at: (time) => {
        cloud.rotation.set(0.5, time * 0.3, 0);
      },
    };
  },

  /** Segments and loops, with helpers: grid, axes, boxes, wireframes. */
  lines(stage) {
    const { T, scene } = stage;
    scene.add(new T.GridHelper(6, 12, 0xffffff, 0x556677), new T.AxesHelper(2));
    const knot = new T.LineSegments(
      new T.EdgesGeometry(new T.IcosahedronGeometry(1.1, 1)),
      new T.LineBasicMaterial({ color: 0xffcc44 })
    );
    const curve = new T.CatmullRomCurve3(
      [
        [-2, 0, 0],
        [-1, 1.4, 1],
        [0, 0.2, -1],
        [1, 1.4, 1],
        [2, 0, 0],
      ].map((point) => new T.Vector3(...point))
    );
    scene.add(
      knot,
      new T.Line(
        new T.BufferGeometry().setFromPoints(curve.getPoints(100)),
        new T.LineBasicMaterial({ color: 0x66ffaa })
      ),
      new T.Mesh(new T.TorusGeometry(1.8, 0.1, 8, 40), new T.MeshBasicMaterial({ color: 0x5577ff, wireframe: true }))
    );
    return {
      at: (time) => {
        knot.rotation.y = time;
      },
    };
  },

  /** Lines of any width, some of them dashed. */
  async wideLines(stage) {
    const { T, scene } = stage;
    const { Line2 } = await import('three/addons/lines/webgpu/Line2.js');
    const { LineGeometry } = await import('three/addons/lines/LineGeometry.js');
    const all = new T.Group();
    for (let i = 0; i < 3; i++) {
      const points = [];
      for (let k = 0; k <= 60; k++) {
        const angle = (k / 60) * Math.PI * 2;
        points.push(Math.cos(angle) * (1 + i * 0.4), Math.sin(angle * 3) * 0.4, Math.sin(angle) * (1 + i * 0.4));
      }
      const geometry = new LineGeometry();
      geometry.setPositions(points);
      const material = new T.Line2NodeMaterial({ color: [0xff6644, 0x44dd88, 0x6688ff][i], linewidth: 4 + i * 3 });
      all.add(new Line2(geometry, material));
    }
    scene.add(all);
    return {
      at: (time) => {
        all.rotation.set(0.4, time * 0.4, 0);
      },
    };
  },

  /** Blended sprites that face the camera. */
  sprites(stage) {
    const { T, scene } = stage;
    const next = random(5);
    const disc = texture(stage, 64, (x, y) => {
      const d = Math.hypot(x - 31.5, y - 31.5) / 32;
      return [255, 255, 255, d < 1 ? Math.round(255 * (1 - d * d)) : 0];
    });
    for (let i = 0; i < 120; i++) {
      const material = new T.SpriteMaterial({
        map: disc,
        color: new T.Color().setHSL(next(), 0.8, 0.6),
        rotation: next() * 3,
        depthWrite: false,
        blending: i % 2 ? T.AdditiveBlending : T.NormalBlending,
      });
      const sprite = new T.Sprite(material);
      sprite.position.set((next() - 0.5) * 4.5, (next() - 0.5) * 2.6, (next() - 0.5) * 2);
      sprite.scale.setScalar(0.2 + next() * 0.5);
      scene.add(sprite);
    }
    return {
      at: (time) => {
        scene.rotation.y = Math.sin(time) * 0.2;
      },
    };
  },

  /** A glTF file with textures, read by three.js's loader. */
  async model(stage) {
    const { scene, camera } = stage;
    const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
    const file = await readFile(new URL('../../examples/sample.glb', import.meta.url));
    const { scene: model } = await new GLTFLoader().parseAsync(
      file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength),
      ''
    );
    const { T } = stage;
    const box = new T.Box3().setFromObject(model);
    const size = box.getSize(new T.Vector3()).length();
    model.position.sub(box.getCenter(new T.Vector3()));
    const holder = new T.Group();
    holder.add(model);
    holder.scale.setScalar(4.4 / size);
    scene.add(holder);
    daylight(stage);
    camera.position.set(0, 1.6, 4.6);
    camera.lookAt(0, 0, 0);
    return {
      at: (time) => {
        holder.rotation.y = 0.4 + time * 0.3;
      },
    };
  },

  /** Extruded letters with bevels, from a typeface of three.js. */
  async text(stage) {
    const { T } = stage;
    const { Font } = await import('three/addons/loaders/FontLoader.js');
    const { TextGeometry } = await import('three/addons/geometries/TextGeometry.js');
    daylight(stage);
    const glyph = (ha, o) => ({ ha, x_min: 0, x_max: ha, o });
    const font = new Font({
      resolution: 1000,
      boundingBox: { yMin: 0, yMax: 700 },
      underlineThickness: 50,
      familyName: 'Three',
      glyphs: {
        L: glyph(480, 'm 60 0 l 60 700 l 200 700 l 200 130 l 440 130 l 440 0 l 60 0'),
        O: glyph(
          720,
          'm 360 0 q 680 350 680 0 q 360 700 680 700 q 40 350 40 700 q 360 0 40 0 m 360 140 q 180 350 180 140 '
            + 'q 360 560 180 560 q 540 350 540 560 q 360 140 540 140'
        ),
        M: glyph(
          760,
          'm 60 0 l 60 700 l 210 700 l 380 380 l 550 700 l 700 700 l 700 '
            + '0 l 560 0 l 560 420 l 380 100 l 200 420 l 200 0 l 60 0'
        ),
      },
    });
    const geometry = new TextGeometry('LOOM', {
      font,
      size: 1,
      depth: 0.3,
      curveSegments: 10,
      bevelEnabled: true,
      bevelSize: 0.03,
      bevelThickness: 0.04,
    });
    geometry.center();
    const letters = mesh(stage, geometry, [
      new T.MeshStandardMaterial({ color: 0xf2b134, roughness: 0.4 }),
      new T.MeshStandardMaterial({ color: 0x884422 }),
    ]);
    return {
      at: (time) => {
        letters.rotation.y = Math.sin(time) * 0.6;
      },
    };
  },

  /** An orthographic camera, levels of detail, layers, an explicit render order. */
  plan(stage) {
    const { T, scene, renderer } = stage;
    daylight(stage);
    const aspect = renderer.domElement.width / renderer.domElement.height;
    const camera = new T.OrthographicCamera(-2 * aspect, 2 * aspect, 2, -2, 0.1, 50);
    camera.position.set(4, 5, 6);
    camera.lookAt(0, 0, 0);
    floor(stage, new T.MeshStandardMaterial({ map: checker(stage, 6) }));
    for (let i = 0; i < 9; i++) {
      const lod = new T.LOD();
      [
        [24, 0],
        [8, 7.8],
        [4, 8.6],
      ].forEach(([segments, distance]) =>
        lod.addLevel(
          new T.Mesh(
            new T.SphereGeometry(0.4, segments, segments),
            new T.MeshStandardMaterial({ color: 0x66aacc, flatShading: true })
          ),
          distance
        )
      );
      lod.position.set((i % 3) * 1.4 - 1.4, -0.4, Math.floor(i / 3) * 1.4 - 1.4);
      scene.add(lod);
    }
    const marks = mesh(
      stage,
      new T.RingGeometry(0.3, 0.5, 32),
      new T.MeshBasicMaterial({ color: 0xff4466, depthTest: false, side: T.DoubleSide }),
      [0, 0, 0]
    );
    marks.renderOrder = 1;
    const hidden = mesh(stage, new T.BoxGeometry(3, 3, 3), new T.MeshBasicMaterial({ color: 0xff0000 }));
    hidden.layers.set(2);
    return {
      at: (time) => {
        marks.rotation.y = time;
      },
      render: () => renderer.render(scene, camera),
    };
  },
};
