import type { AlertIncident } from '@plimsoll/api-client'
import { api } from '../../api.ts'
import type { ActForm } from '../../components/acts.ts'
import { MemberChoice } from '../../components/discussion/assignee.tsx'
import { usePerform, writeValue } from '../../components/perform.ts'
import { useMay, useWorkspaceId } from '../../session.ts'

const INCIDENT = '/workspaces/{workspaceId}/alert-incidents/{incidentId}'

/** Who looks after it, and the choice of somebody else. */
export function IncidentAssignee({ incident }: { incident: AlertIncident }) {
  const { id, assignee, alertRule } = incident
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  const perform = usePerform('alerts')
  if (!mayWrite) return <span>{assignee?.displayName ?? 'Nobody'} looks after it</span>
  const params = { workspaceId, incidentId: id }
  const assign = (subjectId: string | null, name = 'nobody', form: ActForm) =>
    perform({
      form,
      text: `Incident of ${alertRule.name}: ${name} looks after it`,
      send: () =>
        writeValue({
          before: assignee?.subjectId ?? null,
          after: subjectId,
          read: async () => (await api.get(INCIDENT, { params })).assignee?.subjectId ?? null,
          write: (value) => api.put(`${INCIDENT}/assignee`, { params, body: { subjectId: value } }),
        }),
    })
  return (
    <MemberChoice
      label="Who looks after the incident"
      value={assignee?.subjectId ?? null}
      assign={assign}
    >
      looks after it
    </MemberChoice>
  )
}
