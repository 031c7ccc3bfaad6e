// Multisampled storage textures, and passes without attachments: what the API accepts, and its errors.
import { describe, expect, test } from 'vitest';
import { CODE, EMPTY, deviceWith, stage, usage } from './surfaces.kit';

const FEATURE = 'multisample-storage-textures';

class Kit {
  readonly module: GPUShaderModule;
  constructor(readonly device: GPUDevice) {
    this.module = device.createShaderModule({ code: CODE });
  }
  texture(o: Partial<GPUTextureDescriptor> = {}): GPUTexture {
    return this.device.createTexture({
      label: 't',
      size: [16, 16],
      sampleCount: 4,
      format: 'rgba8unorm',
      usage: usage.STORAGE_BINDING | usage.TEXTURE_BINDING | usage.RENDER_ATTACHMENT,
      ...o,
    });
  }
  layout(o: object = {}, visibility: number = stage.FRAGMENT): GPUBindGroupLayout {
    return this.device.createBindGroupLayout({
      label: 'l',
      entries: [
        {
          binding: 0,
          visibility,
          storageTexture: {
            access: 'read-write',
            format: 'rgba8unorm',
            multisampled: true,
            ...o,
          } as GPUStorageTextureBindingLayout,
        },
      ],
    });
  }
  pipeline(
    entryPoint: string,
    layout: GPUPipelineLayout | 'auto' = 'auto',
    count = 4,
    targets: GPUColorTargetState[] = []
  ): GPURenderPipeline {
    return this.device.createRenderPipeline({
      label: 'p',
      layout,
      vertex: { module: this.module },
      fragment: { module: this.module, entryPoint, targets },
      multisample: { count },
    });
  }
  group(layout: GPUBindGroupLayout, resource: GPUBindingResource, label = 'g'): GPUBindGroup {
    return this.device.createBindGroup({ label, layout, entries: [{ binding: 0, resource }] });
  }
  pass(o: object, use: (pass: GPURenderPassEncoder) => void = () => undefined): void {
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ label: 'q', colorAttachments: [], ...o });
    use(pass);
    pass.end();
    encoder.finish();
  }
}
const target = (view: GPUTexture): object => ({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
const sampled = (k: Kit): GPUBindGroupLayout =>
  k.device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: stage.FRAGMENT, texture: { multisampled: true, sampleType: 'unfilterable-float' } },
    ],
  });

const cases: Record<string, [RegExp | null, (k: Kit) => unknown]> = {
  'a texture for storage alone': [null, (k) => k.texture({ usage: usage.STORAGE_BINDING })],
  'a texture of 16 bytes a sample, for storage alone': [
    null,
    (k) => k.texture({ usage: usage.STORAGE_BINDING, format: 'rgba32float' }),
  ],
  'the same as an attachment': [
    /format rgba32float cannot have 4 samples/,
    (k) => k.texture({ format: 'rgba32float' }),
  ],
  'a storage texture of one sample': [null, (k) => k.texture({ sampleCount: 1, usage: usage.STORAGE_BINDING })],
  'a storage texture of depth': [
    /depth32float cannot be rendered to, which multisampled storage textures require/,
    (k) => k.texture({ format: 'depth32float' }),
  ],

  'a layout': [null, (k) => k.layout()],
  'a layout of one sample': [null, (k) => k.layout({ multisampled: false, format: 'r32uint' })],
  'a layout of an array': [/have viewDimension "2d", not "2d-array"/, (k) => k.layout({ viewDimension: '2d-array' })],
  'a layout of a format that is not rendered to': [
    /rgba8snorm cannot be rendered to, which multisampled storage textures require/,
    (k) => k.layout({ format: 'rgba8snorm' }),
  ],
  'a layout for vertex programs': [/are only for GPUShaderStage.FRAGMENT/, (k) => k.layout({}, stage.VERTEX)],
  '5 in a stage': [
    /5 bindings of the fragment stage exceed maxStorageTextures/,
    (k) =>
      k.device.createBindGroupLayout({
        entries: Array.from({ length: 5 }, (_, binding) => ({
          binding,
          visibility: stage.FRAGMENT,
          storageTexture: { format: 'r32uint', multisampled: true } as GPUStorageTextureBindingLayout,
        })),
      }),
  ],

  'a group': [null, (k) => k.group(k.layout(), k.texture())],
  'a group without the usage': [
    /needs usage STORAGE_BINDING; this one has RENDER_ATTACHMENT/,
    (k) => k.group(k.layout(), k.texture({ usage: usage.RENDER_ATTACHMENT })),
  ],
  'a group with another format': [
    /the layout wants format rgba8unorm, not bgra8unorm/,
    (k) => k.group(k.layout(), k.texture({ format: 'bgra8unorm' })),
  ],
  'a group with a view in another format': [
    /must be viewed in its own format rgba8unorm, not rgba8unorm-srgb/,
    (k) =>
      k.group(
        k.layout({ format: 'rgba8unorm-srgb' }),
        k.texture({ viewFormats: ['rgba8unorm-srgb'] }).createView({ format: 'rgba8unorm-srgb' })
      ),
  ],
  'a group with a sampler': [
    /wants a storage texture, not \[Sampler/,
    (k) => k.group(k.layout(), k.device.createSampler()),
  ],

  'a pipeline that stores and has no targets': [null, (k) => k.pipeline('store')],
  'a pipeline that does nothing': [/the pipeline writes nothing/, (k) => k.pipeline('nothing')],
  'a pipeline whose layout fits': [
    null,
    (k) => k.pipeline('store', k.device.createPipelineLayout({ bindGroupLayouts: [k.layout()] })),
  ],
  'a pipeline whose layout has another format': [
    /has format rgba8unorm, but the layout has r32uint/,
    (k) => k.pipeline('store', k.device.createPipelineLayout({ bindGroupLayouts: [k.layout({ format: 'r32uint' })] })),
  ],
  'a pipeline whose layout has another access': [
    /has access read-write, but the layout has "write-only"/,
    (k) =>
      k.pipeline('store', k.device.createPipelineLayout({ bindGroupLayouts: [k.layout({ access: 'write-only' })] })),
  ],
  'a pipeline whose layout has a texture': [
    /is a storage texture, but the layout has a texture/,
    (k) => k.pipeline('store', k.device.createPipelineLayout({ bindGroupLayouts: [sampled(k)] })),
  ],
  'the layout of a pipeline that has it of its shaders': [
    null,
    (k) => k.group(k.pipeline('store').getBindGroupLayout(0), k.texture()),
  ],

  'a pass without attachments': [null, (k) => k.pass(EMPTY)],
  'a draw in it': [
    null,
    (k) =>
      k.pass(EMPTY, (pass) => {
        const pipeline = k.pipeline('store');
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, k.group(pipeline.getBindGroupLayout(0), k.texture()));
        pass.draw(3);
      }),
  ],
  'a pipeline of one sample in it': [
    /renders 1 sample\(s\), but the pass has 4/,
    (k) => k.pass(EMPTY, (pass) => pass.setPipeline(k.pipeline('store', 'auto', 1))),
  ],
  'a pipeline with targets in it': [
    /renders to colour formats \[rgba8unorm\], but the pass has \[\]/,
    (k) => k.pass(EMPTY, (pass) => pass.setPipeline(k.pipeline('sample', 'auto', 4, [{ format: 'rgba8unorm' }]))),
  ],
  'a pass of nothing': [/the pass has no attachment: .* size and sampleCount/, (k) => k.pass({})],
  'a size alone': [
    /size is given without sampleCount; a pass without attachments needs both/,
    (k) => k.pass({ size: [4, 4] }),
  ],
  'a sample count alone': [/sampleCount is given without size/, (k) => k.pass({ sampleCount: 4 })],
  'an attachment too': [
    /are only for passes without attachments; this pass takes both from its attachments/,
    (k) => k.pass({ ...EMPTY, ...target(k.texture()) }),
  ],
  'an empty size': [
    /size 0×4 must be from 1×1 to maxTextureDimension2D 8192/,
    (k) => k.pass({ ...EMPTY, size: [0, 4] }),
  ],
  'a size too large': [/size 4×8193 must be from 1×1/, (k) => k.pass({ ...EMPTY, size: [4, 8193] })],
  'a size of three numbers': [
    /size must have 2 numbers, width and height, not 3/,
    (k) => k.pass({ ...EMPTY, size: [4, 4, 1] }),
  ],
  'two samples without their feature': [
    /sampleCount 2 needs the feature "extended-sample-counts"/,
    (k) => k.pass({ ...EMPTY, sampleCount: 2 }),
  ],
  'three samples': [/sampleCount must be 1 or 4, not 3/, (k) => k.pass({ ...EMPTY, sampleCount: 3 })],
  'a scissor beyond it': [
    /exceeds the attachments' 16×16/,
    (k) => k.pass(EMPTY, (pass) => pass.setScissorRect(0, 0, 17, 1)),
  ],

  'stores to an attachment': [
    /Texture "t"\] in \[BindGroup "g"\] is a storage texture in a pass that renders to it as colorAttachments\[0\]/,
    (k) => {
      const t = k.texture();
      k.pass(target(t), (pass) => pass.setBindGroup(0, k.group(k.layout(), t)));
    },
  ],
  'loads from an attachment': [
    /is a storage texture in a pass that renders to it/,
    (k) => {
      const t = k.texture();
      k.pass(target(t), (pass) => pass.setBindGroup(0, k.group(k.layout({ access: 'read-only' }), t)));
    },
  ],
  'stores to what is sampled': [
    /that the pass may store to, and it is sampled there: .*in \[BindGroup "other"\]/,
    (k) => {
      const t = k.texture();
      k.pass(EMPTY, (pass) => {
        pass.setBindGroup(0, k.group(sampled(k), t, 'other'));
        pass.setBindGroup(1, k.group(k.layout(), t));
      });
    },
  ],
  'sampling what is stored to': [
    /in \[BindGroup "other"\] is sampled in a pass that may store to it: .*in \[BindGroup "g"\]/,
    (k) => {
      const t = k.texture();
      k.pass(EMPTY, (pass) => {
        pass.setBindGroup(1, k.group(k.layout(), t));
        pass.setBindGroup(0, k.group(sampled(k), t, 'other'));
      });
    },
  ],
  'sampling what is only loaded from': [
    null,
    (k) => {
      const t = k.texture();
      k.pass(EMPTY, (pass) => {
        pass.setBindGroup(1, k.group(k.layout({ access: 'read-only' }), t));
        pass.setBindGroup(0, k.group(sampled(k), t));
      });
    },
  ],
  'two kinds of access in one pass': [
    /are one storage texture with access read-write and read-only/,
    (k) => {
      const t = k.texture();
      k.pass(EMPTY, (pass) => {
        pass.setBindGroup(0, k.group(k.layout({ access: 'read-only' }), t));
        pass.setBindGroup(1, k.group(k.layout(), t));
      });
    },
  ],
};

describe('multisampled storage textures', async () => {
  const device = await deviceWith([FEATURE]);
  const kit = new Kit(device);

  test.each(Object.entries(cases))('%s', async (_, [error, run]) => {
    device.pushErrorScope('validation');
    run(kit);
    const message = (await device.popErrorScope())?.message ?? null;
    if (error === null) expect(message).toBeNull();
    else expect(message).toMatch(error);
  });
});
