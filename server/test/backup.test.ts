/** The restore drill: back up while writes go on, restore elsewhere, and get the same answers. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findProgram } from './programs.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  serviceEnvironment,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from './service-process.ts'

const root = mkdtempSync(join(tmpdir(), 'plimsoll-backup-test-'))
const folder = join(root, 'backups')
const env = {
  PLIMSOLL_PUBLIC_URL: 'http://plimsoll.test',
  PLIMSOLL_DEVICE_REQUESTS_PER_MINUTE: '0',
}
let source: ServiceSettings
let service: ServiceProcess
let restored: ServiceProcess | undefined

interface Keys {
  workspaceId: string
  apiKey: string
}
/** One that nobody writes to while the backup is taken, and one that is always written to. */
let kept: Keys & { versions: string[] }
let busy: Keys & { versions: string[]; deviceKey: string }

async function givenSettings(name: string) {
  const ports = { port: await freePort(), managementPort: await freePort() }
  return { dataDir: join(root, name), ...ports, env }
}

/** The answers of all commands that are used here. */
interface Answer extends Keys {
  deviceKey: string
  id: string
  newFiles: number
  backups: { id: string }[]
  checks: { name: string; state: string }[]
}

async function admin(settings: ServiceSettings, ...args: string[]) {
  const { code, stdout, stderr } = await runAdmin(settings, ...args, '--json')
  const answer = (stdout === '' ? {} : JSON.parse(stdout)) as Answer
  return { code, stderr, answer }
}

interface Request {
  method?: string
  path: string
  body?: object | string
  key?: string
}

async function ask(of: ServiceProcess, { workspaceId, apiKey }: Keys, request: Request) {
  const { method = request.body === undefined ? 'GET' : 'POST', path, body, key = apiKey } = request
  const isText = typeof body === 'string'
  const type = isText ? 'application/octet-stream' : 'application/json'
  const response = await fetch(`${of.url}${path.replace('{ws}', `/workspaces/${workspaceId}`)}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

async function made<Made>(keys: Keys, request: Request): Promise<Made> {
  const { status, text } = await ask(service, keys, request)
  if (status >= 300) throw new Error(`${request.path}: ${status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as Made
}

function bom(name: string): string {
  const components = ['part-shared', name].map((one) => ({
    type: 'library',
    name: one,
    version: '1.0.0',
    purl: `pkg:npm/${one}@1.0.0`,
  }))
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components })
}

const upload = async (keys: Keys, version: string, name: string) => {
  const path = `{ws}/firmware-versions/${version}/sboms?fileName=${name}.json`
  const { sboms } = await made<{ sboms: { id: string }[] }>(keys, { path, body: bom(name) })
  return sboms[0]?.id ?? ''
}

const putArtifact = (keys: Keys, version: string, body: string) =>
  made(keys, { method: 'PUT', path: `{ws}/firmware-versions/${version}/artifact`, body })

const report = (keys: Keys & { deviceKey: string }, device: string, sequence: number) =>
  made(keys, {
    path: `/device/v1/${keys.workspaceId}/${device}/sync`,
    key: keys.deviceKey,
    body: {
      session: { runId: 'drill', firmware: [{ slug: 'drill', version: '1' }] },
      metrics: [{ name: 'temperature', value: sequence, sequence }],
    },
  })

async function givenWorkspace(name: string) {
  const owner = `${name}@example.com`
  return (await admin(source, 'bootstrap', '--workspace', name, '--owner', owner)).answer
}

async function givenVersions(keys: Keys): Promise<string[]> {
  const firmware = await made<{ id: string }>(keys, {
    path: '{ws}/firmwares',
    body: { slug: 'drill' },
  })
  const versions: string[] = []
  for (const name of ['1', '2']) {
    const path = `{ws}/firmwares/${firmware.id}/versions`
    versions.push((await made<{ id: string }>(keys, { path, body: { name } })).id)
  }
  return versions
}

const givenDevice = (keys: Keys, id: string) => made(keys, { path: '{ws}/devices', body: { id } })

const deviceKeyOf = async ({ workspaceId }: Keys) =>
  (await admin(source, 'device-key', 'create', '--workspace', workspaceId)).answer.deviceKey

function writeAdvisories(): string {
  const advisories = join(root, 'advisories')
  mkdirSync(advisories)
  const record = {
    schema_version: '1.6.0',
    id: 'GHSA-aaaa-bbbb-0001',
    aliases: ['CVE-2026-10001'],
    modified: '2026-01-01T00:00:00Z',
    published: '2026-01-01T00:00:00Z',
    affected: [
      {
        package: { ecosystem: 'npm', name: 'part-shared' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }],
      },
    ],
  }
  writeFileSync(join(advisories, 'osv.jsonl'), `${JSON.stringify(record)}\n`)
  return advisories
}

async function listSboms(of: ServiceProcess, keys: Keys, version: string) {
  const { text } = await ask(of, keys, { path: `{ws}/firmware-versions/${version}/sboms` })
  return (JSON.parse(text) as { sboms: { id: string; parsingState: string }[] }).sboms
}

async function settled(of: ServiceProcess, keys: Keys & { versions: string[] }): Promise<void> {
  for (const version of keys.versions)
    while (
      (await listSboms(of, keys, version)).some(({ parsingState }) => parsingState === 'InProgress')
    )
      await delay(100)
}

const FINDINGS = { path: '{ws}/vulnerability-findings/list', body: { limit: 20 } }
const listFindings = async (version: string) => {
  const path = `{ws}/firmware-versions/${version}/vulnerability-findings/list`
  return (await made<{ findings: { id: string }[] }>(kept, { path, body: {} })).findings
}

/** All kinds of things, in the workspace that is compared afterwards. */
async function fillKept(): Promise<void> {
  const [first = '', second = ''] = kept.versions
  for (const [at, version] of [first, second, second].entries())
    await upload(kept, version, `kept-${at}`)
  await putArtifact(kept, first, 'binary one')
  await putArtifact(kept, second, 'binary two')
  await settled(service, kept)
  for (const version of kept.versions)
    while ((await listFindings(version)).length === 0) await delay(100)
  const [finding] = await listFindings(first)
  await made(kept, {
    path: `{ws}/vulnerability-findings/${finding?.id}/assessments`,
    body: { assessment: 'NotAffected', detail: 'Not built in:\ttabs, \\ and\nlines' },
  })
  const keys = { ...kept, deviceKey: await deviceKeyOf(kept) }
  await givenDevice(kept, 'thermometer')
  for (let sequence = 0; sequence < 5; sequence += 1) await report(keys, 'thermometer', sequence)
  const cohort = await made<{ id: string }>(kept, {
    path: '{ws}/deployment-cohorts',
    body: { name: 'all', tagRule: null },
  })
  await made(kept, {
    path: `{ws}/deployment-cohorts/${cohort.id}/deployments`,
    body: { name: 'go', artifacts: [{ firmwareVersionId: first }] },
  })
}

const requests = (): Request[] => [
  { path: '{ws}/firmwares' },
  { path: '{ws}/settings' },
  { path: '{ws}/members' },
  { path: '{ws}/api-keys' },
  { path: '{ws}/device-keys' },
  { path: '{ws}/deployment-cohorts' },
  { path: '{ws}/audit-log' },
  { path: '{ws}/metrics' },
  { path: '{ws}/metrics/series?deviceId=thermometer' },
  { path: '{ws}/devices/thermometer' },
  { path: '{ws}/devices/list', body: {} },
  { path: '{ws}/components/list', body: {} },
  { path: '{ws}/vulnerabilities/list', body: {} },
  FINDINGS,
  ...kept.versions.flatMap((id) => [
    { path: `{ws}/firmware-versions/${id}` },
    { path: `{ws}/firmware-versions/${id}/sboms` },
    { path: `{ws}/firmware-versions/${id}/sbom-components` },
    { path: `{ws}/firmware-versions/${id}/artifact` },
    { path: `{ws}/firmware-versions/${id}/artifact/content` },
    { path: `{ws}/firmware-versions/${id}/vulnerability-findings/list`, body: {} },
    { path: `{ws}/firmware-versions/${id}/vulnerability-findings/summary` },
    { path: `{ws}/firmware-versions/${id}/coverage` },
  ]),
]

async function answersOf(of: ServiceProcess) {
  const answers: Record<string, string> = {}
  for (const request of requests()) {
    const { status, text } = await ask(of, kept, request)
    // Asking writes it, once a minute.
    answers[request.path] = `${status} ${text.replaceAll(/"lastUsedAt":"[^"]*"/g, '')}`
  }
  return answers
}

/** Uploads, replaces and deletes until it is told to end. */
async function keepWriting(stopping: AbortSignal): Promise<number> {
  const [first = '', second = ''] = busy.versions
  const sboms: string[] = []
  let turn = 1
  for (; !stopping.aborted; turn += 1) {
    sboms.push(await upload(busy, first, `busy-${turn}`))
    await putArtifact(busy, second, `binary ${turn}`)
    await report(busy, 'meter', turn)
    if (turn % 2 === 1)
      await made(busy, { method: 'DELETE', path: `{ws}/sboms/${sboms.shift() ?? ''}` })
  }
  return turn
}

function faultsOf({ checks }: Answer): string[] {
  return checks.flatMap((check) => (check.state === 'Clean' ? [] : [JSON.stringify(check)]))
}

async function backedUp(target: string) {
  const { code, stderr, answer } = await admin(source, 'backup', target)
  if (code !== 0) throw new Error(stderr)
  return answer
}

beforeAll(async () => {
  source = await givenSettings('source')
  const advisories = writeAdvisories()
  const workspaces = [await givenWorkspace('kept'), await givenWorkspace('busy')] as const
  service = await startServiceProcess(source)
  await admin(source, 'feeds', 'import', advisories)
  kept = { ...workspaces[0], versions: await givenVersions(workspaces[0]) }
  const deviceKey = await deviceKeyOf(workspaces[1])
  busy = { ...workspaces[1], deviceKey, versions: await givenVersions(workspaces[1]) }
  await fillKept()
  await givenDevice(busy, 'meter')
  await report(busy, 'meter', 0)
  await upload(busy, busy.versions[0] ?? '', 'busy')
  await settled(service, busy)
  // Of a workspace that is new, it counts the devices of the day once an hour.
  await admin(source, 'doctor', '--repair', '--check', 'daily-devices')
})

afterAll(async () => {
  if (restored) await endProcess(restored.child, 'SIGTERM')
  await endProcess(service.child, 'SIGTERM')
  rmSync(root, { recursive: true, force: true })
})

it('restores elsewhere what was backed up while writes went on', async () => {
  const stopping = new AbortController()
  const writing = keepWriting(stopping.signal)
  const before = await answersOf(service)
  await backedUp(folder)
  stopping.abort()
  const turns = await writing
  const verified = await admin(source, 'backup', 'verify', folder)
  const target = await givenSettings('restored')

  const restoring = await admin(target, 'restore', folder)
  const examined = await admin(target, 'doctor')

  expect(turns).toBeGreaterThan(1)
  expect(verified).toMatchObject({ code: 0, answer: { faults: [], missing: [] } })
  expect([restoring.code, restoring.stderr]).toEqual([0, expect.not.stringContaining('Not in')])
  expect(faultsOf(examined.answer)).toEqual([])
  restored = await startServiceProcess(target)
  await settled(restored, busy)
  expect(await answersOf(restored)).toEqual(before)
  for (const { parsingState } of await listSboms(restored, busy, busy.versions[0] ?? ''))
    expect(parsingState).toBe('Succeeded')
})

it('copies new files only, counts no backup that was killed, and removes its parts at the next run', async () => {
  const databases = () => {
    const entries = readdirSync(join(folder, 'databases'), { recursive: true }).map(String)
    return [...new Set(entries.flatMap((path) => path.split('/').slice(0, -1)))].toSorted()
  }
  const [first = ''] = databases()
  await settled(service, busy)
  const second = await backedUp(folder)
  await upload(busy, busy.versions[0] ?? '', 'one-more')
  const child = spawn(process.execPath, [await findProgram('admin'), 'backup', folder], {
    env: serviceEnvironment(source),
    stdio: 'ignore',
  })
  while (databases().length < 3) await delay(1)
  child.kill('SIGKILL')
  await once(child, 'exit')

  const listed = await admin(source, 'backup', 'list', folder)
  const third = await backedUp(folder)

  expect(listed.answer.backups.map(({ id }) => id)).toEqual([first, second.id])
  expect(databases()).toEqual([first, second.id, third.id])
  expect(third.newFiles).toBe(1)
})
