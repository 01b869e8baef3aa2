/** What an assistant sees of the service, by a client of the protocol and a process as assistants start it. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importFeeds } from '../../server/src/features/advisories/index.ts'
import { type Fleet, givenFleet } from '../../server/test/given-fleet.ts'
import { findProgram } from '../../server/test/programs.ts'
import { writeBoundedJson } from '../src/mcp/answer.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

const CVE = 'CVE-2026-1001'

let fleet: Fleet
let readOnlyKey: string
const clients: Client[] = []

async function startAssistant(environment: Environment, ...flags: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const args = [await findProgram('client'), 'mcp', ...flags]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: environment }),
  )
  clients.push(client)
  return client
}

let environment: Environment
let reader: Client
let writer: Client
let proposer: Client
beforeAll(async () => {
  const service = await startService({ withWorker: true })
  const record = {
    schema_version: '1.7.0',
    id: CVE,
    modified: '2026-08-01T00:00:00Z',
    affected: [
      {
        package: { ecosystem: 'npm', name: 'flawed', purl: 'pkg:npm/flawed' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }],
      },
    ],
  }
  await importFeeds(service.ctx, { path: givenFile(`${CVE}.json`, JSON.stringify(record)) })
  fleet = await givenFleet(service, 2)
  environment = service.environmentOf(fleet.client)
  await fleet.boots('device-000', '1.0')
  await fleet.boots('device-001', '9.9')
  const purl = 'pkg:npm/flawed@1.0.0'
  const file = givenSbom('image.json', [{ name: 'flawed', version: '1.0.0', purl }])
  const version = ['--firmware', 'gateway', '--version', '1.0']
  await runPlimsoll(environment, ['sbom', 'upload', file, ...version, '--wait'])
  readOnlyKey = await service.givenKey(fleet.client.workspaceId, ['Vulnerabilities: read'])
  reader = await startAssistant({ ...environment, PLIMSOLL_API_KEY: readOnlyKey })
  writer = await startAssistant(environment, '--allow-writes')
  const proposerKey = await service.givenKey(fleet.client.workspaceId, [
    'Firmware: read',
    'Vulnerabilities: read',
    'Vulnerabilities: propose',
  ])
  const proposing = { ...environment, PLIMSOLL_API_KEY: proposerKey }
  proposer = await startAssistant(proposing, '--allow-proposals')
})
afterAll(() => Promise.all(clients.map((client) => client.close())))

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: args })
  const [first] = content
  if (first?.type !== 'text') throw new Error('The answer is no text.')
  return { isError, text: first.text }
}

async function ask(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const { text, isError } = await call(writer, name, args)
  expect({ isError, text }).toMatchObject({ isError: false })
  return JSON.parse(text)
}

it('serves only what reads, unless writing is allowed', async () => {
  const read = (await reader.listTools()).tools
  const all = (await writer.listTools()).tools

  expect(read.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
  const added = all.filter(({ name }) => !read.some((one) => one.name === name))
  expect(added.map(({ name }) => name)).toEqual(['decide_finding', 'pause_deployment'])
  expect(reader.getInstructions()).toContain('never instructions')
})

it('says where a vulnerability is, who runs it, and why', async () => {
  const where = await ask('where_is_vulnerability', { cve: CVE })
  const nowhere = await ask('where_is_vulnerability', { cve: 'CVE-1999-0001' })
  const why = await ask('why', { version: 'gateway@1.0', component: 'flawed', cve: CVE })
  const findings = await ask('list_findings', { version: 'gateway@1.0', severities: ['Unknown'] })

  expect(where).toMatchObject({
    findings: [{ firmwareVersion: { name: '1.0' }, component: { name: 'flawed' } }],
    devices: [{ id: 'device-000' }],
  })
  expect(nowhere).toMatchObject({ findingCount: 0, devices: [] })
  expect(why).toMatchObject({ components: [{ vulnerabilities: [{ conclusion: 'affected' }] }] })
  expect(findings).toMatchObject({ totalCount: 1, findings: [{ cveId: CVE }], coverage: {} })
})

it('knows firmware, devices, blind spots, deployments and incidents', async () => {
  expect(await ask('search', { query: 'gateway', limit: 10 })).toMatchObject({
    results: { length: 4 },
  })
  expect(await ask('list_firmware_versions')).toMatchObject({ firmwares: [{ slug: 'gateway' }] })
  expect(await ask('list_firmware_versions', { firmware: 'gateway' })).toMatchObject({
    firmwareVersions: [{}, {}, {}],
  })
  expect(await ask('list_blind_spots')).toMatchObject({ blindSpots: [{ version: '9.9' }] })
  expect(await ask('list_devices', { cve: CVE })).toMatchObject({ devices: [{ id: 'device-000' }] })
  expect(await ask('show_device', { device: 'device-001' })).toMatchObject({ id: 'device-001' })
  expect(await ask('list_deployments')).toEqual({ deployments: [] })
  expect(await ask('list_incidents', { open: true })).toMatchObject({ incidents: [] })
})

it('pauses a deployment and decides a finding where writing is allowed', async () => {
  const to = ['gateway@2.0', '--cohort', fleet.cohortId, '--phase', '50:1h', '--phase', '100']
  await runPlimsoll(environment, ['deployment', 'create', ...to])
  const cohort = fleet.cohortId

  const paused = await ask('pause_deployment', { cohort })
  const listed = await ask('list_deployments', { cohort })
  const shown = await ask('show_deployment', { cohort })
  const decision = { finding: CVE, version: 'gateway@1.0', assessment: 'NotAffected' }
  const reason = { justification: 'code_not_reachable', detail: 'Never called.' }
  const acceptance = { reason: 'Never called.', conditions: { epssAbove: 0.5 } }
  const decided = await ask('decide_finding', {
    ...decision,
    ...reason,
    ignored: true,
    acceptance,
  })
  const empty = await call(writer, 'decide_finding', { finding: CVE, version: 'gateway@1.0' })

  expect([paused, shown]).toMatchObject([{ state: 'Paused' }, { state: 'Paused' }])
  expect(listed).toMatchObject({ deployments: [{ state: 'Paused' }] })
  expect(decided).toMatchObject({
    assessment: 'NotAffected',
    ignored: true,
    isActive: false,
    acceptance: {
      reason: 'Never called.',
      conditions: { epssAbove: 0.5, knownExploited: true },
    },
  })
  expect(empty).toEqual({
    isError: true,
    text: 'Say what is decided: assessment, ignored, or both.',
  })
})

it('has the scopes of the key, and says in words what is wrong', async () => {
  const where = await call(reader, 'where_is_vulnerability', { cve: CVE })
  const devices = await call(reader, 'list_devices')
  const typo = await call(writer, 'list_findings', { version: 'gateway@7.7' })
  const badly = await call(writer, 'show_device', { devise: 'device-001' })
  const keyless = await startAssistant({ PLIMSOLL_URL: environment['PLIMSOLL_URL'] ?? '' })
  const nameless = await call(keyless, 'list_blind_spots')

  expect(where.isError).toBe(false)
  expect(JSON.parse(where.text)).toMatchObject({ devices: 'The API key may not read devices.' })
  expect(devices).toMatchObject({ isError: true })
  expect(devices.text).toContain('Devices: read')
  expect(typo.text).toContain('gateway has no version named "7.7"')
  expect(badly).toMatchObject({ isError: true })
  expect(badly.text).toMatch(/device/)
  expect(nameless).toMatchObject({ isError: true })
  expect(nameless.text).toContain('No API key')
})

it('cuts long answers and says how much is missing', () => {
  const rows = Array.from({ length: 3000 }, (_, index) => ({ index, text: 'x'.repeat(5000) }))

  const text = writeBoundedJson({ rows })

  expect(text.length).toBeLessThanOrEqual(40_000)
  expect(JSON.parse(text)).toMatchObject({ rows: { length: 31, 30: '… (2970 more)' } })
})

it('proposes a decision that a person takes', async () => {
  const { tools } = await proposer.listTools()
  const finding = { finding: CVE, version: 'gateway@1.0' }
  const proposed = await call(proposer, 'propose_decision', {
    ...finding,
    assessment: 'FalsePositive',
    detail: 'Not this package.',
    reason: 'The name is that of another project.',
    evidence: [{ text: 'package.json', link: 'https://git.acme.example/package.json' }],
  })
  const run = (...args: string[]) => runPlimsoll(environment, args)

  const listed = await run('proposal', 'list')
  const { stdout: ids } = await run('proposal', 'list', '--quiet')
  const id = ids.trim()
  const shown = await run('proposal', 'show', id)
  const bare = await run('proposal', 'take', id, '--detail', 'x')
  const taken = await run('proposal', 'take', id, '--assessment', 'InTriage', '--detail', 'Ask.')
  const again = await run('proposal', 'refuse', id, '--reason', 'late')
  const after = await call(proposer, 'list_proposals', { state: 'Changed' })

  expect(tools.map(({ name }) => name)).not.toContain('decide_finding')
  expect(JSON.stringify(proposed)).toContain('Open')
  expect(listed.stdout).toMatch(/CVE-2026-1001 +flawed 1\.0\.0 .*FalsePositive +test +The name is/)
  expect(shown.stdout).toContain('package.json (https://git.acme.example/package.json)')
  expect(bare.stderr).toContain('belong to --assessment')
  expect(taken.stdout).toBe(`${CVE}: decided InTriage\n`)
  expect(again.stderr).toContain('not open any more')
  expect(JSON.stringify(after)).toContain('Changed')
})
