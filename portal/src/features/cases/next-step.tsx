/** What is to be done first while clocks run, at the top of the page. */
import { DRAFT_STAGE } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import button from '../../components/button.module.css'
import { drawClock } from '../../components/cases/clock-drawing.ts'
import { findNextClock } from '../../components/cases/next-clock.ts'
import { lowerStage } from '../../components/cases/words.ts'
import { useWorkspaceId } from '../../session.ts'
import { ActButtons } from './act-button.tsx'
import type { CasePart } from './act.ts'
import css from './cases.module.css'
import { recordUsersInformed } from './report-acts.ts'
import { setMeasure } from './stating-acts.ts'

export function NextStep({ one, now, onAct }: CasePart) {
  const workspaceId = useWorkspaceId()
  const clock = findNextClock(one)
  if (!clock) return <p>All is recorded; it can be closed.</p>
  const on = { workspaceId, one }
  const draft = DRAFT_STAGE.find((stage) => stage === clock.stage)
  if (clock.basis === 'WaitsForMeasure')
    return (
      <ActButtons
        acts={[
          {
            act: setMeasure(on, one.proposedMeasure),
            label: 'Say since when a measure is available…',
            isPrimary: true,
          },
        ]}
        onAct={onAct}
      />
    )
  if (clock.stage === 'UsersInformed')
    return (
      <ActButtons
        acts={[
          {
            act: recordUsersInformed(on),
            label: 'Record how users were informed…',
            isPrimary: true,
          },
        ]}
        onAct={onAct}
      />
    )
  const { words } = drawClock(clock, { startedAt: undefined, now })
  const next = <p>{`Next: ${lowerStage(clock.stage)}, ${words}`}</p>
  if (!draft) return next
  return (
    <div className={css['acts']}>
      {next}
      <Link
        to="/w/$workspaceId/cases/$caseId/drafts/$stage"
        params={{ workspaceId, caseId: one.id, stage: draft }}
        className={`${button['button']} ${button['primary']} ${button['usual']}`}
      >
        {`Copy and record the ${lowerStage(draft)}`}
      </Link>
    </div>
  )
}
