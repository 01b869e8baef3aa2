import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { registerEditable } from '../../../platform/http/editable-resource.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { findAdvisory } from '../service.ts'
import { getCohortContacts, resubscribe, updateCohortContacts } from './contacts-service.ts'
import { readRecipients } from './delivery-service.ts'
import * as schemas from './schemas.ts'
import * as store from './store.ts'

const tags = ['Advisories']
const AdvisoryParams = defineWorkspaceParams('advisoryId')
const MOST_LISTED = 5_000

export function registerAdvisoryMailRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/security-advisories/:advisoryId/recipients',
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'listAdvisoryRecipients',
        summary: 'Who would be told by mail if the advisory was published now, and why',
        tags,
        params: AdvisoryParams,
        response: { 200: schemas.AdvisoryRecipients, ...defineProblems(400, 404) },
      },
    },
    async ({ params, reading }) => {
      const { id: advisoryId, content } = await findAdvisory(reading.db, params)
      const { workspaceId } = params
      const recipients = await readRecipients(reading.db, { workspaceId, advisoryId, content })
      return { sendsMail: ctx.mailer !== undefined, recipients }
    },
  )

  app.get(
    '/security-advisories/:advisoryId/mails',
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'listAdvisoryMails',
        summary: 'Who was told of which revision by mail, and when',
        tags,
        params: AdvisoryParams,
        response: { 200: schemas.AdvisoryMailList, ...defineProblems(400, 404) },
      },
    },
    async ({ params, reading }) => {
      const { id: advisoryId } = await findAdvisory(reading.db, params)
      const of = { workspaceId: params.workspaceId, advisoryId, limit: MOST_LISTED + 1 }
      const mails = await store.listMails(reading.db, of)
      return { mails: mails.slice(0, MOST_LISTED), hasMore: mails.length > MOST_LISTED }
    },
  )

  app.post(
    '/advisory-contacts/resubscribe',
    {
      config: { scope: 'Cases: decide' },
      schema: {
        operationId: 'resubscribeAdvisoryContact',
        summary: 'Mail advisories again to an address that asked for no more',
        description:
          'For contacts that asked for these mails again in another way. Those of cohorts and customers get mails of later revisions then; none is sent by this.',
        tags,
        params: WorkspaceParams,
        body: schemas.ResubscribeCommand,
        response: { 200: schemas.ResubscribedContact, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) => resubscribe(ctx, { ...params, ...body, actor }),
  )

  registerEditable(app, {
    path: '/deployment-cohorts/:deploymentCohortId/contacts',
    tags,
    scope: 'Deployments',
    params: defineWorkspaceParams('deploymentCohortId'),
    command: schemas.UpdateCohortContactsCommand,
    answer: schemas.CohortContacts,
    get: {
      operationId: 'getCohortContacts',
      summary: 'E-mail addresses that are told of advisories about what devices of the cohort run',
    },
    put: { operationId: 'updateCohortContacts', summary: 'Replace the contacts of a cohort' },
    patch: {
      operationId: 'changeCohortContacts',
      summary: 'Change the contacts of a cohort',
      name: 'CohortContactsPatch',
    },
    read: (one) => getCohortContacts(ctx.db, one),
    write: (change) => updateCohortContacts(ctx, change),
  })
}
