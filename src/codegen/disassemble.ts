// Prints bytecode as text, one instruction per line, for tests and for `rasterloom shader`.

import {
  OPERAND_NONE,
  OP_ARRAY_LOAD,
  OP_ARRAY_STORE,
  OP_BUFFER_ATOMIC,
  OP_BUFFER_LOAD,
  OP_BUFFER_LOAD4,
  OP_BUFFER_STORE,
  OP_BUFFER_STORE_HALF,
  OP_DDY_FINE,
  OP_DISCARD,
  OP_ELSE,
  OP_END,
  OP_F32_DOT3,
  OP_F32_DOT3_ADD,
  OP_F32_DOT4,
  OP_IF,
  OP_IF_NOT,
  OP_IMAGE_LOAD,
  OP_IMAGE_STORE,
  OP_INT_AND_NOT,
  OP_INT_INSERT_BITS,
  OP_JUMP,
  OP_JUMP_UNLESS,
  OP_LANES_BALLOT,
  OP_LANES_INDEX,
  OP_LANES_PERMUTE,
  OP_LANES_SHUFFLE,
  OP_LEAVE,
  OP_LOOP_END,
  OP_RESTORE_EXEC,
  OP_RESTORE_EXEC_OR_JUMP,
  OP_SAVE_EXEC,
  OP_SURFACE_FIELD,
  OP_SURFACE_LOAD,
  OP_SURFACE_STORE,
  OP_TEXTURE_DIMENSIONS,
  OP_TEXTURE_LOAD,
  OP_TEXTURE_LOAD_SAMPLES,
  OP_TEXTURE_SAMPLE,
  OP_U32_EXTRACT_BITS,
  TEXTURE_INSTRUCTION_WORDS,
} from '../../assembly/layout/program/opcodes';
import * as Op from '../../assembly/layout/program/opcodes';
import { unreachable } from '../base/assert';
import type { EncodedProgram } from './encode';

const names: string[] = [];
for (const [name, value] of Object.entries(Op))
  if (name.startsWith('OP_') && name !== 'OP_COUNT') names[value as number] = name.slice(3).toLowerCase();

const low = (word: number): number => word & 0xffff;
const high = (word: number): number => word >>> 16;

interface Decoded {
  readonly text: string;
  readonly length: number;
}

class Disassembler {
  constructor(
    private readonly code: Uint32Array,
    private readonly register: (number: number) => string
  ) {}

  lines(): string[] {
    const lines: string[] = [];
    for (let at = 0; at < this.code.length;) {
      const { text, length } = this.decode(at);
      lines.push(`${String(at).padStart(4)}  ${text}`);
      at += length;
    }
    return lines;
  }

  /** Number of instructions. */
  count(): number {
    let count = 0;
    for (let at = 0; at < this.code.length; at += this.decode(at).length) count++;
    return count;
  }

  private word(at: number): number {
    return this.code[at] ?? unreachable(`disassemble: the code ends in an instruction, at ${at}`);
  }

  /** The registers in the halves of `count` words; NONE is shown as a dash. */
  private halves(at: number, count: number): string {
    const found: string[] = [];
    for (let i = 0; i < count; i++)
      for (const half of [low(this.word(at + i)), high(this.word(at + i))])
        found.push(half === OPERAND_NONE ? '-' : this.register(half));
    return found.join(' ');
  }

  private operands(at: number, count: number): string {
    return Array.from({ length: count }, (_, k) => {
      const word = this.word(at + (k >> 1));
      return this.register(k & 1 ? high(word) : low(word));
    }).join(' ');
  }

  private decode(at: number): Decoded {
    const word = this.word(at);
    const opcode = low(word);
    const name = names[opcode] ?? unreachable(`disassemble: opcode ${opcode}`);
    if (opcode <= OP_DISCARD) return this.control(at, opcode, name);
    const dst = this.register(high(word));
    const arithmetic = (operands: number): Decoded => ({
      text: `${dst} = ${name} ${this.operands(at + 1, operands)}`,
      length: 1 + ((operands + 1) >> 1),
    });
    if (opcode <= OP_DDY_FINE) return arithmetic(1);
    if (opcode <= OP_INT_AND_NOT) return arithmetic(2);
    if (opcode <= OP_U32_EXTRACT_BITS) return arithmetic(3);
    if (opcode <= OP_INT_INSERT_BITS) return arithmetic(4);
    if (opcode === OP_F32_DOT3) return arithmetic(6);
    if (opcode === OP_F32_DOT3_ADD) return { ...arithmetic(7), length: 5 };
    if (opcode === OP_F32_DOT4) return arithmetic(8);
    return this.memory(at, opcode, name, dst);
  }

  private control(at: number, opcode: number, name: string): Decoded {
    const x = high(this.word(at));
    switch (opcode) {
      case OP_END:
      case OP_DISCARD:
        return { text: name, length: 1 };
      case OP_JUMP:
        return { text: `${name} → ${this.word(at + 1)}`, length: 2 };
      case OP_JUMP_UNLESS:
      case OP_RESTORE_EXEC_OR_JUMP:
      case OP_LOOP_END:
        return { text: `${name} ${this.register(x)} → ${this.word(at + 1)}`, length: 2 };
      case OP_IF:
      case OP_IF_NOT:
      case OP_ELSE:
        return {
          text: `${name} ${this.register(low(this.word(at + 1)))} save ${this.register(x)} → ${this.word(at + 2)}`,
          length: 3,
        };
      case OP_SAVE_EXEC:
      case OP_RESTORE_EXEC:
        return { text: `${name} ${this.register(x)}`, length: 1 };
      case OP_LEAVE:
        return { text: `${name} ${this.operands(at + 1, x)}`.trimEnd(), length: 1 + ((x + 1) >> 1) };
      default: {
        const saves = x === 0 ? '' : ` from ${this.operands(at + 3, x)}`;
        return {
          text: `${name} ${this.register(low(this.word(at + 1)))}${saves} → ${this.word(at + 2)}`,
          length: 3 + ((x + 1) >> 1),
        };
      }
    }
  }

  private memory(at: number, opcode: number, name: string, dst: string): Decoded {
    const first = (): number => this.word(at + 1);
    switch (opcode) {
      case OP_ARRAY_LOAD:
        return {
          text:
            `${dst} = ${name} ${this.register(high(first()))}[${this.register(low(first()))}] of `
            + `${this.word(at + 2)}`,
          length: 3,
        };
      case OP_ARRAY_STORE:
        return {
          text:
            `${name} ${this.register(high(first()))}[${this.register(low(first()))}] `
            + `of ${this.word(at + 2)} = ${dst}`,
          length: 3,
        };
      case OP_BUFFER_LOAD:
        return {
          text: `${dst} = ${name} resource ${high(first())}, ${this.register(low(first()))} + ${this.word(at + 2)}`,
          length: 3,
        };
      case OP_BUFFER_LOAD4:
        return {
          text:
            `${this.halves(at + 3, 2)} = ${name} resource ${high(first())}, ${this.register(low(first()))} `
            + `+ ${this.word(at + 2)}`,
          length: 5,
        };
      case OP_BUFFER_STORE:
      case OP_BUFFER_STORE_HALF:
        return { text: `${name} resource ${high(first())}, ${this.register(low(first()))} = ${dst}`, length: 2 };
      case OP_BUFFER_ATOMIC: {
        const result = high(this.word(at)) === OPERAND_NONE ? '' : `${dst} = `;
        const text =
          `${result}${name} ${this.word(at + 3)} resource ${high(first())}, ${this.register(low(first()))}: `
          + `${this.halves(at + 2, 1)}`;
        return { text, length: 4 };
      }
      case OP_TEXTURE_DIMENSIONS:
        return {
          text: `${this.halves(at + 2, 2)} = ${name} resource ${high(first())}, ${this.register(low(first()))}`,
          length: 4,
        };
      case OP_TEXTURE_SAMPLE:
      case OP_TEXTURE_LOAD:
        return this.texture(at, name);
      case OP_IMAGE_LOAD:
      case OP_IMAGE_STORE: {
        const word = this.word(at + 2);
        const place = `resource ${high(word)}: ${this.halves(at + 1, 1)} ${this.register(low(word))}`;
        const texel = this.halves(at + 3, 2);
        return {
          text: opcode === OP_IMAGE_LOAD ? `${texel} = ${name} ${place}` : `${name} ${place} = ${texel}`,
          length: 5,
        };
      }
      case OP_SURFACE_LOAD:
      case OP_TEXTURE_LOAD_SAMPLES:
        return {
          text:
            `${this.halves(at + 3, 3)} = ${name} resource ${high(this.word(at + 2))}: ${this.halves(at + 1, 1)} `
            + `samples ${this.register(low(this.word(at + 2)))}`,
          length: 6,
        };
      case OP_SURFACE_STORE:
        return {
          text:
            `${name} resource ${high(this.word(at + 2))}: ${this.halves(at + 1, 1)} `
            + `samples ${this.register(low(this.word(at + 2)))} = ${this.halves(at + 3, 2)}`,
          length: 5,
        };
      case OP_LANES_PERMUTE:
        return { text: `${dst} = ${name} ${this.operands(at + 1, 2)}, ${this.word(at + 2)}`, length: 3 };
      case OP_LANES_SHUFFLE:
        return { text: `${dst} = ${name} ${this.operands(at + 1, 2)}`, length: 2 };
      case OP_LANES_BALLOT:
        return { text: `${dst} = ${name} ${this.operands(at + 1, 1)}`, length: 2 };
      case OP_LANES_INDEX:
        return { text: `${dst} = ${name}`, length: 2 };
      case OP_SURFACE_FIELD:
        return { text: `${dst} = ${name} ${high(first())} of resource ${low(first())}`, length: 2 };
      default:
        return { text: `${dst} = ${name} resource ${low(first())}`, length: 2 };
    }
  }

  private texture(at: number, name: string): Decoded {
    const word = this.word(at + 1);
    const sampler = high(word) === OPERAND_NONE ? '' : `, sampler ${high(word)}`;
    const mode = ['implicit', 'bias', 'level', 'grad', 'gather 0', 'gather 1', 'gather 2', 'gather 3'][
      high(this.word(at))
    ];
    const operands = `texture ${low(word)}${sampler}: ${this.halves(at + 3, 6)}`;
    const text = `${this.halves(at + 9, 2)} = ${name} ${mode} ${operands}`;
    return { text, length: TEXTURE_INSTRUCTION_WORDS };
  }
}

/**
 * Numbers of instructions in the body, which runs for each warp, and in the prologue, which runs once per draw call.
 */
export function countBytecode({ code, prologue }: EncodedProgram): { body: number; prologue: number } {
  const count = (words: Uint32Array): number => new Disassembler(words, String).count();
  return { body: count(code), prologue: count(prologue) };
}

/** Prints the prologue and the body. Registers: i input, o output, c constant, u uniform, r all others. */
export function disassemble(program: EncodedProgram): string {
  const { inputs, outputs, uniforms } = program;
  const parts: readonly (readonly [string, number])[] = [
    ['i', inputs],
    ['o', outputs],
    ['c', program.constants.length],
    ['u', uniforms],
  ];
  const register = (number: number): string => {
    let rest = number;
    for (const [letter, count] of parts) {
      if (rest < count) return letter + rest;
      rest -= count;
    }
    return `r${rest}`;
  };
  const constants = [...program.constants].map((bits, k) => `c${k} = ${bits.toString(16).padStart(8, '0')}`);
  const section = (title: string, code: Uint32Array): string[] =>
    code.length === 0 ? [] : [`${title}:`, ...new Disassembler(code, register).lines()];
  return [...constants, ...section('prologue', program.prologue), ...section('body', program.code)].join('\n');
}
