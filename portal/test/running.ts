/** What all tests of the portal share: a service with mail and an identity provider, and a browser. */
import { CLIENT, startOidcProvider } from '../../server/test/oidc-servers.ts'
import { startSmtpServer } from '../../server/test/smtp-server.ts'
import { openBrowser } from './browser.ts'
import { startPortalService } from './portal-service.ts'

/** What the identity provider says of whoever comes. */
export interface OidcAccount {
  claims: { sub: string } & Record<string, unknown>
}

export async function start() {
  const mail = await startSmtpServer()
  const account: OidcAccount = { claims: { sub: 'grace-1' } }
  let issuer = ''
  const service = await startPortalService(async (url) => {
    issuer = await startOidcProvider(`${url}/auth/oidc/acme/callback`, account)
    return {
      PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      PLIMSOLL_SMTP_REQUIRE_TLS: 'false',
      PLIMSOLL_MAIL_FROM: 'Plimsoll <plimsoll@example.com>',
      PLIMSOLL_OIDC_PROVIDERS: 'acme',
      PLIMSOLL_OIDC_ACME_NAME: 'Acme',
      PLIMSOLL_OIDC_ACME_ISSUER: issuer,
      PLIMSOLL_OIDC_ACME_CLIENT_ID: CLIENT.id,
      PLIMSOLL_OIDC_ACME_CLIENT_SECRET: CLIENT.secret,
    }
  })
  return { service, browser: await openBrowser(), mail, account, issuer }
}

export type RunningPortal = Awaited<ReturnType<typeof start>>
