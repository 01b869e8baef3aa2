/** Scheduled backups: one worker takes each, old ones go, and operators are told. */
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { type Client, givenClient, givenFirmwareVersion, upload } from '../../test/given.ts'
import { readConfig } from '../config/config.ts'
import { addMs, DAY_MS, HOUR_MS } from '../formats/instants.ts'
import { beginBackup } from '../platform/db/backup-locks.ts'
import { withSession } from './database-session.ts'
import { backupChecks, reportBackupHealth } from './health.ts'
import { findManifest, listBackupIds } from './manifest.ts'
import { openForReading } from './open-store.ts'
import { deleteOldBackups } from './retention.ts'
import { startBackupSchedule } from './schedule.ts'
import { PLAIN } from './seal.ts'
import { verifyBackup } from './verify-backup.ts'

const to = mkdtempSync(join(tmpdir(), 'plimsoll-schedule-'))
const backups = { to, everyMs: HOUR_MS, keep: { count: 2 }, encryptTo: [] }
const contents = () => readdirSync(join(to, 'blobs')).length
let test: TestApp
let client: Client
let firmwareVersionId: string

beforeAll(async () => {
  test = await startTestApp({ backups })
  client = await givenClient(test)
  firmwareVersionId = await givenFirmwareVersion(client)
})

async function givenSbom(version: string): Promise<string> {
  const bytes = `{"bomFormat":"CycloneDX","specVersion":"${version}"}`
  const response = await upload(test, client, {
    firmwareVersionId,
    files: [{ name: 'a.json', bytes }],
  })
  return response.json<{ sboms: { id: string }[] }>().sboms[0]?.id ?? ''
}

const execute = (statement: string) => test.ctx.pool.query(statement)

const makeDue = () =>
  execute(`update backup_state set scheduled_at = (scheduled_at at time zone 'UTC' - interval '61 minutes') at time zone 'UTC',
    taken_at = (taken_at at time zone 'UTC' - interval '61 minutes') at time zone 'UTC', claimed_until = null`)

async function isSettled(): Promise<boolean> {
  const { rows } = await execute(
    `select error is not null or (claimed_until is null and scheduled_at > now() - interval '1 hour') as settled
     from backup_state`,
  )
  return (rows as { settled: boolean | null }[])[0]?.settled === true
}

/** As two workers that start at the same time. */
async function runSchedules(): Promise<void> {
  const stops = await Promise.all([startBackupSchedule(test.ctx), startBackupSchedule(test.ctx)])
  await expect.poll(isSettled).toBe(true)
  for (const stop of stops) await stop()
}

const listIds = async () => listBackupIds(await openForReading(to, test.ctx.config))
const health = () => reportBackupHealth(test.ctx).describe()
const gauges = async () => {
  const read = reportBackupHealth(test.ctx).gauges.map(async ({ name, values }) => [
    name,
    (await values())[0]?.value,
  ])
  return Object.fromEntries(await Promise.all(read)) as Record<string, number | undefined>
}
const faults = async () => {
  const [check] = backupChecks
  const examined = await check?.find(test.ctx, {
    readsFiles: false,
    isDeep: false,
    onProgress: () => undefined,
  })
  return examined?.faults
}

it('says that no backup was ever taken', async () => {
  expect(await health()).toMatchObject({ status: 'never', isScheduled: true, takenAt: null })
  expect(await faults()).toEqual(['no backup was ever taken'])
  expect(await gauges()).toMatchObject({
    plimsoll_backup_last_success_seconds: undefined,
    plimsoll_backup_overdue: 1,
  })
})

it('takes one backup though two workers look, and none before the next is due', async () => {
  await givenSbom('1.6')

  await runSchedules()
  await runSchedules()

  expect(await listIds()).toHaveLength(1)
  expect(await health()).toMatchObject({ status: 'ok', error: null, missingFiles: 0 })
  expect(await faults()).toEqual([])
  const { plimsoll_backup_last_success_seconds: at = 0, ...rest } = await gauges()
  expect(at).toBeGreaterThan(Date.now() / 1_000 - 600)
  expect(rest).toMatchObject({ plimsoll_backup_overdue: 0, plimsoll_backup_failing: 0 })
})

it('keeps the newest backups, and what they name', async () => {
  const before = contents()
  const sbom = await givenSbom('1.5')
  for (let taken = 0; taken < 3; taken += 1) {
    await makeDue()
    await runSchedules()
    if (taken === 0) {
      expect(contents()).toBe(before + 1)
      await client.delete(`/sboms/${sbom}`)
    }
  }

  expect(await listIds()).toHaveLength(2)
  expect(contents()).toBe(before)
  const store = await openForReading(to, test.ctx.config)
  const source = { store, manifest: await findManifest(store), seal: PLAIN }
  expect(await verifyBackup(source, () => undefined)).toMatchObject({ faults: [] })
})

it('tells when the last one is old', async () => {
  await execute(
    `update backup_state set taken_at = (taken_at at time zone 'UTC' - interval '3 hours') at time zone 'UTC'`,
  )

  expect(await health()).toMatchObject({ status: 'old' })
  expect(await faults()).toEqual([expect.stringContaining('was taken 3 hours ago')])
})

it('tells of a failure until the next success', async () => {
  await makeDue()
  await withSession(test.connectionString, async (other) => {
    await beginBackup(other)
    await runSchedules()
  })
  const failed = await health()
  await makeDue()
  await execute('update backup_state set error = null')
  await runSchedules()

  expect(failed).toMatchObject({
    status: 'failing',
    error: expect.stringContaining('Another backup') as string,
  })
  expect(await health()).toMatchObject({ status: 'ok', error: null })
})

it('keeps the backups of so many days, and always the newest', async () => {
  const store = await openForReading(to, test.ctx.config)
  const keep = { days: 1 }

  const none = await deleteOldBackups(store, { keep, now: test.ctx.now() })
  const one = await deleteOldBackups(store, { keep, now: addMs(test.ctx.now(), 3 * DAY_MS) })

  expect([none, one]).toEqual([0, 1])
  expect(await listIds()).toHaveLength(1)
})

it('refuses at start what cannot be meant', async () => {
  const file = join(to, 'file')
  writeFileSync(file, '')
  const started = (changed: Partial<typeof backups> | { encryptTo: string[] }) =>
    startBackupSchedule({
      ...test.ctx,
      config: { ...test.ctx.config, backups: { ...backups, ...changed } },
    })

  await expect(started({ to: file })).rejects.toThrow('is a file')
  await expect(started({ encryptTo: ['age1x'] })).rejects.toThrow('is no recipient of age')
})

it.each([
  [{ PLIMSOLL_BACKUP_EVERY: 'daily' }, 'PLIMSOLL_BACKUP_EVERY must be a time'],
  [{ PLIMSOLL_BACKUP_KEEP: '0' }, 'PLIMSOLL_BACKUP_KEEP must be a number'],
  [{ PLIMSOLL_BACKUP_TO: 'x.tar' }, 'PLIMSOLL_BACKUP_TO is a tar file'],
])('refuses the setting %j', (environment, reason) => {
  expect(() => readConfig(environment)).toThrow(reason)
})

it('reads its settings', () => {
  const { backups: read } = readConfig({
    PLIMSOLL_BACKUP_TO: 's3://bucket/x',
    PLIMSOLL_BACKUP_EVERY: '7d',
    PLIMSOLL_BACKUP_KEEP: '30d',
    PLIMSOLL_BACKUP_ENCRYPT_TO: 'age1a, age1b',
  })

  expect(read).toEqual({
    to: 's3://bucket/x',
    everyMs: 7 * DAY_MS,
    keep: { days: 30 },
    encryptTo: ['age1a', 'age1b'],
  })
})
