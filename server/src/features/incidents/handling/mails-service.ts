/** Tells a member by mail that a colleague gave them an incident to look after. */
import { formatInstant } from '../../../formats/instants.ts'
import { type Static, Type } from 'typebox'
import { formatPortalPath } from '../../../formats/portal-pages.ts'
import type { AppContext } from '../../../platform/context.ts'
import { Nullable } from '../../../platform/http/schemas.ts'
import { defineMessage } from '../../../platform/jobs/queue.ts'
import { type LetterOfColleague, sendToMember, writeGivenLetter } from '../../discussions/index.ts'
import { findShownIncident } from '../service.ts'

export const IncidentAssignmentToSend = defineMessage(
  'incident-assignment-mail',
  Type.Object({
    workspaceId: Type.String(),
    personId: Type.String(),
    byEmail: Nullable(Type.String()),
    incidentId: Type.String(),
    /** How many were given with it. Messages of an older release have none. */
    others: Type.Optional(Type.Integer()),
  }),
)

/** Nothing is sent of what somebody else looks after by now. */
export async function sendIncidentAssignment(
  ctx: AppContext,
  { incidentId, others = 0, ...to }: Static<(typeof IncidentAssignmentToSend)['payload']>,
  signal: AbortSignal,
): Promise<void> {
  const { workspaceId, personId } = to
  const incident = await findShownIncident(ctx, { workspaceId, incidentId })
  if (incident?.assignee?.subjectId !== personId) return
  const { alertRule, conditionText, beganAt, endedAt } = incident
  const path = formatPortalPath('incident', { workspaceId, incidentId })
  const ended = endedAt === null ? 'It is firing' : `It ended at ${formatInstant(endedAt)}`
  const write = (about: LetterOfColleague) =>
    writeGivenLetter(about, {
      what: `the incident of the rule "${alertRule.name}"${withOthers(others)}`,
      details: [`${conditionText}.`, `It began at ${formatInstant(beganAt)}. ${ended}.`],
      link: { label: 'Open the incident', url: `${about.publicUrl}${path}` },
    })
  await sendToMember(ctx, { ...to, write }, signal)
}

function withOthers(count: number): string {
  if (count === 0) return ''
  return count === 1 ? ' and one more' : ` and ${count.toLocaleString('en')} more`
}
