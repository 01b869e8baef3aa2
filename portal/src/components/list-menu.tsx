/** What a list can be shown as, and taken along: density, columns, CSV. */
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { lazy } from 'react'
import { Button } from './button.tsx'
import { downloadCsv, type CsvRequest } from './download-csv.ts'
import type { ListMenuPanelProps } from './list-menu-panel.tsx'
import { MenuButton } from './menu-button.tsx'
import { describeFailure } from './states.tsx'

const ListMenuPanel = lazy(() => import('./list-menu-panel.tsx'))

export interface ListMenuProps extends Omit<ListMenuPanelProps, 'target' | 'onExport'> {
  /** The request for what the list shows. */
  csv?: CsvRequest
  /** For a list that the page holds as a whole. */
  onCsv?: () => void
}

export function ListMenu({ csv, onCsv, ...panel }: ListMenuProps) {
  const save = useMutation({ mutationFn: downloadCsv })
  const onExport = csv ? () => save.mutate(csv) : onCsv
  return (
    <>
      {save.error && <span role="alert">Not exported. {describeFailure(save.error)}</span>}
      {save.isPending && <span role="status">Exporting…</span>}
      <MenuButton
        panel={(target) => <ListMenuPanel target={target} onExport={onExport} {...panel} />}
      >
        <Button size="small" kind="quiet" aria-label="View and export">
          <IconAdjustmentsHorizontal size={16} aria-hidden="true" />
        </Button>
      </MenuButton>
    </>
  )
}
