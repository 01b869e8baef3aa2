import { Type } from 'typebox'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  defineProblems,
  Exactly,
  Nullable,
  OneOf,
  Saying,
  Shape,
  WorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { AcceptanceSchema, AssessmentSchema } from '../../findings/index.ts'
import { BulkAnswer, namedFindings, ONE_OF_TWO } from '../schemas.ts'
import { ACCEPTANCE_STATES } from './list-store.ts'
import { AcceptanceFilter, ChangedConditions, ListAcceptancesCommand, Until } from './schemas.ts'
import {
  endAcceptances,
  handOverAcceptances,
  listAcceptances,
  renewAcceptances,
} from './service.ts'

const tags = ['Accepted risks']
const AcceptancePage = Shape('AcceptancePage', {
  acceptances: Type.Array(
    Shape('AcceptedFinding', {
      findingId: Type.String(),
      cveId: Type.String(),
      state: OneOf('AcceptanceState', ACCEPTANCE_STATES),
      componentName: Type.String(),
      componentVersion: Nullable(Type.String()),
      firmwareVersion: Shape('AcceptedInVersion', {
        id: Type.String(),
        name: Type.String(),
        firmware: Shape('AcceptedInFirmware', { id: Type.String(), name: Type.String() }),
      }),
      severity: Nullable(OneOf('Severity', SEVERITIES), { description: 'null: it holds no more' }),
      isExploited: Type.Boolean(),
      epssScore: Nullable(Type.Number()),
      affectedDevices: Type.Integer({ description: 'Devices that report the firmware version' }),
      assessment: AssessmentSchema,
      ownerEmail: Nullable(Type.String(), { description: 'null: no member looks after it' }),
      acceptance: Nullable(AcceptanceSchema),
    }),
  ),
  counts: Shape('AcceptanceCounts', {
    open: Type.Integer({ description: 'Without those that end soon' }),
    endingSoon: Type.Integer(),
    ended: Type.Integer(),
    withoutOwner: Type.Integer({ description: 'Of those that hold' }),
  }),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

const selection = { ...namedFindings, filter: Type.Optional(AcceptanceFilter) }
const answers = { 200: BulkAnswer, ...defineProblems(400, 404, 409) }
const config = { scope: 'Vulnerabilities: write', namesIn: 'filter' } as const

export function registerAcceptanceRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/acceptances/list',
    {
      config: { scope: 'Vulnerabilities: read', namesIn: 'filter' },
      schema: {
        operationId: 'listAcceptances',
        summary: 'List accepted risks: those that hold by their end, then those that ended',
        tags,
        params: WorkspaceParams,
        body: ListAcceptancesCommand,
        response: { 200: AcceptancePage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body }) => listAcceptances(ctx, { ...params, ...body }),
  )

  app.post(
    '/acceptances/renew',
    {
      config,
      schema: {
        operationId: 'renewAcceptances',
        summary: 'Give accepted risks another end, or accept again what ended; or preview it',
        description: 'Findings that nobody accepted stay as they are. Undo takes it back.',
        tags,
        params: WorkspaceParams,
        body: Saying(
          Exactly(
            {
              ...selection,
              until: Nullable(Until),
              reason: Type.Optional(
                Type.String({
                  minLength: 1,
                  maxLength: 10_000,
                  description: 'A new reason; absent: each keeps its own',
                }),
              ),
              ownerId: Type.Optional(
                Type.String({
                  maxLength: 200,
                  description: 'The member who looks after them; absent: each keeps its own',
                }),
              ),
              conditions: Type.Optional(ChangedConditions),
            },
            {
              examples: [
                { filter: { states: ['EndingSoon'] }, dryRun: true, until: '2099-03-01T00:00:00Z' },
              ],
            },
          ),
          ONE_OF_TWO,
        ),
        response: answers,
      },
    },
    ({ params, body, principal: { actor } }) =>
      renewAcceptances(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/acceptances/hand-over',
    {
      config,
      schema: {
        operationId: 'handOverAcceptances',
        summary: 'Give accepted risks that hold to another member, or preview it',
        tags,
        params: WorkspaceParams,
        body: Saying(
          Exactly(
            { ...selection, ownerId: Type.String({ maxLength: 200 }) },
            { examples: [{ filter: { withoutOwner: true }, dryRun: true, ownerId: '…' }] },
          ),
          ONE_OF_TWO,
        ),
        response: answers,
      },
    },
    ({ params, body, principal: { actor } }) =>
      handOverAcceptances(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/acceptances/end',
    {
      config,
      schema: {
        operationId: 'endAcceptances',
        summary: 'End accepted risks that hold: their findings count again; or preview it',
        tags,
        params: WorkspaceParams,
        body: Saying(
          Exactly(selection, { examples: [{ filter: { withoutOwner: true }, dryRun: true }] }),
          ONE_OF_TWO,
        ),
        response: answers,
      },
    },
    ({ params, body, principal: { actor } }) => endAcceptances(ctx, { ...params, ...body, actor }),
  )
}
