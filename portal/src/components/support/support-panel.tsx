/** Until when the components of the version get fixes: what is out of support, what ends next, and what is not known. */
import type { SupportEntry, VersionSupport } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../button.tsx'
import { type Column, DataTable } from '../data-table.tsx'
import { ListPanel } from '../list-panel.tsx'
import { Empty } from '../states.tsx'
import { Tag } from '../tag.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { type OpenedDates, OwnDatesDialog } from './own-dates-dialog.tsx'
import { readOwnDate, startOwnDate } from './own-dates.ts'
import { PromiseButton } from './promise-dialog.tsx'
import { supportQuery } from './queries.ts'
import { describeComponents, describeEnd, describeSupport, pickTone } from './support-words.ts'
import css from './support-panel.module.css'

const COLUMNS: readonly Column<SupportEntry>[] = [
  {
    id: 'product',
    title: 'Product',
    width: 'minmax(0, 1.2fr)',
    cell: ({ label, cycle, codename, source }) => (
      <span title={codename ?? undefined}>
        <strong>{label}</strong> {cycle !== null && <code>{cycle}</code>}{' '}
        {source === 'Statement' && <Tag tone="accent">own date</Tag>}
      </span>
    ),
  },
  {
    id: 'end',
    title: 'Support',
    width: 'minmax(0, 1.4fr)',
    cell: (entry) => <Tag tone={pickTone(entry)}>{describeEnd(entry)}</Tag>,
  },
  {
    id: 'components',
    title: 'Components',
    width: 'minmax(0, 1.4fr)',
    cell: (entry) => <span title={describeComponents(entry)}>{describeComponents(entry)}</span>,
  },
  {
    id: 'why',
    title: 'Why',
    width: 'minmax(0, 2.6fr)',
    cell: ({ why, note, link }) => (
      <span title={[why, note].filter((text) => text !== null).join(' ')}>
        {link === null ? (
          why
        ) : (
          <a href={link} rel="noreferrer" target="_blank">
            {why}
          </a>
        )}
      </span>
    ),
    isWideOnly: true,
  },
]

interface SupportPanelProps {
  versionId: string
  firmware: { id: string; name: string }
}

export default function SupportPanel({ versionId, firmware }: SupportPanelProps) {
  const workspaceId = useWorkspaceId()
  const [opened, setOpened] = useState<OpenedDates>()
  const query = useQuery(supportQuery(workspaceId, versionId))
  const { data } = query
  const csv = `/workspaces/${workspaceId}/firmware-versions/${versionId}/support/export`
  return (
    <ListPanel
      query={query}
      rows={data?.entries}
      loadingRows={6}
      title="End of life"
      aside={
        <span className={css['acts']}>
          <Button
            size="small"
            aria-haspopup="dialog"
            onClick={() => setOpened({ draft: readOwnDate(undefined), statementId: null })}
          >
            Dates of your own
          </Button>
          <OwnDatesDialog opened={opened} onClose={() => setOpened(undefined)} />
          <PromiseButton firmware={firmware} />
          <a href={csv} download>
            CSV
          </a>
        </span>
      }
      head={data && <p className={css['summary']}>{describeSupport(data)}</p>}
      empty={data && <NothingKnown support={data} />}
    >
      {(rows) => (
        <DataTable
          label="Ends of support"
          columns={COLUMNS}
          rows={rows}
          onOpen={(entry) =>
            setOpened({ draft: startOwnDate(entry), statementId: entry.statementId })
          }
          keyOf={(entry) =>
            entry.statementId ?? [entry.label, entry.cycle, entry.why, entry.endsOn].join(' ')
          }
        />
      )}
    </ListPanel>
  )
}

function NothingKnown({ support: { counts, source } }: { support: VersionSupport }) {
  const isRead = source?.lastCompleteAt !== null
  return (
    <Empty title={isRead ? 'Nothing is known' : 'The source was never read'}>
      {isRead
        ? `${formatCountOf(counts.notListed, 'component')} of products that endoflife.date does not list. That does not mean that they are supported.`
        : 'endoflife.date tells until when products get fixes. The operator may have it fetched, or somebody carries its file in under Settings, Sources.'}
    </Empty>
  )
}
