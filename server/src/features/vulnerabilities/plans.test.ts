/**
 * The lists by vulnerability and by component read what the workspace keeps of these, whatever PostgreSQL knows of the tables:
 * nothing right after an upload, everything later.
 */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenFirmwareVersion } from '../../../test/given-inventory.ts'
import { givenManyFindings } from '../../../test/given-many-findings.ts'
import { rowsReadBy } from '../../../test/plans.ts'
import type { AppContext } from '../../platform/context.ts'
import {
  listVulnerabilities,
  listVulnerableComponents,
  type WorkspaceFindingFilter,
} from '../findings/index.ts'
import { COMPONENT_SORT_COLUMNS } from './components/schemas.ts'
import { VULNERABILITY_SORT_COLUMNS } from './schemas.ts'

const VULNERABILITIES = 3_000
/** Each is looked up in a few tables, each look-up is a few nodes of the plan. */
const BOUND = 25 * VULNERABILITIES

const FILTERS: Record<string, WorkspaceFindingFilter> = {
  severities: { severities: ['Critical', 'High'] },
  confidences: { confidences: ['High'] },
  active: { activeOnly: true },
  'open assessments': { assessments: ['NotAssessed', 'InTriage'] },
  'decided ones': { assessments: ['InTriage'] },
  ignored: { ignored: true },
  'not ignored': { ignored: false },
  recheck: { recheck: true },
  overdue: { overdue: true },
  detectedSince: { detectedSince: '2020-01-01T00:00:00Z' },
  name: { name: [{ contains: 'flaw 7' }] },
  component: { components: [{ packageName: 'kernel' }] },
  'on devices': { affectedDevicesOnly: true },
  'active, on devices': { affectedDevicesOnly: true, activeOnly: true },
}

let service: TestApp
let workspaceId: string
beforeAll(async () => {
  service = await startTestApp()
  workspaceId = (await service.givenWorkspace()).workspaceId
  const firmwareVersionId = await givenFirmwareVersion(service.ctx, workspaceId)
  const given = { ofKernel: VULNERABILITIES, packages: 100, foreign: 20_000 }
  await givenManyFindings(service.ctx.db, { workspaceId, firmwareVersionId, ...given })
  // As if all packages ran on devices.
  const kept = ['workspace_packages', 'workspace_matches', 'workspace_component_vulnerabilities']
  for (const table of kept)
    await sql`update ${sql.table(table)} set device_magnitude = 1`.execute(service.ctx.db)
})

/** The orders and filters by which the first page reads too many rows, with the number. */
async function listUnbounded(): Promise<[string, number][]> {
  const { ctx, pools } = service
  const config = { ...ctx.config, fewMatches: 0 }
  const unbounded: [string, number][] = []
  const check = async (what: string, list: (asking: AppContext) => Promise<unknown>) => {
    const rows = await rowsReadBy(pools.work, (db) => list({ ...ctx, db, config }))
    if (rows >= BOUND) unbounded.push([what, rows])
  }
  const asked = { workspaceId, limit: 100 }
  for (const sortColumn of VULNERABILITY_SORT_COLUMNS)
    await check(sortColumn, (asking) => listVulnerabilities(asking, { ...asked, sortColumn }))
  for (const sortColumn of COMPONENT_SORT_COLUMNS)
    await check(`components, ${sortColumn}`, (asking) =>
      listVulnerableComponents(asking, { ...asked, sortColumn }),
    )
  for (const [what, filter] of Object.entries(FILTERS)) {
    await check(what, (asking) => listVulnerabilities(asking, { ...asked, filter }))
    await check(`components, ${what}`, (asking) =>
      listVulnerableComponents(asking, { ...asked, filter }),
    )
  }
  return unbounded
}

it('is short before PostgreSQL knows anything of the tables, and once it has analysed them', async () => {
  expect(await listUnbounded()).toEqual([])

  await sql`analyze`.execute(service.ctx.db)

  expect(await listUnbounded()).toEqual([])
})
