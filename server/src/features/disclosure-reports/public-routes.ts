/** The page on which everybody can report a vulnerability, and the page of each report for whoever sent it. They need no key and no script. */
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import { groupAddress } from '../../platform/http/address-group.ts'
import type { App } from '../../platform/http/app.ts'
import { sendPage } from '../../platform/http/pages.ts'
import { TokenBuckets } from '../../platform/token-buckets.ts'
import * as intake from './intake-service.ts'
import { renderForm, renderRefusal, renderStatus } from './pages.ts'
import { findFaults, findTextFault, readLines, readSubmission } from './submission.ts'

const hide = true
const PATH = '/public/:workspaceId/report'
const Params = Type.Object({ workspaceId: Type.String() })
/** All fields at their longest, each character escaped: a code unit of UTF-16 takes nine bytes at most. */
const FORM_BYTES = 256 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Ten at once, and then one in six minutes. */
const PACE = { perMinute: 1 / 6, burst: 10 }
const PACE_SECONDS = 360

/** How often one address may send something. It is kept in memory alone: nothing of whoever reports is stored. */
const makePaces = () => new TokenBuckets(PACE)

export function registerDisclosureIntake(app: App, ctx: AppContext): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    FORM_TYPE,
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    (_request, body: string, done) => done(null, new URLSearchParams(body)),
  )
  registerForm(app, ctx)
  registerStatus(app, ctx)
}

const readForm = (body: unknown) => (body instanceof URLSearchParams ? body : new URLSearchParams())

/** Pages of forms and links are of one reader: nothing keeps them. */
const sendPrivate = (reply: FastifyReply, page: string) =>
  sendPage(reply.header('cache-control', 'no-store'), page)

function isTooFast({ memory }: AppContext, ip: string): boolean {
  const now = performance.now()
  return !memory.of(makePaces).of(groupAddress(ip), now).tryTake(now)
}

const TOO_FAST = 'That is too much from one address. Nothing was stored; try again in some minutes.'

function registerForm(app: App, ctx: AppContext): void {
  app.get(PATH, { schema: { hide, params: Params } }, async ({ params }, reply) => {
    const policy = await intake.requireOpenPolicy(ctx, params.workspaceId)
    return sendPrivate(reply, renderForm({ policy, token: intake.createToken() }))
  })

  app.post(PATH, { schema: { hide, params: Params } }, async ({ params, body, ip }, reply) => {
    const { workspaceId } = params
    const policy = await intake.requireOpenPolicy(ctx, workspaceId)
    const form = readForm(body)
    const given = readSubmission(form)
    const token = form.get('token') ?? ''
    const again = (status: number, faults: ReturnType<typeof findFaults>) =>
      sendPrivate(reply.code(status), renderForm({ policy, token, given, faults }))
    const faults = findFaults(given)
    if (Object.keys(faults).length > 0) return again(400, faults)
    if (isTooFast(ctx, ip)) {
      void reply.header('retry-after', String(PACE_SECONDS))
      return again(429, { form: TOO_FAST })
    }
    const taken = await intake.takeReport(ctx, { workspaceId, policy }, { ...given, token })
    if (taken.outcome === 'Taken') return reply.redirect(`report/status?token=${taken.token}`, 303)
    if (taken.outcome !== 'TokenUsed') void reply.header('retry-after', '3600')
    const [status, form_] = REFUSALS[taken.outcome]
    return again(status, { form: form_ })
  })
}

const REFUSALS = {
  Full: [503, 'No more reports can be taken here. Nothing was stored; write to us another way.'],
  FullToday: [
    429,
    'So many reports came today that no more can be taken. Nothing was stored; try again tomorrow, or write to us another way.',
  ],
  TokenUsed: [
    409,
    'This form was sent before, with another text. Open the page anew to send a second report, or add to the first one on its page.',
  ],
} as const

const LinkQuery = Type.Object({ token: Type.Optional(Type.String()) })

function registerStatus(app: App, ctx: AppContext): void {
  const schema = { hide, params: Params, querystring: LinkQuery }

  app.get(`${PATH}/status`, { schema }, async ({ params, query }, reply) => {
    const of = { ...params, token: query.token ?? '' }
    return sendPrivate(reply, renderStatus({ view: await intake.readReporterView(ctx, of) }))
  })

  app.post(`${PATH}/status`, { schema }, async ({ params, query, body, ip }, reply) => {
    const of = { ...params, token: query.token ?? '' }
    const view = await intake.readReporterView(ctx, of)
    const given = readLines(readForm(body).get('text'))
    const again = (status: number, fault: string) =>
      sendPrivate(reply.code(status), renderStatus({ view, given, fault }))
    const fault = findTextFault('text', given)
    if (fault !== undefined) return again(400, fault)
    if (isTooFast(ctx, ip)) {
      void reply.header('retry-after', String(PACE_SECONDS))
      return again(429, TOO_FAST)
    }
    const outcome = await intake.addToReport(ctx, of, given)
    if (outcome === 'TooMany')
      return sendPrivate(
        reply.code(429),
        renderRefusal(
          'Your report',
          'Nothing more can be added to this report. Nothing was stored.',
        ),
      )
    return reply.redirect(`status?token=${of.token}`, 303)
  })
}
