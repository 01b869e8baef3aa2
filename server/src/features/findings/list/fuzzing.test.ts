/** A workspace that has switched off the crashes that OSS-Fuzz found. */
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp, type TestWorkspace } from '../../../../test/app.ts'
import { givenVersion } from '../../../../test/given-findings.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { newId } from '../../../platform/ids.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

const SETTINGS = {
  name: 'Acme',
  defaultLogSeverity: 'Info',
  deviceAutoRegistration: false,
  remediationTargetDays: { Critical: 7, High: 30, Medium: 90, Low: 180 },
  metricRetentionDays: 90,
  logRetentionDays: 30,
}

interface Page {
  findings?: { id: string; cveId: string }[]
  vulnerabilities?: { cveId: string }[]
  totalCount: number
  switchedOffCount?: number
}

async function givenCrashes() {
  const workspace = await test.givenWorkspace()
  const product = `product-${newId()}`
  const ids = [`CVE-2024-${product}`, `OSV-2024-1${newId()}`, `OSV-2024-2${newId()}`]
  for (const id of ids) {
    const [one] = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
    const kind = id.startsWith('OSV-') ? ('fuzzing' as const) : undefined
    const statements = one.statements.map((statement) => ({ ...statement, ...(kind && { kind }) }))
    await givenAdvisory(test.ctx.db, { id, source: 'osv', affected: [{ ...one, statements }] })
  }
  const version = await givenVersion(test.ctx, workspace.workspaceId, [
    { packageName: 'a', cpes: [`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`] },
  ])
  return { workspace, version, ids: ids.toSorted() }
}

async function call(
  { workspaceId, apiKey }: TestWorkspace,
  method: 'PUT' | 'POST',
  path: string,
  payload: object,
): Promise<Page> {
  const response = await test.app.inject({
    method,
    url: `/workspaces/${workspaceId}${path}`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    payload,
  })
  expect(response.statusCode).toBe(200)
  return response.json()
}

it('has no list with them, unless a filter asks for them, and is told how many there are', async () => {
  const { workspace, version, ids } = await givenCrashes()
  const ofVersion = `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/list`
  const lists = [ofVersion, '/vulnerability-findings/list', '/vulnerabilities/list']
  const idsOf = ({ findings, vulnerabilities }: Page) =>
    (findings ?? vulnerabilities ?? []).map(({ cveId }) => cveId).toSorted()
  const read = async (filter: object = {}) =>
    Promise.all(lists.map(async (path) => idsOf(await call(workspace, 'POST', path, { filter }))))
  const all = await read()

  await call(workspace, 'PUT', '/settings', { ...SETTINGS, listFuzzingFindings: false })

  expect(all).toEqual([ids, ids, ids])
  expect(await read()).toEqual([ids.slice(0, 1), ids.slice(0, 1), ids.slice(0, 1)])
  expect(await read({ fuzzing: true })).toEqual([ids.slice(1), ids.slice(1), ids.slice(1)])
  expect(await read({ fuzzing: false })).toEqual([
    ids.slice(0, 1),
    ids.slice(0, 1),
    ids.slice(0, 1),
  ])
  const page = await call(workspace, 'POST', ofVersion, {})
  expect(page).toMatchObject({ totalCount: 1, switchedOffCount: 2 })
})

it('lists those that somebody assessed', async () => {
  const { workspace, version } = await givenCrashes()
  const list = `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/list`
  await call(workspace, 'PUT', '/settings', { ...SETTINGS, listFuzzingFindings: false })
  const { findings = [] } = await call(workspace, 'POST', list, { filter: { fuzzing: true } })
  const [crash] = findings
  if (!crash) throw new Error('no crash was found')

  await call(workspace, 'POST', `/vulnerability-findings/${crash.id}/assessments`, {
    assessment: 'Exploitable',
  })

  for (const path of [list, '/vulnerability-findings/list', '/vulnerabilities/list']) {
    const page = await call(workspace, 'POST', path, { filter: { confidences: ['Low'] } })
    const listed = page.findings ?? page.vulnerabilities ?? []
    expect(listed.map(({ cveId }) => cveId)).toEqual([crash.cveId])
  }
  expect(await call(workspace, 'POST', list, {})).toMatchObject({ switchedOffCount: 1 })
})
