/** The right half of the findings page: what the open row stands for. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import { FindingPane, type PaneProps } from './finding-pane.tsx'
import { findingQuery, vulnerabilityQuery } from './queries.ts'
import type { Findings } from './use-findings.ts'

/** The usual list is by vulnerability: what decides for a whole component comes when it is asked for. */
const ComponentPane = lazy(() => import('./component-pane.tsx'))

interface PaneSideProps {
  findings: Findings
  /** The key of the row. */
  at: string
  isNarrow: boolean
}

export function PaneSide({ findings, at, isNarrow }: PaneSideProps) {
  const { rows, index, total, group, filter, change, openNext, selection } = findings
  const pane: PaneProps = {
    row: rows[index],
    position: index < 0 ? undefined : `${index + 1} of ${total?.totalCount ?? rows.length}`,
    isWithoutKeys: !selection.isEmpty,
    onDecided: openNext,
    onClose: isNarrow ? () => change({ at: undefined }) : undefined,
  }
  useNextFetched(findings)
  if (group === 'component')
    return (
      <Suspense fallback={<Loading rows={5} />}>
        <ComponentPane {...pane} name={at} filter={filter} />
      </Suspense>
    )
  if (group === 'single') return <SinglePane {...pane} findingId={at} />
  return <VulnerabilityPane {...pane} cveId={at} />
}

/** The finding below is there before one decides to go to it. */
function useNextFetched({ rows, index, group }: Findings): void {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const next = index < 0 ? undefined : rows[index + 1]?.key
  useEffect(() => {
    if (next === undefined || group === 'component') return
    void fetchAhead(queryClient, workspaceId, group, next)
  }, [queryClient, workspaceId, group, next])
}

/** Errors are for the pane that asks again. */
async function fetchAhead(
  queryClient: QueryClient,
  workspaceId: string,
  group: 'vulnerability' | 'single',
  key: string,
): Promise<void> {
  const fetchFinding = (id: string) =>
    queryClient.fetchQuery(findingQuery(workspaceId, id)).catch(() => undefined)
  const fetchVulnerability = (cveId: string) =>
    queryClient.fetchQuery(vulnerabilityQuery(workspaceId, cveId)).catch(() => undefined)
  if (group === 'single') {
    const finding = await fetchFinding(key)
    if (finding) await fetchVulnerability(finding.cve.id)
    return
  }
  const [first] = (await fetchVulnerability(key))?.findings ?? []
  if (first) await fetchFinding(first.id)
}

/** The finding on most devices speaks for all; the decision says how far it holds. */
function VulnerabilityPane({ cveId, ...pane }: PaneProps & { cveId: string }) {
  const workspaceId = useWorkspaceId()
  const vulnerability = useQuery(vulnerabilityQuery(workspaceId, cveId))
  const first = vulnerability.data?.findings[0]
  const finding = useQuery({
    ...findingQuery(workspaceId, first?.id ?? ''),
    enabled: first !== undefined,
  })
  const isGone = vulnerability.data !== undefined && first === undefined
  return (
    <FindingPane
      {...pane}
      cveId={cveId}
      finding={finding.data}
      vulnerability={vulnerability.data}
      isGone={isGone}
    >
      {isGone && (
        <Empty title={`No finding of ${cveId} is left`}>It ended while this page was open.</Empty>
      )}
      <Waiting
        error={vulnerability.error ?? finding.error}
        isDone={isGone || finding.data !== undefined}
        onRetry={() => {
          void vulnerability.refetch()
          void finding.refetch()
        }}
      />
    </FindingPane>
  )
}

function SinglePane({ findingId, ...pane }: PaneProps & { findingId: string }) {
  const workspaceId = useWorkspaceId()
  const finding = useQuery(findingQuery(workspaceId, findingId))
  const cveId = finding.data?.cve.id
  const vulnerability = useQuery({
    ...vulnerabilityQuery(workspaceId, cveId ?? ''),
    enabled: cveId !== undefined,
  })
  return (
    <FindingPane
      {...pane}
      cveId={cveId ?? pane.row?.name ?? ''}
      finding={finding.data}
      vulnerability={vulnerability.data}
      singleId={findingId}
      isGone={false}
    >
      <Waiting
        error={finding.error ?? vulnerability.error}
        isDone={vulnerability.data !== undefined}
        onRetry={() => {
          void finding.refetch()
          void vulnerability.refetch()
        }}
      />
    </FindingPane>
  )
}

function Waiting({
  error,
  isDone,
  onRetry,
}: {
  error: Error | null
  isDone: boolean
  onRetry: () => void
}) {
  if (error) return <Failure error={error} onRetry={onRetry} />
  return isDone ? null : <Loading rows={5} />
}
