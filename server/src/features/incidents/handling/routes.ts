import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../../platform/http/schemas.ts'
import { AlertIncident } from '../schemas.ts'
import * as schemas from './schemas.ts'
import {
  acknowledgeIncident,
  assignIncident,
  noteIncident,
  undoAcknowledgement,
} from './service.ts'

const tags = ['Alerts']
const params = defineWorkspaceParams('incidentId')
const PATH = '/alert-incidents/:incidentId'

export function registerHandlingRoutes(app: App, ctx: AppContext): void {
  app.post(
    `${PATH}/acknowledge`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'acknowledgeAlertIncident',
        summary: 'Acknowledge an incident, which stops its reminders',
        description:
          'A note says what is done about it; without one, the note that is there stays.',
        tags,
        params,
        body: schemas.AcknowledgeCommand,
        response: { 200: AlertIncident, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, body, principal: { actor } }) =>
      acknowledgeIncident(ctx, { ...path, ...body, actor }),
  )

  app.post(
    `${PATH}/acknowledge/undo`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'undoAlertIncidentAcknowledgement',
        summary: 'Take back an acknowledgement, so that reminders begin again',
        tags,
        params,
        body: schemas.UndoAcknowledgementCommand,
        response: { 200: AlertIncident, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params: path, body, principal: { actor } }) =>
      undoAcknowledgement(ctx, { ...path, ...body, actor }),
  )

  app.put(
    `${PATH}/note`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'noteAlertIncident',
        summary: 'Say what is done about an incident, or was',
        description:
          'An incident has one note, which everybody with the scope may change. No notice has it.',
        tags,
        params,
        body: schemas.NoteCommand,
        response: { 200: AlertIncident, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, body, principal: { actor } }) =>
      noteIncident(ctx, { ...path, ...body, actor }),
  )

  app.put(
    `${PATH}/assignee`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'assignAlertIncident',
        summary: 'Give an incident to a member, or to nobody',
        description:
          'The member gets a mail, unless they gave it to themselves. Nobody looks after it any more when the member leaves.',
        tags,
        params,
        body: schemas.AssignIncidentCommand,
        response: { 200: AlertIncident, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, body, principal: { actor } }) =>
      assignIncident(ctx, { ...path, ...body, actor }),
  )
}
