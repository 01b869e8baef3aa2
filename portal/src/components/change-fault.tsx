/** Why a change was not saved: in particular, what somebody else changed meanwhile. */
import { describeKey } from '../format/problems.ts'
import { Sentence } from './audit/sentence.tsx'
import css from './form.module.css'
import { FormFault } from './form.tsx'
import { Time } from './time.tsx'
import { isChangedMeanwhile } from './put-back.ts'
import type { Meanwhile } from './use-change-form.ts'

interface ChangeFaultProps {
  error: unknown
  meanwhile: Meanwhile | Error | undefined
  /** Of members whose own names are not the words for them. */
  names?: Readonly<Record<string, string>>
}

export function ChangeFault({ error, meanwhile, names = {} }: ChangeFaultProps) {
  if (!isChangedMeanwhile(error)) return <FormFault error={error} />
  if (meanwhile instanceof Error) return <FormFault error={meanwhile} />
  if (!meanwhile) return <p role="status">Somebody else changed it meanwhile; it is read again…</p>
  const { changed, both, entry } = meanwhile
  const tell = (members: readonly string[]) =>
    members.map((member) => names[member] ?? describeKey(member)).join(', ')
  return (
    <div className={css['others']} role="alert">
      <p>
        <strong>Nothing was saved: somebody else changed {tell(changed) || 'it'} meanwhile.</strong>
      </p>
      {entry && (
        <p>
          <Sentence entry={entry} />, <Time at={entry.createdAt} />
        </p>
      )}
      <p>
        What you typed is kept.{' '}
        {both.length > 0
          ? `You both changed ${tell(both)}: saving again puts yours in place of theirs.`
          : 'The rest stands here as they left it: look at it, and save again.'}
      </p>
    </div>
  )
}
