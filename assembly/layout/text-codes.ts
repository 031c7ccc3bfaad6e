// Codes of tokens and of what the lexer does with them, for both compilers.

// What its `run` stops at: what it leaves to its caller, who goes on behind it.
export const STOP_END = 0;
export const STOP_NUMBER = 1;
/** A word with characters beyond ASCII, or such a character that is in no word. */
export const STOP_BEYOND = 2;
export const STOP_NO_TOKEN = 3;
export const STOP_NUL_IN_COMMENT = 4;
/** The end of the text, in a block comment. */
export const STOP_OPEN_COMMENT = 5;

export const TOKEN_END = 0;
export const TOKEN_WORD = 1;
export const TOKEN_NUMBER = 2;
export const TOKEN_PUNCTUATION = 3;
/** The '<' and '>' of a template list. */
export const TOKEN_TEMPLATE_OPEN = 4;
export const TOKEN_TEMPLATE_CLOSE = 5;

// What a punctuator means for the template lists around it (§3.9).
export const EFFECT_NONE = 0;
export const EFFECT_LESS = 1;
export const EFFECT_OPENS = 2;
export const EFFECT_CLOSES = 3;
export const EFFECT_JOINS = 4;
export const EFFECT_FORGETS = 5;

// Of ASCII characters: what words begin with, and what they go on with.
export const LETTER_FIRST = 1;
export const LETTER_DIGIT = 2;

/** Where the text lies: what is before it is filled once. */
export const TEXT_AT = 4096;
