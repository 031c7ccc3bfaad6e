export interface Cell {
  readonly group: string;
  readonly row: string;
  readonly column: string;
  readonly unit: string;
  readonly count: number;
  readonly than?: string;
}
export function keyOf(cell: Cell): string;
export function allCells(): readonly Cell[];
