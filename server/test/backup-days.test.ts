/** Backups write days that are over once: telemetry of packed days is not written again, and answers are equal after a restore. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { maintainTelemetry, rollUpMetrics } from '../src/features/telemetry/index.ts'
import { addMs, DAY_MS, HOUR_MS, startOfDay } from '../src/formats/instants.ts'
import { drawChance } from '../src/simulator/chance.ts'
import { startTestApp, type TestApp } from './app.ts'
import { isOfCitus } from './citus.ts'
import { createEmptyDatabase } from './database.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { type Client, givenClient } from './given.ts'
import { givenDevice, type GivenDevice, metrics, storeTelemetry } from './given-telemetry.ts'
import { findProgram } from './programs.ts'
import { isDeep } from './property-runs.ts'
import { freePort, runAdmin, serviceEnvironment, type ServiceSettings } from './service-process.ts'

const root = mkdtempSync(join(tmpdir(), 'plimsoll-days-'))
const target = join(root, 'backups')
closeAtEndOfFile(() => rmSync(root, { recursive: true, force: true }))

let test: TestApp
let client: Client
let device: GivenDevice
let settings: ServiceSettings
/** The begin of the first of three days that are over. */
let from: Date

const settingsOf = async (dataDir: string, connectionString: string) => ({
  dataDir,
  port: await freePort(),
  managementPort: await freePort(),
  env: { DATABASE_URL: connectionString },
})

beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
  device = await givenDevice(test.ctx, client.workspaceId)
  settings = await settingsOf(test.ctx.config.dataDir, test.connectionString)
  from = startOfDay(Math.floor(addMs(test.ctx.now(), -4 * DAY_MS).getTime() / DAY_MS))
  // Partitions of these days are there before their points, as they are in a service that runs.
  const then = { ...test.ctx, now: () => from }
  await storeTelemetry(then, metrics(device, [{ name: 'x', value: 0 }], from))
  await maintainTelemetry(then)
  await report(Array.from({ length: 72 }, (_unused, hour) => hour * HOUR_MS + 60_000))
})

async function report(instants: readonly number[]): Promise<void> {
  const points = instants.map((after) => ({
    name: 'x',
    value: (after % 997) / 10,
    timestamp: addMs(from, after),
  }))
  await storeTelemetry(test.ctx, metrics(device, points))
  await rollUpMetrics(test.ctx)
}

interface Answer {
  id: string
  daysKept: number
  daysWritten: number
  daysRead: number
  backups: { id: string }[]
  faults: string[]
}

async function admin(of: ServiceSettings, ...args: string[]) {
  const { code, stdout, stderr } = await runAdmin(of, ...args, '--json')
  return { code, stderr, answer: (stdout === '' ? {} : JSON.parse(stdout)) as Answer }
}

async function backUp(...options: string[]): Promise<Answer> {
  const { code, stderr, answer } = await admin(settings, 'backup', target, ...options)
  if (code !== 0) throw new Error(stderr)
  return answer
}

const daysOf = (id: string) => readdirSync(join(target, 'days', id)).toSorted()
const pathsOfDays = () =>
  readdirSync(join(target, 'days')).flatMap((id) => daysOf(id).map((name) => `${id}/${name}`))
const foldersOfDays = () => [...new Set(pathsOfDays().map((path) => path.split('/')[0]))]
const daysOfPacked = (id: string) => daysOf(id).filter((name) => name.includes('packed'))

async function askOf({ app }: TestApp) {
  const { workspaceId, apiKey } = client
  const answers = []
  for (const stepSeconds of [60, 3_600, 86_400]) {
    const days = stepSeconds === 60 ? 1 : 3
    const response = await app.inject({
      method: 'POST',
      url: `/workspaces/${workspaceId}/metrics/query`,
      headers: { authorization: `Bearer ${apiKey}` },
      payload: {
        metric: 'x',
        aggregation: 'Sum',
        from: from.toISOString(),
        to: addMs(from, days * DAY_MS).toISOString(),
        stepSeconds,
        groupBy: 'Device',
        limit: 1,
      },
    })
    expect(response.body).toContain('"points"')
    answers.push(response.json<{ series: { points: unknown[] }[] }>())
  }
  return answers
}

async function restored() {
  const { connectionString } = await createEmptyDatabase()
  const into = await settingsOf(mkdtempSync(join(root, 'restored-')), connectionString)
  return { connectionString, ...(await admin(into, 'restore', target)) }
}

it('writes a day that is over once, and again only when a late point changed it', async () => {
  const first = await backUp()
  const second = await backUp()
  await report([25 * HOUR_MS + 90_000])
  const third = await backUp()

  // Points of an hour, and sums of a day, of three days.
  expect(daysOfPacked(first.id)).toHaveLength(6)
  expect(first).toMatchObject({ daysKept: 0, daysWritten: daysOf(first.id).length })
  expect(second).toMatchObject({ daysKept: first.daysWritten, daysWritten: 0 })
  const changed = addMs(from, DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')
  expect(daysOf(third.id)).toEqual([
    `metric_packed_days_${changed}.copy.zst`,
    `metric_packed_hours_${changed}.copy.zst`,
  ])
  expect(foldersOfDays()).toEqual([first.id, third.id])
  // On Citus days have no marks.
  const all = first.daysWritten
  const read = (await isOfCitus(test.ctx.pool)) ? [all, all, all] : [all, 0, 2]
  expect([first, second, third].map(({ daysRead }) => daysRead)).toEqual(read)
})

async function killBackup(until: () => Promise<unknown>): Promise<void> {
  const child = spawn(process.execPath, [await findProgram('admin'), 'backup', target], {
    env: serviceEnvironment(settings),
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  await Promise.race([until(), exited])
  child.kill('SIGKILL')
  await exited
}

it('keeps the backups that are whole when it is killed while it writes days', async () => {
  await report([2 * HOUR_MS + 90_000, 26 * HOUR_MS + 90_000, 50 * HOUR_MS + 90_000])
  const whole = (await admin(settings, 'backup', 'list', target)).answer.backups
  const folders = foldersOfDays().length
  await killBackup(async () => {
    while (foldersOfDays().length === folders) await delay(1)
  })

  const verified = await admin(settings, 'backup', 'verify', target)
  const listed = await admin(settings, 'backup', 'list', target)

  expect(verified).toMatchObject({ code: 0, answer: { faults: [] } })
  expect(listed.answer.backups).toEqual(whole)
})

it('removes what the killed one left, and answers the same after a restore', async () => {
  const next = await backUp()
  const before = await askOf(test)

  const { code, stderr, connectionString } = await restored()

  expect([code, stderr]).toEqual([0, expect.anything()])
  expect(daysOfPacked(next.id)).toHaveLength(6)
  expect(foldersOfDays()).toHaveLength(3)
  expect(before.map(({ series }) => series[0]?.points.length)).toEqual([25, 72, 3])
  const elsewhere = await startTestApp({}, connectionString)
  expect(await askOf(elsewhere)).toEqual(before)
})

it('deletes days with the last backup that names them, and no others', async () => {
  const last = await backUp('--keep', '1')

  expect(last.daysWritten).toBe(0)
  expect(pathsOfDays()).toHaveLength(last.daysKept)
  expect(await admin(settings, 'backup', 'verify', target)).toMatchObject({
    code: 0,
    answer: { faults: [] },
  })
})

it('refuses a backup one of whose days is lost, in a sentence, and writes that day anew', async () => {
  const lost = pathsOfDays().find((path) => path.includes('metric_packed_days')) ?? ''
  rmSync(join(target, 'days', lost))

  const { code, stderr } = await restored()
  const healing = await backUp()
  const again = await restored()

  expect(stderr.trim().split('\n')).toEqual([
    expect.stringContaining(`The backup is damaged: days/${lost} is missing. Use another one;`),
  ])
  expect(code).toBe(1)
  expect(healing.daysWritten).toBe(1)
  expect(again.code).toBe(0)
})

const kills = isDeep ? 25 : 1
it(
  `leaves no fault when it is killed at any moment (${kills} times), and the next one is whole`,
  { timeout: 180_000 + kills * 30_000 },
  async () => {
    const startedAt = performance.now()
    await backUp()
    const duration = performance.now() - startedAt
    for (let kill = 1; kill <= kills; kill += 1) {
      await report([(kill % 72) * HOUR_MS + kill * 1_000])
      await killBackup(() => delay(duration * drawChance('backup', 'kill', kill)))
      expect(await admin(settings, 'backup', 'verify', target)).toMatchObject({
        code: 0,
        answer: { faults: [] },
      })
    }
    await backUp()
    const before = await askOf(test)

    const { code, connectionString } = await restored()

    expect(code).toBe(0)
    const elsewhere = await startTestApp({}, connectionString)
    expect(await askOf(elsewhere)).toEqual(before)
  },
)
