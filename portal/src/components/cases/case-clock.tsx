/** One clock of a case: its stage, the time left as a bar and in words, and when it is due. */
import type { CaseClock } from '@plimsoll/api-client'
import type { ReactNode } from 'react'
import { formatUtc } from '../../format/dates.ts'
import { Dot } from '../tag.tsx'
import { Time } from '../time.tsx'
import css from './case-clock.module.css'
import { type ClockDrawing, drawClock } from './clock-drawing.ts'
import { Law } from './law-mark.tsx'
import { BASIS_WORDS, STAGE_WORDS } from './words.ts'
import { formatZoned } from './zoned.ts'

interface ClockProps {
  clock: CaseClock
  startedAt: string | null | undefined
  /** Of the manufacturers of its lines. */
  timeZones: readonly string[]
  now: Date
  /** What can be done about it. */
  children?: ReactNode
}

export function Clock({ clock, startedAt, timeZones, now, children }: ClockProps) {
  const { stage, article, doneAt, isInterpretation, platformShowsAt, dueAt, basis } = clock
  const drawing = drawClock(clock, { startedAt, now })
  return (
    <li className={css['clock']}>
      <div className={css['head']}>
        <strong>{STAGE_WORDS[stage]}</strong> <Law article={article} />
        <span className={css['left']}>
          <Dot tone={drawing.tone}>{drawing.words}</Dot>
        </span>
      </div>
      <TimeBar drawing={drawing} />
      <p className={css['note']}>
        {dueAt !== null && <DueAt dueAt={dueAt} timeZones={timeZones} />}
        {doneAt === null || dueAt !== null ? BASIS_WORDS[basis] : ''}
        {isInterpretation && '; the law does not settle it: this is the cautious reading'}
        {doneAt !== null && (
          <>
            {dueAt !== null && '; '}
            {stage === 'UsersInformed' ? 'recorded for ' : 'submitted '}
            <Time at={doneAt} as="dateTime" />
          </>
        )}
      </p>
      {platformShowsAt !== null && doneAt === null && (
        <p className={css['note']}>
          The platform shows {formatUtc(platformShowsAt)}: it counts 48 hours from the submitted
          early warning. The time above counts.
        </p>
      )}
      {children}
    </li>
  )
}

/** In the zone of the manufacturer, which may not be the reader's, and in UTC. */
function DueAt({ dueAt, timeZones }: { dueAt: string; timeZones: readonly string[] }) {
  const zoned = [...new Set(timeZones)].flatMap((zone) =>
    zone === 'UTC' ? [] : (formatZoned(dueAt, zone) ?? []),
  )
  return (
    <>
      Due{' '}
      <strong>
        <time dateTime={dueAt}>{[...zoned, formatUtc(dueAt)].join(' · ')}</time>
      </strong>
      ,{' '}
    </>
  )
}

/** Says nothing that the words beside it do not say. */
export function TimeBar({ drawing: { passed, tone, state } }: { drawing: ClockDrawing }) {
  return (
    <div
      className={`${css['bar']} ${css[tone]} ${passed === undefined ? css['unmeasured'] : ''}`}
      data-state={state}
      aria-hidden="true"
    >
      {passed !== undefined && <span style={{ width: `${(passed * 100).toFixed(1)}%` }} />}
    </div>
  )
}
