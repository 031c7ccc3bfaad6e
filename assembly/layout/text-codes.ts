// Codes of tokens and of the lexer. Both compilers read this file.

// Why the lexer's `run` stopped. The caller handles the text there and calls `run` again.
export const STOP_END = 0;
export const STOP_NUMBER = 1;
/** A word with non-ASCII characters, or a non-ASCII character that cannot be part of a word. */
export const STOP_BEYOND = 2;
export const STOP_NO_TOKEN = 3;
export const STOP_NUL_IN_COMMENT = 4;
/** The end of the text, inside a block comment. */
export const STOP_OPEN_COMMENT = 5;

export const TOKEN_END = 0;
export const TOKEN_WORD = 1;
export const TOKEN_NUMBER = 2;
export const TOKEN_PUNCTUATION = 3;
/** The '<' and '>' of a template list. */
export const TOKEN_TEMPLATE_OPEN = 4;
export const TOKEN_TEMPLATE_CLOSE = 5;

// Effect of a punctuator on the template lists around it (WGSL §3.9).
export const EFFECT_NONE = 0;
export const EFFECT_LESS = 1;
export const EFFECT_OPENS = 2;
export const EFFECT_CLOSES = 3;
export const EFFECT_JOINS = 4;
export const EFFECT_FORGETS = 5;

// ASCII characters: those that words begin with, and those that only continue words.
export const LETTER_FIRST = 1;
export const LETTER_DIGIT = 2;

/** Address of the text. The memory before it is filled once. */
export const TEXT_AT = 4096;
