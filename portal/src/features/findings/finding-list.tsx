import { IconMessage, IconUser } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { findVulnerabilityPage } from '../../components/addresses.ts'
import { useKeys } from '../../components/keyboard.ts'
import { SelectBox } from '../../components/select-box.tsx'
import type { Selection } from '../../components/selection.ts'
import { Exploited, SeverityBadge } from '../../components/severity.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { VirtualRows } from '../../components/virtual-rows.tsx'
import { formatCountOf, formatCount, formatPercent } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import type { Group } from './finding-filters.ts'
import css from './finding-list.module.css'
import type { ListedRow } from './rows.ts'

const HEIGHTS = { oneLine: 36, twoLines: 56, threeLines: 84 }
type Shape = keyof typeof HEIGHTS

export interface FindingListProps {
  rows: readonly ListedRow[]
  group: Group
  selection: Selection
  isCompact: boolean
  /** Rows are cards of three lines. */
  isNarrow: boolean
  /** The key of the row that is shown beside. */
  opened: string | undefined
  onOpen: (key: string) => void
  /** The last rows are in sight. */
  onEnd: () => void
}

export function FindingList(props: FindingListProps) {
  const { rows, group, selection, isCompact, isNarrow, opened, onOpen, onEnd } = props
  const shape: Shape = isCompact ? 'oneLine' : isNarrow ? 'threeLines' : 'twoLines'
  useOpenInFull(group, opened)
  const index = rows.findIndex(({ key }) => key === opened)
  return (
    <VirtualRows
      count={rows.length}
      height={HEIGHTS[shape]}
      inSight={index}
      onEnd={onEnd}
      label={LABELS[group]}
    >
      {(at) => {
        const row = rows[at]
        return (
          row && (
            <Row
              row={row}
              group={group}
              isOpened={at === index}
              shape={shape}
              selection={selection}
              onOpen={onOpen}
            />
          )
        )
      }}
    </VirtualRows>
  )
}

const LABELS = { vulnerability: 'Vulnerabilities', component: 'Components', single: 'Findings' }

/** Enter opens the page of the row, where it has one. */
function useOpenInFull(group: Group, key: string | undefined): void {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const open = (id: string) => navigate(findRowPage(workspaceId, group, id))
  useKeys([
    ['Enter', () => key !== undefined && group !== 'component' && !isOnControl() && void open(key)],
  ])
}

/** What a row stands for, on a page of its own; of a component, what is to decide about it. */
function findRowPage(workspaceId: string, group: Group, key: string) {
  if (group === 'vulnerability') return findVulnerabilityPage(workspaceId, key)
  if (group === 'single')
    return {
      to: '/w/$workspaceId/findings/$findingId',
      params: { workspaceId, findingId: key },
    } as const
  return {
    to: '/w/$workspaceId/findings',
    params: { workspaceId },
    search: { component: key },
  } as const
}

/** Enter presses the control that has the focus; the row that is open is none. */
function isOnControl(): boolean {
  return document.activeElement?.matches(':is(a, button):not([aria-current="true"])') === true
}

interface RowProps {
  row: ListedRow
  group: Group
  isOpened: boolean
  shape: Shape
  selection: Selection
  onOpen: (key: string) => void
}

const CONTENTS = { oneLine: OneLine, twoLines: TwoLines, threeLines: ThreeLines }

function Row({ row, group, isOpened, shape, selection, onOpen }: RowProps) {
  const workspaceId = useWorkspaceId()
  const isChosen = selection.has(row.key)
  const Content = CONTENTS[shape]
  return (
    <div
      className={`${css['row']} ${isOpened ? css['selected'] : ''} ${isChosen ? css['chosen'] : ''}`}
    >
      <SelectBox
        label={`Select ${row.name}`}
        isOn={isChosen}
        onToggle={(isRange) => selection.toggle(row.key, isRange)}
      />
      {/* A click opens it beside the list; a middle click opens its page in a tab of its own, as with all links. */}
      <Link
        {...findRowPage(workspaceId, group, row.key)}
        className={css[shape]}
        preload={false}
        aria-current={isOpened ? 'true' : undefined}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          onOpen(row.key)
        }}
      >
        <Content row={row} />
      </Link>
    </div>
  )
}

function TwoLines({ row }: { row: ListedRow }) {
  const { severity, name, title, detail, versionCount, epssScore, detectedAt, isExploited } = row
  return (
    <>
      <SeverityBadge severity={severity} />
      <span className={css['first']}>
        <code>{name}</code> {title}
      </span>
      <Devices count={row.deviceCount} />
      <span className={css['second']}>
        {isExploited && <Exploited />}
        {row.isDisputed && <Tag tone="warn">disputed</Tag>}
        <code>{detail}</code>
        <span>{formatCountOf(versionCount, 'version')}</span>
        {epssScore !== null && <span>EPSS {formatPercent(epssScore)}</span>}
        {row.ssvc !== undefined && <span>SSVC {row.ssvc}</span>}
        <Discussed row={row} />
      </span>
      <span className={css['age']}>
        <Time at={detectedAt} as="age" />
      </span>
    </>
  )
}

function ThreeLines({ row }: { row: ListedRow }) {
  const { severity, name, title, detail, epssScore, detectedAt, isExploited } = row
  return (
    <>
      <SeverityBadge severity={severity} />
      <span className={css['first']}>
        <code>{name}</code> {isExploited && <Exploited />}
        {row.isDisputed && <Tag tone="warn">disputed</Tag>}
      </span>
      <span className={css['age']}>
        {epssScore !== null && `EPSS ${formatPercent(epssScore)}, `}
        <Time at={detectedAt} as="age" />
      </span>
      <span className={css['title']}>{title}</span>
      <span className={`${css['second']} ${css['wide']}`}>
        <Devices count={row.deviceCount} />
        <code>{detail}</code>
        {row.ssvc !== undefined && <span>SSVC {row.ssvc}</span>}
        <Discussed row={row} />
      </span>
    </>
  )
}

function OneLine({ row }: { row: ListedRow }) {
  return (
    <>
      <SeverityBadge severity={row.severity} />
      <span className={css['first']}>
        <code>{row.name}</code> {row.title}
      </span>
      {row.isExploited ? <Exploited /> : <span />}
      <Devices count={row.deviceCount} />
    </>
  )
}

function Discussed({ row: { assignee, owner, commentCount } }: { row: ListedRow }) {
  return (
    <>
      {assignee !== undefined && (
        <span title="Looks after it">
          <IconUser size={12} aria-hidden="true" /> {assignee}
        </span>
      )}
      {owner !== undefined && (
        <span className={css['owner']} title={`Owner by a rule: ${owner}`}>
          <IconUser size={12} aria-hidden="true" /> {owner}
        </span>
      )}
      {commentCount > 0 && (
        <span title={formatCountOf(commentCount, 'comment')}>
          <IconMessage size={12} aria-label="Comments" /> {formatCount(commentCount)}
        </span>
      )}
    </>
  )
}

function Devices({ count }: { count: number }) {
  return (
    <span className={css['devices']}>
      <strong>{formatCount(count)}</strong> {count === 1 ? 'device' : 'devices'}
    </span>
  )
}
