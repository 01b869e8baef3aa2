import { Time } from '../../components/time.tsx'
import { assessmentText } from './assessments.ts'
import css from './finding-parts.module.css'
import type { Finding } from './queries.ts'

type Entry = Finding['timeline'][number]

/** What happened, newest first. */
export function History({ finding }: { finding: Finding }) {
  return (
    <ul className={css['history']}>
      {finding.timeline.toReversed().map((entry) => (
        <li key={`${entry.type} ${entry.timestamp}`} className={css[toneOf(entry)]}>
          <div>
            {textOf(entry)}
            {noteOf(entry) !== '' && <p>{noteOf(entry)}</p>}
          </div>
          <Time at={entry.timestamp} as="date" />
        </li>
      ))}
    </ul>
  )
}

function toneOf({ type }: Entry): string {
  if (type === 'Detected' || type === 'Reopened') return 'detected'
  return type === 'Published' ? 'published' : 'decided'
}

const TEXTS: Record<Entry['type'], string> = {
  Published: 'Published',
  Detected: 'Found here',
  Assessment: 'Assessed',
  Ignored: 'Ignored',
  Unignored: 'No longer ignored',
  Resolved: 'Gone',
  Reopened: 'Back',
}

function textOf(entry: Entry): string {
  const who = entry.createdByEmail ?? SOURCES[entry.source ?? 'System']
  const what = entry.assessment ? assessmentText(entry.assessment.assessment) : TEXTS[entry.type]
  return who === '' ? what : `${what}, by ${who}`
}

const SOURCES = {
  User: '',
  ApiKey: 'a key',
  Vex: 'a VEX document',
  CarriedOver: 'carry-over',
  System: '',
}

function noteOf({ cause, assessment }: Entry): string {
  return [assessment?.detail, assessment?.recheckReason, cause].filter(Boolean).join(' · ')
}
