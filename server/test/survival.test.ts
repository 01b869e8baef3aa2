/** What was answered with 202 is not lost, whenever the service is killed. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from './service-process.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-survival-'))
const UPLOADS = 200
const KILLS = 6
let service: ServiceProcess | undefined

afterAll(async () => {
  if (service) await endProcess(service.child, 'SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
})

function bom(index: number): string {
  const components = Array.from({ length: 20 }, (_, number) => ({
    type: 'library',
    name: `part-${index}-${number}`,
    version: '1.0',
    purl: `pkg:npm/part-${index}-${number}@1.0`,
  }))
  // Every tenth is broken: it has to end as Failed, not in limbo.
  const text = JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    components,
  })
  return index % 10 === 9 ? text.slice(0, -5) : text
}

interface Workspace {
  workspaceId: string
  apiKey: string
}

interface Created {
  id: string
}

interface Listed {
  sboms: { id: string; parsingState: string; vulnerabilitiesParsedAt: string | null }[]
}

async function call(
  { workspaceId, apiKey }: Workspace,
  method: string,
  path: string,
  body?: string,
) {
  const type = path.includes('/sboms') ? 'application/octet-stream' : 'application/json'
  const response = await fetch(`${service?.url ?? ''}/workspaces/${workspaceId}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, answer: await response.json() }
}

function filesUnder(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

it(
  `settles every accepted upload when the service is killed ${KILLS} times during ${UPLOADS} of them`,
  { timeout: 300_000 },
  async () => {
    const settings: ServiceSettings = {
      dataDir,
      port: await freePort(),
      managementPort: await freePort(),
    }
    service = await startServiceProcess(settings)
    const { stdout } = await runAdmin(
      settings,
      'bootstrap',
      '--workspace',
      'Survival',
      '--owner',
      'a@example.com',
      '--json',
    )
    const workspace = JSON.parse(stdout) as Workspace
    const firmware = (await call(workspace, 'POST', '/firmwares', '{"slug":"survivor"}'))
      .answer as Created
    const version = (
      await call(workspace, 'POST', `/firmwares/${firmware.id}/versions`, '{"name":"1"}')
    ).answer as Created
    const versionId = version.id
    const accepted = new Set<string>()
    let next = 0

    async function client(): Promise<void> {
      while (next < UPLOADS) {
        const index = next
        next += 1
        try {
          const path = `/firmware-versions/${versionId}/sboms?fileName=${index}.json`
          const { status, answer } = await call(workspace, 'POST', path, bom(index))
          if (status !== 202) throw new Error(`answered ${status}`)
          ;(answer as Listed).sboms.forEach(({ id }) => accepted.add(id))
        } catch {
          // Killed while it answered: the upload may or may not count; the client sends it again.
          next = Math.min(next, index)
          await delay(100)
        }
      }
    }
    async function killer(): Promise<void> {
      for (let kill = 0; kill < KILLS && service; kill += 1) {
        await delay(300 + Math.random() * 700)
        await endProcess(service.child, 'SIGKILL')
        service = await startServiceProcess(settings)
      }
    }
    await Promise.all([client(), client(), client(), client(), killer()])

    let listed: Listed['sboms'] = []
    for (;;) {
      listed = (
        (await call(workspace, 'GET', `/firmware-versions/${versionId}/sboms`)).answer as Listed
      ).sboms
      const open = listed.filter(
        (sbom) =>
          sbom.parsingState === 'InProgress' ||
          (sbom.parsingState === 'Succeeded' && !sbom.vulnerabilitiesParsedAt),
      )
      if (open.length === 0) break
      await delay(500)
    }

    const states = new Map(listed.map(({ id, parsingState }) => [id, parsingState]))
    expect([...accepted].filter((id) => !states.has(id))).toEqual([])
    expect(accepted.size).toBeGreaterThanOrEqual(UPLOADS)
    expect(listed).toHaveLength(UPLOADS)
    expect(listed.filter(({ parsingState }) => parsingState === 'Failed')).toHaveLength(
      UPLOADS / 10,
    )
    await endProcess(service.child, 'SIGKILL')
    service = await startServiceProcess(settings)
    await expect
      .poll(() => filesUnder(join(dataDir, 'blobs')).toSorted())
      .toEqual([...states.keys()].toSorted())
    expect(await runAdmin(settings, 'doctor')).toMatchObject({ code: 0 })
  },
)
