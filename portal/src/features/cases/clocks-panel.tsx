/** The clocks of a case, each with what answers it. */
import type { Case, CaseClock } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { Clock } from '../../components/cases/case-clock.tsx'
import { findStart } from '../../components/cases/clock-drawing.ts'
import { lowerStage } from '../../components/cases/words.ts'
import { Panel } from '../../components/panel.tsx'
import { useWorkspaceId } from '../../session.ts'
import { ActButtons, type OfferedAct } from './act-button.tsx'
import type { ActOn, CasePart } from './act.ts'
import css from './cases.module.css'
import { recordUsersNotInformed } from './ending-acts.ts'
import { IntermediateActs } from './intermediate-acts.tsx'
import { recordOtherText, recordUsersInformed, requestReport } from './report-acts.ts'
import { setMeasure } from './stating-acts.ts'

interface ClocksPanelProps extends CasePart {
  timeZones: readonly string[]
}

export function ClocksPanel({ one, now, onAct, timeZones }: ClocksPanelProps) {
  const workspaceId = useWorkspaceId()
  const on = { workspaceId, one }
  if (one.clocks.length === 0)
    return (
      <Panel title="Clocks">
        <p>
          No clock runs. Hours of the law count from the instant of awareness, which a person sets;
          a hint starts none.
        </p>
      </Panel>
    )
  const isOpen = one.state === 'Open'
  return (
    <Panel title="Clocks" note="elapsed time: nights, weekends and holidays count">
      <ul>
        {one.clocks.map((clock) => (
          <Clock
            key={`${clock.stage} ${clock.requestId ?? ''}`}
            clock={clock}
            startedAt={findStart({ clock, ...one, ...findInstants(one, clock) })}
            timeZones={timeZones}
            now={now}
          >
            {isOpen && clock.doneAt === null && (
              <div className={css['clockActs']}>
                {clock.requestId === null ? (
                  <>
                    <ToDraft caseId={one.id} stage={clock.stage} />
                    <ActButtons acts={offerActs(on, clock)} onAct={onAct} size="small" />
                  </>
                ) : (
                  <IntermediateActs one={one} requestId={clock.requestId} onAct={onAct} />
                )}
              </div>
            )}
          </Clock>
        ))}
      </ul>
      {isOpen && (
        <ActButtons
          acts={[{ act: requestReport(on), label: 'The CSIRT asks for an intermediate report…' }]}
          onAct={onAct}
          size="small"
        />
      )}
    </Panel>
  )
}

function ToDraft({ caseId, stage }: { caseId: string; stage: CaseClock['stage'] }) {
  const workspaceId = useWorkspaceId()
  if (stage === 'UsersInformed' || stage === 'IntermediateReport') return null
  return (
    <Link to="/w/$workspaceId/cases/$caseId/drafts/$stage" params={{ workspaceId, caseId, stage }}>
      Draft of the {lowerStage(stage)}
    </Link>
  )
}

/** When the notification was submitted first, and when the CSIRT asked. */
export function findInstants({ reports, facts }: Case, { requestId }: CaseClock) {
  const notified = reports
    .flatMap(({ stage, submittedAt }) => (stage === 'Notification' ? [submittedAt] : []))
    .toSorted()
  const asked = facts.find(({ id }) => id === requestId)
  return { notifiedAt: notified[0], askedAt: asked?.recordedAt }
}

function offerActs(on: ActOn & { one: Case }, { stage, basis }: CaseClock): OfferedAct[] {
  if (stage === 'UsersInformed')
    return [
      { act: recordUsersInformed(on), label: 'Users were informed…' },
      { act: recordUsersNotInformed(on), label: 'They are not informed…' },
    ]
  const record = {
    act: recordOtherText(on, stage),
    label: 'Record another text…',
    name: `Record another text as the ${lowerStage(stage)}…`,
  }
  if (basis !== 'WaitsForMeasure') return [record]
  return [{ act: setMeasure(on, on.one.proposedMeasure), label: 'A measure is available…' }, record]
}
