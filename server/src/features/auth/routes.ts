import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { sendPage } from '../../platform/http/pages.ts'
import { Exactly } from '../../platform/http/schemas.ts'
import { PASSWORD_CHARACTERS } from './passwords.ts'
import { setPassword } from './service.ts'
import { SETUP_PAGE, SETUP_SCRIPT } from './setup-page.ts'

const SetPasswordCommand = Exactly({
  token: Type.String({ maxLength: 200 }),
  password: Type.String({ minLength: PASSWORD_CHARACTERS.min, maxLength: PASSWORD_CHARACTERS.max }),
})

/** The page of a new person's setup link. The token of the link is the authorisation. */
export function setupRoutes(app: App, ctx: AppContext): void {
  app.get('/setup', { schema: { hide: true } }, (_request, reply) => sendPage(reply, SETUP_PAGE))

  app.get('/setup.js', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').serializer(String).send(SETUP_SCRIPT),
  )

  app.post(
    '/setup',
    { schema: { hide: true, body: SetPasswordCommand } },
    async ({ body, id: requestId }, reply) => {
      await setPassword(ctx, { ...body, requestId })
      return reply.code(204).send(null)
    },
  )
}
