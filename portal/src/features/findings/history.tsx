import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm.tsx'
import { undoDecisions } from '../../components/decision/bulk.ts'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './finding-parts.module.css'
import type { Event } from './timeline.ts'

/** What happened, newest first. */
export function History({ events }: { events: readonly Event[] }) {
  return (
    <ul className={css['history']}>
      {events.map((event, index) => (
        <li key={`${event.at} ${event.text} ${index}`} className={css[event.tone]}>
          <div>
            {event.text}
            {event.note !== '' && <p>{event.note}</p>}
            {event.batch?.isUndone === false && <TakeBack event={event} batch={event.batch} />}
          </div>
          <Time at={event.at} as="date" />
        </li>
      ))}
    </ul>
  )
}

/** Takes back the command as a whole: it may have decided about other vulnerabilities, too. */
function TakeBack({ event, batch }: { event: Event; batch: NonNullable<Event['batch']> }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const mayDecide = useMay('Vulnerabilities: write')
  const act = useMutation({
    mutationFn: () => undoDecisions(workspaceId, [batch.id]),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['findings', workspaceId] }),
  })
  const [isAsking, setAsking] = useState(false)
  if (!mayDecide) return null
  const findings = formatCountOf(batch.findingCount, 'finding')
  return (
    <>
      <Button size="small" kind="quiet" aria-haspopup="dialog" onClick={() => setAsking(true)}>
        Take back…
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Take back “${event.undoText ?? ''}”?`}
          what={
            <p>
              The command decided {findings}. Each gets again what it had before; those that
              somebody has decided since stay as they are.
            </p>
          }
          verb={`Take back ${findings}`}
          act={act}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
