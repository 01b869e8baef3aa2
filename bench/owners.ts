/**
 * Times the list of a workspace of 20,000 matches without owner rules and with twenty of them, and what asks for owners
 * (docs/design/budgets.md): `node bench/owners.ts [FOLDER]`. Turns without and with rules alternate, so that both meet the same machine.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findOrCreatePerson } from '../server/src/features/auth/index.ts'
import { maintainCaseDays } from '../server/src/features/figures/index.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import { OPERATOR } from '../server/src/platform/actor.ts'
import { cpeOf, givenProduct, givenVersion } from '../server/test/given-findings.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { declareOptionalFolder, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { keepFigure } from './figures.ts'
import { computePercentile } from './portfolio-folder.ts'
import { createTimedRequest, formatTimes } from './timed-requests.ts'

const PRODUCTS = 20
const CVES = 50
/** Each has another version of every product, so that all are packages of their own. */
const VERSIONS = 20
const MEMBERS = 5
const TURNS = 6
const PAGES = 20
const BUDGET_MS = 50
/** How much longer a list may take with rules. */
const MOST_RATIO = 1.05

const given = readBenchArguments({ folder: declareOptionalFolder() })
const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'plimsoll-owners-'))

const opened = await openBenchContext(folder)
const { ctx } = opened
const made = await bootstrapWorkspace(ctx, {
  name: 'Owners',
  ownerEmail: 'owners@example.com',
  actor: OPERATOR,
})
const { workspaceId } = made
const memberIds: string[] = []
for (let count = 0; count < MEMBERS; count++) {
  const { id: subjectId } = await ctx.db
    .transaction()
    .execute((tx) => findOrCreatePerson(ctx, tx, `owner-${count}@example.com`))
  await ctx.db
    .insertInto('members')
    .values({ workspaceId, subjectId, role: 'Engineer', joinedAt: ctx.now() })
    .execute()
  memberIds.push(subjectId)
}
const products = []
for (let count = 0; count < PRODUCTS; count++)
  products.push(await givenProduct(ctx, Array<'High'>(CVES).fill('High')))
for (let count = 0; count < VERSIONS; count++) {
  const version = `1.0.${count}`
  const components = products.map(({ product }) => ({
    packageName: product,
    version,
    cpes: [cpeOf(product, version)],
  }))
  await givenVersion(ctx, workspaceId, components)
}
/** Half of the products belong to nobody, after as many rules that fit nothing. */
const rules = products.map(({ product }, index) => ({
  components: [index % 2 === 0 ? `${product}*` : `none-${index}*`],
  memberId: memberIds[index % MEMBERS],
}))
await opened.close()

const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port: await freePort(),
  managementPort: await freePort(),
})
const timed = createTimedRequest({ url: service.url, ...made })

async function ask(filter: object, sortColumn?: string): Promise<number[]> {
  const times: number[] = []
  for (let count = 0; count < PAGES; count++) {
    const order = sortColumn === undefined ? {} : { sortColumn }
    const body = { limit: 100, filter: { activeOnly: true, ...filter }, ...order }
    times.push((await timed('POST', '/vulnerability-findings/list', body))[0])
  }
  return times
}

const state = (some: readonly object[]) => timed('PUT', '/owner-rules', { teams: [], rules: some })

const times = {
  without: [] as number[],
  with: [] as number[],
  owned: [] as number[],
  nobody: [] as number[],
}
const counts: number[] = []
await ask({})
for (let turn = 0; turn < TURNS; turn++) {
  await state([])
  times.without = [times.without, await ask({})].flat()
  await state(rules)
  times.with = [times.with, await ask({})].flat()
  times.owned = [times.owned, await ask({ owners: [memberIds[0]] })].flat()
  times.nobody = [times.nobody, await ask({ owners: ['none'] })].flat()
  counts.push((await timed('GET', '/owners'))[0])
}
await endProcess(service.child, 'SIGTERM')

const again = await openBenchContext(folder)
const startedAt = performance.now()
await maintainCaseDays(again.ctx)
const kept = performance.now() - startedAt
await again.close()

const ratio = computePercentile(times.with, 0.5) / computePercentile(times.without, 0.5)
keepFigure({ what: 'list with owner rules, by without', value: ratio, unit: '×', most: MOST_RATIO })
console.table([
  formatTimes('list without owner rules', times.without, BUDGET_MS),
  formatTimes('list with 20 owner rules', times.with, BUDGET_MS),
  formatTimes('of one owner', times.owned, BUDGET_MS),
  formatTimes('of nobody', times.nobody, BUDGET_MS),
  formatTimes('counts of all owners', counts),
  formatTimes('owners of the day of all cases', [kept]),
  {
    what: 'median with rules, by that without',
    median: ratio.toFixed(3),
    p95: '',
    budget: `${MOST_RATIO}${ratio > MOST_RATIO ? ' EXCEEDED' : ''}`,
  },
])
