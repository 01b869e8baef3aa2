import { formatCountOf } from '../format/counts.ts'
import css from './cohort-moves.module.css'

interface NamedCohort {
  id: string | null
  name: string | null
}

export interface CohortMovesProps {
  /** null: no cohort. One without a name is that which the form makes. */
  moves: readonly { from: NamedCohort | null; to: NamedCohort | null; devices: number }[]
  /** What stands there where no device moves. */
  none: string
}

/** "12 devices: no cohort → eu-west". */
export function CohortMoves({ moves, none }: CohortMovesProps) {
  if (moves.length === 0) return <p>{none}</p>
  return (
    <ul className={css['moves']}>
      {moves.map(({ from, to, devices }) => (
        <li key={`${from?.id ?? ''} ${to?.id ?? to?.name ?? ''}`}>
          <strong>{formatCountOf(devices, 'device')}</strong>: {nameOf(from)} → {nameOf(to)}
        </li>
      ))}
    </ul>
  )
}

const nameOf = (cohort: NamedCohort | null): string =>
  cohort === null ? 'no cohort' : (cohort.name ?? 'this cohort')
