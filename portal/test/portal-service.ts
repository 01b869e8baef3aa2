/** The real service with the portal, and workspaces in it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Page, Request } from 'playwright-core'
import { createTestDatabase } from '../../server/test/database.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  startServiceProcess,
} from '../../server/test/service-process.ts'

const FEEDS = resolve(import.meta.dirname, 'fixtures/feeds')
export const OWNER = 'owner@example.com'

export interface PortalService {
  url: string
  /** Makes a workspace, as an operator does. */
  openWorkspace: (name: string, owner: string) => Promise<PortalWorkspace>
  stop: () => Promise<void>
}

export interface PortalWorkspace {
  url: string
  workspaceId: string
  /** With every scope. */
  apiKey: string
  /** Of the one-time link of its owner. */
  setupToken: string
  /** As a pipeline, with a key. */
  ask: <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>
  /** Writes what only time would bring. */
  write: (statement: string, values: readonly unknown[]) => Promise<void>
}

/** `settingsOf` gives further settings of the service, by its URL. */
export async function startPortalService(
  settingsOf: (url: string) => Promise<Record<string, string>>,
): Promise<PortalService> {
  const { connectionString } = await createTestDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-portal-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  const env = {
    DATABASE_URL: connectionString,
    PLIMSOLL_DATABASE_POOL_SIZE: '10',
    PLIMSOLL_LOG_LEVEL: 'warn',
    PLIMSOLL_PUBLIC_URL: url,
    PLIMSOLL_PORTAL: 'on',
    ...(await settingsOf(url)),
  }
  const settings = { dataDir, port, managementPort: await freePort(), env }
  const service: ServiceProcess = await startServiceProcess(settings)
  await runAdmin(settings, 'feeds', 'import', FEEDS)
  return {
    url,
    openWorkspace: async (name, owner) => {
      const asked = ['--workspace', name, '--owner', owner, '--keeps-sources', '--json']
      const { stdout } = await runAdmin(settings, 'bootstrap', ...asked)
      const { workspaceId, apiKey, setupUrl } = JSON.parse(stdout) as Record<
        'workspaceId' | 'apiKey' | 'setupUrl',
        string
      >
      const setupToken = setupUrl.replace(/^.*token=/, '')
      return {
        url,
        workspaceId,
        apiKey,
        setupToken,
        ask: asker(`${url}/workspaces/${workspaceId}`, apiKey),
        write: async (statement, values) => {
          const client = new pg.Client({ connectionString })
          await client.connect()
          await client.query(statement, [...values])
          await client.end()
        },
      }
    },
    stop: async () => {
      await endProcess(service.child, 'SIGTERM')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function asker(base: string, apiKey: string): PortalWorkspace['ask'] {
  return async <Answer>(method: string, path: string, body?: unknown) => {
    const isBytes = body instanceof Uint8Array
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && {
          'content-type': isBytes ? 'application/octet-stream' : 'application/json',
        }),
      },
      ...(body !== undefined && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    })
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (response.status === 204 ? undefined : await response.json()) as Answer
  }
}

const GATEWAY_SBOM = readFileSync(resolve(import.meta.dirname, 'fixtures/gateway.cdx.json'))

/** A version of the firmware with an SBOM, once all that it holds is matched. Answers with its id. */
export async function givenMatchedVersion(
  { ask }: PortalWorkspace,
  firmwareId: string,
  { name, sbom = GATEWAY_SBOM }: { name: string; sbom?: Buffer },
): Promise<string> {
  const { id } = await ask<{ id: string }>('POST', `/firmwares/${firmwareId}/versions`, { name })
  const path = `/firmware-versions/${id}/sboms`
  await ask('POST', `${path}?fileName=a.json`, sbom)
  for (;;) {
    const { sboms } = await ask<{ sboms: { vulnerabilitiesParsedAt: string | null }[] }>(
      'GET',
      path,
    )
    const isMatched = sboms.every(({ vulnerabilitiesParsedAt }) => vulnerabilitiesParsedAt !== null)
    if (sboms.length > 0 && isMatched) return id
    await delay(100)
  }
}

const PASSWORD = 'harbour wind and tide'

/** Opens the one-time link of the owner. */
export async function signedIn(page: Page, { url, setupToken }: PortalWorkspace): Promise<void> {
  await page.goto(`${url}/setup#token=${setupToken}`)
  await page.getByRole('textbox', { name: 'Your name' }).fill('Ines Kovač')
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.waitForURL(/\/w\//)
}

const READS = /\/(links\/read|list|counts|fixes|preview|search|query|dry-run)$/

/** Lists are read by POST, and previews are commands that say so. */
export function isChange(request: Request): boolean {
  if (['GET', 'HEAD'].includes(request.method())) return false
  return (
    !READS.test(new URL(request.url()).pathname) &&
    !(request.postData() ?? '').includes('"dryRun":true')
  )
}
