/**
 * Times reading one finding by 16 clients through the real service, and the same statements by `pool.query` without it
 * (docs/design/budgets.md): `node bench/one-finding.ts FOLDER`, the folder of `bench/portfolio.ts`.
 */
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { CompiledQuery } from 'kysely'
import { createDb } from '../server/src/platform/db/connect.ts'
import { readFinding } from '../server/src/features/findings/detail/service.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { keepFigure } from './figures.ts'
import { declarePortfolio } from './portfolio-folder.ts'
import { createTimedRequest } from './timed-requests.ts'

const CLIENTS = 16
const VERSIONS = 40
const FINDINGS_OF_VERSION = 10
const WARM_UP_SECONDS = 3
const SECONDS = 15
/** Of the rate of the statements alone. */
const LEAST = 0.6

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

const { portfolio } = readBenchArguments({ portfolio: declarePortfolio() })
const { folder, workspaceId, apiKey, versions } = portfolio

/** Times a second that `once` ends, called by all clients one after another, with a number that grows. */
async function rateOf(once: (index: number) => Promise<void>): Promise<number> {
  let index = 0
  const run = async (seconds: number) => {
    const startedAt = performance.now()
    let done = 0
    const client = async () => {
      while (performance.now() - startedAt < seconds * 1_000) {
        await once(index++)
        done++
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    return (done * 1_000) / (performance.now() - startedAt)
  }
  await run(WARM_UP_SECONDS)
  return run(SECONDS)
}

async function measureService(): Promise<{ rate: number; findingIds: string[] }> {
  const { url, child } = await startServiceProcess({
    dataDir: join(folder, 'data'),
    port: await freePort(),
    managementPort: await freePort(),
  })
  try {
    const timed = createTimedRequest({ url, workspaceId, apiKey })
    const findingIds: string[] = []
    for (let at = 0; at < VERSIONS; at++) {
      const version = versions[(at * 7_919) % versions.length] ?? ''
      const path = `/firmware-versions/${version}/vulnerability-findings/list`
      const [, list] = await timed('POST', path, { limit: FINDINGS_OF_VERSION })
      const { findings } = JSON.parse(list) as { findings: { id: string }[] }
      for (const each of findings.map(({ id }) => id)) findingIds.push(each)
    }
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
    const headers = { authorization: `Bearer ${apiKey}` }
    const rate = await rateOf(async (index) => {
      const path = `/workspaces/${workspaceId}/vulnerability-findings/${turn(findingIds, index)}`
      const body = await new Promise<string>((resolve, reject) =>
        get(`${url}${path}`, { agent, headers }, (response) => {
          const isFine = response.statusCode === 200
          text(response).then(isFine ? resolve : (problem) => reject(new Error(problem)), reject)
        }).on('error', reject),
      )
      JSON.parse(body)
    })
    agent.destroy()
    return { rate, findingIds }
  } finally {
    await endProcess(child, 'SIGTERM')
  }
}

function turn<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length]
  if (item === undefined) throw new Error('the portfolio has no findings')
  return item
}

/** Reads the findings once, noting each statement, and then sends the same statements again. */
async function measureStatements(findingIds: readonly string[]) {
  const { ctx, close } = await openBenchContext(folder)
  try {
    let noted: Statement[] = []
    const db = createDb(ctx.pool, ({ query }) => noted.push(query))
    const findings: Statement[][] = []
    for (const findingId of findingIds) {
      noted = []
      await readFinding(ctx, db, { workspaceId, findingId })
      findings.push(noted)
    }
    const rate = await rateOf(async (index) => {
      for (const { sql, parameters } of turn(findings, index))
        await ctx.pool.query(sql, [...parameters])
    })
    return { rate, statements: findings.flat().length / findings.length }
  } finally {
    await close()
  }
}

const { rate, findingIds } = await measureService()
const { rate: alone, statements } = await measureStatements(findingIds)
const share = rate / alone
console.log(
  `${findingIds.length} findings, ${CLIENTS} clients: ${rate.toFixed(0)} a second through the service, ` +
    `${alone.toFixed(0)} by their ${statements.toFixed(1)} statements alone: ${(share * 100).toFixed(0)} % ` +
    `(at least ${LEAST * 100} %)`,
)
keepFigure({ what: 'findings read by 16 clients', value: rate, unit: 'requests/s' })
keepFigure({ what: 'of the rate of the statements alone', value: share, unit: '', least: LEAST })
if (share < LEAST) process.exitCode = 1
