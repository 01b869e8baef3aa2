import type { AlertIncident } from '@plimsoll/api-client'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { usePerform } from '../../components/perform.ts'
import { useMay, useWorkspaceId } from '../../session.ts'

const PATH = '/workspaces/{workspaceId}/alert-incidents/{incidentId}/acknowledge'

/** Undefined where nothing is to be acknowledged, or the reader may not. */
export function useAcknowledge(incident: AlertIncident): (() => void) | undefined {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  const perform = usePerform('alerts')
  const { id, endedAt, acknowledgedAt, alertRule } = incident
  if (!mayWrite || endedAt !== null || acknowledgedAt !== null) return undefined
  const params = { workspaceId, incidentId: id }
  return () =>
    void perform({
      text: `Incident of ${alertRule.name}: acknowledged`,
      send: async () => {
        const answer = await api.post(PATH, { params, body: {} })
        if (answer.acknowledgedAt === null) return undefined
        const body = { acknowledgedAt: answer.acknowledgedAt }
        return async () => {
          await api.post(`${PATH}/undo`, { params, body })
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
    <Button size="small" title="Stops reminders until it ends" onClick={acknowledge}>
      Acknowledge
    </Button>
  )
}
