import { formatCount } from '../../format/counts.ts'
import { formatDateTime } from '../../format/dates.ts'
import css from './alerts.module.css'
import type { Evaluation } from './queries.ts'

interface EvaluationStripProps {
  /** Newest first. */
  evaluations: readonly Evaluation[]
  isLong?: boolean
}

/** One box for each look of a rule, the newest at the right. */
export function EvaluationStrip({ evaluations, isLong = false }: EvaluationStripProps) {
  if (evaluations.length === 0) return <p className={css['note']}>not looked at yet</p>
  return (
    <ol className={`${css['strip']} ${isLong ? css['long'] : ''}`}>
      {evaluations.toReversed().map((evaluation) => {
        const text = textOf(evaluation)
        return (
          <li key={evaluation.id} className={css[evaluation.status]} title={text}>
            <span className="visually-hidden">{text}</span>
          </li>
        )
      })}
    </ol>
  )
}

const STATUSES: Record<Evaluation['status'], string> = {
  Ok: 'fine',
  Firing: 'firing',
  NoData: 'no data',
  Failed: 'could not be evaluated',
}

/** "fine", "no data", "could not be evaluated: …". */
export function describeStatus({ status, reason }: Evaluation): string {
  return `${STATUSES[status]}${reason === null ? '' : `: ${reason}`}`
}

function textOf(evaluation: Evaluation): string {
  const { status, evaluatedAt, firingCount, reason } = evaluation
  const firing = firingCount > 0 ? `, ${formatCount(firingCount)} series firing` : ''
  return `${STATUSES[status]} at ${formatDateTime(evaluatedAt)}${firing}${reason === null ? '' : `: ${reason}`}`
}
