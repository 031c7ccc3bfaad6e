// LEXER: a text, and its tokens as lists side by side (assembly/text/lexer.ts), in a memory of its own.
//
//   fields │ letters │ groups │ punctuators … TEXT_AT │ text │ places of names │ names │ candidates │ tokens

@unmanaged
export class Lexer {
  /** Code units; bytes of each, 1 or 2. */
  length: u32;
  unitBytes: u32;
  /** Names that are no words: punctuators; that of '>'. */
  knownNames: u32;
  closer: u32;
  /** The next unit. */
  at: u32;
  /** Block comments around, −1 in one to the end of the line; where the outermost one begins. */
  comment: i32;
  opened: u32;
  /** Brackets around. */
  depth: i32;
  /** NAMEs, and u32 places by hash, a power of two of them: the number of a name and 1, or 0. */
  names: usize;
  nameCount: u32;
  places: usize;
  lastPlace: u32;
  /** CANDIDATEs. */
  candidates: usize;
  candidateCount: u32;
  /** Tokens, and how many there is room for: u32 starts, ends and numbers of names, u8 TOKEN_* and marks. */
  count: u32;
  room: u32;
  starts: usize;
  ends: usize;
  ids: usize;
  kinds: usize;
  marks: usize;
  /** Of each ASCII character: u8 LETTER_*, 0 where no word goes on with it. */
  get letters(): usize { return changetype<usize>(this) + 96; }
  /** u32 address of the PUNCTUATORs that begin with it, longest first; 0: none does. */
  get groups(): usize { return this.letters + 128; }
  get punctuators(): usize { return this.groups + 128 * 4; }
}

@unmanaged
export class Punctuator {
  /** Codes of its second and third character; −1 where it has none. */
  second: i32;
  third: i32;
  name: u8;
  /** Mark (src/wgsl/lexer.ts) of its tokens. */
  mark: u8;
  /** EFFECT_*. */
  effect: u8;
  length: u8;
}

/** Where a name stands first. */
@unmanaged
export class Name {
  start: u32;
  end: u32;
}

/** A '<' that may open a template list: its token, and the brackets around it. */
@unmanaged
export class Candidate {
  token: u32;
  depth: i32;
}
