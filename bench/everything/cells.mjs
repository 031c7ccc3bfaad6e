// All cells of the cost map: { group, row, column, unit, count, than, make, without }. `make(device)` returns the
// measured frame. `without` is the frame that is subtracted (absent: the same frame without draw calls; null: nothing).
// `count` is the number of units, and `than` the key of the cell that the limit refers to.
import { languageCells } from './language.mjs';
import { targetCells, testCells } from './targets.mjs';
import { textureCells } from './textures.mjs';
import { transferCells } from './transfers.mjs';
import { vertexCells } from './vertices.mjs';

export const keyOf = ({ group, row, column }) => `${group}|${row}|${column}`;
export const allCells = () => [
  ...textureCells(),
  ...targetCells(),
  ...testCells(),
  ...vertexCells(),
  ...languageCells(),
  ...transferCells(),
];
