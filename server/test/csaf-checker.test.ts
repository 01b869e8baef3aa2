/**
 * The public path, judged by the checker of gocsaf, which shares no code with this service. It skips where there is no program
 * `csaf_checker`: https://github.com/gocsaf/csaf builds it.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startTestApp } from './app.ts'
import { givenMember } from './given-people.ts'
import { givenClient } from './given.ts'

const run = promisify(execFile)
const hasChecker = await run('csaf_checker', ['--version']).then(
  () => true,
  () => false,
)

const fixture = (name: string) =>
  fileURLToPath(new URL(`../src/platform/http-client/fixtures/${name}`, import.meta.url))

interface Report {
  domains: {
    passed: boolean
    requirements: { num: number; messages?: { type: number; text: string }[] }[]
  }[]
}

/** The service behind TLS, as a site that passes its well-known addresses on. */
async function givenSite() {
  const test = await startTestApp()
  const client = await givenClient(test)
  const { browser } = await givenMember(test, client.workspaceId, 'Admin')
  const base = `/public/${client.workspaceId}`
  const server = createServer(
    { key: readFileSync(fixture('localhost.key')), cert: readFileSync(fixture('localhost.pem')) },
    (request, response) => {
      void answer(request.url ?? '').then(({ statusCode, headers, rawPayload }) => {
        response.writeHead(statusCode, { 'content-type': String(headers['content-type']) })
        response.end(rawPayload)
      })
    },
  )
  const answer = async (url: string) => {
    if (url !== '/.well-known/security.txt') return test.app.inject({ url: findPassedOn(url) })
    const { securityText } = (await client.get('/advisory-publisher')).json<{
      securityText: string
    }>()
    return {
      statusCode: 200,
      headers: { 'content-type': 'text/plain' },
      rawPayload: Buffer.from(securityText),
    }
  }
  const findPassedOn = (url: string) =>
    url.replace(/^\/\.well-known\/csaf\//, `${base}/`).replace(/^\/\.well-known\/csaf$/, base)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`
  return { client, browser, origin, server }
}

type Site = Awaited<ReturnType<typeof givenSite>>

async function publish({ client, browser, origin }: Site, title: string) {
  await client.patch('/advisory-publisher', {
    isPublic: true,
    prefix: 'ACME',
    name: 'Acme GmbH',
    namespace: origin,
    publicAddress: `${origin}/.well-known/csaf`,
    contacts: ['psirt@acme.example'],
  })
  const slug = `gateway-${crypto.randomUUID().slice(0, 8)}`
  const firmware = await client.post('/firmwares', { slug, name: 'Gateway' })
  const versions = `/firmwares/${firmware.json<{ id: string }>().id}/versions`
  const version = await client.post(versions, { name: '1.0' })
  const firmwareVersionId = version.json<{ id: string }>().id
  const made = await client.post('/security-advisories', { title })
  const { id } = made.json<{ id: string }>()
  const remedy = { details: 'Close it.', url: null, firmwareVersionIds: [firmwareVersionId] }
  await client.patch(`/security-advisories/${id}`, {
    vulnerabilities: [
      {
        vulnerabilityId: 'CVE-2026-4711',
        title: null,
        description: 'What happens.',
        exploitation: null,
        cvssVector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
        cweId: 'CWE-787',
        statuses: [{ firmwareVersionId, status: 'KnownAffected' }],
        remediations: [{ kind: 'Workaround', ...remedy }],
      },
    ],
  })
  const path = `/workspaces/${client.workspaceId}/security-advisories/${id}/publish`
  const done = await browser.post(path, { summary: 'First publication.' })
  expect([done.statusCode, done.body]).toEqual([200, done.body])
}

/** Signing documents is not what the service does (18: a signature; 19 and 20: its key), and names are not its own (10: DNS). */
const OF_OTHERS = new Set([10, 18, 19, 20])

/** It also counts the address of the signature, which is none, as one without TLS. */
const OF_MISSING_SIGNATURE = new Set(['Following non-HTTPS URLs were used:', ''])

describe.skipIf(!hasChecker)('csaf_checker', () => {
  it('finds no fault in what the service answers for', async () => {
    const site = await givenSite()
    await publish(site, 'A flaw in the updater')
    await publish(site, 'A <b>second</b> flaw')
    const url = `${site.origin}/.well-known/csaf/provider-metadata.json`
    const env = { ...process.env, SSL_CERT_FILE: fixture('authority.pem') }

    // It ends with a code of its own where it finds a fault.
    const { stdout } = await run('csaf_checker', [url], { env }).catch(
      (error: unknown) => error as { stdout: string },
    )
    site.server.close()

    const [domain] = (JSON.parse(stdout) as Report).domains
    const faults = (domain?.requirements ?? []).flatMap(({ num, messages = [] }) =>
      OF_OTHERS.has(num)
        ? []
        : messages.flatMap(({ type, text }) =>
            type === 2 && !OF_MISSING_SIGNATURE.has(text) ? `${num}: ${text}` : [],
          ),
    )
    expect(domain?.requirements.length).toBeGreaterThan(10)
    expect(faults).toEqual([])
  })
})
