/** What one takes from the log: paper, files, views. */
import type { AuditLogEntry } from '@plimsoll/api-client'
import { IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ListMenu } from '../../components/list-menu.tsx'
import { useListView } from '../../components/list-view.ts'
import { buildDecisionsReport, openReport } from '../../components/reports.ts'
import { useWorkspaceId } from '../../session.ts'
import { type AuditFilter, buildExportAddress } from './audit-filters.ts'
import css from './audit-page.module.css'
import type { Log } from './use-log.ts'

/** More would be a book; the CSV has all. */
const MOST_PRINTED = 2_000

export function Acts({ log: { filter, list, entries } }: { log: Log }) {
  const workspaceId = useWorkspaceId()
  const [isPreparing, setPreparing] = useState(false)
  const print = async () => {
    setPreparing(true)
    await loadForPaper(list, entries)
    setPreparing(false)
    requestAnimationFrame(() => globalThis.print())
  }
  return (
    <>
      <Button isBusy={isPreparing} onClick={() => void print()}>
        <IconPrinter size={15} aria-hidden="true" />
        Print
      </Button>
      <a className={css['csv']} href={buildExportAddress(workspaceId, filter, 'csv')} download>
        CSV
      </a>
      <Views filter={filter} />
    </>
  )
}

async function loadForPaper(list: Log['list'], entries: readonly AuditLogEntry[]): Promise<void> {
  let count = entries.length
  let { hasNextPage } = list
  while (hasNextPage && count < MOST_PRINTED) {
    const loaded = await list.fetchNextPage()
    if (loaded.error) return
    count = loaded.data?.pages.flatMap((page) => page.entries).length ?? count
    ;({ hasNextPage } = loaded)
  }
}

function Views({ filter }: { filter: AuditFilter }) {
  const workspaceId = useWorkspaceId()
  const [view, setView] = useListView('audit-log')
  const exportLines = () =>
    globalThis.location.assign(buildExportAddress(workspaceId, filter, 'jsonl'))
  const openDecisions = () => openReport(buildDecisionsReport(workspaceId, filter))
  return (
    <ListMenu
      view={view}
      onChange={setView}
      viewedList="audit-log"
      onCsv={() => globalThis.location.assign(buildExportAddress(workspaceId, filter, 'csv'))}
      more={[
        { text: 'Export as JSON lines', onChoose: exportLines },
        { text: 'Report of the decisions of this time', onChoose: openDecisions },
      ]}
    />
  )
}
