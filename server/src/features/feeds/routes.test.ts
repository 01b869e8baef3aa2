/** What the API, health and metrics show about sources. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenFolder, kevCatalogue, osvRecord } from '../../../test/given-feeds.ts'
import { buildManagement } from '../../platform/management.ts'
import { importFeeds } from '../advisories/index.ts'
import { reportSourceHealth } from './health.ts'

let test: TestApp
const at = new Date('2026-08-20T00:00:00Z')

beforeAll(async () => {
  test = await startTestApp()
  const { ctx } = test
  const skipped = { ...osvRecord({ id: 'GHSA-2' }), affected: 'everything' }
  const files = {
    'kev.json': kevCatalogue(['CVE-2026-0001'], '2026-08-19T00:00:00.000Z'),
    'osv.jsonl': [osvRecord({ id: 'GHSA-1' }), skipped],
  }
  await importFeeds({ ...ctx, now: () => at }, { path: givenFolder(files) })
})

interface Source {
  source: string
  isStale: boolean
}

async function listSources(key: string, workspaceId: string) {
  return test.app.inject({
    url: `/workspaces/${workspaceId}/vulnerability-sources`,
    headers: { authorization: `Bearer ${key}` },
  })
}

it('lists every source with its age, also one that never came', async () => {
  const { workspaceId, apiKey } = await test.givenWorkspace()

  const response = await listSources(apiKey, workspaceId)

  expect(response.statusCode).toBe(200)
  const { sources } = response.json<{ sources: Source[] }>()
  expect(sources.map(({ source }) => source)).toEqual([
    'csaf',
    'cvelist',
    'endoflife',
    'epss',
    'euvd',
    'kev',
    'nvd',
    'osv',
  ])
  // Nobody asked for it.
  expect(sources[0]).toMatchObject({ lastSuccessAt: null, isStale: false })
  expect(sources[1]).toEqual({
    source: 'cvelist',
    lastAttemptAt: null,
    lastSuccessAt: null,
    lastError: null,
    snapshotAt: null,
    recordCount: 0,
    skippedCount: 0,
    skippedReasons: [],
    notice: null,
    ageSeconds: null,
    isStale: true,
    state: 'NeverRead',
    nextSyncAt: null,
    phase: 'Idle',
    progress: null,
    parts: [],
    requestedAt: null,
    lastRun: null,
  })
  expect(sources.find(({ source }) => source === 'osv')).toMatchObject({
    lastSuccessAt: at.toISOString(),
    isStale: true,
    recordCount: 1,
    skippedCount: 1,
    skippedReasons: [{ reason: '/affected is not an array', count: 1 }],
  })
})

it('needs the scope of findings', async () => {
  const { workspaceId } = await test.givenWorkspace()
  const key = await test.givenKey(workspaceId, ['SBOMs: read'])

  expect((await listSources(key, workspaceId)).statusCode).toBe(403)
})

it('shows stale sources in health and metrics, and stays ready', async () => {
  const ctx = { ...test.ctx, now: () => new Date(at.getTime() + 3_600_000) }
  const watched = { pools: test.pools, queue: test.queue }
  const app = buildManagement(watched, { started: true, stopping: false }, [
    reportSourceHealth(ctx),
  ])

  const ready = await app.inject({ url: '/health/ready' })
  const metrics = await app.inject({ url: '/metrics' })

  expect(ready.statusCode).toBe(200)
  expect(ready.json()).toMatchObject({
    status: 'ok',
    vulnerabilitySources: {
      kev: { status: 'current', isFailing: false, ageSeconds: 3_600 },
      osv: { status: 'current', ageSeconds: 3_600 },
      nvd: { status: 'never read', ageSeconds: null },
      csaf: { status: 'off', ageSeconds: null },
    },
  })
  expect(metrics.body).toContain('plimsoll_vulnerability_source_age_seconds{source="kev"} 3600')
  expect(metrics.body).not.toContain('plimsoll_vulnerability_source_age_seconds{source="nvd"}')
  expect(metrics.body).toContain('plimsoll_vulnerability_source_stale{source="nvd"} 1')
  expect(metrics.body).toContain('plimsoll_vulnerability_source_skipped_records{source="osv"} 1')
})
