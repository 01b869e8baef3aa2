/** The acts of a selection of findings. */
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../session.ts'
import { Button } from '../button.tsx'
import { usePageKeys } from '../page-keys.ts'
import type { Selection } from '../selection.ts'
import type { BulkReach } from './bulk.ts'
import type { BulkAct } from './bulk-form.tsx'

const BulkDialog = lazy(() => import('./bulk-dialog.tsx'))

export interface BulkActsProps {
  selection: Selection
  reaches: readonly BulkReach[]
  /** The list shows ignored findings too. */
  hasIgnored: boolean
  onDone: (text: string) => void
}

export function BulkActs({ selection, reaches, hasIgnored, onDone }: BulkActsProps) {
  const mayDecide = useMay('Vulnerabilities: write')
  const [act, setAct] = useState<BulkAct>()
  usePageKeys([
    ['a', () => setAct('assess')],
    ['i', () => setAct('ignore')],
    ['Escape', selection.clear],
  ])
  if (!mayDecide) return <span>Your role reads findings; it does not assess them.</span>
  return (
    <>
      <Button size="small" onClick={() => setAct('assess')}>
        Assess… <kbd>a</kbd>
      </Button>
      <Button size="small" onClick={() => setAct('ignore')}>
        Ignore… <kbd>i</kbd>
      </Button>
      {hasIgnored && (
        <Button size="small" onClick={() => setAct('unignore')}>
          Stop ignoring…
        </Button>
      )}
      {act !== undefined && (
        <Suspense>
          <BulkDialog
            act={act}
            reaches={reaches}
            onClose={() => setAct(undefined)}
            onDone={(text) => {
              setAct(undefined)
              selection.clear()
              onDone(text)
            }}
          />
        </Suspense>
      )}
    </>
  )
}
