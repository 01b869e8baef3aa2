/** A service that devices reach with certificates: by HTTPS and MQTT of its own, or by the header of a proxy. */
import { createDeviceIssuer } from '../src/features/device-issuers/service.ts'
import { startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'
import { givenAuthority, givenServerCertificate, type TestAuthority } from './given-certificates.ts'
import { givenGateway, mqttSettings, type TestGateway } from './given-mqtt.ts'

const TESTER = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const
export const CERTIFICATE_HEADER = 'x-client-certificate'

export interface CertificateApp {
  test: TestApp
  gateway: TestGateway
  /** Who issued the certificate of the server. */
  servers: TestAuthority
  /** Of HTTPS. */
  port: number
  /** A workspace whose devices register themselves, and the authority that it trusts. */
  givenWorkspace: () => Promise<{ client: Client; authority: TestAuthority }>
  trust: (client: Client, authority: TestAuthority) => Promise<unknown>
}

export async function startCertificateApp(): Promise<CertificateApp> {
  const servers = givenAuthority('Servers')
  const tls = { ...givenServerCertificate(servers), files: undefined }
  const test = await startTestApp({
    tls,
    asksForCertificates: true,
    mqtt: mqttSettings({ tls: { ...tls, port: 0 } }),
    deviceRequestsPerMinute: 0,
  })
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  const address = test.app.server.address()
  const trust = ({ workspaceId }: Client, authority: TestAuthority) =>
    createDeviceIssuer(test.ctx, {
      workspaceId,
      name: 'Factory',
      certificate: authority.pem,
      proof: authority.issue(`plimsoll-issuer-${workspaceId}`).pem,
      actor: TESTER,
    })
  return {
    test,
    gateway: await givenGateway(test),
    servers,
    port: typeof address === 'object' && address ? address.port : 0,
    trust,
    givenWorkspace: async () => {
      const client = await givenClient(test)
      const authority = givenAuthority()
      await trust(client, authority)
      await letDevicesRegister(test, client)
      return { client, authority }
    },
  }
}

export async function letDevicesRegister(test: TestApp, { workspaceId }: Client): Promise<void> {
  await test.ctx.db
    .updateTable('workspaces')
    .set({ deviceAutoRegistration: true })
    .where('id', '=', workspaceId)
    .execute()
}
