// Tables of names that no check here compares, by the reason.

/** Keys of tables: file, heading and first cell of the head. */
export const UNCOMPARED: Readonly<Record<'sentences' | 'compared elsewhere', readonly string[]>> = {
  sentences: [
    'docs/decisions/image-decoders.md: Images are decoded by mozjpeg, libwebp and fast-png: decoder',
    'docs/features/compressed-multisampled-surfaces.md: Statistics: call',
    'docs/features/fragment-stages.md: Inputs and outputs: what',
    'docs/features/geometry-and-stream-output.md: Geometry stages: function',
    'docs/features/multisampled-storage-textures.md: WGSL: member',
    'docs/guides/getting-started.md: Choose an entry point: what you call',
    'docs/internals/benchmarks.md: Is this build slower than another one?: Variable',
    'docs/internals/benchmarks.md: Where figures are stored: Folder',
    'docs/internals/conformance.md: Results: File',
    'docs/internals/conformance.md: What is run: Option',
    'docs/internals/memory-and-records.md: Multisampled surfaces: State',
    'docs/reference/errors.md: WebGPU errors: class',
    'docs/reference/farm-queue.md: Commands: command',
    'docs/reference/farm-queue.md: Animations in chunks: member',
    'docs/reference/farm-queue.md: Jobs: member',
    'docs/reference/farm-queue.md: Results: member',
    'docs/reference/performance.md: What features cost: feature',
    'docs/reference/virtual-time.md: What is replaced: global',
  ],
  'compared elsewhere': [
    // The check of `Input and output` reads all tables of options of `rasterloom render`.
    'docs/reference/command.md: Light: option',
    'docs/reference/command.md: Reports: option',
    'docs/reference/command.md: Access: option',
  ],
};
