/** Backups of former releases, in fixtures/releases: this release restores them, tells the same of them, and goes on. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CHECKS } from '../src/admin/doctor.ts'
import { findManifest, type Manifest } from '../src/backup/manifest.ts'
import { openForReading } from '../src/backup/open-store.ts'
import { restoreAsItWas, restoreBackup, type RestoreOutcome } from '../src/backup/restore-backup.ts'
import { PLAIN } from '../src/backup/seal.ts'
import type { Source } from '../src/backup/verify-backup.ts'
import { readConfig } from '../src/config/config.ts'
import { openFileBlobStore } from '../src/platform/blobs/file-blob-store.ts'
import type { Check } from '../src/platform/doctor/check.ts'
import { createLog } from '../src/platform/log.ts'
import { startTestApp, type TestApp } from './app.ts'
import { createEmptyDatabase } from './database.ts'
import { listFaults, OF_TEST_SERVER } from './doctor.ts'
import { EXPAND, FILL, makeNextRelease } from './rolling/releases.ts'
import { freePort, runAdmin, type ServiceSettings } from './service-process.ts'
import { type Caller, keyCaller, made, signIn, visitor } from './upgrade/caller.ts'
import { findDifferences, isWithin } from './upgrade/comparison.ts'
import { cycloneDx, TIDE } from './upgrade/documents.ts'
import {
  type AcceptedDifference,
  type Access,
  listFixtures,
  readFixture,
  type StoredFixture,
} from './upgrade/fixture.ts'
import { deviceCaller, sync } from './upgrade/fleet.ts'
import { PUBLIC_URL } from './upgrade/installation.ts'
import { type AnsweredQuestion, ASKERS, askAll } from './upgrade/questions.ts'
import { settled } from './upgrade/software.ts'

const MIGRATIONS = resolve(import.meta.dirname, '../migrations')
const HOUR_MS = 3_600_000

const root = mkdtempSync(join(tmpdir(), 'plimsoll-upgrade-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Of an empty database and an empty file store. */
async function givenSettings(name: string): Promise<ServiceSettings> {
  const { connectionString } = await createEmptyDatabase()
  const ports = { port: await freePort(), managementPort: await freePort() }
  return { dataDir: join(root, name), ...ports, env: { DATABASE_URL: connectionString } }
}

const databaseOf = ({ env }: ServiceSettings) => env?.['DATABASE_URL'] ?? ''

const meansOf = (settings: ServiceSettings) => ({
  connectionString: databaseOf(settings),
  blobs: openFileBlobStore(join(settings.dataDir, 'blobs')),
  log: createLog('silent'),
  onProgress: () => undefined,
})

async function withBackup<Result>(name: string, use: (source: Source) => Promise<Result> | Result) {
  const store = await openForReading(readFixture(name).backup, readConfig({}))
  try {
    const manifest = await findManifest(store)
    return await use({ store, manifest, seal: PLAIN })
  } finally {
    await store.close()
  }
}

async function startRestored(settings: ServiceSettings): Promise<TestApp & { url: string }> {
  const { dataDir } = settings
  const { blobs, publicUrl, vexPublisher } = readConfig({
    PLIMSOLL_DATA_DIR: dataDir,
    PLIMSOLL_PUBLIC_URL: PUBLIC_URL,
  })
  const test = await startTestApp({ blobs, publicUrl, vexPublisher }, databaseOf(settings))
  const url = await test.app.listen({ port: 0, host: '127.0.0.1' })
  return { ...test, url }
}

interface VersionOfLine {
  id: string
  createdAt: string
  line: object | null
  isNewestOfLine: boolean
}

interface StatedLines {
  lines: object[]
  withoutLine: { versionCount: number }
}

/** Nothing fetches sources. */
const OF_TESTS = [...OF_TEST_SERVER, 'sources']
/** What the workers of a release do at its start, and once an hour: a partition that is in use has to wait. */
const OF_WORKERS = ['telemetry-partitions', 'daily-counters', 'daily-devices']
const findFaults = ({ ctx }: TestApp, checks: readonly Check[]) =>
  listFaults(ctx, checks, { isDeep: false })
const checksBut = (...names: string[]) => CHECKS.filter(({ name }) => !names.includes(name))

/** The words of a failure: which answer has what otherwise. */
const inWords = ({ as, path, pointer, before, after }: AnswerDifference) =>
  `${as} ${path} ${pointer}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`

type AnswerDifference = Pick<AnsweredQuestion, 'as' | 'path'> &
  ReturnType<typeof findDifferences>[number]

const isAccepted = ({ as, path, pointer }: AnswerDifference, accepted: AcceptedDifference) =>
  (accepted.as ?? as) === as &&
  path.split('/').length === accepted.path.split('/').length &&
  isWithin(path, accepted.path) &&
  isWithin(pointer, accepted.pointer)

/** The askers in the order in which they asked: signing in is told by the audit log. */
async function findUntold(
  { url }: { url: string },
  { fixture: { first, second, owner }, answers }: StoredFixture,
): Promise<AnswerDifference[]> {
  const told: AnswerDifference[] = []
  for (const asker of ASKERS) {
    const before = answers.filter(({ as }) => as === asker)
    const caller =
      asker === 'owner'
        ? await signIn(visitor(url, first.workspaceId), owner)
        : callerOf(url, { first, second }[asker])
    const after = await askAll(caller, before)
    for (const [index, one] of before.entries()) told.push(...differencesOf(one, after[index]))
  }
  return told
}

function differencesOf(
  before: AnsweredQuestion,
  after: AnsweredQuestion | undefined,
): AnswerDifference[] {
  const { as, path, status } = before
  const differences =
    after?.status === status
      ? findDifferences({ answer: before.answer }, { answer: after.answer })
      : [{ pointer: '/status', before: status, after }]
  return differences.map((difference) => ({ as, path, ...difference }))
}

const callerOf = (url: string, { workspaceId, apiKey: key }: Access) =>
  keyCaller(url, { workspaceId, key })

/** What is no SBOM, when nothing waits any more: neither what was uploaded just now nor what waited in the backup. */
async function listUnread(caller: Caller): Promise<string[]> {
  const { firmwares } = await made<{ firmwares: { id: string }[] }>(caller, '{ws}/firmwares')
  const names: string[] = []
  for (const { id } of firmwares) {
    const path = `{ws}/firmwares/${id}/versions`
    const listed = await made<{ firmwareVersions: { id: string }[] }>(caller, path)
    const versionIds = listed.firmwareVersions.map((version) => version.id)
    const sboms = await settled(caller, versionIds)
    for (const { fileName, parsingState } of sboms)
      if (parsingState !== 'Succeeded') names.push(fileName)
  }
  return names
}

describe.each(listFixtures())('the data of %s', (name) => {
  const stored = readFixture(name)
  const { first, recordedAt } = stored.fixture
  let restored: RestoreOutcome
  let test: TestApp & { url: string }

  beforeAll(async () => {
    const settings = await givenSettings(name)
    restored = await withBackup(name, (source) =>
      restoreBackup({ ...source, ...meansOf(settings) }),
    )
    test = await startRestored(settings)
  })

  /** Answers depend on the time, and so does much of what the doctor examines. */
  function atThatTime(): void {
    const now = test.ctx.now
    test.ctx.now = () => new Date(recordedAt)
    onTestFinished(() => {
      test.ctx.now = now
    })
  }

  it('is restored without a fault, with the work that was to be done', async () => {
    atThatTime()

    const faults = await findFaults(test, checksBut(...OF_TESTS, ...OF_WORKERS))

    expect(faults).toEqual([])
    expect(restored.droppedJobs).toBe(0)
    expect(restored.jobs).toBeGreaterThan(0)
  })

  it('is told as before', async () => {
    atThatTime()

    const told = await findUntold(test, stored)

    const { accepted } = stored
    const lost = told.filter((one) => !accepted.some((known) => isAccepted(one, known)))
    const unused = accepted.filter((known) => !told.some((one) => isAccepted(one, known)))
    expect(lost.map(inWords)).toEqual([])
    expect(unused).toEqual([])
  })

  it('has firmwares without release lines, whose versions are one line with one newest version', async () => {
    const caller = callerOf(test.url, first)
    const { firmwares } = await made<{ firmwares: { id: string }[] }>(caller, '{ws}/firmwares')
    const told = []

    for (const { id } of firmwares) {
      const path = `{ws}/firmwares/${id}`
      const { firmwareVersions } = await made<{ firmwareVersions: VersionOfLine[] }>(
        caller,
        `${path}/versions`,
      )
      const stated = await made<StatedLines>(caller, `${path}/lines`)
      const lines = [{ name: 'All', patterns: ['.'] }]
      const { movedCount } = await made<{ movedCount: number }>(caller, `${path}/lines/preview`, {
        lines,
      })
      told.push({ firmwareVersions, stated, movedCount })
    }

    expect(told.map(({ firmwareVersions }) => firmwareVersions.length)).toContainEqual(
      expect.toSatisfy((count: number) => count > 1),
    )
    for (const { firmwareVersions, stated, movedCount } of told) {
      const [newest] = firmwareVersions.toSorted((a, b) => (a.createdAt > b.createdAt ? -1 : 1))
      expect(firmwareVersions.filter(({ line }) => line !== null)).toEqual([])
      expect(firmwareVersions.filter((one) => one.isNewestOfLine)).toEqual(newest ? [newest] : [])
      expect(stated).toMatchObject({
        lines: [],
        withoutLine: {
          versionCount: firmwareVersions.length,
          newest: newest ? { id: newest.id } : null,
        },
      })
      expect(movedCount).toBe(firmwareVersions.length)
    }
  })

  it('goes on: uploads and reports arrive, and what was accepted before is done', async () => {
    const caller = callerOf(test.url, first)
    const version = `{ws}/firmware-versions/${first.firmwareVersionId}`
    await test.startWorker()

    await made(caller, `${version}/sboms?fileName=later.json`, cycloneDx('1.2.0', [TIDE('1.3.0')]))
    await sync(deviceCaller(caller, first.deviceKey), 'lamp-1', {
      metrics: [{ name: 'wind', value: 33.25 }],
    })

    const unread = await listUnread(caller)
    const { findings } = await made<{ findings: { cveId: string; componentVersion: string }[] }>(
      caller,
      `${version}/vulnerability-findings/list`,
      { limit: 100 },
    )
    const now = Date.now()
    const { series } = await made<{ series: { points: { value: number }[] }[] }>(
      caller,
      '{ws}/metrics/query',
      {
        metric: 'wind',
        aggregation: 'Last',
        from: new Date(now - HOUR_MS).toISOString(),
        to: new Date(now + HOUR_MS).toISOString(),
      },
    )
    expect(unread).toEqual(['notes.txt'])
    expect(findings.map(({ cveId }) => cveId)).toContain('CVE-2026-90001')
    expect(series.flatMap(({ points }) => points.map(({ value }) => value))).toEqual([33.25])
    const examine = async () => {
      const ofWorkers = CHECKS.filter(({ name: check }) => OF_WORKERS.includes(check))
      await listFaults(test.ctx, ofWorkers, { isDeep: false, repairs: true })
      return findFaults(test, checksBut(...OF_TESTS))
    }
    await expect.poll(examine, { interval: 500 }).toEqual([])
  })
})

it('each release leaves its data', () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')
  const { version } = JSON.parse(text) as { version: string }

  expect(listFixtures()).toContain(version)
})

describe('before an upgrade', () => {
  let settings: ServiceSettings
  let manifest: Manifest

  beforeAll(async () => {
    const [oldest = ''] = listFixtures()
    settings = { ...(await givenSettings('before')), sources: makeNextRelease(root) }
    await withBackup(oldest, async (source) => {
      manifest = source.manifest
      await restoreAsItWas({ ...source, ...meansOf(settings) })
    })
  })

  it('the command tells which migrations are missing, and changes nothing', async () => {
    const { code, stdout } = await runAdmin(settings, 'migrate', '--check', '--json')

    const { migrations } = JSON.parse(stdout) as {
      migrations: { name: string; tables: { table: string; effect: string }[] }[]
    }
    const known = new Set(manifest.migrations.map(({ name }) => name))
    const missing = readdirSync(MIGRATIONS).filter(
      (name) => name.endsWith('.sql') && !known.has(name),
    )
    expect(code).toBe(0)
    expect(migrations.map(({ name }) => name)).toEqual([...missing.toSorted(), EXPAND, FILL])
    expect(migrations.find(({ name }) => name === FILL)?.tables).toContainEqual(
      expect.objectContaining({ table: 'devices', effect: 'changes rows' }),
    )
  })

  it('the next release can back up what is there', async () => {
    const file = join(root, 'before.tar')

    const { code, stdout, stderr } = await runAdmin(settings, 'backup', file, '--json')

    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({
      rows,
      files: manifest.files.rows,
      jobs: manifest.jobs.rows,
    })
  })
})
