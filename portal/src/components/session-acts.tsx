/** What one decided since the portal was opened, each with its way back. */
import { type SentAct, useActs } from './acts.ts'
import { Button } from './button.tsx'
import { formatCountOf } from '../format/counts.ts'
import css from './session-acts.module.css'

const STATES: Record<SentAct['state'], string> = {
  sending: 'on its way',
  done: '',
  failed: 'not done',
  undoing: 'going back',
  undone: 'taken back',
  notUndone: 'not taken back',
}

/** It holds, and may be taken back. */
const HOLDING = new Set<SentAct['state']>(['done', 'notUndone'])

export function SessionActs() {
  const { list, undo } = useActs()
  const acts = list.filter(({ state }) => state === 'sending' || HOLDING.has(state))
  const count = acts.filter(({ isDecision }) => isDecision).length
  const others = acts.length - count
  if (list.length === 0) return null
  return (
    <details className={css['session']}>
      <summary>
        {count} decided this session{others > 0 && `, ${formatCountOf(others, 'other act')}`}
      </summary>
      <ol className={css['acts']} aria-label="This session">
        {list.toReversed().map((act) => (
          <li key={act.id}>
            <span>{act.text}</span>
            {HOLDING.has(act.state) && act.undo ? (
              <Button size="small" aria-label={`Undo ${act.text}`} onClick={() => undo(act)}>
                Undo
              </Button>
            ) : (
              <small>{STATES[act.state]}</small>
            )}
          </li>
        ))}
      </ol>
    </details>
  )
}
