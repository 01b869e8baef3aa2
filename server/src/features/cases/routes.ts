import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as acts from './acts-service.ts'
import { registerDraftRoutes } from './drafts/routes.ts'
import * as ends from './ends-service.ts'
import * as reports from './reports-service.ts'
import { dismissCases } from './bulk-service.ts'
import * as listing from './list-schemas.ts'
import { listCases } from './list-service.ts'
import { CreateCaseCommand } from './concerned-schemas.ts'
import * as schemas from './schemas.ts'
import { registerConcerned } from './concerned-routes.ts'
import { createCase } from './create-service.ts'
import { describeAct, DECIDE, PATH, tags, CaseParams, WRITE } from './acts-routes.ts'
import { getCase } from './service.ts'

const ReportParams = defineWorkspaceParams('caseId', 'reportId')

export function registerCaseRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/cases',
    {
      config: WRITE,
      schema: {
        operationId: 'createCase',
        summary: 'Begin a case by hand; no clock starts',
        tags,
        params: WorkspaceParams,
        body: CreateCaseCommand,
        response: { 201: schemas.Case, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createCase(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/cases',
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'listCases',
        summary: 'List cases, open clocks first',
        tags,
        params: WorkspaceParams,
        querystring: listing.CaseQuery,
        response: { 200: schemas.CaseList, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => listCases(ctx, reading.db, { ...params, ...query }),
  )

  app.get(
    PATH,
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'getCase',
        summary: 'Get a case: its clocks, facts, versions and the exact texts of reports',
        tags,
        params: CaseParams,
        response: { 200: schemas.Case, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => getCase(ctx, reading.db, params),
  )

  app.post(
    '/cases/dismiss',
    {
      config: DECIDE,
      schema: {
        operationId: 'dismissCases',
        summary: 'Dismiss proposals and watched cases at once, with one reason',
        tags,
        params: WorkspaceParams,
        body: listing.DismissCasesCommand,
        response: { 200: listing.DismissedCases, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => dismissCases(ctx, { ...params, ...body, actor }),
  )

  registerDraftRoutes(app, ctx)
  registerConcerned(app, ctx)
  registerStatements(app, ctx)
  registerReports(app, ctx)
  registerEnds(app, ctx)
}

function registerStatements(app: App, ctx: AppContext): void {
  app.post(
    `${PATH}/answers`,
    {
      config: WRITE,
      schema: {
        ...describeAct(
          'answerCaseQuestion',
          'Answer whether it can be, or was, exploited in the product',
          schemas.AnswerCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      acts.answerQuestion(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/awareness`,
    {
      config: WRITE,
      schema: {
        ...describeAct(
          'setCaseAwareness',
          'Set the instant of awareness, which starts the clocks',
          schemas.AwarenessCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      acts.setAwareness(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/watch`,
    {
      config: WRITE,
      schema: {
        ...describeAct(
          'watchCase',
          'Watch a case without a clock until a next look',
          schemas.WatchCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) => acts.watchCase(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/measure`,
    {
      config: WRITE,
      schema: {
        ...describeAct(
          'setCaseMeasure',
          'State since when a corrective or mitigating measure is available',
          schemas.MeasureCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) => acts.setMeasure(ctx, { ...params, ...body, actor }),
  )
}

function registerReports(app: App, ctx: AppContext): void {
  app.post(
    `${PATH}/report-requests`,
    {
      config: WRITE,
      schema: {
        ...describeAct(
          'requestCaseReport',
          'Record that the CSIRT asked for an intermediate report, 14(6)',
          schemas.ReportRequestCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      acts.requestReport(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/reports`,
    {
      config: WRITE,
      schema: {
        ...describeAct(
          'recordCaseReport',
          'Record a report as it was submitted; nothing is sent',
          schemas.ReportCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      reports.recordReport(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/reports/:reportId/invalidation`,
    {
      config: WRITE,
      schema: {
        ...describeAct(
          'invalidateCaseReport',
          'Record that the CSIRT did not accept a report: it is due again at its old time',
          schemas.InvalidationCommand,
        ),
        params: ReportParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      reports.invalidateReport(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/users-informed`,
    {
      config: WRITE,
      schema: {
        ...describeAct(
          'recordUsersInformed',
          'Record that users were informed, 14(8)',
          schemas.UsersInformedCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      reports.recordUsersInformed(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/users-not-informed`,
    {
      config: DECIDE,
      schema: {
        ...describeAct(
          'recordUsersNotInformed',
          'Record why users are not informed',
          schemas.ReasonCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      reports.recordUsersNotInformed(ctx, { ...params, ...body, actor }),
  )
}

function registerEnds(app: App, ctx: AppContext): void {
  app.post(
    `${PATH}/dismiss`,
    {
      config: DECIDE,
      schema: {
        ...describeAct('dismissCase', 'Dismiss a case, with a reason', schemas.ReasonCommand),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      ends.dismissCase(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/close`,
    {
      config: DECIDE,
      schema: {
        ...describeAct(
          'closeCase',
          'Close a case; reports that are not submitted need a reason',
          schemas.CloseCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) => ends.closeCase(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/reopen`,
    {
      config: WRITE,
      schema: {
        ...describeAct('reopenCase', 'Reopen a closed or dismissed case', schemas.ReasonCommand),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) => ends.reopenCase(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/corrections`,
    {
      config: DECIDE,
      schema: {
        ...describeAct(
          'correctCaseFact',
          'Correct or withdraw a fact, with a reason; what was recorded stays',
          schemas.CorrectionCommand,
        ),
        params: CaseParams,
      },
    },
    ({ params, body, principal: { actor } }) =>
      ends.correctFact(ctx, { ...params, ...body, actor }),
  )
}
