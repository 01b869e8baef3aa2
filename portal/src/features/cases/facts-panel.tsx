/** All facts of a case with the instant that each states, when it was recorded, and by whom. Nothing is ever changed. */
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspaceId } from '../../session.ts'
import { ActButtons } from './act-button.tsx'
import type { CasePart } from './act.ts'
import css from './cases.module.css'
import { correct } from './ending-acts.ts'
import { nameActor, tellFacts, type ToldFact } from './fact-words.ts'

export function FactsPanel({ one, onAct }: CasePart) {
  const isEnded = one.state === 'Closed' || one.state === 'Dismissed'
  return (
    <Panel title="Facts" note="as they were recorded, newest first">
      <ul className={css['told']}>
        {tellFacts(one.facts).map((told) => (
          <Fact key={told.fact.id} told={told} one={one} onAct={onAct} isEnded={isEnded} />
        ))}
      </ul>
    </Panel>
  )
}

interface FactProps extends Pick<CasePart, 'one' | 'onAct'> {
  told: ToldFact
  isEnded: boolean
}

function Fact({
  told: { fact, text, isReplaced, canBeCorrected },
  one,
  onAct,
  isEnded,
}: FactProps) {
  const workspaceId = useWorkspaceId()
  return (
    <li>
      <span className={isReplaced ? css['replaced'] : undefined}>
        {text}
        {fact.instant !== null && fact.kind !== 'Signal' && (
          <>
            {' '}
            <Time at={fact.instant} as="dateTime" />
          </>
        )}
      </span>
      {isReplaced && <span> (corrected since)</span>}
      {fact.text !== null && fact.kind !== 'Report' && fact.text !== '' && (
        <p>
          <q>{fact.text}</q>
        </p>
      )}
      {fact.reason !== null && (
        <p>
          Because <q>{fact.reason}</q>
        </p>
      )}
      <p>
        Recorded <Time at={fact.recordedAt} as="dateTime" /> by {nameActor(fact)}
      </p>
      {canBeCorrected && !isEnded && (
        <ActButtons
          size="small"
          acts={[
            {
              act: correct({ workspaceId, one }, fact, text),
              label: 'Correct…',
              name: `Correct: ${text}`,
            },
          ]}
          onAct={onAct}
        />
      )}
    </li>
  )
}
