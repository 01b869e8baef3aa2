import type { TObject } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as acts from './acts-service.ts'
import { getPolicy, updatePolicy } from './policy-service.ts'
import * as schemas from './schemas.ts'
import { getReport, listReports } from './service.ts'

const tags = ['Disclosure reports']
const ReportParams = defineWorkspaceParams('reportId')
const PATH = '/disclosure-reports/:reportId'
const WRITE = { scope: 'Cases: write' } as const
/** Ending a report, and undoing that, is as ending a case. */
const DECIDE = { scope: 'Cases: decide' } as const

export function registerDisclosureReportRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/disclosure-reports',
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'listDisclosureReports',
        summary: 'List reports of vulnerabilities from outside, what is due first',
        tags,
        params: WorkspaceParams,
        querystring: schemas.ReportQuery,
        response: { 200: schemas.DisclosureReportList, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => listReports(ctx, reading.db, { ...params, ...query }),
  )

  app.get(
    PATH,
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'getDisclosureReport',
        summary: 'Get a report from outside with all that was written about it',
        tags,
        params: ReportParams,
        response: { 200: schemas.DisclosureReport, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => getReport(ctx, reading.db, params),
  )

  registerEditable(app, {
    path: '/disclosure-policy',
    tags,
    scope: 'Workspace settings',
    params: WorkspaceParams,
    command: schemas.UpdatePolicyCommand,
    answer: schemas.DisclosurePolicy,
    get: {
      operationId: 'getDisclosurePolicy',
      summary: 'How the workspace takes reports of vulnerabilities from outside',
    },
    put: {
      operationId: 'updateDisclosurePolicy',
      summary: 'Replace how reports from outside are taken, and whether at all',
    },
    patch: {
      operationId: 'changeDisclosurePolicy',
      summary: 'Change how reports from outside are taken',
      name: 'DisclosurePolicyPatch',
    },
    read: (one) => getPolicy(ctx, ctx.db, one),
    write: (change) => updatePolicy(ctx, change),
  })

  registerConversation(app, ctx)
  registerDecisions(app, ctx)
}

/** All acts answer the report as it is afterwards. */
const describeAct = <Body extends TObject>(operationId: string, summary: string, body: Body) => ({
  operationId,
  summary,
  tags,
  body,
  params: ReportParams,
  response: { 200: schemas.DisclosureReport, ...defineProblems(400, 404, 409) },
})

function registerConversation(app: App, ctx: AppContext): void {
  app.post(
    `${PATH}/answers`,
    {
      config: WRITE,
      schema: describeAct(
        'answerDisclosureReport',
        'Answer whoever reported, on the page of their link',
        schemas.AnswerCommand,
      ),
    },
    ({ params, body, principal: { actor } }) =>
      acts.answerReport(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/notes`,
    {
      config: WRITE,
      schema: describeAct(
        'noteOnDisclosureReport',
        'Write a note for the team; whoever reported never sees it',
        schemas.NoteCommand,
      ),
    },
    ({ params, body, principal: { actor } }) =>
      acts.noteOnReport(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/credit`,
    {
      config: WRITE,
      schema: describeAct(
        'setDisclosureReportCredit',
        'State under which name whoever reported is thanked',
        schemas.CreditCommand,
      ),
    },
    ({ params, body, principal: { actor } }) => acts.setCredit(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/embargo`,
    {
      config: WRITE,
      schema: describeAct(
        'setDisclosureReportEmbargo',
        'State until when nothing is published',
        schemas.EmbargoCommand,
      ),
    },
    ({ params, body, principal: { actor } }) => acts.setEmbargo(ctx, { ...params, ...body, actor }),
  )
}

function registerDecisions(app: App, ctx: AppContext): void {
  app.post(
    `${PATH}/join`,
    {
      config: WRITE,
      schema: describeAct(
        'joinDisclosureReport',
        'Let a report join a case; no clock of the case starts',
        schemas.JoinCommand,
      ),
    },
    ({ params, body, principal: { actor } }) => acts.joinCase(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/propose`,
    {
      config: WRITE,
      schema: describeAct(
        'proposeCaseOfDisclosureReport',
        'Propose a case of a report; its first hint is when the report was received',
        schemas.ProposeCommand,
      ),
    },
    ({ params, body, principal: { actor } }) =>
      acts.proposeCase(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/dismiss`,
    {
      config: DECIDE,
      schema: describeAct(
        'dismissDisclosureReport',
        'Dismiss a report, with a reason that whoever reported does not see',
        schemas.DismissCommand,
      ),
    },
    ({ params, body, principal: { actor } }) =>
      acts.dismissReport(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/reopen`,
    {
      config: WRITE,
      schema: describeAct(
        'reopenDisclosureReport',
        'Reopen a report that was dismissed or disclosed',
        schemas.ReopenCommand,
      ),
    },
    ({ params, body, principal: { actor } }) =>
      acts.reopenReport(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/erase-contact`,
    {
      config: DECIDE,
      schema: describeAct(
        'eraseContactOfDisclosureReport',
        'Erase how whoever reported can be reached; it cannot be undone, and the report stays',
        schemas.EraseContactCommand,
      ),
    },
    ({ params, body, principal: { actor } }) =>
      acts.eraseContact(ctx, { ...params, ...body, actor }),
  )

  app.post(
    `${PATH}/disclose`,
    {
      config: DECIDE,
      schema: describeAct(
        'recordDisclosureOfReport',
        'Record that it was published; nothing is published by that',
        schemas.DiscloseCommand,
      ),
    },
    ({ params, body, principal: { actor } }) =>
      acts.recordDisclosure(ctx, { ...params, ...body, actor }),
  )
}
