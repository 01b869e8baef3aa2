import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { refuseProposals, reopenProposals } from './many-service.ts'
import {
  getProposal,
  listProposals,
  proposeDecision,
  refuseProposal,
  takeProposal,
} from './service.ts'

const tags = ['Vulnerability findings']
const FindingParams = defineWorkspaceParams('findingId')
const ProposalParams = defineWorkspaceParams('proposalId')

export function registerDecisionProposalRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/vulnerability-findings/:findingId/proposals',
    {
      config: { scope: 'Vulnerabilities: propose' },
      schema: {
        operationId: 'proposeDecision',
        summary: 'Propose what to decide about a finding; nothing is decided',
        description:
          'For assistants and pipelines whose word is not to count by itself. A later proposal of the same author about the finding replaces the earlier one.',
        tags,
        params: FindingParams,
        body: schemas.ProposeDecisionCommand,
        response: { 201: schemas.DecisionProposal, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await proposeDecision(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/decision-proposals',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listDecisionProposals',
        summary: 'Proposed decisions, newest first',
        tags,
        params: WorkspaceParams,
        querystring: schemas.ProposalQuery,
        response: { 200: schemas.DecisionProposalList, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => listProposals(reading.db, { ...params, ...query }),
  )

  app.get(
    '/decision-proposals/:proposalId',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'getDecisionProposal',
        summary: 'One proposed decision',
        tags,
        params: ProposalParams,
        response: { 200: schemas.DecisionProposal, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => getProposal(reading.db, params),
  )

  app.post(
    '/decision-proposals/bulk-refuse',
    {
      config: { scope: 'Vulnerabilities: write' },
      schema: {
        operationId: 'refuseDecisionProposals',
        summary: 'Refuse many proposed decisions; those that are not open stay as they are',
        tags,
        params: WorkspaceParams,
        body: schemas.RefuseProposalsCommand,
        response: { 200: schemas.ProposalsOutcome, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => refuseProposals(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/decision-proposals/bulk-reopen',
    {
      config: { scope: 'Vulnerabilities: write' },
      schema: {
        operationId: 'reopenDecisionProposals',
        summary: 'Take back that proposed decisions were refused: they are open again',
        tags,
        params: WorkspaceParams,
        body: schemas.ReopenProposalsCommand,
        response: { 200: schemas.ProposalsOutcome, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => reopenProposals(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/decision-proposals/:proposalId/take',
    {
      config: { scope: 'Vulnerabilities: write' },
      schema: {
        operationId: 'takeDecisionProposal',
        summary: 'Decide as proposed, or otherwise; the key that made the proposal cannot',
        tags,
        params: ProposalParams,
        body: schemas.TakeProposalCommand,
        response: { 200: schemas.DecisionProposal, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) => takeProposal(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/decision-proposals/:proposalId/refuse',
    {
      config: { scope: 'Vulnerabilities: write' },
      schema: {
        operationId: 'refuseDecisionProposal',
        summary: 'Refuse a proposed decision; the finding stays as it is',
        tags,
        params: ProposalParams,
        body: schemas.RefuseProposalCommand,
        response: { 200: schemas.DecisionProposal, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) => refuseProposal(ctx, { ...params, ...body, actor }),
  )
}
