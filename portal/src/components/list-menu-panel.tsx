import { Menu } from '@mantine/core'
import type { ReactElement } from 'react'
import { useOpenedMenu } from './menu-button.tsx'
import type { ListView } from './list-view.ts'
import { SavedViewItems } from './saved-views/saved-view-items.tsx'
import type { ViewedList } from './saved-views/queries.ts'

export interface ListMenuPanelProps {
  target: ReactElement
  view: ListView
  onChange: (view: ListView) => void
  /** Those that can be left out. */
  columns?: readonly { id: string; name: string }[]
  /** The list whose views people save; undefined: none are. */
  viewedList?: ViewedList
  onViews: () => void
  /** Further items. */
  more?: readonly { text: string; onChoose: () => void }[]
  /** undefined: the list cannot be exported. */
  onExport: (() => void) | undefined
}

export default function ListMenuPanel(props: ListMenuPanelProps) {
  const { target, view, onChange, columns = [], onExport, viewedList, onViews, more = [] } = props
  const menu = useOpenedMenu()
  return (
    <Menu {...menu} position="bottom-end">
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {viewedList && <SavedViewItems list={viewedList} onViews={onViews} />}
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
        {(onExport !== undefined || more.length > 0) && <Menu.Divider />}
        {onExport && <Menu.Item onClick={onExport}>Export these rows as CSV</Menu.Item>}
        {more.map(({ text, onChoose }) => (
          <Menu.Item key={text} onClick={onChoose}>
            {text}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function switched(hidden: readonly string[], id: string): readonly string[] {
  return hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id]
}
