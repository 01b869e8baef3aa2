/** The routes of Eclipse hawkBit's Direct Device Integration API (docs/guide/hawkbit.md). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { createHash } from 'node:crypto'
import { createDownloadRate, lookUpInTurn, sendArtifact } from '../artifacts/index.ts'
import { authenticateRequest } from '../device-issuers/index.ts'
import type { DeviceDoors } from '../devices/index.ts'
import { asking } from '../../platform/asking.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { type App, installRateLimit } from '../../platform/http/app.ts'
import { admit } from '../../platform/http/door.ts'
import { findDuplicate } from '../../formats/duplicate-members.ts'
import { isKnownTag } from '../../platform/http/entity-tags.ts'
import { createDuplicateRefusal } from '../../platform/http/json-body.ts'
import {
  describeArtifact,
  cancelAction,
  describeConfirmationAction,
  describeConfirmation,
  describeController,
  describeDeployment,
} from './answers.ts'
import {
  activateAutoConfirm,
  deactivateAutoConfirm,
  getCancelled,
  receiveCancelFeedback,
  receiveConfirmation,
  receiveDeploymentFeedback,
} from './feedback-service.ts'
import {
  type Caller,
  createController,
  type DdiContext,
  readDeployment,
  findActionAndDevice,
  offerOpenAction,
  getDeployment,
  getDevice,
  getInstalled,
  getModule,
  poll,
  receiveConfigData,
} from './service.ts'
import { isOpen, waitsForConfirmation } from './actions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

const ActionParams = Type.Object({ actionId: Type.String() })
const HistoryQuery = Type.Object({
  // Ignored; it only distinguishes links.
  c: Type.Optional(Type.String()),
  actionHistory: Type.Optional(Type.Integer({ default: 0 })),
})
const ModuleParams = Type.Object({ moduleId: Type.String() })
const FileParams = Type.Object({ moduleId: Type.String(), fileName: Type.String() })

export async function registerDdiRoutes(
  app: App,
  ctx: AppContext,
  doors: DeviceDoors,
): Promise<void> {
  await app.register(
    async (controller: App) => {
      installDeviceAuthentication(controller, ctx, doors)
      installBodies(controller)
      const withDoors: DdiContext = { ...ctx, doors }
      // Counted by bytes.
      contentRoute(controller, withDoors)
      await controller.register(async (counted: App) => {
        await installRateLimit(counted, {
          perMinute: REQUESTS_FACTOR * ctx.config.deviceRequestsPerMinute,
          who: 'device',
          keyOf: ({ caller }) => nameCaller(caller),
        })
        pollRoutes(counted, withDoors)
        deploymentRoutes(counted, withDoors)
        confirmationRoutes(counted, withDoors)
        modulesRoute(counted, withDoors)
      })
    },
    { prefix: '/:tenant/controller/v1/:controllerId' },
  )
}

const nameCaller = ({ workspaceId, deviceId }: Caller) => `${workspaceId} ${deviceId}`

/** Clients report each step of an installation in its own request, and do not repeat refused requests. */
const REQUESTS_FACTOR = 5

/** Both of hawkBit's tokens are device keys: the device's own key and the fleet's key. A client without one shows a certificate. */
function installDeviceAuthentication(app: App, ctx: AppContext, doors: DeviceDoors): void {
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request) => {
    const { tenant, controllerId } = request.params as { tenant: string; controllerId: string }
    const { authorization = '', 'user-agent': client } = request.headers
    const [, deviceKey = ''] = /^(?:TargetToken|GatewayToken) +(\S+) *$/i.exec(authorization) ?? []
    const asked = { request, workspaceId: tenant, deviceId: controllerId, deviceKey }
    const { workspaceId, deviceId } = await authenticateRequest(ctx, doors, asked)
    admit(request)
    request.caller = { workspaceId, deviceId, client: client?.slice(0, 200) }
  })
  app.addHook('preHandler', ({ caller: { workspaceId } }, _reply, done) =>
    asking.run({ workspaceId }, done),
  )
}

const BODY_BYTES = 64 * 1024

/** Accepts JSON with any content type, and checks only the members that are read. */
function installBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/cbor', (_request, _payload, done) => {
    done(new AppError('unsupportedMediaType', 'unsupported-media-type', 'Send the body as JSON.'))
  })
  app.addContentTypeParser(
    '*',
    { parseAs: 'string', bodyLimit: BODY_BYTES },
    (_request, text, done) => {
      try {
        const value: unknown = text === '' ? undefined : JSON.parse(String(text))
        const twice = findDuplicate(String(text))
        done(twice === undefined ? null : createDuplicateRefusal(twice), value)
      } catch {
        done(new AppError('invalid', 'malformed-json', 'The body is not valid JSON.'))
      }
    },
  )
}

const HIDDEN = { hide: true }

function pollRoutes(app: App, ctx: DdiContext): void {
  app.get('', { schema: HIDDEN }, async (request, reply) => {
    const { caller } = request
    return sendHal(
      request,
      reply,
      describeController(createController(ctx, caller), await poll(ctx, caller)),
    )
  })

  app.put('/configData', { schema: HIDDEN }, async ({ caller, body }, reply) => {
    await receiveConfigData(ctx, caller, body)
    return sendNothing(reply)
  })
}

function deploymentRoutes(app: App, ctx: DdiContext): void {
  app.get(
    '/deploymentBase/:actionId',
    { schema: { ...HIDDEN, params: ActionParams, querystring: HistoryQuery } },
    async (request, reply) => {
      const { caller, params, query } = request
      const { actionHistory = 0 } = query
      const deployment = await getDeployment(ctx, caller, { ...params, actionHistory })
      return sendHal(request, reply, describeDeployment(createController(ctx, caller), deployment))
    },
  )

  app.post(
    '/deploymentBase/:actionId/feedback',
    { schema: { ...HIDDEN, params: ActionParams } },
    async ({ caller, params, body }, reply) => {
      await receiveDeploymentFeedback(ctx, caller, { ...params, body })
      return sendNothing(reply)
    },
  )

  app.get(
    '/installedBase/:actionId',
    { schema: { ...HIDDEN, params: ActionParams, querystring: HistoryQuery } },
    async (request, reply) => {
      const { caller, params, query } = request
      const { actionHistory = 0 } = query
      const deployment = await getInstalled(ctx, caller, { ...params, actionHistory })
      return sendHal(request, reply, describeDeployment(createController(ctx, caller), deployment))
    },
  )

  app.get(
    '/cancelAction/:actionId',
    { schema: { ...HIDDEN, params: ActionParams } },
    async (request, reply) => {
      const { number } = await getCancelled(ctx, request.caller, request.params.actionId)
      return sendHal(request, reply, cancelAction(number))
    },
  )

  app.post(
    '/cancelAction/:actionId/feedback',
    { schema: { ...HIDDEN, params: ActionParams } },
    async ({ caller, params, body }, reply) => {
      await receiveCancelFeedback(ctx, caller, { ...params, body })
      return sendNothing(reply)
    },
  )
}

function confirmationRoutes(app: App, ctx: DdiContext): void {
  app.get('/confirmationBase', { schema: HIDDEN }, async (request, reply) => {
    const { caller } = request
    const device = await getDevice(ctx, caller)
    const { autoConfirmAt: at, autoConfirmInitiator, autoConfirmRemark } = device
    const autoConfirm = at
      ? { at, initiator: autoConfirmInitiator, remark: autoConfirmRemark }
      : undefined
    const action = await offerOpenAction(ctx, caller, device)
    return sendHal(
      request,
      reply,
      describeConfirmation(createController(ctx, caller), { autoConfirm, action }),
    )
  })

  app.get(
    '/confirmationBase/:actionId',
    { schema: { ...HIDDEN, params: ActionParams, querystring: HistoryQuery } },
    async (request, reply) => {
      const { caller, params, query } = request
      const { actionHistory = 0 } = query
      const { action, device } = await findActionAndDevice(ctx, caller, params.actionId)
      if (!isOpen(action) || !waitsForConfirmation(action, device))
        throw notFound('action', params.actionId)
      const deployment = await readDeployment(ctx, caller, { action, device, actionHistory })
      return sendHal(
        request,
        reply,
        describeConfirmationAction(createController(ctx, caller), deployment),
      )
    },
  )

  app.post(
    '/confirmationBase/:actionId/feedback',
    { schema: { ...HIDDEN, params: ActionParams } },
    async ({ caller, params, body }, reply) => {
      await receiveConfirmation(ctx, caller, { ...params, body })
      return sendNothing(reply)
    },
  )

  app.post(
    '/confirmationBase/activateAutoConfirm',
    { schema: HIDDEN },
    async ({ caller, body }, reply) => {
      await activateAutoConfirm(ctx, caller, body)
      return sendNothing(reply)
    },
  )

  app.post(
    '/confirmationBase/deactivateAutoConfirm',
    { schema: HIDDEN },
    async ({ caller }, reply) => {
      await deactivateAutoConfirm(ctx, caller)
      return sendNothing(reply)
    },
  )
}

const CHECKSUM = '.MD5SUM'

function modulesRoute(app: App, ctx: DdiContext): void {
  app.get(
    '/softwaremodules/:moduleId/artifacts',
    { schema: { ...HIDDEN, params: ModuleParams } },
    async (request, reply) => {
      const { caller, params } = request
      const { chunk } = await getModule(ctx, caller, params.moduleId)
      return sendHal(request, reply, [describeArtifact(createController(ctx, caller), chunk)])
    },
  )
}

function contentRoute(app: App, ctx: DdiContext): void {
  const takeDownload = createDownloadRate(ctx.config.deviceDownloadBytesPerMinute)
  app.route({
    // Fastify's own HEAD would say 0 bytes. SWUpdate asks by HEAD how much it is about to download.
    method: ['GET', 'HEAD'],
    url: '/softwaremodules/:moduleId/artifacts/:fileName',
    exposeHeadRoute: false,
    schema: { ...HIDDEN, params: FileParams },
    handler: async (request, reply) => {
      const { caller, params } = request
      const { moduleId, fileName } = params
      const { workspaceId } = caller
      const pace = await takeDownload(nameCaller(caller))
      const { artifact } = await lookUpInTurn(workspaceId, () => getModule(ctx, caller, moduleId))
      if (fileName === artifact.fileName)
        return sendArtifact(ctx, { request, reply, pace }, { ...artifact, workspaceId })
      if (fileName !== artifact.fileName + CHECKSUM) throw notFound('artifact', fileName)
      // The format of md5sum.
      return reply
        .type('text/plain; charset=utf-8')
        .serializer(String)
        .send(`${artifact.md5}  ${artifact.fileName}`)
    },
  })
}

/** Answers 200 without a body, like hawkBit. Some clients accept no other 2xx. */
function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.code(200).header('content-length', 0).send()
}

/** Sends a HAL answer, or 304 when the client has it already. */
function sendHal(request: FastifyRequest, reply: FastifyReply, answer: object): FastifyReply {
  const text = JSON.stringify(answer)
  const tag = `"${createHash('sha256').update(text).digest('base64url')}"`
  void reply.header('etag', tag).header('cache-control', 'private, no-cache')
  if (isKnownTag(request.headers['if-none-match'], tag)) return reply.code(304).send()
  const isJson = request.headers.accept?.includes('application/json') ?? false
  return reply
    .type(`application/${isJson ? 'json' : 'hal+json'};charset=utf-8`)
    .serializer(String)
    .send(text)
}
