import type { Column } from './data-table.tsx'
import { SelectBox } from './select-box.tsx'
import type { Selection } from './selection.ts'
import { SelectLoaded } from './selection-bar.tsx'

/** The first column of a table whose rows can be selected. */
export function selectColumn<Row>(
  selection: Selection,
  keyOf: (row: Row) => string,
  nameOf: (row: Row) => string,
): Column<Row> {
  return {
    id: 'select',
    title: <SelectLoaded selection={selection} />,
    width: '28px',
    cell: (row) => (
      <SelectBox
        label={`Select ${nameOf(row)}`}
        isOn={selection.has(keyOf(row))}
        onToggle={(isRange) => selection.toggle(keyOf(row), isRange)}
      />
    ),
  }
}
