/** A day that is over is read again exactly when something may have changed it, however it was changed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { isOfCitus } from '../../test/citus.ts'
import { createEmptyDatabase } from '../../test/database.ts'
import { closeAtEndOfFile } from '../../test/end-of-file.ts'
import { readConfig } from '../config/config.ts'
import { createLog } from '../platform/log.ts'
import { openFileBlobStore } from '../platform/blobs/file-blob-store.ts'
import { openForReading, openForWriting } from './open-store.ts'
import { findManifest } from './manifest.ts'
import { restoreBackup } from './restore-backup.ts'
import { PLAIN } from './seal.ts'
import { takeBackup } from './take-backup.ts'

const root = mkdtempSync(join(tmpdir(), 'plimsoll-marks-'))
closeAtEndOfFile(() => rmSync(root, { recursive: true, force: true }))
const OURS = '018f0000-0000-7000-8000-000000000001'
const DAY = 'metric_packed_days_20200102'
const OTHER_DAY = 'metric_packed_days_20200103'

let test: TestApp

const values = (time: string) =>
  `(workspace_id, series_id, time, sums) values ('${OURS}', ${String(seriesId++)}, '${time}', '\\x00')`
let seriesId = 1
const LATE = '2020-01-02'
const insertLate = () => `insert into metric_packed_days ${values(LATE)}`

beforeAll(async () => {
  test = await startTestApp()
  await run(
    `create table ${DAY} partition of metric_packed_days for values from ('2020-01-02') to ('2020-01-03')`,
    `create table ${OTHER_DAY} partition of metric_packed_days for values from ('2020-01-03') to ('2020-01-04')`,
    insertLate(),
    insertLate(),
    `insert into metric_packed_days ${values('2020-01-03')}`,
  )
  await backUp()
})

async function run(...statements: string[]): Promise<void> {
  for (const statement of statements) await test.ctx.pool.query(statement)
}

/** Settings of a session end with it. */
async function inSession(use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: test.connectionString })
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}

const settings = {
  dataDir: root,
  s3: { ...readConfig({}).s3, accessKeyId: '', secretAccessKey: '' },
}

async function backUp({ target = 'target', of = test.connectionString } = {}) {
  const store = await openForWriting(join(root, target), settings)
  try {
    const { blobs } = test.ctx
    const how = { connectionString: of, blobs, store, seal: PLAIN, onProgress: () => undefined }
    return await takeBackup(how)
  } finally {
    await store.close()
  }
}

const countRead = async () => (await backUp()).days

describe('a day that is over', () => {
  beforeEach(async ({ skip }) => {
    if (await isOfCitus(test.ctx.pool)) skip('Days have no marks on Citus')
  })

  it('is not read while nothing changes it, also after it was vacuumed and analysed', async () => {
    await backUp()
    await run(`vacuum (freeze, analyze) metric_packed_days`, 'checkpoint')

    expect(await countRead()).toEqual({ kept: 2, written: 0, read: 0 })
  })

  const changes: Record<
    string,
    { how: () => Promise<void>; left: [kept: number, written: number] }
  > = {
    'a late row': { how: () => run(insertLate()), left: [1, 1] },
    'an update': {
      how: () => run(`update metric_packed_days set sums = '\\x01' where time = '2020-01-02'`),
      left: [1, 1],
    },
    'a deletion in its partition': {
      how: () => run(`delete from ${DAY} where series_id = 1`),
      left: [1, 1],
    },
    'rows of two days in one transaction': {
      how: () =>
        run(`with one as (insert into ${DAY} ${values(LATE)}), two as (insert into ${OTHER_DAY} ${values('2020-01-03')})
             insert into ${DAY} ${values(LATE)}`),
      left: [0, 2],
    },
    'a row after another was taken back': {
      how: () =>
        run(`begin; savepoint one; ${insertLate()}; rollback to one; ${insertLate()}; commit`),
      left: [1, 1],
    },
    'rows of a session without triggers': {
      how: () =>
        run(`begin; set local session_replication_role = replica; ${insertLate()}; commit`),
      left: [1, 1],
    },
    'rows while its trigger was switched off': {
      how: () =>
        run(
          `alter table ${DAY} disable trigger day_mark; ${insertLate()}; alter table ${DAY} enable always trigger day_mark`,
        ),
      left: [1, 1],
    },
    'an exchanged column': {
      how: () =>
        run(`alter table metric_packed_days add column note int default 1`).then(async () => {
          await backUp()
          await run(
            `alter table metric_packed_days drop column note, add column note int default 2`,
          )
        }),
      left: [0, 2],
    },
    truncate: { how: () => run(`truncate ${DAY}`), left: [1, 0] },
    'another partition of its name': {
      how: () =>
        run(`drop table ${DAY}; create table ${DAY} partition of metric_packed_days for values from ('2020-01-02') to ('2020-01-03');
             ${insertLate()}`),
      left: [1, 1],
    },
  }
  it.each(Object.entries(changes))('is written again after %s', async (_name, { how, left }) => {
    await backUp()
    await how()

    const first = await countRead()
    const second = await countRead()
    await run('alter table metric_packed_days drop column if exists note')

    expect([first.kept, first.written, second.read]).toEqual([...left, 0])
  })

  it('is read, and kept, where a change was taken back only in part', async () => {
    await run(insertLate())
    await backUp()
    await run(`begin; ${insertLate()}; rollback`)
    const rolledBack = await countRead()
    await run(`update ${DAY} set sums = sums`)

    expect(rolledBack).toMatchObject({ written: 0, read: 0 })
    expect(await countRead()).toMatchObject({ read: 1 })
  })

  it('is read after a change that was under way during a backup', async () => {
    await backUp()
    await inSession(async (client) => {
      await client.query(`begin; ${insertLate()}`)
      expect(await countRead()).toMatchObject({ read: 0, written: 0 })
      await client.query('commit')
    })

    expect(await countRead()).toMatchObject({ read: 1, written: 1 })
  })

  it('is read as long as somebody writes in it who began before it was marked', async () => {
    await run(insertLate())
    await inSession(async (client) => {
      await client.query(`begin; insert into ${DAY} ${values(LATE)}`)
      expect(await countRead()).toMatchObject({ read: 1, written: 1 })
      expect(await countRead()).toMatchObject({ read: 1, written: 0 })
      await client.query('commit')
    })

    expect(await countRead()).toMatchObject({ read: 1, written: 1 })
    expect(await countRead()).toMatchObject({ read: 0 })
  })

  it('lets writers of one day not wait for each other', async () => {
    await backUp()
    await inSession(async (one) => {
      await one.query(`begin; ${insertLate()}`)
      await inSession((two) => two.query(`set lock_timeout = '1ms'; ${insertLate()}`))
      await one.query('rollback')
    })

    expect(await countRead()).toMatchObject({ read: 1, written: 1 })
  })

  it('is known in each of several targets by what that has', async () => {
    await backUp()
    await run(insertLate())
    const elsewhere = await backUp({ target: 'elsewhere' })

    const here = await countRead()

    expect(elsewhere.days).toEqual({ kept: 0, written: 2, read: 2 })
    expect(here).toEqual({ kept: 1, written: 1, read: 1 })
    expect((await backUp({ target: 'elsewhere' })).days).toMatchObject({ read: 0 })
  })

  it('is written again where its part was lost, though it is unchanged', async () => {
    const { manifest } = await backUp()
    const part = manifest.tables.find(({ name }) => name === DAY)?.part
    rmSync(join(root, 'target', part?.key ?? ''))

    expect(await countRead()).toMatchObject({ read: 1, written: 1 })
  })

  it('is read once in a database that was restored, which has no marks', async () => {
    await backUp()
    const { connectionString } = await createEmptyDatabase()
    const store = await openForReading(join(root, 'target'), settings)
    const blobs = openFileBlobStore(mkdtempSync(join(root, 'files-')))
    const manifest = await findManifest(store)
    const log = createLog('silent')
    await restoreBackup({
      connectionString,
      blobs,
      store,
      seal: PLAIN,
      manifest,
      log,
      onProgress: () => undefined,
    })

    const first = await backUp({ of: connectionString })

    expect(first.days).toMatchObject({ read: 2, written: 0 })
    expect((await backUp({ of: connectionString })).days).toMatchObject({ read: 0 })
  })

  it('leaves nothing of marks that are gone', async () => {
    await run(insertLate())
    await backUp()

    const { rows } = await test.ctx.pool.query('select from changed_days')

    expect(rows).toEqual([])
  })
})
