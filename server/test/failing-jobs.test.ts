/** Jobs that hang or fail for one workspace: others do not wait for them, and people learn of them. */
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import {
  enqueueUnmatchedSboms,
  sbomChecks,
  reportSbomHealth,
  SbomParsed,
} from '../src/features/sboms/index.ts'
import { addMs, HOUR_MS } from '../src/formats/instants.ts'
import type { Db } from '../src/platform/db/connect.ts'
import { buildManagement } from '../src/platform/management.ts'
import { startTestApp } from './app.ts'
import { isOfCitus } from './citus.ts'
import { listFaults } from './doctor.ts'
import { type Client, givenClient, givenFirmwareVersion, matchedSboms, upload } from './given.ts'

function documentOf(name: string): string {
  const components = [{ type: 'library', name, version: '1', purl: `pkg:npm/${name}@1` }]
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components })
}

async function givenSbom(
  test: Awaited<ReturnType<typeof startTestApp>>,
  client: Client,
  name: string,
): Promise<string> {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const files = [{ name: `${name}.json`, bytes: documentOf(name) }]
  await upload(test, client, { firmwareVersionId, files })
  return firmwareVersionId
}

const NO_TRIGGERS = 'Citus refuses the trigger that makes trouble'

/** Whoever matches a package whose name begins so does this first. */
async function givenTrouble(db: Db, name: string, act: string): Promise<void> {
  await sql
    .raw(
      `create function trouble() returns trigger language plpgsql as $$ begin ${act} return new; end $$;
       create trigger trouble before update of matched_at on packages for each row
         when (new.identity::text like '%${name}%') execute function trouble()`,
    )
    .execute(db)
}

interface ListedSbom {
  vulnerabilitiesParsedAt: string | null
  failure: { attempts: number; isGivenUp: boolean; reason: string } | null
}
async function sbomOf(client: Client, firmwareVersionId: string): Promise<ListedSbom | undefined> {
  const response = await client.get(`/firmware-versions/${firmwareVersionId}/sboms`)
  return response.json<{ sboms: ListedSbom[] }>().sboms[0]
}

it('matches the SBOM of one workspace while all jobs of another hang', async ({ skip }) => {
  const test = await startTestApp()
  if (await isOfCitus(test.ctx.pool)) skip(NO_TRIGGERS)
  const [hanging, ordinary] = [await givenClient(test), await givenClient(test)]
  await givenTrouble(test.ctx.db, 'stuck', 'perform pg_advisory_xact_lock(42);')
  const holder = await test.pools.ready.connect()
  await holder.query('select pg_advisory_lock(42)')
  const stuck = []
  for (const name of ['stuck-a', 'stuck-b', 'stuck-c'])
    stuck.push(await givenSbom(test, hanging, name))
  await test.startWorker()
  const areHanging = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_locks where locktype = 'advisory' and objid = 42 and not granted`.execute(
      test.ctx.db,
    )
    return rows[0]?.count
  }
  // A job that looks for packages which nobody matched may hang beside those of the SBOMs.
  await expect.poll(areHanging).toBeGreaterThanOrEqual(2)

  const version = await givenSbom(test, ordinary, 'plain')
  await matchedSboms(ordinary, version)

  const between = await Promise.all(stuck.map((id) => sbomOf(hanging, id)))
  await holder.query('select pg_advisory_unlock(42)')
  holder.release()
  for (const id of stuck) await matchedSboms(hanging, id)
  expect(between.map((sbom) => sbom?.vulnerabilitiesParsedAt)).toEqual([null, null, null])
})

it('tells of an SBOM whose matching fails, until it succeeds', async ({ skip }) => {
  const test = await startTestApp()
  if (await isOfCitus(test.ctx.pool)) skip(NO_TRIGGERS)
  const client = await givenClient(test)
  const { db } = test.ctx
  const retries = { retryLimit: 2, retryDelay: 1, retryBackoff: false }
  await test.queue.boss.updateQueue(SbomParsed.name, retries)
  await givenTrouble(db, 'doomed', `raise exception 'of another tenant';`)
  await test.startWorker()
  const version = await givenSbom(test, client, 'doomed')
  const failure = async () => (await sbomOf(client, version))?.failure
  const management = buildManagement(
    { pools: test.pools, queue: test.queue },
    { started: true, stopping: false },
    [reportSbomHealth(test.ctx)],
    new Registry(),
  )
  const health = async () => (await management.inject('/health/ready')).json<{ sboms: object }>()

  await expect.poll(failure).toMatchObject({ isGivenUp: true })
  const told = await failure()
  const { rows: jobs } = await sql<{ priority: number }>`
    select distinct priority from pgboss.job where name = ${SbomParsed.name}`.execute(db)
  const faults = await listFaults(test.ctx, sbomChecks)
  const ready = await health()
  const metrics = (await management.inject('/metrics')).body

  const waits = { notMatchedYet: { sbomCount: 1, packageCount: 1 } }
  const answers = async () => [
    (await client.get(`/firmware-versions/${version}/coverage`)).json<object>(),
    (
      await client.get(`/firmware-versions/${version}/vulnerability-findings/summary`)
    ).json<object>(),
    (
      await client.post(`/firmware-versions/${version}/vulnerability-findings/list`, {})
    ).json<object>(),
  ]
  expect(await answers()).toMatchObject([waits, waits, waits])
  expect(told).toMatchObject({ attempts: 3 })
  expect(told?.reason).toMatch(/^an internal error \(\w+\); job [\w-]+$/)
  expect(jobs).toEqual([{ priority: -1_000_000 }])
  expect(faults).toMatchObject([
    { name: 'sbom-failures', faults: [expect.stringContaining('3 attempts failed') as string] },
  ])
  expect(ready.sboms).toEqual({ failing: 0, givenUp: 1 })
  expect(metrics).toContain('plimsoll_sboms_failing{state="given_up"} 1')

  await sql`drop trigger trouble on packages`.execute(db)
  await enqueueUnmatchedSboms({ ...test.ctx, now: () => addMs(new Date(), 2 * HOUR_MS) })
  await matchedSboms(client, version)

  expect(await failure()).toBeNull()
  const none = { notMatchedYet: { sbomCount: 0, packageCount: 0 } }
  expect(await answers()).toMatchObject([none, none, none])
  expect(await listFaults(test.ctx, sbomChecks)).toEqual([])
  expect((await health()).sboms).toEqual({ failing: 0, givenUp: 0 })
  await management.close()
})
