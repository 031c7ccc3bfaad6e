// Prints a program as text, for tests and debugging.

import { floatFromBits } from '../base/bits';
import { isAtomic } from './ops';
import {
  NUMBER_LOCATION,
  RATE_LOCATION,
  type Instruction,
  type IrInput,
  type IrNode,
  type IrOutput,
  type IrProgram,
  type IrResource,
} from './program';

function constantText(type: string, bits: number): string {
  if (type === 'bool') return bits === 0 ? 'false' : 'true';
  if (type === 'i32') return String(bits | 0);
  if (type === 'u32') return `${bits >>> 0}u`;
  const value = floatFromBits(bits);
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) && Math.abs(value) < 1e9 ? value.toFixed(1) : String(value);
}

const XYZW = 'xyzw';
function slotText(slot: IrInput | IrOutput): string {
  switch (slot.kind) {
    case 'attribute':
    case 'color':
    case 'destination':
    case 'link': {
      const corner = slot.kind === 'attribute' && slot.corner !== undefined ? ` of corner ${slot.corner}` : '';
      return `${slot.kind} ${slot.location}.${XYZW[slot.component]} ${slot.type}${corner}`;
    }
    case 'varying':
      if (slot.location === RATE_LOCATION) return 'shading_rate';
      if (slot.location === NUMBER_LOCATION) return 'primitive_index u32';
      return `varying ${slot.location}.${XYZW[slot.component]} ${slot.type} ${slot.interpolation} ${slot.sampling}`;
    case 'position':
      return `position.${XYZW[slot.component]}`;
    case 'builtin': {
      const sample = 'ofSample' in slot && slot.ofSample ? ' of the sample' : '';
      return (
        ('component' in slot ? `${slot.builtin}.${XYZW[slot.component]}` : `${slot.builtin} ${slot.type}`) + `${sample}`
      );
    }
    case 'control_point':
      return `control_point ${slot.location}.${XYZW[slot.component]} ${slot.type} of corner ${slot.corner}`;
    case 'clip_distance':
      return `${slot.kind} ${slot.component}`;
    case 'tess_level':
      return `${slot.kind} ${slot.level}`;
    default:
      return slot.kind;
  }
}

function resourceText(resource: IrResource): string {
  if (resource.kind === 'workgroup') return `${resource.name}, ${resource.size} bytes`;
  if (resource.kind === 'blend-constant') return 'blend constant';
  if (resource.kind === 'counters') return `counters, ${resource.size} bytes`;
  if (resource.kind === 'immediate') return `${resource.name}: immediate, ${resource.minSize} bytes`;
  const where = `@group(${resource.group}) @binding(${resource.binding}) ${resource.name}`;
  switch (resource.kind) {
    case 'texture':
      return (
        `${where}: texture ${resource.dimension} ${resource.sampled}` + (resource.multisampled ? ' multisampled' : '')
      );
    case 'image':
      return `${where}: image ${resource.dimension} ${resource.format} ${resource.access}`;
    case 'surface':
      return `${where}: surface ${resource.format} ${resource.access}`;
    case 'sampler':
      return `${where}: sampler${resource.comparison ? ' comparison' : ''}`;
    default:
      return `${where}: ${resource.kind}${resource.writable ? ' read_write' : ''}, ${resource.minSize} bytes`;
  }
}

function instructionText(program: IrProgram, instruction: Instruction): string {
  const { op, results, args, imm, texture } = instruction;
  const operands = args.map((id) => `%${id}`);
  switch (op) {
    case 'const':
      operands.push(constantText(program.values[results[0]!]!, imm));
      break;
    case 'var.get':
    case 'var.set':
      operands.unshift(`v${imm}`);
      break;
    case 'array.load':
    case 'array.store':
      operands.unshift(`a${imm}`);
      break;
    case 'input':
      operands.unshift(`in${imm}`);
      break;
    case 'output':
      operands.unshift(`out${imm}`);
      break;
    case 'buffer.load':
    case 'buffer.size':
    case 'texture.dimensions':
    case 'texture.levels':
    case 'texture.layers':
    case 'texture.samples':
    case 'texture.loadSamples':
    case 'surface.load':
    case 'surface.store':
    case 'surface.width':
    case 'surface.height':
    case 'surface.samples':
      operands.unshift(`r${imm}`);
      break;
    default:
      if (/^(storage|image)\./.test(op) || isAtomic(op)) operands.unshift(`r${imm}`);
  }
  if (texture !== undefined) {
    operands.unshift(
      `r${texture.texture}`,
      ...(texture.sampler < 0 ? [] : [`r${texture.sampler}`]),
      texture.mode
        + (texture.component === undefined ? '' : ` ${texture.component}`)
        + (texture.compare ? ' compare' : '')
    );
    if (texture.offset.some((x) => x !== 0)) operands.push(`offset ${texture.offset.join(' ')}`);
  }
  const right = operands.length === 0 ? op : `${op} ${operands.join(', ')}`;
  return results.length === 0 ? right : `${results.map((id) => `%${id}: ${program.values[id]}`).join(', ')} = ${right}`;
}

function nodeLines(program: IrProgram, nodes: readonly IrNode[], indent: string): string[] {
  return nodes.flatMap((node) => {
    const inner = (list: readonly IrNode[]): string[] => nodeLines(program, list, `${indent}  `);
    switch (node.kind) {
      case 'op':
        return [indent + instructionText(program, node)];
      case 'if':
        return [
          `${indent}if %${node.condition} {`,
          ...inner(node.then),
          ...(node.otherwise.length === 0 ? [] : [`${indent}} else {`, ...inner(node.otherwise)]),
          `${indent}}`,
        ];
      case 'leave':
        return [`${indent}leave ${node.label}`];
      default:
        return [`${indent}${node.kind} ${node.label} {`, ...inner(node.body), `${indent}}`];
    }
  });
}

/**
 * Prints one line per instruction. Values are written as %id, variables as v, lane arrays as a, and resources as r with
 * their index.
 */
export function print(program: IrProgram): string {
  const lines = [`${program.kind} ${program.name}${program.testsEarly ? ', early depth test' : ''}`];
  program.resources.forEach((resource, k) => lines.push(`r${k} ${resourceText(resource)}`));
  program.inputs.forEach((input, k) => lines.push(`in${k} ${slotText(input)}`));
  program.outputs.forEach((output, k) => lines.push(`out${k} ${slotText(output)}`));
  program.variables.forEach((variable, k) => lines.push(`v${k} ${variable.name}: ${variable.type}`));
  program.arrays.forEach((array, k) =>
    lines.push(
      `a${k} ${array.name}: ${array.type}[${array.length}]${array.constants ? ' constant' : array.kept ? ' kept' : ''}`
    )
  );
  return [...lines, ...nodeLines(program, program.body, '  ')].join('\n');
}
