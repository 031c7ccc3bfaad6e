// Converts text to tokens (WGSL §3), including template lists. It handles what every text contains; the caller handles
// rare cases when `run` stops at them (src/wgsl/lexer.ts). This is a separate module because it needs no device. It
// also reads the first text of a process as fast as later ones, unlike JavaScript that the engine runs for the first
// time.
import {
  Candidate,
  EFFECT_CLOSES,
  EFFECT_JOINS,
  EFFECT_LESS,
  EFFECT_OPENS,
  LETTER_DIGIT,
  Lexer,
  Name,
  Punctuator,
  sizeOf,
  STOP_BEYOND,
  STOP_END,
  STOP_NO_TOKEN,
  STOP_NUL_IN_COMMENT,
  STOP_NUMBER,
  STOP_OPEN_COMMENT,
  TEXT_AT,
  TOKEN_PUNCTUATION,
  TOKEN_TEMPLATE_CLOSE,
  TOKEN_TEMPLATE_OPEN,
  TOKEN_WORD,
} from '../layout';

const IN_LINE = -1;
const CHARACTERS_PER_TOKEN = 3;
/** FNV prime. */
const PRIME: u32 = 0x01000193;

/** Prepares memory for a text of Lexer.length units of Lexer.unitBytes bytes, which is followed by a 0. */
export function begin(lexer: Lexer): void {
  const units = lexer.length;
  const most = <usize>(units >> 1) + 4;
  lexer.at = lexer.comment = lexer.depth = lexer.nameCount = lexer.candidateCount = lexer.count = 0;
  // Two names are always separated by something else, so at least one place stays free.
  let places: u32 = 1;
  while (places < <u32>most) places <<= 1;
  lexer.lastPlace = places - 1;
  lexer.places = (<usize>TEXT_AT + <usize>(units + 1) * lexer.unitBytes + 7) & ~7;
  lexer.names = lexer.places + ((<usize>places) << 2);
  lexer.candidates = lexer.names + most * sizeOf<Name>();
  lexer.starts = lexer.candidates + most * sizeOf<Candidate>();
  lexer.room = units / CHARACTERS_PER_TOKEN + 16;
  layTokens(lexer);
  memory.fill(lexer.places, 0, (<usize>places) << 2);
}

function layTokens(lexer: Lexer): void {
  const room = <usize>lexer.room;
  lexer.ends = lexer.starts + (room << 2);
  lexer.ids = lexer.ends + (room << 2);
  lexer.kinds = lexer.ids + (room << 2);
  lexer.marks = lexer.kinds + room;
  provide(lexer.marks + room);
}

function provide(end: usize): void {
  const pages = <i32>((end + 0xffff) >>> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) unreachable();
}

function grow(lexer: Lexer): void {
  const before = <usize>lexer.room;
  const ends = lexer.ends;
  const ids = lexer.ids;
  const kinds = lexer.kinds;
  const marks = lexer.marks;
  lexer.room <<= 1;
  layTokens(lexer);
  memory.copy(lexer.marks, marks, before);
  memory.copy(lexer.kinds, kinds, before);
  memory.copy(lexer.ids, ids, before << 2);
  memory.copy(lexer.ends, ends, before << 2);
}

function codeAt(lexer: Lexer, index: u32): u32 {
  return lexer.unitBytes == 1 ? load<u8>(index, TEXT_AT) : load<u16>((<usize>index) << 1, TEXT_AT);
}

function letterOf(lexer: Lexer, code: u32): u32 {
  return load<u8>(lexer.letters + code);
}

/** Appends a token and moves to its end. */
export function push(lexer: Lexer, kind: u32, mark: u32, id: u32, end: u32): void {
  if (lexer.count == lexer.room) grow(lexer);
  const token = <usize>lexer.count;
  lexer.count++;
  store<u32>(lexer.starts + (token << 2), lexer.at);
  store<u32>(lexer.ends + (token << 2), end);
  store<u32>(lexer.ids + (token << 2), id);
  store<u8>(lexer.kinds + token, kind);
  store<u8>(lexer.marks + token, mark);
  lexer.at = end;
}

/** Reads tokens until something stops it. Returns STOP_*. */
export function run(lexer: Lexer): i32 {
  while (true) {
    if (lexer.comment != 0) {
      const stop = lexer.comment == IN_LINE ? endLine(lexer) : endBlock(lexer);
      if (stop != STOP_END) return stop;
    }
    let at = lexer.at;
    let code: u32 = 0;
    for (; at < lexer.length; at++) {
      code = codeAt(lexer, at);
      if (code != 0x20 && code - 9 > 4) break;
    }
    lexer.at = at;
    if (at >= lexer.length) return STOP_END;
    if (code > 0x7f) {
      if (!isBlank(code)) return STOP_BEYOND;
      lexer.at++;
      continue;
    }
    const letter = letterOf(lexer, code);
    if (letter == LETTER_DIGIT) return STOP_NUMBER;
    if (letter) {
      if (!word(lexer)) return STOP_BEYOND;
      continue;
    }
    const next = codeAt(lexer, at + 1);
    if (code == 0x2f /* / */ && next == 0x2f) {
      lexer.comment = IN_LINE;
    } else if (code == 0x2f && next == 0x2a /* * */) {
      lexer.opened = at;
      lexer.at += 2;
      lexer.comment = 1;
    } else if (code == 0x2e /* . */ && next - 0x30 < 10) {
      return STOP_NUMBER;
    } else if (!punctuation(lexer, code, next)) {
      return STOP_NO_TOKEN;
    }
  }
}

/** Whitespace beyond ASCII (§3.2). */
function isBlank(code: u32): bool {
  return code == 0x85 || code == 0x200e || code == 0x200f || code == 0x2028 || code == 0x2029;
}

function endLine(lexer: Lexer): i32 {
  for (; lexer.at < lexer.length; lexer.at++) {
    const code = codeAt(lexer, lexer.at);
    if (code - 0x0a < 4 || code == 0x85 || code == 0x2028 || code == 0x2029) break;
    if (code == 0) return STOP_NUL_IN_COMMENT;
  }
  lexer.comment = 0;
  return STOP_END;
}

/** Block comments nest (§3.3). */
function endBlock(lexer: Lexer): i32 {
  while (lexer.at < lexer.length) {
    const code = codeAt(lexer, lexer.at);
    const next = codeAt(lexer, lexer.at + 1);
    if (code == 0) return STOP_NUL_IN_COMMENT;
    lexer.at++;
    if (code == 0x2f && next == 0x2a) {
      lexer.comment++;
      lexer.at++;
    } else if (code == 0x2a && next == 0x2f) {
      lexer.at++;
      lexer.comment--;
      if (lexer.comment == 0) return STOP_END;
    }
  }
  lexer.comment = 0;
  return STOP_OPEN_COMMENT;
}

/** Reads a word. Returns false if it has characters beyond ASCII. */
function word(lexer: Lexer): bool {
  let end = lexer.at;
  let hash: u32 = 0;
  let code: u32;
  while ((code = codeAt(lexer, end)) < 128 && letterOf(lexer, code) != 0) {
    hash = (hash ^ code) * PRIME;
    end++;
  }
  if (code > 0x7f) return false;
  push(lexer, TOKEN_WORD, 0, find(lexer, hash, end), end);
  return true;
}

/** The number of the name from the current position to `end`: the same for all names with that spelling. */
export function nameTo(lexer: Lexer, end: u32): u32 {
  let hash: u32 = 0;
  for (let at = lexer.at; at < end; at++) hash = (hash ^ codeAt(lexer, at)) * PRIME;
  return find(lexer, hash, end);
}

function find(lexer: Lexer, hash: u32, end: u32): u32 {
  let place = hash ^ (hash >>> 15);
  let found: u32;
  while ((found = load<u32>(lexer.places + ((<usize>(place & lexer.lastPlace)) << 2))) != 0) {
    if (isSpelt(lexer, nameAt(lexer, found - 1), end)) return lexer.knownNames + found - 1;
    place++;
  }
  const name = nameAt(lexer, lexer.nameCount);
  name.start = lexer.at;
  name.end = end;
  lexer.nameCount++;
  store<u32>(lexer.places + ((<usize>(place & lexer.lastPlace)) << 2), lexer.nameCount);
  return lexer.knownNames + lexer.nameCount - 1;
}

function nameAt(lexer: Lexer, index: u32): Name {
  return changetype<Name>(lexer.names + <usize>index * sizeOf<Name>());
}

function isSpelt(lexer: Lexer, name: Name, end: u32): bool {
  const at = lexer.at;
  const from = name.start;
  const units = end - at;
  if (name.end - from != units) return false;
  for (let i: u32 = 0; i < units; i++) if (codeAt(lexer, at + i) != codeAt(lexer, from + i)) return false;
  return true;
}

/** Reads a punctuator. Returns false if none begins here. */
function punctuation(lexer: Lexer, code: u32, next: u32): bool {
  let at = load<usize>(lexer.groups + (code << 2));
  if (!at) return false;
  if (code == 0x3e /* > */ && closesTemplate(lexer)) return true;
  const third = codeAt(lexer, min(lexer.at + 2, lexer.length));
  while (!matches(changetype<Punctuator>(at), next, third)) at += sizeOf<Punctuator>();
  const found = changetype<Punctuator>(at);
  if (found.effect) track(lexer, found.effect);
  push(lexer, TOKEN_PUNCTUATION, found.mark, found.name, lexer.at + found.length);
  return true;
}

function matches(punctuator: Punctuator, second: i32, third: i32): bool {
  return punctuator.second < 0 || (punctuator.second == second && (punctuator.third < 0 || punctuator.third == third));
}

function candidateAt(lexer: Lexer, index: u32): Candidate {
  return changetype<Candidate>(lexer.candidates + <usize>index * sizeOf<Candidate>());
}

function closesTemplate(lexer: Lexer): bool {
  if (!lexer.candidateCount) return false;
  const top = candidateAt(lexer, lexer.candidateCount - 1);
  if (top.depth != lexer.depth) return false;
  lexer.candidateCount--;
  store<u8>(lexer.kinds + top.token, TOKEN_TEMPLATE_OPEN);
  store<u8>(lexer.marks + top.token, 0);
  push(lexer, TOKEN_TEMPLATE_CLOSE, 0, lexer.closer, lexer.at + 1);
  return true;
}

/** The template list discovery of §3.9, applied to tokens instead of characters. */
function track(lexer: Lexer, effect: i32): void {
  if (effect == EFFECT_LESS) {
    const token = lexer.count;
    if (!token || load<u8>(lexer.kinds + token - 1) != TOKEN_WORD) return;
    const candidate = candidateAt(lexer, lexer.candidateCount);
    lexer.candidateCount++;
    candidate.token = token;
    candidate.depth = lexer.depth;
  } else if (effect == EFFECT_OPENS) {
    lexer.depth++;
  } else if (effect == EFFECT_CLOSES) {
    dropCandidates(lexer);
    if (lexer.depth) lexer.depth--;
  } else if (effect == EFFECT_JOINS) {
    dropCandidates(lexer);
  } else {
    lexer.depth = lexer.candidateCount = 0;
  }
}

function dropCandidates(lexer: Lexer): void {
  while (lexer.candidateCount && candidateAt(lexer, lexer.candidateCount - 1).depth >= lexer.depth)
    lexer.candidateCount--;
}

/** Sets the marks of words from `of_`, one byte per name, which the caller has written after the tokens. */
export function markWords(lexer: Lexer, of_: usize): void {
  for (let token: usize = 0; token < <usize>lexer.count; token++) {
    if (load<u8>(lexer.kinds + token) != TOKEN_WORD) continue;
    store<u8>(lexer.marks + token, load<u8>(of_ + load<u32>(lexer.ids + (token << 2)) - lexer.knownNames));
  }
}

/** Ensures room for `bytes` bytes after the tokens and returns its address. */
export function roomFor(lexer: Lexer, bytes: u32): usize {
  const from = lexer.marks + lexer.room;
  provide(from + bytes);
  return from;
}
