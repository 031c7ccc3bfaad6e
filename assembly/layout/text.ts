// LEXER: a text and its tokens, as parallel arrays (assembly/text/lexer.ts), in a separate memory.
//
//   fields │ letters │ groups │ punctuators … TEXT_AT │ text │ places of names │ names │ candidates │ tokens

import { pastFields } from './record';

// @ts-ignore: decorator
@inline const ASCII_CHARACTERS = 128;

/** LEXER: see the top of the file. */
@unmanaged
export class Lexer {
  /** Number of code units, and bytes per unit, 1 or 2. */
  length: u32;
  unitBytes: u32;
  /** Number of names that are not words (punctuators), and the name of '>'. */
  knownNames: u32;
  closer: u32;
  /** Index of the next code unit. */
  at: u32;
  /** Depth of nested block comments; −1 in a line comment. `opened`: where the outermost one begins. */
  comment: i32;
  opened: u32;
  /** Depth of nested brackets. */
  depth: i32;
  /** NAMEs. `places`: u32 hash slots, a power of two of them: 1 + the number of a name, or 0. */
  names: usize;
  nameCount: u32;
  places: usize;
  lastPlace: u32;
  /** CANDIDATEs. */
  candidates: usize;
  candidateCount: u32;
  /** Tokens, and room for them: u32 starts, ends and numbers of names; u8 TOKEN_* and marks. */
  count: u32;
  room: u32;
  starts: usize;
  ends: usize;
  ids: usize;
  kinds: usize;
  marks: usize;
  /** For each ASCII character: u8 LETTER_*; 0 if it cannot be part of a word. */
  get letters(): usize {
    return pastFields(this);
  }
  /** For each ASCII character: u32 address of the PUNCTUATORs that begin with it, longest first; 0: none. */
  get groups(): usize {
    return this.letters + ASCII_CHARACTERS;
  }
  get punctuators(): usize {
    return this.groups + ASCII_CHARACTERS * sizeof<u32>();
  }
}

/** PUNCTUATOR: a punctuation token. */
@unmanaged
export class Punctuator {
  /** Codes of its second and third character; −1 if it has none. */
  second: i32;
  third: i32;
  name: u8;
  /** Mark of its tokens (src/wgsl/lexer.ts). */
  mark: u8;
  /** EFFECT_*. */
  effect: u8;
  length: u8;
}

/** NAME: the first occurrence of a name. */
@unmanaged
export class Name {
  start: u32;
  end: u32;
}

/** CANDIDATE: a '<' that may open a template list: its token, and the depth of brackets around it. */
@unmanaged
export class Candidate {
  token: u32;
  depth: i32;
}
