// Babylon.js: a glTF model by its loader, text on a DynamicTexture, and a NodeMaterial that reads the texture.
export async function draw({ canvas, sample }) {
  const B = await import('@babylonjs/core/index.js');
  await import('@babylonjs/loaders/glTF/index.js');
  const engine = new B.WebGPUEngine(canvas, { antialias: true });
  await engine.initAsync();
  const scene = new B.Scene(engine);
  scene.clearColor = new B.Color4(0.15, 0.2, 0.3, 1);
  new B.ArcRotateCamera('camera', -1.2, 1.1, 6.5, new B.Vector3(0, 0.4, 0), scene);
  new B.HemisphericLight('sky', B.Vector3.Up(), scene).intensity = 2;

  const label = new B.DynamicTexture('label', { width: 256, height: 128 }, scene);
  label.drawText('Babylon', null, 80, 'bold 60px Lato', '#102030', '#f0c850');
  const plane = B.MeshBuilder.CreatePlane('plane', { width: 2, height: 1 }, scene);
  plane.position = new B.Vector3(-1.4, 0.9, -1.6);
  plane.billboardMode = B.Mesh.BILLBOARDMODE_ALL;
  plane.material = nodeMaterial(B, scene, label);

  await B.ImportMeshAsync(sample, scene);
  await scene.whenReadyAsync();
  engine.beginFrame();
  scene.render();
  engine.endFrame();
}

/** The texture, darker from left to right. */
function nodeMaterial(B, scene, texture) {
  const material = new B.NodeMaterial('label', scene, { shaderLanguage: B.ShaderLanguage.WGSL });
  const { Float, Vector2, Matrix } = B.NodeMaterialBlockConnectionPointTypes;
  const input = (name, type, set) => {
    const block = new B.InputBlock(name, undefined, type);
    set(block);
    return block;
  };
  const attribute = (name, type) => input(name, type, (block) => block.setAsAttribute(name));
  const system = (name, value) => input(name, Matrix, (block) => block.setAsSystemValue(value));
  const position = attribute('position', B.NodeMaterialBlockConnectionPointTypes.Vector3);
  const uv = attribute('uv', Vector2);
  const world = system('world', B.NodeMaterialSystemValues.World);
  const view = system('view', B.NodeMaterialSystemValues.ViewProjection);
  const placed = new B.TransformBlock('placed');
  position.connectTo(placed);
  world.connectTo(placed);
  const projected = new B.TransformBlock('projected');
  placed.connectTo(projected);
  view.connectTo(projected);
  const vertex = new B.VertexOutputBlock('vertex');
  projected.connectTo(vertex);
  const read = new B.TextureBlock('read');
  read.texture = texture;
  uv.connectTo(read);
  const split = new B.VectorSplitterBlock('split');
  uv.output.connectTo(split.xyIn);
  const dim = new B.RemapBlock('dim');
  dim.sourceRange = new B.Vector2(0, 1);
  dim.targetRange = new B.Vector2(1, 0.4);
  split.x.connectTo(dim.input);
  const shaded = new B.ScaleBlock('shaded');
  read.rgb.connectTo(shaded.input);
  dim.output.connectTo(shaded.factor);
  const fragment = new B.FragmentOutputBlock('fragment');
  shaded.output.connectTo(fragment.rgb);
  const opaque = input('opaque', Float, (block) => {
    block.value = 1;
  });
  opaque.output.connectTo(fragment.a);
  material.addOutputNode(vertex);
  material.addOutputNode(fragment);
  material.build();
  return material;
}
