import { Time } from '../../components/time.tsx'
import css from './finding-parts.module.css'
import type { Event } from './timeline.ts'

/** What happened, newest first. */
export function History({ events }: { events: readonly Event[] }) {
  return (
    <ul className={css['history']}>
      {events.map(({ at, tone, text, note }, index) => (
        <li key={`${at} ${text} ${index}`} className={css[tone]}>
          <div>
            {text}
            {note !== '' && <p>{note}</p>}
          </div>
          <Time at={at} as="date" />
        </li>
      ))}
    </ul>
  )
}
