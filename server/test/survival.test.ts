/**
 * Nothing accepted is lost, whatever is killed, stands still or is away, and whenever. A short drill; `npm run drill` makes
 * it as long as one likes (docs/design/survival.md).
 */
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CHECKS } from '../src/admin/doctor.ts'
import { chance } from '../src/simulator/chance.ts'
import { listFaults } from './doctor.ts'
import { type Fault, FAULTS, makeFault, reasonAgainst } from './drill/faults.ts'
import { givenKeys, type Installation, startInstallation } from './drill/installation.ts'
import { type Accepted, call, countBroken, startLoad, type World } from './drill/load.ts'
import { endProcess, runAdmin, startServiceProcess } from './service-process.ts'

/** Kills of the service are the dearest, and the most telling. */
const OFTEN: readonly Fault[] = ['service', 'service', ...FAULTS]
const SEED = process.env['DRILL_SEED'] ?? '1'
const COUNT = Number(process.env['DRILL_FAULTS'] ?? OFTEN.length)
const UPLOADS = Math.max(120, COUNT * 12)

let installation: Installation
beforeAll(async () => {
  installation = await startInstallation(process.env['DRILL_DISK'])
})
afterAll(() => installation.end())

/** Each of them as often as the others, in an order that depends on the seed. */
function faultAt(index: number): Fault {
  const round = Math.floor(index / OFTEN.length)
  const order = OFTEN.map((fault, at) => ({ fault, place: chance(SEED, round, at) }))
  const sorted = order.toSorted((one, other) => one.place - other.place)
  return sorted[index % OFTEN.length]?.fault ?? 'service'
}

/** npm's part-shared before 2.0.0 has a flaw. */
function givenAdvisories(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-drill-'))
  const ranges = [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }]
  const affected = [{ package: { ecosystem: 'npm', name: 'part-shared' }, ranges }]
  const times = { modified: '2026-01-01T00:00:00Z', published: '2026-01-01T00:00:00Z' }
  const record = { schema_version: '1.6.0', id: 'GHSA-aaaa-bbbb-cccc', ...times, affected }
  writeFileSync(join(folder, `${record.id}.json`), JSON.stringify(record))
  return folder
}

async function made<Body>(answer: ReturnType<typeof call<Body>>): Promise<Body> {
  const given = await answer
  if (given?.status !== 201) throw new Error(`not made: ${JSON.stringify(given)}`)
  return given.body
}

async function givenWorld(stopping: AbortSignal): Promise<World> {
  const keys = await givenKeys(installation, givenAdvisories())
  const of = { installation, keys }
  const firmware = await made(call<{ id: string }>(of, 'POST', '/firmwares', { slug: 'drill' }))
  const givenVersion = async (name: string) => {
    const path = `/firmwares/${firmware.id}/versions`
    const { id } = await made(call<{ id: string }>(of, 'POST', path, { name }))
    const address = `/workspaces/${keys.workspaceId}/firmware-versions/${id}/artifact`
    await fetch(`${installation.service.url}${address}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${keys.apiKey}`,
        'content-type': 'application/octet-stream',
      },
      body: `binary of ${name}`,
    })
    return id
  }
  const cohort = call<{ id: string }>(of, 'POST', '/deployment-cohorts', {
    name: 'all',
    tagRule: null,
  })
  const firmwareVersionIds: [string, string] = [await givenVersion('1'), await givenVersion('2')]
  const { id: cohortId } = await made(cohort)
  return { ...of, firmwareVersionIds, cohortId, uploads: UPLOADS, stopping }
}

async function hurt(): Promise<string[]> {
  const skipped = new Set<string>()
  for (let index = 0; index < COUNT; index += 1) {
    await delay(300 + 700 * chance(SEED, 'pause', index))
    const fault = faultAt(index)
    const reason = reasonAgainst(fault, installation)
    if (reason === undefined) await makeFault(fault, installation, chance(SEED, 'length', index))
    else skipped.add(`${fault}: ${reason}`)
    if (COUNT > OFTEN.length) process.stderr.write(`${index + 1} of ${COUNT}: ${fault}\n`)
  }
  return [...skipped]
}

interface ListedSbom {
  id: string
  parsingState: string
  vulnerabilitiesParsedAt: string | null
}

/** Waits until no SBOM has anything left to be done. */
async function settledSboms(world: World): Promise<ListedSbom[]> {
  for (;;) {
    await delay(500)
    const path = `/firmware-versions/${world.firmwareVersionIds[0]}/sboms`
    const answer = await call<{ sboms: ListedSbom[] }>(world, 'GET', path)
    if (answer?.status !== 200) continue
    const { sboms } = answer.body
    const isOpen = ({ parsingState, vulnerabilitiesParsedAt }: ListedSbom) =>
      parsingState === 'InProgress' || (parsingState === 'Succeeded' && !vulnerabilitiesParsedAt)
    if (!sboms.some(isOpen)) return sboms
  }
}

async function read<Body>(world: World, method: string, path: string, body?: object) {
  const answer = await call<Body>(world, method, path, body)
  if (answer?.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer.body
}

async function expectKept(world: World, accepted: Accepted): Promise<void> {
  for (const [id, allowed] of accepted.assessments) {
    const path = `/vulnerability-findings/${id}`
    expect(allowed).toContain((await read<{ assessment: string }>(world, 'GET', path)).assessment)
  }
  const listed = await read<{ deployments: { id: string }[] }>(
    world,
    'GET',
    `/deployment-cohorts/${world.cohortId}/deployments?limit=1000`,
  )
  const deployments = new Set(listed.deployments.map(({ id }) => id))
  expect([...accepted.deployments].filter((id) => !deployments.has(id))).toEqual([])
  const counted = await read<{ series: { points: { value: number }[] }[] }>(
    world,
    'POST',
    '/metrics/query',
    {
      metric: 'temperature',
      aggregation: 'Count',
      from: new Date(Date.now() - 12 * 3_600_000).toISOString(),
      to: new Date(Date.now() + 3_600_000).toISOString(),
    },
  )
  // Sent again and again until they were acknowledged, and stored once.
  expect(counted.series[0]?.points.reduce((sum, { value }) => sum + value, 0)).toBe(accepted.points)
}

/** Each address was asked; a mail that is sent twice is the same message. */
async function expectMailed({ mail }: Installation, { addresses }: Accepted): Promise<void> {
  const asked = () => new Set(mail.mails.flatMap(({ to }) => to))
  await expect
    .poll(() => [...addresses].filter((address) => !asked().has(address)), { timeout: 120_000 })
    .toEqual([])
  const messages = new Set(
    mail.mails.map(({ to, headers }) => `${to.join(' ')} ${headers['message-id'] ?? ''}`),
  )
  expect(messages.size).toBe(asked().size)
}

function filesUnder(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

it(
  `keeps all that was accepted during ${COUNT} faults (seed ${SEED})`,
  { timeout: 300_000 + COUNT * 30_000 },
  async () => {
    const stopping = new AbortController()
    const world = await givenWorld(stopping.signal)
    const { accepted, uploaded, ended } = startLoad(world)
    const skipped = await hurt()
    if (skipped.length > 0) process.stderr.write(`not done: ${skipped.join('; ')}\n`)
    await uploaded
    stopping.abort()
    await ended

    const sboms = await settledSboms(world)

    const ids = new Set(sboms.map(({ id }) => id))
    expect([...accepted.sboms].filter((id) => !ids.has(id))).toEqual([])
    expect([accepted.sboms.size, sboms.length]).toEqual([UPLOADS, UPLOADS])
    const failed = sboms.filter(({ parsingState }) => parsingState === 'Failed')
    expect(failed).toHaveLength(countBroken(UPLOADS))
    expect(accepted.assessments.size).toBeGreaterThan(0)
    expect(accepted.deployments.size).toBeGreaterThan(0)
    await expectKept(world, accepted)
    await expectMailed(installation, accepted)
    await endProcess(installation.service.child, 'SIGKILL')
    installation.service = await startServiceProcess(installation.settings)
    await expect
      .poll(() => filesUnder(join(installation.dataDir, 'blobs/sboms')).toSorted())
      .toEqual([...ids].toSorted())
    expect(await installation.beside((ctx) => listFaults(ctx, CHECKS))).toEqual([])
    expect(await runAdmin(installation.settings, 'doctor', '--no-files')).toMatchObject({ code: 0 })
  },
)
