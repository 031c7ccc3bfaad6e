// All cells of the map: { group, row, column, unit, count, than, make, without }. `make(device)` gives the frame to be
// measured, `without` the one that it is counted over (none: the same frame without draws; null: nothing), `count` how
// many units it has, `than` the key of the cell that it is held to.
import { languageCells } from './language.mjs';
import { targetCells, testCells } from './targets.mjs';
import { textureCells } from './textures.mjs';
import { transferCells } from './transfers.mjs';
import { vertexCells } from './vertices.mjs';

export const keyOf = ({ group, row, column }) => `${group}|${row}|${column}`;
export const allCells = () => [
  ...textureCells(), ...targetCells(), ...testCells(), ...vertexCells(), ...languageCells(), ...transferCells(),
];
