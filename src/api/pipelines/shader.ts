// GPUShaderModule and its compilation messages: https://www.w3.org/TR/webgpu/#shader-modules

import { locate, renderDiagnostics, type Diagnostic } from '../../base/diagnostics';
import type { ShaderProgram } from '../core/front-end';
import { ApiObject, describe, refuse, type DeviceCore } from '../core/device-core';
import { dictionary, optional, promising, required, text } from '../idl/idl';
import { rejectConstruction, expose, exposeLabelled, slot } from '../idl/interface';

class ShaderModuleCore extends ApiObject {
  readonly source: string;
  readonly program: ShaderProgram;

  constructor(device: DeviceCore, label: string, source: string, program: ShaderProgram) {
    super(device, 'ShaderModule', label, program.checked.valid && !device.isLost);
    this.source = source;
    this.program = program;
  }
}

interface Message {
  readonly source: string;
  readonly diagnostic: Diagnostic;
}
const messageSlot = slot<Message>('GPUCompilationMessage');
class GPUCompilationMessage {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  /** The message with its notes. The validation error contains the rendered form with source line and carets. */
  get message(): string {
    const { code, message, notes } = messageSlot.of(this).diagnostic;
    return [`[${code}] ${message}`, ...(notes ?? []).map((note) => note.message)].join('\n');
  }
  get type(): GPUCompilationMessageType {
    return messageSlot.of(this).diagnostic.severity;
  }
  get lineNum(): number {
    const { source, diagnostic } = messageSlot.of(this);
    return locate(source, diagnostic.span.start).line;
  }
  get linePos(): number {
    const { source, diagnostic } = messageSlot.of(this);
    return locate(source, diagnostic.span.start).column;
  }
  get offset(): number {
    return messageSlot.of(this).diagnostic.span.start;
  }
  get length(): number {
    const { span } = messageSlot.of(this).diagnostic;
    return span.end - span.start;
  }
}
expose('GPUCompilationMessage', GPUCompilationMessage, messageSlot);

const infoSlot = slot<{ readonly messages: readonly object[] }>('GPUCompilationInfo');
class GPUCompilationInfo {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  get messages(): readonly object[] {
    return infoSlot.of(this).messages;
  }
}
expose('GPUCompilationInfo', GPUCompilationInfo, infoSlot);

export const shaderModuleSlot = slot<ShaderModuleCore>('GPUShaderModule');
class GPUShaderModule {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  getCompilationInfo(): Promise<object> {
    return promising(() => {
      const {
        source,
        program: { diagnostics },
      } = shaderModuleSlot.of(this);
      const sorted = [...diagnostics].sort((a, b) => a.span.start - b.span.start);
      return infoSlot.make({
        messages: Object.freeze(sorted.map((diagnostic) => messageSlot.make({ source, diagnostic }))),
      });
    });
  }
}
exposeLabelled('GPUShaderModule', GPUShaderModule, shaderModuleSlot);

const descriptorOf = dictionary('GPUShaderModuleDescriptor', { label: optional(text, ''), code: required(text) });

/** Modules with equal source text share their checked program. */
function programOf({ engine, features, render }: DeviceCore, code: string): ShaderProgram {
  const { shaderLimits, pipelineCache } = render;
  return engine.sharedPrograms(pipelineCache?.cache ?? null).find(code, features, shaderLimits);
}

export function createShaderModule(device: DeviceCore, value: unknown): object {
  const { label, code } = descriptorOf(value, 'createShaderModule: descriptor');
  device.render.hints.onShaders();
  const program = programOf(device, code);
  const errors = program.diagnostics.filter((d) => d.severity === 'error');
  device.guard(() => {
    if (errors.length > 0)
      refuse(
        { called: describe('ShaderModule', label) },
        'createShaderModule',
        `${errors.length} error${errors.length === 1 ? '' : 's'} in the WGSL\n\n${renderDiagnostics(code, errors)}`
      );
  });
  return shaderModuleSlot.make(new ShaderModuleCore(device, label, code, program));
}
