/**
 * Times pages of 1,000 of a version with 25,000 findings among 400,000 matches, through the real service: before
 * PostgreSQL has analysed its tables, as right after an upload, and afterwards (docs/design/budgets.md):
 * `node bench/fresh-version.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { SORT_COLUMNS } from '../server/src/features/findings/schemas.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import { givenFirmwareVersion } from '../server/test/given-inventory.ts'
import { givenManyFindings } from '../server/test/given-many-findings.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { openBenchContext } from './bench-context.ts'
import { createTimedRequest, formatTimes } from './timed-requests.ts'

const FINDINGS = 25_000
const PACKAGES = 1_000
const FOREIGN = 400_000
const BUDGET_MS = 150

const FILTERS: Record<string, object> = {
  'not assessed': { assessments: ['NotAssessed'] },
  'not ignored': { ignored: false },
  'known exploits': { knownCisaExploit: true },
  'a name': { name: [{ contains: 'flaw 1' }] },
  'a component': { components: [{ packageName: 'kernel' }] },
  'since 2020': { detectedSince: '2020-01-01T00:00:00Z' },
}

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-bench-fresh-'))
const table: ReturnType<typeof formatTimes>[] = []

async function prepare() {
  const { ctx, close } = await openBenchContext(folder)
  const workspace = await bootstrapWorkspace(ctx, {
    name: 'Bench',
    ownerEmail: 'bench@example.com',
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  const { workspaceId } = workspace
  const firmwareVersionId = await givenFirmwareVersion(ctx, workspaceId)
  const many = { ofKernel: FINDINGS - PACKAGES + 1, packages: PACKAGES, foreign: FOREIGN }
  await givenManyFindings(ctx.db, { workspaceId, firmwareVersionId, ...many })
  await close()
  return { ...workspace, firmwareVersionId }
}

async function analyze(): Promise<void> {
  const { ctx, close } = await openBenchContext(folder)
  await sql`analyze`.execute(ctx.db)
  await close()
}

async function measure(state: string, given: Awaited<ReturnType<typeof prepare>>): Promise<void> {
  const service = await startServiceProcess({
    dataDir: join(folder, 'data'),
    port: await freePort(),
    managementPort: await freePort(),
  })
  const timed = createTimedRequest({ url: service.url, ...given })
  const path = `/firmware-versions/${given.firmwareVersionId}/vulnerability-findings/list`
  const pages = async (body: object) => {
    const times: number[] = []
    for (
      let cursor: string | undefined, isFirst = true;
      isFirst || cursor !== undefined;
      isFirst = false
    ) {
      const [time, text] = await timed('POST', path, {
        limit: 1_000,
        ...body,
        ...(cursor !== undefined && { cursor }),
      })
      times.push(time)
      cursor = (JSON.parse(text) as { nextCursor?: string }).nextCursor
    }
    return times
  }
  try {
    await pages({})
    for (const sortColumn of SORT_COLUMNS)
      table.push(formatTimes(`${state}, by ${sortColumn}`, await pages({ sortColumn }), BUDGET_MS))
    for (const [name, filter] of Object.entries(FILTERS))
      table.push(formatTimes(`${state}, ${name}`, await pages({ filter }), BUDGET_MS))
  } finally {
    await endProcess(service.child, 'SIGTERM')
  }
}

try {
  const given = await prepare()
  await measure('not analysed', given)
  await analyze()
  await measure('analysed', given)
} finally {
  console.table(table)
  rmSync(folder, { recursive: true, force: true })
}
