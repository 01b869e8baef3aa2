import { Type } from 'typebox'
import { END_CAUSES } from '../../../formats/acceptances.ts'
import {
  Exactly,
  ExactShape,
  Nullable,
  OneOf,
  PageRequest,
} from '../../../platform/http/schemas.ts'
import { ACCEPTANCE_STATES } from './list-store.ts'

const MOST_CHARACTERS = 10_000

export const Until = Type.String({
  format: 'date-time',
  description: 'When it ends. In the past: 400',
})

const EPSS_ABOVE = Nullable(Type.Number({ minimum: 0, maximum: 1 }), {
  description: 'End it once the EPSS score is higher',
})
const DEVICES_ABOVE = Nullable(Type.Integer({ minimum: 0, maximum: 2_000_000_000 }), {
  description: 'End it once more devices report the firmware version',
})
const KNOWN_EXPLOITED = 'End it once CISA or ENISA lists the vulnerability as exploited'
const FIX_AVAILABLE = 'End it once a record names a later version without the vulnerability'

/** Some of them, of acceptances that have all. */
export const ChangedConditions = ExactShape(
  'ChangedConditions',
  {
    knownExploited: Type.Optional(Type.Boolean({ description: KNOWN_EXPLOITED })),
    epssAbove: Type.Optional(EPSS_ABOVE),
    devicesAbove: Type.Optional(DEVICES_ABOVE),
    fixAvailable: Type.Optional(Type.Boolean({ description: FIX_AVAILABLE })),
  },
  {
    description:
      'What ends them sooner by now; what is left out stays, null takes a bound back. What is met already ends at once',
  },
)

/** What is said when a risk is accepted. */
export const StatedAcceptance = ExactShape(
  'StatedAcceptance',
  {
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: MOST_CHARACTERS })),
    ownerId: Type.Optional(
      Nullable(Type.String({ maxLength: 200 }), {
        description: 'The member (`subjectId`) who looks after it; null: nobody',
      }),
    ),
    until: Type.Optional(Nullable(Until)),
    conditions: Type.Optional(
      ExactShape('StatedConditions', {
        knownExploited: Type.Optional(
          Type.Boolean({ default: true, description: KNOWN_EXPLOITED }),
        ),
        epssAbove: Type.Optional(EPSS_ABOVE),
        devicesAbove: Type.Optional(DEVICES_ABOVE),
        fixAvailable: Type.Optional(Type.Boolean({ default: false, description: FIX_AVAILABLE })),
      }),
    ),
  },
  {
    description:
      'Why the risk is accepted, who looks after that, and what ends it. Only with `ignored: true`. What is met already ends it at once: the finding is not ignored, and `ended` says why. Left out where the finding is ignored already: what was said stays',
  },
)

const Ids = Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1000 })

export const AcceptanceFilter = ExactShape('AcceptanceFilter', {
  states: Type.Optional(
    Type.Array(OneOf('AcceptanceState', ACCEPTANCE_STATES), {
      maxItems: ACCEPTANCE_STATES.length,
      description:
        'EndingSoon: within `acceptanceNoticeDays` of the workspace, at least a day; Open: the others that hold',
    }),
  ),
  ownerIds: Type.Optional({ ...Ids, description: 'Members (`subjectId`) who look after them' }),
  withoutOwner: Type.Optional(
    Type.Boolean({
      description: 'Whether no member looks after them: none was named, or has left',
    }),
  ),
  endsBefore: Type.Optional(
    Type.String({ format: 'date-time', description: 'Those that hold and end before this time' }),
  ),
  endedSince: Type.Optional(
    Type.String({ format: 'date-time', description: 'Those that ended then or later' }),
  ),
  causes: Type.Optional(
    Type.Array(OneOf('EndCause', END_CAUSES), {
      maxItems: END_CAUSES.length,
      description: 'Those that any of these ended',
    }),
  ),
  cveIds: Type.Optional({ ...Ids, description: 'Ids of vulnerabilities, or aliases' }),
  firmwareIds: Type.Optional(Ids),
  firmwareVersionIds: Type.Optional(Ids),
  contains: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Searched in reason, id of the vulnerability and name of the component',
    }),
  ),
})

export const ListAcceptancesCommand = Exactly(
  { ...PageRequest, filter: Type.Optional(AcceptanceFilter) },
  { examples: [{ filter: { states: ['EndingSoon'] } }] },
)
