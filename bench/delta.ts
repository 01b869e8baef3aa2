/**
 * Times a delta of changed advisories over a portfolio until every list and counter is true (docs/design/budgets.md):
 * `node bench/delta.ts FOLDER [run]`, the folder of `bench/portfolio.ts`.
 */
import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { importFeeds } from '../server/src/features/advisories/index.ts'
import { matchChangedPackages } from '../server/src/features/matching/service.ts'
import { openBenchContext } from './bench-context.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import { declarePortfolio } from './portfolio-folder.ts'
import { keepFigure } from './figures.ts'

const BUDGET_SECONDS = 3
/** The budget is for so many advisories. */
const BUDGET_ADVISORIES = 500
const SIZES = [50, 500, 500, 2_000]

const { portfolio, run } = readBenchArguments({
  portfolio: declarePortfolio(),
  run: countArgument(1),
})
const { folder } = portfolio
const { ctx, close } = await openBenchContext(folder)
const scratch = mkdtempSync(join(tmpdir(), 'plimsoll-bench-delta-'))
let clock = Date.now() + 86_400_000 * run

/** Records that reach firmware: half of them get other ranges, half another score. */
async function changedRecords(count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select vulnerability_id as id
    from (
      select distinct vulnerability_id from package_matches
      where until is null and package_id in (select package_id from firmware_version_packages)
    ) as reached
    order by md5(vulnerability_id || ${String(clock)}) limit ${count * 2}`.execute(ctx.db)
  const wanted = new Set(rows.map(({ id }) => id))
  const records: string[] = []
  const file = createReadStream(join(folder, 'feeds/nvdcve-2.0.json'))
  for await (const line of createInterface({ input: file })) {
    const id = /"id":"(CVE-[^"]+)"/.exec(line)?.[1]
    if (id === undefined || !wanted.has(id)) continue
    const text = line.slice(line.indexOf('{"cve":')).replace(/(?:,|\]\})?\s*$/, '')
    records.push(changed(text, records.length))
    if (records.length === count) break
  }
  return records
}

function changed(record: string, index: number): string {
  const modified = record.replace(
    /"lastModified":"[^"]*"/,
    `"lastModified":"${new Date(clock).toISOString()}"`,
  )
  return index % 2 === 0
    ? modified.replaceAll(
        /"versionEnd(In|Ex)cluding":"[^"]*"/g,
        `"versionEnd$1cluding":"0.${clock % 1000}"`,
      )
    : modified
        .replaceAll(/"baseScore":[\d.]+/g, `"baseScore":${(clock / 1000) % 2 < 1 ? 9.9 : 4.1}`)
        .replaceAll(
          /"vectorString":"CVSS:3\.\d\/[^"]*"/g,
          `"vectorString":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:${clock % 2 ? 'H' : 'N'}"`,
        )
}

async function measure(count: number): Promise<void> {
  clock += 86_400_001
  const records = await changedRecords(count)
  const path = join(scratch, String(clock))
  mkdirSync(path)
  writeFileSync(
    join(path, 'nvdcve-2.0-modified.json'),
    `{"resultsPerPage":${records.length},"startIndex":0,"totalResults":${records.length},"format":"NVD_CVE","version":"2.0",` +
      `"timestamp":"${new Date(clock).toISOString()}","vulnerabilities":[\n${records.join(',\n')}\n]}`,
  )
  const startedAt = performance.now()
  await importFeeds(ctx, { path })
  const merged = performance.now()
  const { rows } = await sql<{ revision: number }>`
    select max(revision)::int as revision from knowledge_changes`.execute(ctx.db)
  const { revision = 0 } = rows[0] ?? {}
  const at = new Date()
  await matchChangedPackages(ctx, { revision })
  const seconds = (from: number, to: number) => (to - from) / 1000
  const now = performance.now()
  const reached = await sql<{ matches: number; findings: number; versions: number }>`
    with moved as (
      select package_id, vulnerability_id from package_matches where since >= ${at} or until >= ${at}
      group by package_id, vulnerability_id
    )
    select (select count(*)::int from moved) as matches,
      (select count(*)::int from moved join firmware_version_packages as fact using (package_id)) as findings,
      (select count(distinct fact.firmware_version_id)::int from moved join firmware_version_packages as fact
        using (package_id)) as versions`.execute(ctx.db)
  const { matches = 0, findings = 0, versions = 0 } = reached.rows[0] ?? {}
  keepFigure({
    what: `delta of ${records.length} advisories`,
    value: seconds(startedAt, now),
    unit: 's',
    most: records.length <= BUDGET_ADVISORIES ? BUDGET_SECONDS : undefined,
  })
  console.log(
    `${records.length} advisories: ${seconds(startedAt, now).toFixed(2)} s (budget ${BUDGET_SECONDS} s for 500), ` +
      `merge ${seconds(startedAt, merged).toFixed(2)} s, matches and counters ${seconds(merged, now).toFixed(2)} s; ` +
      `${matches} matches, ${findings} findings of ${versions} firmware versions changed`,
  )
}

/** Compares the counters of some versions with their counted findings. */
async function verify(): Promise<void> {
  const { rows } = await sql<{ wrong: number; looked: number }>`
    with sample as (
      select * from firmware_version_counters order by md5(firmware_version_id::text) limit 200
    ), counted as (
      select sample.firmware_version_id, sample.critical + sample.high + sample.medium + sample.low + sample.none + sample.unknown as stated,
        (select count(*)::int
          from firmware_version_packages as fact
          join package_matches as match using (package_id)
          left join finding_decisions as decision
            using (workspace_id, firmware_version_id, package_id, vulnerability_id)
          where fact.workspace_id = sample.workspace_id and fact.firmware_version_id = sample.firmware_version_id
            and fact.until is null and match.until is null and not coalesce(decision.ignored, false)
            and coalesce(decision.assessment, '') not in ('NotAffected', 'FalsePositive', 'Resolved')
            and (match.confidence <> 'Low' or decision.assessment in ('Exploitable', 'InTriage'))) as counted
      from sample
    )
    select count(*) filter (where stated <> counted)::int as wrong, count(*)::int as looked from counted`.execute(
    ctx.db,
  )
  console.log(`${rows[0]?.wrong ?? '?'} of ${rows[0]?.looked ?? '?'} counters looked at are wrong`)
  if (rows[0]?.wrong !== 0) process.exitCode = 1
}

try {
  for (const size of SIZES) await measure(size)
  await verify()
} finally {
  await close()
  rmSync(scratch, { recursive: true, force: true })
}
