/** The acts of a selection of findings. */
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../session.ts'
import { Button } from '../button.tsx'
import { HeldKeys, useKeys } from '../keyboard.ts'
import type { Selection } from '../selection.ts'
import type { BulkReach } from './bulk.ts'
import type { BulkAct } from './bulk-form.tsx'

const BulkDialog = lazy(() => import('./bulk-dialog.tsx'))

export interface BulkActsProps {
  selection: Selection
  reaches: readonly BulkReach[]
  /** The list shows ignored findings too. */
  hasIgnored: boolean
}

export function BulkActs({ selection, reaches, hasIgnored }: BulkActsProps) {
  const mayDecide = useMay('Vulnerabilities: write')
  const [act, setAct] = useState<BulkAct>()
  useKeys([
    ['a', () => setAct('assess')],
    ['i', () => setAct('ignore')],
    ['Escape', selection.clear],
  ])
  if (!mayDecide) return <span>Your role reads findings; it does not assess them.</span>
  return (
    <>
      <Button size="small" aria-haspopup="dialog" onClick={() => setAct('assess')}>
        Assess… <kbd>a</kbd>
      </Button>
      <Button size="small" aria-haspopup="dialog" onClick={() => setAct('ignore')}>
        Ignore… <kbd>i</kbd>
      </Button>
      {hasIgnored && (
        <Button size="small" aria-haspopup="dialog" onClick={() => setAct('unignore')}>
          Stop ignoring…
        </Button>
      )}
      {act !== undefined && (
        <Suspense fallback={<HeldKeys />}>
          <BulkDialog
            act={act}
            reaches={reaches}
            onClose={() => setAct(undefined)}
            onSent={() => {
              setAct(undefined)
              selection.clear()
            }}
          />
        </Suspense>
      )}
    </>
  )
}
