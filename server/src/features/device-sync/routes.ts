/** The HTTP door of devices: one request reports and asks for everything (docs/guide/device-protocol.md). */
import { detectWireFormat } from '../../formats/device-messages/decode.ts'
import { encodeDown } from '../../formats/device-messages/encode.ts'
import { LIMITS } from '../../formats/device-messages/limits.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { type App, installRateLimit } from '../../platform/http/app.ts'
import { admit } from '../../platform/http/door.ts'
import { authenticateRequest } from '../device-issuers/index.ts'
import type { DeviceDoors, DevicePrincipal } from '../devices/index.ts'
import { fetchNextKey } from '../device-keys/index.ts'
import { batchDesired } from './desired-batches.ts'
import { answerEncoding, readStatedFormat } from './negotiation.ts'
import { DeviceParams, keyAnswers, syncAnswers, SyncBody } from './schemas.ts'
import { type Sender, syncDevice } from './service.ts'

declare module 'fastify' {
  interface FastifyRequest {
    sender: Sender
    device: DevicePrincipal
  }
}

export async function registerDeviceSyncRoutes(
  app: App,
  ctx: AppContext,
  doors: DeviceDoors,
): Promise<void> {
  const door = { intake: doors.intake, readDesired: batchDesired(doors.offerDesired) }
  await app.register(async (device: App) => {
    installDeviceAuthentication(device, ctx, doors)
    await installRateLimit(device, {
      perMinute: ctx.config.deviceRequestsPerMinute,
      who: 'device',
      keyOf: ({ sender }) => `${sender.workspaceId} ${sender.deviceId}`,
    })
    installBodies(device)
    device.post(
      '/device/v1/:workspaceId/:deviceId/sync',
      {
        bodyLimit: LIMITS.bytes,
        // The decoder validates the body.
        validatorCompiler: () => () => true,
        schema: {
          operationId: 'syncDevice',
          summary: 'Sync a device',
          description:
            'For devices: accepts any of their messages, and answers with the desired configuration and update.',
          security: [{ deviceKey: [] }],
          params: DeviceParams,
          body: SyncBody,
          response: syncAnswers,
        },
      },
      async ({ sender, headers, body }, reply) => {
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
        const stated = readStatedFormat(headers['content-type'])
        const answer = await syncDevice(door, sender, { bytes, encoding: stated })
        const asked = stated ?? detectWireFormat(bytes) ?? 'json'
        const encoding = answerEncoding(headers.accept, asked)
        void reply.header('cache-control', 'no-store').type(`application/${encoding}`)
        return reply.send(encoding === 'json' ? answer : encodeDown(answer, encoding))
      },
    )
    registerKeyRoute(device, ctx)
  })
}

function registerKeyRoute(app: App, ctx: AppContext): void {
  app.post(
    '/device/v1/:workspaceId/:deviceId/key',
    {
      bodyLimit: LIMITS.bytes,
      schema: {
        operationId: 'fetchNextDeviceKey',
        summary: 'Fetch the next key of a device',
        description:
          'For devices that were asked to replace their key, with the present one. The present one goes on until the new one was used; asked again before that, the answer is another new key.',
        security: [{ deviceKey: [] }],
        params: DeviceParams,
        response: keyAnswers,
      },
    },
    async ({ device, headers, id }, reply) => {
      const answer = await fetchNextKey(ctx, device, id)
      const encoding = answerEncoding(headers.accept, 'json')
      void reply.code(201).header('cache-control', 'no-store').type(`application/${encoding}`)
      return reply.send(encoding === 'json' ? answer : encodeDown(answer, encoding))
    },
  )
}

/** Limit of reports that wait for the database, over all doors. Beyond it no body is read, as each occupies memory until it is stored. */
const MAX_WAITING = 10_000
/** How many reports of one workspace may wait, so that those of others still find room. */
const MAX_WAITING_EACH = 5_000

function installDeviceAuthentication(app: App, ctx: AppContext, doors: DeviceDoors): void {
  app.decorateRequest('sender')
  app.decorateRequest('device')
  app.addHook('onRequest', async (request) => {
    const { workspaceId, deviceId } = request.params as { workspaceId: string; deviceId: string }
    const ofWorkspace = doors.intake.pending(workspaceId.toLowerCase())
    if (doors.intake.pending() >= MAX_WAITING || ofWorkspace >= MAX_WAITING_EACH)
      throw new AppError(
        'unavailable',
        'too-many-reports',
        'Devices send more than the service can store at the moment. Send the same again shortly.',
      )
    const { authorization = '', 'user-agent': client } = request.headers
    const [, deviceKey = ''] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
    const asked = { request, workspaceId, deviceId, deviceKey }
    const principal = await authenticateRequest(ctx, doors, asked)
    admit(request)
    request.device = principal
    request.sender = {
      workspaceId: principal.workspaceId,
      deviceId: principal.deviceId,
      receivedAt: ctx.now(),
      ...(client !== undefined && { client: client.slice(0, 200) }),
    }
  })
}

function installBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { 'content-encoding': coding = 'identity' } = request.headers
    if (coding.toLowerCase() === 'identity') return done(null, payload)
    const detail = 'Send the body without a Content-Encoding. CBOR is compact.'
    done(new AppError('unsupportedMediaType', 'unsupported-media-type', detail))
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
}
