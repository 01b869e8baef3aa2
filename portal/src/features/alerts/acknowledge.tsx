import type { AlertIncident } from '@plimsoll/api-client'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { usePerform } from '../../components/perform.ts'
import { useMay, useWorkspaceId } from '../../session.ts'

const NOTE = '/workspaces/{workspaceId}/alert-incidents/{incidentId}/note'
const PATH = '/workspaces/{workspaceId}/alert-incidents/{incidentId}/acknowledge'

/** Undefined where nothing is to be acknowledged, or the reader may not. A note replaces the one that is there. */
export function useAcknowledge(
  incident: AlertIncident,
): ((note?: string) => Promise<boolean>) | undefined {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  const perform = usePerform('alerts')
  const { id, endedAt, acknowledgedAt, alertRule, note: noteBefore } = incident
  if (!mayWrite || endedAt !== null || acknowledgedAt !== null) return undefined
  const params = { workspaceId, incidentId: id }
  return (note) =>
    perform({
      text: `Incident of ${alertRule.name}: acknowledged${note === undefined ? '' : ' with a note'}`,
      send: async () => {
        const answer = await api.post(PATH, { params, body: note === undefined ? {} : { note } })
        if (answer.acknowledgedAt === null) return undefined
        const body = { acknowledgedAt: answer.acknowledgedAt }
        return async () => {
          const now = await api.post(`${PATH}/undo`, { params, body })
          if (note === undefined) return undefined
          if (now.note !== answer.note) return 'The note stayed: somebody has changed it since.'
          await api.put(NOTE, { params, body: { note: noteBefore } })
          return undefined
        }
      },
    })
}

export function Acknowledge({ incident }: { incident: AlertIncident }) {
  const acknowledge = useAcknowledge(incident)
  const { acknowledgedAt, acknowledgedByEmail } = incident
  if (acknowledgedAt !== null) return <p>seen by {acknowledgedByEmail ?? 'an API key'}</p>
  if (!acknowledge) return null
  return (
    <Button size="small" title="Stops reminders until it ends" onClick={() => void acknowledge()}>
      Acknowledge
    </Button>
  )
}
