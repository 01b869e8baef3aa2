/** What a list can be shown as, and taken along: saved views, density, columns, CSV. */
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Button } from './button.tsx'
import { downloadCsv, type CsvRequest } from './download-csv.ts'
import type { ListMenuPanelProps } from './list-menu-panel.tsx'
import { MenuButton } from './menu-button.tsx'
import { describeFailure } from './states.tsx'

const ListMenuPanel = lazy(() => import('./list-menu-panel.tsx'))
const SavedViewsDialog = lazy(() => import('./saved-views/saved-views-dialog.tsx'))

export interface ListMenuProps extends Omit<ListMenuPanelProps, 'target' | 'onExport' | 'onViews'> {
  /** The request for what the list shows. */
  csv?: CsvRequest
  /** For a list that the page holds as a whole. */
  onCsv?: () => void
}

export function ListMenu({ csv, onCsv, ...panel }: ListMenuProps) {
  const save = useMutation({ mutationFn: downloadCsv })
  const [isSaving, setSaving] = useState(false)
  const { searchStr } = useLocation()
  const { viewedList } = panel
  const onExport = csv ? () => save.mutate(csv) : onCsv
  return (
    <>
      {save.error && <span role="alert">Not exported. {describeFailure(save.error)}</span>}
      {save.isPending && <span role="status">Exporting…</span>}
      <MenuButton
        panel={(target) => (
          <ListMenuPanel
            target={target}
            onExport={onExport}
            onViews={() => setSaving(true)}
            {...panel}
          />
        )}
      >
        <Button size="small" kind="quiet" aria-label="View and export">
          <IconAdjustmentsHorizontal size={16} aria-hidden="true" />
        </Button>
      </MenuButton>
      {isSaving && viewedList && (
        <Suspense>
          <SavedViewsDialog list={viewedList} search={searchStr} onClose={() => setSaving(false)} />
        </Suspense>
      )}
    </>
  )
}
