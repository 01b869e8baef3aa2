/** What a list can be shown as, and taken along: density, columns, CSV. */
import { Menu } from '@mantine/core'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { downloadCsv, type CsvRequest } from './download-csv.ts'
import type { ListView } from './list-view.ts'
import { failureText } from './states.tsx'

const EXPORT = 'Export these rows as CSV'

export interface ListMenuProps {
  view: ListView
  onChange: (view: ListView) => void
  /** Those that can be left out. */
  columns?: readonly { id: string; name: string }[]
  /** The request for what the list shows. */
  csv?: CsvRequest
  /** For a list that the page holds as a whole. */
  onCsv?: () => void
  /** Further items. */
  children?: ReactNode
}

export function ListMenu({ view, onChange, columns = [], csv, onCsv, children }: ListMenuProps) {
  const save = useMutation({ mutationFn: downloadCsv })
  return (
    <>
      {save.error && <span role="alert">Not exported. {failureText(save.error)}</span>}
      {save.isPending && <span role="status">Exporting…</span>}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="small" kind="quiet" aria-label="View and export">
            <IconAdjustmentsHorizontal size={16} aria-hidden="true" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Rows</Menu.Label>
          <Menu.CheckboxItem
            checked={view.isCompact}
            onChange={(isCompact) => onChange({ ...view, isCompact })}
          >
            Compact
          </Menu.CheckboxItem>
          {columns.length > 0 && <Menu.Label>Columns</Menu.Label>}
          {columns.map(({ id, name }) => (
            <Menu.CheckboxItem
              key={id}
              checked={!view.hidden.includes(id)}
              closeMenuOnClick={false}
              onChange={() => onChange({ ...view, hidden: switched(view.hidden, id) })}
            >
              {name}
            </Menu.CheckboxItem>
          ))}
          {(csv ?? onCsv ?? children) !== undefined && <Menu.Divider />}
          {csv && <Menu.Item onClick={() => save.mutate(csv)}>{EXPORT}</Menu.Item>}
          {onCsv && <Menu.Item onClick={onCsv}>{EXPORT}</Menu.Item>}
          {children}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

function switched(hidden: readonly string[], id: string): readonly string[] {
  return hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id]
}
