import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { sharedTestApp, type TestApp, type TestWorkspace } from '../../../test/app.ts'
import { buildApi } from '../../api.ts'
import { readConfig } from '../../config/config.ts'

let test: TestApp
let workspace: TestWorkspace

beforeAll(async () => {
  test = await sharedTestApp()
  workspace = await test.givenWorkspace()
})

const SETTINGS = {
  name: 'Acme gateways',
  defaultLogSeverity: 'Warning',
  deviceAutoRegistration: true,
  remediationTargetDays: { Critical: 3, High: 14, Medium: 60, Low: 120 },
  metricRetentionDays: 30,
  logRetentionDays: 7,
}

function call(method: 'GET' | 'PUT' | 'DELETE', path: string, payload?: object | string) {
  return test.app.inject({
    method,
    url: `/workspaces/${workspace.workspaceId}${path}`,
    headers: {
      authorization: `Bearer ${workspace.apiKey}`,
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(payload === undefined ? {} : { payload }),
  })
}

it('replaces the settings and answers them', async () => {
  const response = await call('PUT', '/settings', SETTINGS)
  const read = await call('GET', '/settings')

  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({
    id: workspace.workspaceId,
    ...SETTINGS,
    metricHourRetentionDays: 400,
    carryOverAssessments: true,
    releaseGate: 'Warn',
    listFuzzingFindings: true,
    deviceVersionAttribute: null,
    devicePollingSeconds: 300,
    replacedSbomDays: 30,
    requireSecondFactor: false,
    decidingVexAuthors: [],
    disputedFindings: 'Normal',
    acceptanceRequirements: [],
    gateImages: [],
    gateNewCrashes: false,
    deviceKeyRotationDays: null,
    acceptanceNoticeDays: 7,
    acceptanceWebhookId: null,
    gateForbidsExploitedAcceptances: false,
    gateSupport: 'NotAsked',
    updatedAt: expect.stringMatching(/Z$/) as string,
  })
  expect(read.json()).toEqual(response.json())
})

it('keeps whether assessments are carried over where that is left out', async () => {
  await call('PUT', '/settings', { ...SETTINGS, carryOverAssessments: false })

  const response = await call('PUT', '/settings', SETTINGS)

  expect(response.json()).toMatchObject({ carryOverAssessments: false })
  await call('PUT', '/settings', { ...SETTINGS, carryOverAssessments: true })
})

it('writes the change into the audit log with who, before and after', async () => {
  await call('PUT', '/settings', { ...SETTINGS, name: 'Renamed' })

  const response = await call('GET', '/audit-log?action=workspace.update&limit=1')

  expect(response.json()).toMatchObject({
    entries: [
      {
        actorType: 'ApiKey',
        actorEmail: expect.stringContaining('@example.com') as string,
        before: { name: 'Acme gateways' },
        after: { name: 'Renamed' },
        requestId: expect.any(String) as string,
      },
    ],
  })
})

it.each`
  body                                                       | pointer
  ${{ ...SETTINGS, colour: 'red' }}                          | ${'/colour'}
  ${{ ...SETTINGS, defaultLogSeverity: 'Loud' }}             | ${'/defaultLogSeverity'}
  ${{ ...SETTINGS, metricRetentionDays: '30' }}              | ${'/metricRetentionDays'}
  ${{ ...SETTINGS, metricRetentionDays: 0 }}                 | ${'/metricRetentionDays'}
  ${{ ...SETTINGS, name: ' ' }}                              | ${'/name'}
  ${{ ...SETTINGS, remediationTargetDays: { Critical: 1 } }} | ${'/remediationTargetDays'}
  ${{}}                                                      | ${''}
  ${'null'}                                                  | ${''}
  ${'[]'}                                                    | ${''}
`(
  'refuses the settings $body, naming $pointer',
  async ({ body, pointer }: { body: object; pointer: string }) => {
    const response = await call('PUT', '/settings', body)

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ type: '/problems/invalid-request' })
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    expect(errors.map((error) => error.pointer)).toContain(pointer)
  },
)

it('refuses a body that is not JSON', async () => {
  const response = await call('PUT', '/settings', '{"name":')

  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ type: '/problems/malformed-json' })
})

it('lists the members', async () => {
  const response = await call('GET', '/members')

  expect(response.json()).toEqual([
    {
      subjectId: expect.any(String) as string,
      email: expect.stringMatching(/^owner-/) as string,
      displayName: expect.any(String) as string,
      role: 'Owner',
      joinedAt: expect.any(String) as string,
    },
  ])
})

it('refuses to remove the last owner', async () => {
  const [owner] = (await call('GET', '/members')).json<{ subjectId: string }[]>()

  const response = await call('DELETE', `/members/${owner?.subjectId ?? ''}`)

  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ type: '/problems/last-owner' })
})

it.each`
  subjectId              | status
  ${crypto.randomUUID()} | ${404}
  ${'not-a-uuid'}        | ${400}
`(
  'answers $status when removing $subjectId',
  async ({ subjectId, status }: { subjectId: string; status: number }) => {
    const response = await call('DELETE', `/members/${subjectId}`)

    expect(response.statusCode).toBe(status)
  },
)

it('leaves one owner when two are removed at once', async () => {
  const own = await test.givenWorkspace()
  const personId = crypto.randomUUID()
  const joinedAt = new Date()
  const person = {
    id: personId,
    email: `${personId}@example.com`,
    displayName: 'Second',
    createdAt: joinedAt,
  }
  await test.ctx.db.insertInto('people').values(person).execute()
  await test.ctx.db
    .insertInto('members')
    .values({ workspaceId: own.workspaceId, subjectId: personId, role: 'Owner', joinedAt })
    .execute()
  const headers = { authorization: `Bearer ${own.apiKey}` }
  const url = `/workspaces/${own.workspaceId}/members`
  const members = (await test.app.inject({ url, headers })).json<{ subjectId: string }[]>()

  const responses = await Promise.all(
    members.map(({ subjectId }) =>
      test.app.inject({ method: 'DELETE', url: `${url}/${subjectId}`, headers }),
    ),
  )

  // The second one is the last owner (400), or was removed before it could ask (403).
  const [removed, refused] = responses.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
  expect(removed).toBe(204)
  expect([400, 403]).toContain(refused)
  const left = await test.ctx.db
    .selectFrom('members')
    .select('role')
    .where('workspaceId', '=', own.workspaceId)
    .execute()
  expect(left).toEqual([{ role: 'Owner' }])
})

it('warns keys that may change settings, and no others, of keys in the clear', async () => {
  const publicUrl = 'http://plimsoll.example.com'
  const { warnings } = readConfig({ PLIMSOLL_PUBLIC_URL: publicUrl, PLIMSOLL_TYPO: 'x' })
  const ctx = { ...test.ctx, config: { ...test.ctx.config, warnings } }
  const app = await buildApi(ctx, { roles: ['api'], doors: test.doors, showsDocs: false })
  onTestFinished(() => app.close())
  const reader = await test.givenKey(workspace.workspaceId, ['SBOMs: read'])
  const whoami = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await app.inject({ url: '/whoami', headers })
    return answer.json<{ warnings: { code: string }[] }>().warnings.map(({ code }) => code)
  }

  expect(await whoami(workspace.apiKey)).toEqual(['keys-in-clear'])
  expect(await whoami(reader)).toEqual([])
})
