// Messages about the text itself: characters, literals, grammar.

export const LEXICAL_MESSAGES = {
  'invalid-character': (shown: string) => `invalid character ${shown}`,
  'unterminated-comment': () => "block comment is not closed: '*/' is missing",
  'invalid-number': (text: string) => `invalid number literal '${text}'`,
  'leading-zero': (text: string) => `number literal '${text}' may not start with a zero`,
  'literal-out-of-range': (text: string, type: string) => `literal '${text}' cannot be represented as ${type}`,
  'literal-not-exact': (text: string, type: string) =>
    `hexadecimal literal '${text}' cannot be represented exactly as ${type}`,
  'reserved-word': (word: string) => `'${word}' is a reserved word and cannot be used as a name`,
  'keyword-as-name': (word: string) => `'${word}' is a keyword and cannot be used as a name`,
  'invalid-name': (word: string, why: string) => `'${word}' cannot be used as a name: ${why}`,
  'unexpected-token': (expected: string, found: string) => `expected ${expected}, found ${found}`,
  'missing-token': (token: string, after: string) => `missing '${token}' after ${after}`,
  'mixed-operators': (left: string, right: string) =>
    `operators '${left}' and '${right}' cannot be mixed without parentheses`,
  'chained-operator': (op: string) => `operator '${op}' cannot be chained; use parentheses`,
  'text-too-long': (length: number, limit: number, option: string) =>
    `this module has ${length} characters, exceeding the limit of ${limit}: ${option}`,
  'braces-too-deep': (limit: number) => `statements in braces nest deeper than ${limit} levels`,
  'too-deep': (limit: number) => `nesting is deeper than ${limit} levels`,
  'assignment-in-expression': () => "'=' is not an operator in an expression; use '==' to compare",
  'case-outside-switch': (word: string) => `'${word}' is only allowed inside a switch`,
  'else-without-if': () => "'else' without an 'if'",
  'continuing-not-last': () => "'continuing' must be the last statement of a loop",
  'break-if-outside-continuing': () => "'break if' is only allowed as the last statement of a continuing block",
  'let-without-initializer': (keyword: string, name: string) => `'${keyword} ${name}' needs an initial value`,
  'directive-after-declaration': (name: string) => `the '${name}' directive must come before all declarations`,
  'not-a-statement': () => 'this expression is not a statement',
  'wrong-keyword-at-module-scope': (word: string, instead: string) =>
    `'${word}' is not allowed at module scope; ${instead}`,
  'override-in-function': () => "'override' is only allowed at module scope",
  'empty-struct': (name: string) => `struct '${name}' has no members`,
  'attribute-not-allowed': (attribute: string, where: string) => `attribute '@${attribute}' is not allowed on ${where}`,
} as const;
