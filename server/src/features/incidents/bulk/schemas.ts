import { Type } from 'typebox'
import { Exactly, Nullable, Shape } from '../../../platform/http/schemas.ts'
import { AcknowledgeBody, AssignIncidentCommand } from '../handling/schemas.ts'
import { AlertIncidentFilter } from '../schemas.ts'
import { SilenceCommand } from '../silences/schemas.ts'

/** In one transaction. */
export const MOST_INCIDENTS = 10_000

export const HandleIncidentsCommand = Exactly(
  {
    alertIncidentIds: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        minItems: 1,
        maxItems: MOST_INCIDENTS,
        description: 'Either these, or all that a filter selects',
      }),
    ),
    filter: Type.Optional(AlertIncidentFilter),
    acknowledge: Type.Optional(AcknowledgeBody),
    assign: Type.Optional(AssignIncidentCommand),
    silence: Type.Optional(SilenceCommand),
    dryRun: Type.Optional(
      Type.Boolean({ default: false, description: 'Only say how many would change' }),
    ),
    expectedChanged: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Only if so many would change; else 409 and no change',
      }),
    ),
  },
  {
    examples: [
      {
        filter: { isOpen: true, assigned: false },
        acknowledge: { note: 'The cooling of hall 2 failed.' },
        dryRun: true,
      },
    ],
  },
)

export const HandledIncidents = Shape('HandledAlertIncidents', {
  matched: Type.Integer({ description: 'Selected incidents' }),
  changed: Type.Integer({
    description:
      'Of these: open ones that nobody had acknowledged, those that somebody else or nobody looked after, or open ones that are silenced',
  }),
  alertIncidentBatchId: Nullable(Type.String(), {
    description:
      'Takes it back for seven days (…/undo); null: nothing changed, or it was a dry run',
  }),
})

export const UndoneIncidentBatch = Shape('UndoneAlertIncidentBatch', {
  restored: Type.Integer({ description: 'Incidents that are again as they were' }),
  left: Type.Integer({
    description:
      'Incidents that stay as they are: somebody has changed that since, the silence is over, or the member of before has left',
  }),
})
