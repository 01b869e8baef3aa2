/** One component beside the list: its vulnerabilities, and one decision for all of them. */
import type { WorkspaceFindingFilter } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findBlockingError } from '../../components/blocking-error.ts'
import { findVulnerabilityPage } from '../../components/addresses.ts'
import { useMemo } from 'react'
import type { BulkReach } from '../../components/decision/bulk.ts'
import { BulkForm } from '../../components/decision/bulk-form.tsx'
import { Exploited, SeverityBadge } from '../../components/severity.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { Tag } from '../../components/tag.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import { PaneHead, type PaneProps } from './finding-pane.tsx'
import css from './finding-pane.module.css'
import { componentFindingsQuery } from './queries.ts'
import { type ListedRow, listTargets } from './rows.ts'

interface ComponentPaneProps extends PaneProps {
  name: string
  /** The filter of the list. */
  filter: WorkspaceFindingFilter
}

export default function ComponentPane({ name, filter, ...pane }: ComponentPaneProps) {
  const { row } = pane
  return (
    <section className={css['pane']} aria-label={`Component ${name}`}>
      <PaneHead {...pane}>
        <code>{name}</code>
      </PaneHead>
      {row ? (
        <Content {...pane} row={row} filter={filter} />
      ) : (
        <Empty title={`${name} is not in this list`}>
          It has no finding with these filters, or it is further down.
        </Empty>
      )}
    </section>
  )
}

interface ContentProps extends Omit<PaneProps, 'row'> {
  row: ListedRow
  filter: WorkspaceFindingFilter
}

function Content({ row, filter, isWithoutKeys, onDecided }: ContentProps) {
  const mayDecide = useMay('Vulnerabilities: write')
  const reaches = useReaches(row, filter)
  return (
    <>
      <div className={css['scroll']} data-scroll="">
        <h2 className={css['title']}>{row.title}</h2>
        <p>
          <code>{row.detail}</code>, in {formatCountOf(row.versionCount, 'version')} on{' '}
          {formatCountOf(row.deviceCount, 'device')}
        </p>
        <Vulnerabilities row={row} filter={filter} />
      </div>
      <footer className={css['foot']} data-paper="none">
        {mayDecide ? (
          <BulkForm
            act="assess"
            reaches={reaches}
            isWithoutKeys={isWithoutKeys}
            subject={row.name}
            onSent={onDecided}
          />
        ) : (
          <p>Your role reads findings; it does not assess them.</p>
        )}
      </footer>
    </>
  )
}

/** A decision for later ones is one for each vulnerability. */
const MOST_STANDING = 50

function useReaches(row: ListedRow, filter: WorkspaceFindingFilter): BulkReach[] {
  const workspaceId = useWorkspaceId()
  const packageIds = [...(row.only.packageIds ?? [])]
  const { data } = useQuery(componentFindingsQuery(workspaceId, { packageIds }))
  return useMemo(() => {
    const all = listTargets({}, [row])
    const cveIds = [...new Set(data?.findings.map(({ cveId }) => cveId))]
    const isWhole = data !== undefined && data.totalCount <= data.findings.length
    const components = [{ packageName: row.name }]
    const standing = cveIds.map((cveId) => ({
      filter: { cveIds: [cveId], components },
      alsoFuture: true as const,
    }))
    const later = {
      text: `All findings of these ${formatCountOf(cveIds.length, 'vulnerability', 'vulnerabilities')} in ${row.name}, later ones too`,
      targets: [...all, ...standing],
      counted: all,
    }
    return [
      { text: 'What the list shows of it', targets: listTargets(filter, [row]) },
      { text: `All findings of ${row.name}, decided or not`, targets: all },
      ...(isWhole && cveIds.length > 0 && cveIds.length <= MOST_STANDING ? [later] : []),
    ]
  }, [row, filter, data])
}

function Vulnerabilities({ row, filter }: { row: ListedRow; filter: WorkspaceFindingFilter }) {
  const workspaceId = useWorkspaceId()
  const packageIds = [...(row.only.packageIds ?? [])]
  const query = useQuery(componentFindingsQuery(workspaceId, { ...filter, packageIds }))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading rows={5} />
  return (
    <ul className={css['rows']}>
      {data.findings.map((finding) => (
        <li key={`${finding.cveId} ${finding.packageId}`}>
          <SeverityBadge severity={finding.severity} />
          <Link {...findVulnerabilityPage(workspaceId, finding.cveId)}>
            <code>{finding.cveId}</code>
          </Link>
          <span>{finding.name}</span>
          {finding.isDisputed && <Tag tone="warn">disputed</Tag>}
          {finding.exploitedSources.length > 0 && <Exploited />}
          <code>{finding.componentVersion}</code>
        </li>
      ))}
      {data.totalCount > data.findings.length && (
        <li>and {formatCount(data.totalCount - data.findings.length)} more, by the filter above</li>
      )}
    </ul>
  )
}
