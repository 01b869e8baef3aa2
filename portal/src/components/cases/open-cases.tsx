/** Cases whose clocks run, the next one due first, and what waits for an assessment. Nothing where there is none. */
import { useInterval } from '@mantine/hooks'
import type { CaseList, CaseSummary } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { formatCount } from '../../format/counts.ts'
import { formatUtc } from '../../format/dates.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { Failure } from '../states.tsx'
import { Panel } from '../panel.tsx'
import { Dot, Tag } from '../tag.tsx'
import css from './case-clock.module.css'
import { TimeBar } from './case-clock.tsx'
import { drawClock, findStart } from './clock-drawing.ts'
import { Law } from './law-mark.tsx'
import { findNextClock } from './next-clock.ts'
import { casesQuery } from './queries.ts'
import { nameCase, STAGE_WORDS } from './words.ts'
import { formatZoned } from './zoned.ts'

const EVERY_MS = 15_000
const MOST_SHOWN = 8

export function OpenCases() {
  const workspaceId = useWorkspaceId()
  const enabled = useMay('Cases: read')
  const query = useQuery({ ...casesQuery(workspaceId, { state: 'Open' }), enabled })
  const { data, error } = query
  if (error && !data) return <Failure error={error} onRetry={() => void query.refetch()} />
  if (!data || data.counts.open + data.counts.proposed === 0) return null
  return <Open list={data} />
}

function Open({ list: { cases, counts } }: { list: CaseList }) {
  const workspaceId = useWorkspaceId()
  const [now, setNow] = useState(() => new Date())
  useInterval(() => setNow(new Date()), EVERY_MS, { autoInvoke: true })
  return (
    <Panel
      title="Open clocks"
      note={counts.open === 0 ? 'none runs' : 'the next one due first'}
      aside={
        <>
          {counts.proposed > 0 && (
            <Link
              to="/w/$workspaceId/cases"
              params={{ workspaceId }}
              search={{ state: 'Proposed' }}
            >
              {formatCount(counts.proposed)} proposed, to assess
            </Link>
          )}
          {counts.open > MOST_SHOWN && (
            <Link to="/w/$workspaceId/cases" params={{ workspaceId }} search={{ state: 'Open' }}>
              All {formatCount(counts.open)}
            </Link>
          )}
        </>
      }
      isFlush
    >
      {cases.length > 0 && (
        <ul className={css['open']}>
          {cases.slice(0, MOST_SHOWN).map((one) => (
            <Row key={one.id} one={one} now={now} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Row({ one, now }: { one: CaseSummary; now: Date }) {
  const workspaceId = useWorkspaceId()
  const clock = findNextClock(one)
  const drawing = clock && drawClock(clock, { startedAt: findStart({ clock, ...one }), now })
  return (
    <li>
      <span>
        {one.isDrill && <Tag tone="warn">drill</Tag>}{' '}
        <Link to="/w/$workspaceId/cases/$caseId" params={{ workspaceId, caseId: one.id }}>
          {nameCase(one)}
        </Link>
      </span>
      {clock && drawing ? (
        <>
          <span className={css['words']} title={tellDue(clock.dueAt)}>
            <Dot tone={drawing.tone}>
              {STAGE_WORDS[clock.stage]}: {drawing.words}
            </Dot>
          </span>
          <TimeBar drawing={drawing} />
          <Law article={clock.article} />
        </>
      ) : (
        <span>All is recorded; it can be closed.</span>
      )}
    </li>
  )
}

function tellDue(dueAt: string | null): string | undefined {
  if (dueAt === null) return undefined
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return `Due ${[formatZoned(dueAt, timeZone), formatUtc(dueAt)].filter(Boolean).join(' · ')}`
}
