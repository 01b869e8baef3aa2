/** The finding beside the list: why, where, what to do, and the decision at the foot. */
import { useHotkeys } from '@mantine/hooks'
import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { Copyable } from '../../components/copyable.tsx'
import { SeverityBadge } from '../../components/severity.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { countOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { Decide } from './decide.tsx'
import { FindingFacts } from './finding-head.tsx'
import css from './finding-pane.module.css'
import {
  type Finding,
  findingQuery,
  type Vulnerability,
  vulnerabilityQuery,
  type VulnerabilityRow,
} from './queries.ts'
import { reachesOf } from './reaches.ts'
import { WhatToDo } from './what-to-do.tsx'
import { Where } from './where.tsx'
import { Why } from './why.tsx'

interface FindingPaneProps {
  cveId: string
  row: VulnerabilityRow | undefined
  /** "3 of 42". */
  position: string | undefined
  onDecided: () => void
  /** On narrow screens: back to the list. */
  onClose?: (() => void) | undefined
}

export function FindingPane({ cveId, row, position, onDecided, onClose }: FindingPaneProps) {
  const workspaceId = useWorkspaceId()
  const { data: vulnerability, error, refetch } = useQuery(vulnerabilityQuery(workspaceId, cveId))
  return (
    <section className={css['pane']} aria-label={`Vulnerability ${cveId}`}>
      <PaneHead cveId={cveId} row={row} position={position} onClose={onClose} />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!vulnerability && !error && <Loading rows={5} />}
      {vulnerability && <PaneBody vulnerability={vulnerability} onDecided={onDecided} />}
    </section>
  )
}

function PaneHead({ cveId, row, position, onClose }: Omit<FindingPaneProps, 'onDecided'>) {
  const workspaceId = useWorkspaceId()
  return (
    <header className={css['head']}>
      {onClose && (
        <button
          type="button"
          className={css['back']}
          onClick={onClose}
          aria-label="Back to the list"
        >
          <IconArrowLeft size={20} />
        </button>
      )}
      {row && <SeverityBadge severity={row.severity} />}
      <Copyable text={cveId} label="CVE id" />
      <span className={css['position']}>{position}</span>
      <Link
        className={css['open']}
        to="/w/$workspaceId/vulnerabilities/$cveId"
        params={{ workspaceId, cveId }}
      >
        Open in full <kbd>↵</kbd>
      </Link>
    </header>
  )
}

/** The finding on most devices speaks for all; the decision says how far it holds. */
function PaneBody({
  vulnerability,
  onDecided,
}: {
  vulnerability: Vulnerability
  onDecided: () => void
}) {
  const workspaceId = useWorkspaceId()
  const { findings, cveId } = vulnerability
  const [first] = findings
  const { data, error, refetch } = useQuery({
    ...findingQuery(workspaceId, first?.id ?? ''),
    enabled: first !== undefined,
  })
  if (!first)
    return (
      <Empty title={`No finding of ${cveId} is left`}>It ended while this page was open.</Empty>
    )
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading rows={5} />
  return (
    <>
      <div className={css['scroll']}>
        <Reasons finding={data} vulnerability={vulnerability} />
      </div>
      <footer className={css['foot']}>
        <Decide
          key={data.id}
          finding={data}
          reaches={reachesOf(data, findings)}
          onDecided={onDecided}
        />
      </footer>
    </>
  )
}

function Reasons({ finding, vulnerability }: { finding: Finding; vulnerability: Vulnerability }) {
  const { affectedDeviceCount, firmwareVersionCount, findings, fixedIn } = vulnerability
  const why = useRef<HTMLElement>(null)
  useHotkeys([['e', () => why.current?.scrollIntoView()]])
  return (
    <>
      <h2 className={css['title']}>{finding.name}</h2>
      <FindingFacts finding={finding} />
      <section ref={why}>
        <h3>Why we think so</h3>
        <Why finding={finding} />
      </section>
      <section>
        <h3>
          Where{' '}
          <small>
            {countOf(affectedDeviceCount, 'device')} on {countOf(firmwareVersionCount, 'version')}
          </small>
        </h3>
        <Where findings={findings} />
      </section>
      <WhatToDo finding={finding} fixedIn={fixedIn} />
      {finding.cve.description !== null && (
        <p className={css['description']}>{finding.cve.description}</p>
      )}
    </>
  )
}
