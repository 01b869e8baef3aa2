/** External brokers ask here who may connect and do what: EMQX's HTTP authentication and authorization, mosquitto-go-auth's HTTP backend. */
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { admit } from '../../platform/http/door.ts'
import { defineProblems } from '../../platform/http/schemas.ts'
import type { DeviceDoors } from '../devices/index.ts'
import {
  AclRequest,
  AuthAnswer,
  AuthRequest,
  BrokerSecret,
  SuperuserRequest,
} from './broker-auth/schemas.ts'
import { checkBrokerSecret, isService, mayAccess, mayConnect } from './broker-auth/service.ts'

const answers = { ...defineProblems(400, 401, 503), 200: AuthAnswer, 403: AuthAnswer }

/** There are no such routes without a secret. */
export async function registerMqttAuthRoutes(
  app: App,
  { config: { mqtt } }: Pick<AppContext, 'config'>,
  doors: Pick<DeviceDoors, 'authenticate'>,
): Promise<void> {
  const { authSecret } = mqtt
  if (authSecret === undefined) return
  await app.register((broker: App, _options, done) => {
    broker.addHook('onRequest', async (request) => {
      const { authorization } = request.headers
      checkBrokerSecret(authSecret, { authorization, ...readSecret(request.query) })
      admit(request)
    })
    broker.post(
      '/mqtt/auth',
      { schema: { hide: true, querystring: BrokerSecret, body: AuthRequest, response: answers } },
      async ({ body }, reply) => {
        const isAllowed = await mayConnect(doors, mqtt, body)
        const isSuperuser = isAllowed && isService(mqtt.broker, body.username)
        return reply.code(isAllowed ? 200 : 403).send(formatAnswer(isAllowed, isSuperuser))
      },
    )
    broker.post(
      '/mqtt/superuser',
      {
        schema: {
          hide: true,
          querystring: BrokerSecret,
          body: SuperuserRequest,
          response: answers,
        },
      },
      async ({ body }, reply) => {
        const isSuperuser = isService(mqtt.broker, body.username)
        return reply.code(isSuperuser ? 200 : 403).send(formatAnswer(isSuperuser, isSuperuser))
      },
    )
    broker.post(
      '/mqtt/acl',
      { schema: { hide: true, querystring: BrokerSecret, body: AclRequest, response: answers } },
      async ({ body }, reply) => {
        const isAllowed = mayAccess(mqtt, body)
        // EMQX ignores any other status than 200, and allows the access if no other authorizer decides.
        const status = isAllowed || body.action !== undefined ? 200 : 403
        return reply.code(status).send(formatAnswer(isAllowed, false))
      },
    )
    done()
  })
}

function readSecret(query: unknown): { secret: string | undefined } {
  const isNamed = typeof query === 'object' && query !== null && 'secret' in query
  return { secret: isNamed && typeof query.secret === 'string' ? query.secret : undefined }
}

function formatAnswer(isAllowed: boolean, isSuperuser: boolean) {
  return {
    result: isAllowed ? ('allow' as const) : ('deny' as const),
    is_superuser: isSuperuser,
    ok: isAllowed,
    error: isAllowed ? '' : 'not authorized',
  }
}
