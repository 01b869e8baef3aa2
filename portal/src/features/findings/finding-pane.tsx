/** The finding beside the list: why, where, what to do, and the decision at the foot. */
import type { FindingDetail, WorkspaceVulnerabilityDetail } from '@plimsoll/api-client'
import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { findVulnerabilityPage } from '../../components/addresses.ts'
import { type ReactNode, useRef, useState } from 'react'
import { Copyable } from '../../components/copyable.tsx'
import { Discussion } from '../../components/discussion/discussion.tsx'
import { useKeys } from '../../components/keyboard.ts'
import { SeverityBadge } from '../../components/severity.tsx'
import { DevicesLink } from '../../components/devices-link.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { AcceptedRisk, DecidedLine } from './accepted-risk.tsx'
import { Decide } from './decide.tsx'
import { FindingFacts } from './finding-head.tsx'
import css from './finding-pane.module.css'
import { listScopes } from './decision-scope.ts'
import { describeDiscussion, type ListedRow } from './rows.ts'
import { Remedy } from './remedy.tsx'
import { AffectedVersions } from './affected-versions.tsx'
import { EvidencePanel } from './evidence-panel.tsx'

export interface PaneProps {
  row: ListedRow | undefined
  /** "3 of 42". */
  position: string | undefined
  /** Rows of the list are selected: keys belong to them. */
  isWithoutKeys: boolean
  onDecided: () => void
  /** On narrow screens: back to the list. */
  onClose: (() => void) | undefined
}

interface FindingPaneProps extends PaneProps {
  cveId: string
  finding: FindingDetail | undefined
  vulnerability: WorkspaceVulnerabilityDetail | undefined
  /** The finding that the row stands for; undefined: for the whole vulnerability. */
  singleId?: string
  /** There is nothing to decide any more. */
  isGone: boolean
  /** In place of what is missing. */
  children: ReactNode
}

export function FindingPane(props: FindingPaneProps) {
  const { cveId, finding, vulnerability, isGone, isWithoutKeys, onDecided, children } = props
  const { singleId } = props
  return (
    <section className={css['pane']} aria-label={`Vulnerability ${cveId}`}>
      <PaneHead {...props}>
        <Copyable text={cveId} label="CVE id" />
      </PaneHead>
      <div className={css['scroll']} data-scroll="">
        {children}
        {finding && vulnerability && (
          <Reasons
            finding={finding}
            vulnerability={vulnerability}
            isSingle={singleId !== undefined}
          />
        )}
        {vulnerability && <PaneDiscussion key={cveId} cveId={cveId} row={props.row} />}
      </div>
      {!isGone && (
        <footer className={css['foot']} data-paper="none">
          <Decide
            cveId={cveId}
            finding={vulnerability && finding}
            reaches={finding && vulnerability ? listScopes(finding, vulnerability) : []}
            onDecided={onDecided}
            isSingle={singleId !== undefined}
            {...(singleId !== undefined && { about: singleId })}
            isWithoutKeys={isWithoutKeys}
          />
        </footer>
      )}
    </section>
  )
}

/** Asked for when it is opened: most rows are decided without. */
function PaneDiscussion({ cveId, row }: { cveId: string; row: ListedRow | undefined }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className={css['discussion']}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        Discussion <small>{row && describeDiscussion(row)}</small>
      </summary>
      {isOpen && <Discussion cveId={cveId} />}
    </details>
  )
}

interface PaneHeadProps extends Pick<PaneProps, 'row' | 'position' | 'onClose'> {
  /** The CVE of the page that shows it in full. */
  cveId?: string
  children: ReactNode
}

export function PaneHead({ cveId, row, position, onClose, children }: PaneHeadProps) {
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
      {children}
      <span className={css['position']}>{position}</span>
      {cveId !== undefined && (
        <Link className={css['open']} {...findVulnerabilityPage(workspaceId, cveId)}>
          Open in full <kbd>↵</kbd>
        </Link>
      )}
    </header>
  )
}

interface ReasonsProps {
  finding: FindingDetail
  vulnerability: WorkspaceVulnerabilityDetail
  isSingle: boolean
}

function Reasons({ finding, vulnerability, isSingle }: ReasonsProps) {
  const { affectedDeviceCount, firmwareVersionCount, findings, findingCount } = vulnerability
  const why = useRef<HTMLElement>(null)
  useKeys([['e', () => why.current?.scrollIntoView()]])
  return (
    <>
      <h2 className={css['title']}>{finding.name}</h2>
      <FindingFacts
        finding={finding}
        {...(!isSingle && { devices: <AffectedDevices vulnerability={vulnerability} /> })}
      />
      <AcceptedRisk of={finding} />
      <DecidedLine of={finding} />
      <section ref={why}>
        <h3>Why we think so</h3>
        <EvidencePanel finding={finding} />
      </section>
      <section>
        <h3>
          Where{' '}
          <small>
            {formatCountOf(affectedDeviceCount, 'device')} on{' '}
            {formatCountOf(firmwareVersionCount, 'version')}
          </small>
        </h3>
        <AffectedVersions findings={findings} findingCount={findingCount} />
      </section>
      <Remedy finding={finding} vulnerability={vulnerability} />
      {finding.cve.description !== null && (
        <p className={css['description']}>{finding.cve.description}</p>
      )}
    </>
  )
}

/** As many as the row of the list says, and of these those on which it is active: they are what the list of devices has. */
function AffectedDevices({ vulnerability }: { vulnerability: WorkspaceVulnerabilityDetail }) {
  const { cveId, affectedDeviceCount, activeDeviceCount } = vulnerability
  const active = { of: { cve: cveId }, count: activeDeviceCount }
  if (activeDeviceCount === affectedDeviceCount)
    return (
      <>
        <DevicesLink {...active} /> now
      </>
    )
  return (
    <>
      {formatCountOf(affectedDeviceCount, 'device')} now, active on{' '}
      <DevicesLink {...active} isBare />
    </>
  )
}
