// Validation of the sinks of a modular pipeline: stream output buffers, and fragment shaders with their attachments.
import type { DeviceCore, Fail } from '../core/device-core';
import type { BufferSinkDescriptor, RasterSinkDescriptor } from './modular-descriptor';
import { requireOutputFormats, type FragmentDescriptor } from '../pipelines/pipeline-descriptor';
import type { TableSink } from './modular-slots';
import { checkPrimitive } from '../pipelines/pipeline-checks';
import type { FragmentProgram } from '../pipelines/fragment-stages';
import { checkFragmentOutput, fragmentOf, type CreationCall, type OutputDescriptor } from '../pipelines/pipeline';
import { vertexFormatInfo } from '../pipelines/vertex-format';
import type { ModularPipelineParts } from './modular-choice';

export function checkSinkBuffer(
  { arrayStride, attributes }: BufferSinkDescriptor,
  number: number,
  device: DeviceCore,
  no: Fail
): void {
  const at = `sinks[${number}].buffer`;
  const { maxVertexBufferArrayStride: most } = device.limits;
  if (arrayStride === 0 || arrayStride % 4 !== 0 || arrayStride > most)
    no(`${at}: arrayStride ${arrayStride} must be a multiple of 4, from 4 to maxVertexBufferArrayStride ${most}`);
  if (attributes.length === 0) no(`${at}: attributes is empty; add the attributes that are stored for each vertex`);
  attributes.forEach(({ shaderLocation, builtin, offset, format }, i) => {
    const { bytes } = vertexFormatInfo(format);
    if ((shaderLocation === undefined) === (builtin === undefined))
      no(`${at}.attributes[${i}] must have either shaderLocation or builtin`);
    if (builtin !== undefined && format !== 'uint32')
      no(`${at}.attributes[${i}]: the format of builtin "${builtin}" must be uint32, not ${format}`);
    if (offset % 4 !== 0 || offset + bytes > arrayStride)
      no(
        `${at}.attributes[${i}]: offset ${offset} must be a multiple of 4, `
          + `with ${bytes} bytes before arrayStride ${arrayStride}`
      );
    const isSame = (other: (typeof attributes)[number]): boolean =>
      other.shaderLocation === shaderLocation && other.builtin === builtin;
    if (attributes.findIndex(isSame) !== i)
      no(`${at}.attributes[${i}]: ${builtin ?? `shaderLocation ${shaderLocation}`} is taken by another attribute`);
  });
}

/** Whether the slots of the pipeline are the fragment stages of a sink. */
const isFromSlots = ({ module, stages }: FragmentDescriptor): boolean => module === null && stages === null;

export function rasterSink(
  device: DeviceCore,
  { label, input }: { readonly label: string } & Pick<ModularPipelineParts, 'input'>,
  sink: RasterSinkDescriptor,
  who: CreationCall,
  no: Fail
): { readonly raster: OutputDescriptor; readonly program: FragmentProgram | null } {
  const { frontFace, cullMode, unclippedDepth } = sink.primitive;
  const { topology, stripIndexFormat } = input;
  const raster = { ...sink, label, primitive: { frontFace, cullMode, unclippedDepth, topology, stripIndexFormat } };
  requireOutputFormats(device, who.call, raster);
  checkPrimitive(device, raster, no);
  // Each choice checks the shader that it joins from slots.
  if (sink.fragment && isFromSlots(sink.fragment)) return { raster, program: null };
  const program = sink.fragment && fragmentOf(sink.fragment, who, device, no);
  checkFragmentOutput(device, raster, program, no);
  return { raster, program };
}

/** Requires that all raster sinks draw to the same attachments. */
export function checkAttachments(sinks: readonly TableSink[], no: Fail): void {
  const text = ({ fragment, depthStencil, multisample }: OutputDescriptor): string =>
    [
      ...(fragment?.targets ?? []).map((target) => target?.format.name ?? 'none'),
      depthStencil?.format.name ?? 'no depth',
      `${multisample.count} sample(s)`,
    ].join(', ');
  let first: { readonly number: number; readonly attachments: string } | null = null;
  for (const [number, sink] of sinks.entries()) {
    if (sink.kind !== 'raster') continue;
    const attachments = text(sink.raster);
    first ??= { number, attachments };
    if (attachments !== first.attachments)
      no(
        `sinks[${number}] draws to ${attachments}, but sinks[${first.number}] draws to ${first.attachments}; `
          + 'all raster sinks must draw to the same attachments'
      );
  }
}

/** Requires that a sink is of one kind. */
export function checkKind(
  sink: Readonly<Partial<Record<'raster' | 'buffer' | 'pipeline', unknown>>>,
  number: number,
  no: Fail
): void {
  const kinds = (['raster', 'buffer', 'pipeline'] as const).filter((kind) => (sink[kind] ?? null) !== null);
  if (kinds.length !== 1)
    no(`sinks[${number}] must have exactly one of raster, buffer and pipeline; it has ${kinds.length}`);
}
