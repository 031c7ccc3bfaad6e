// The tables of diagnostics in docs/reference/errors.md, against all messages of the front end.
import { expect } from 'vitest';
import { LEXICAL_MESSAGES } from '../../../src/wgsl/messages/syntax';
import { MODULE_MESSAGES } from '../../../src/wgsl/messages/module';
import { TYPE_MESSAGES } from '../../../src/wgsl/messages/types';
import { checksOf, type Table } from '../tables';

const at = checksOf('docs/reference/errors.md');

type Messages = Readonly<Record<string, (...values: never[]) => string>>;

/** Every code with its message, in the order of the source. Names, types and numbers are … . */
const agreeWith =
  (messages: Messages) =>
  (table: Table): void => {
    const rows = Object.entries(messages).map(([code, write]) => {
      const values = Array.from({ length: write.length }, () => '…') as never[];
      return [`\`${code}\``, `\`${write(...values)}\``];
    });
    expect(table.rows).toEqual(rows);
  };

export const ERROR_CHECKS = [
  at('Text and grammar', 'code', agreeWith(LEXICAL_MESSAGES)),
  at('Names, types, expressions and statements', 'code', agreeWith(TYPE_MESSAGES)),
  at('Declarations, resources and entry points', 'code', agreeWith(MODULE_MESSAGES)),
];
