// The output of `rasterloom shader`, for people and for machines.
import { quoted } from '../base/printable';
import type { ShaderEntryPoint, ShaderReport, ShaderResource, ShaderVariable } from '../index';
import type { Print, ShaderCommand } from './options/shader-options';

const number = (value: number): string => value.toLocaleString('en-US');
const count = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;

/** Name of a shader in messages. */
export const shaderName = (file: string): string => (file === '-' ? 'Standard input' : quoted(file));

/** Inserts the file's name before line and column of a rendered message, so that terminals make links of it. */
const withFile = (file: string, text: string): string =>
  file === '-' ? text : text.replace(/^( *--> )(?=\d+:\d+$)/gm, (arrow) => arrow + file + ':');

/**
 * Returns all rendered messages, with the file's name before line and column, and the number of errors; empty if there
 * are no messages.
 */
export function describeMessages({ file }: ShaderCommand, { messages }: ShaderReport): string {
  const drawn = messages.map(({ text }) => withFile(file, text));
  const errors = messages.filter(({ type }) => type === 'error').length;
  return [...drawn, ...(errors === 0 ? [] : [`${shaderName(file)} has ${count(errors, 'error')}.`])].join('\n\n');
}

/** Explains why entry points cannot be used, and how to fix that. */
export function describeProblems(
  { file, overrides }: ShaderCommand,
  report: ShaderReport,
  wanted: readonly ShaderEntryPoint[]
): string[] {
  return wanted.flatMap(({ name, stage, problem }) => {
    if (problem === null) return [];
    const missing = report.overrides
      .filter((override) => !override.hasDefault && overrides[override.id ?? override.name] === undefined)
      .map((override) => `--override ${override.id ?? override.name}=VALUE`);
    const help = /^error\[override-without-value\]/m.test(problem)
      ? `\n\nGive ${missing.length === 1 ? 'it' : 'them'} with ${missing.join(' ')}`
      : '';
    return [
      (
        `The ${stage} entry point ${quoted(name)} cannot be used: `
        + `${withFile(file, problem.replace(/^the shader cannot be used:\s+/, '\n\n'))}${help}`
      ).replace(/ \n/, '\n'),
    ];
  });
}

/** Maximum number of overrides that are listed: a screen or two. */
const MAX_OVERRIDES = 100;

/** Describes the file and its overrides, with a table of entry points. */
export function describeShader(
  { file }: ShaderCommand,
  report: ShaderReport,
  wanted: readonly ShaderEntryPoint[]
): string {
  const lines = [`${shaderName(file)} is valid${report.entryPoints.length === 0 ? ', and has no entry points' : ''}.`];
  const { overrides } = report;
  const hidden = overrides.length - MAX_OVERRIDES;
  if (overrides.length > 0)
    lines.push(
      `Overrides: ${overrides.slice(0, MAX_OVERRIDES).map(overrideText).join(', ')}`
        + `${hidden > 0 ? ` and ${hidden} more; --json lists them all` : ''}.`
    );
  if (wanted.length > 0) lines.push('', ...table(wanted));
  return `${lines.join('\n')}\n`;
}

const overrideText = ({ name, id, type, hasDefault }: ShaderReport['overrides'][number]): string =>
  `${id === null ? '' : `@id(${id}) `}${name}: ${type}${hasDefault ? '' : ' (no default)'}`;

const HEADER = [
  'entry point',
  'stage',
  'rate',
  'inputs',
  'outputs',
  'resources',
  'IR nodes',
  'bytecode',
  'registers',
  'uniforms',
  'WASM',
  'bytes',
  'ms',
];

/** Number of columns with text, which are left-aligned. */
const NAMES = 3;

/** Formats one row per entry point. Columns of numbers are right-aligned. */
function table(entries: readonly ShaderEntryPoint[]): string[] {
  const rows = [HEADER, ...entries.map(row)];
  const widths = HEADER.map((_, k) =>
    Math.max(...rows.map((cells) => (k < NAMES || cells.length === HEADER.length ? cells[k]! : '').length))
  );
  return rows.map((cells) =>
    cells
      .map((cell, k) => (k < NAMES ? cell.padEnd(widths[k]!) : cell.padStart(widths[k]!)))
      .join('  ')
      .trimEnd()
  );
}

function row({ name, stage, inputs, outputs, resources, code }: ShaderEntryPoint): string[] {
  if (code === null) return [name, stage, 'cannot be used: see above'];
  const { counts } = code;
  const numbers = [
    inputs.length,
    outputs.length,
    resources.length,
    counts.irNodes,
    counts.bytecode + counts.prologue,
    counts.registers,
    counts.uniformValues,
  ];
  return [
    name,
    stage,
    counts.rate,
    ...numbers.map(number),
    ...(counts.wasm === null ? ['—', '—'] : [number(counts.wasm.instructions), number(counts.wasm.bytes)]),
    (counts.milliseconds.encode + counts.milliseconds.emit).toFixed(1),
  ];
}

const at = ({ location, builtin, interpolate }: ShaderVariable): string =>
  (builtin === null ? `@location(${location})` : `@builtin(${builtin})`)
  + (interpolate === null ? '' : ` @interpolate(${interpolate})`);
const bindingText = ({ group, binding, name, kind, type, minBindingSize }: ShaderResource): string =>
  `@group(${group}) @binding(${binding}) ${name}: `
  + (kind === 'texture' || kind.endsWith('sampler') ? '' : `${kind} `)
  + `${type}${minBindingSize === null ? '' : `, ${minBindingSize} bytes`}`;

/** The text, with a heading in the form of a WebAssembly comment. */
function printed(print: Print, entry: ShaderEntryPoint): string {
  const { name, stage, workgroupSize, inputs, outputs, resources, code } = entry;
  const heading = (what: string): string => `;; ${stage} ${name}: ${what}`;
  if (print === 'interface') {
    const lines = [
      ...(workgroupSize === null ? [] : [`@workgroup_size(${workgroupSize.join(', ')})`]),
      ...inputs.map((one) => `in   ${at(one)} ${one.name}: ${one.type}`),
      ...outputs.map((one) => `out  ${at(one)} ${one.name}: ${one.type}`),
      ...resources.map(bindingText),
    ];
    return [heading('interface'), ...lines].join('\n');
  }
  const { irNodes, parts, bytecode, prologue, registers, uniformValues, wasm } = code!.counts;
  if (print === 'ir')
    return [
      heading(`IR, ${count(irNodes, 'node')}${parts > 1 ? ` in ${parts} parts between barriers` : ''}`),
      code!.ir,
    ].join('\n');
  if (stage === 'geometry') return heading(`no ${print === 'wasm' ? 'WebAssembly' : print}: ${code!.interpreted}`);
  if (print === 'bytecode') {
    const once = prologue === 0 ? '' : ` and ${number(prologue)} once per draw call`;
    const size = [`${count(bytecode, 'instruction')}${once}`, count(registers, 'register')];
    return [heading(`bytecode, ${[...size, count(uniformValues, 'uniform value')].join(', ')}`), code!.bytecode].join(
      '\n'
    );
  }
  if (wasm === null) return heading(`no WebAssembly, it runs in the interpreter: ${code!.interpreted}`);
  const functions = Object.entries(wasm.functions).map(
    ([called, { total, byGroup }]) =>
      `;; ${called}: ${number(total)} (${Object.entries(byGroup)
        .filter(([, value]) => value > 0)
        .map(([group, value]) => `${group} ${number(value)}`)
        .join(', ')})`
  );
  return [
    heading(`WebAssembly, ${count(wasm.instructions, 'instruction')}, ${count(wasm.bytes, 'byte')}`),
    ...functions,
    code!.wasm,
  ].join('\n');
}

/** Returns the output of --print for every usable entry point. */
export function describePrints({ prints }: ShaderCommand, wanted: readonly ShaderEntryPoint[]): string {
  return wanted
    .filter(({ code }) => code !== null)
    .flatMap((entry) => prints.map((print) => `${printed(print, entry)}\n`))
    .join('\n');
}

/** Returns the output of --json. */
export function machineReport(
  { file, prints }: ShaderCommand,
  { valid, messages, overrides }: ShaderReport,
  wanted: readonly ShaderEntryPoint[]
): object {
  const entryPoints = wanted.map(({ code, ...entry }) => ({
    ...entry,
    counts: code?.counts ?? null,
    interpreted: code?.interpreted ?? null,
    ...(code === null
      ? {}
      : Object.fromEntries(prints.filter((print) => print !== 'interface').map((print) => [print, code[print]]))),
  }));
  return { file, valid, messages, overrides, entryPoints };
}
