/**
 * Times the first match of thousands of new packages against all advisories of a portfolio (docs/design/budgets.md):
 * `node bench/match.ts FOLDER [packages]`, the folder of `bench/portfolio.ts`.
 */
import { sql } from 'kysely'
import { givenFirmwareVersion, givenSbom } from '../server/test/given-inventory.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { matchFirmwareVersion } from '../server/src/features/findings/index.ts'
import { deleteFirmwareVersion } from '../server/src/features/firmware/service.ts'
import { declarePortfolio } from './portfolio-folder.ts'
import { keepFigure } from './figures.ts'

const BUDGET_SECONDS = 5
const { portfolio, packages: count } = readBenchArguments({
  portfolio: declarePortfolio(),
  packages: countArgument(5_000),
})
const { folder, workspaceId } = portfolio
const { ctx, close } = await openBenchContext(folder)

/** Products in the frequency of advisories, each in a version that only this run uses. */
async function newComponents(run: number) {
  const { rows } = await sql<{ key: string }>`
    select distinct key from (
      select key from advisory_affected where key like 'cpe:%' and key not like 'cpe:*:%' and key <> 'cpe:linux:linux_kernel'
      order by md5(key || advisory_id || ${String(run)}) limit ${count * 2}
    ) as keys limit ${count}`.execute(ctx.db)
  return rows.map(({ key }, index) => {
    const [, vendor = '', product = ''] = key.split(':')
    const version = `${1 + (index % 9)}.${index % 5}.${run % 100_000}`
    return {
      packageName: product,
      version,
      cpes: [`cpe:2.3:a:${vendor}:${product}:${version}:*:*:*:*:*:*:*`],
    }
  })
}

try {
  const { rows } = await sql<{ advisories: number }>`
    select count(*)::int as advisories from advisories where withdrawn_at is null`.execute(ctx.db)
  for (let run = 0; run < 3; run++) {
    const firmwareVersionId = await givenFirmwareVersion(ctx, workspaceId)
    const components = await newComponents((Date.now() % 90_000) + run)
    await givenSbom(ctx, { workspaceId, firmwareVersionId, components })
    const startedAt = performance.now()
    await matchFirmwareVersion(ctx, { workspaceId, firmwareVersionId })
    const seconds = (performance.now() - startedAt) / 1000
    const matched = await sql<{ packages: number; matches: number }>`
      select count(distinct fact.package_id)::int as packages, count(match.package_id)::int as matches
      from firmware_version_packages as fact
      left join package_matches as match on match.package_id = fact.package_id and match.until is null
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}`.execute(
      ctx.db,
    )
    keepFigure({ what: '5,000 components', value: seconds, unit: 's', most: BUDGET_SECONDS })
    console.log(
      `${matched.rows[0]?.packages ?? 0} packages against ${rows[0]?.advisories ?? 0} advisories: ${seconds.toFixed(2)} s ` +
        `(budget ${BUDGET_SECONDS} s for 5,000), ${matched.rows[0]?.matches ?? 0} matches`,
    )
    // Other benchmarks list what the portfolio holds.
    const actor = {
      type: 'Operator' as const,
      id: undefined,
      email: undefined,
      requestId: undefined,
    }
    await deleteFirmwareVersion(ctx, { workspaceId, firmwareVersionId, actor })
  }
} finally {
  await close()
}
