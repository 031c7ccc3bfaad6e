// The tables of docs/reference/gltf-api.md, against the options of the library call and the codes of its errors.
import { GLTF_ERROR_CODES } from '../../../src/gltf/errors';
import { OPTION_NAMES } from '../../../src/gltf/library/options';
import { PASSES } from '../../../src/gltf/passes/kinds';
import { checksOf, expectNames } from '../tables';

const at = checksOf('docs/reference/gltf-api.md');

export const LIBRARY_CHECKS = [
  at('Options of loading', 'option', (table) => expectNames(table, OPTION_NAMES.loadGltf)),
  at('Options of a picture', 'option', (table) => expectNames(table, OPTION_NAMES.render)),
  at('Passes', 'pass', (table) => expectNames(table, PASSES)),
  at('Errors', 'code', (table) => expectNames(table, GLTF_ERROR_CODES)),
];
