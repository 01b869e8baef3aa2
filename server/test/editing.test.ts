/** What a GET answers a PUT takes; entity tags and merge patches, on every resource that has them. */
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from './app.ts'
import { givenProduct, givenVersion } from './given-findings.ts'
import { givenArtifactVersions, givenCohort } from './given-fleet.ts'
import { type Client, givenClient } from './given.ts'
import { givenAuthority } from './given-certificates.ts'
import { createDeviceIssuer } from '../src/features/device-issuers/service.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

const unique = () => crypto.randomUUID().slice(0, 13)

async function created(path: string, body: object): Promise<string> {
  const response = await client.post(path, body)
  expect(response.statusCode).toBe(201)
  return `${path}/${response.json<{ id: string }>().id}`
}

const target = () =>
  created('/notification-targets', {
    name: `On call ${unique()}`,
    type: 'Email',
    state: 'Enabled',
    emailAddresses: ['oncall@example.com'],
    quietHours: { timeZone: 'Europe/Berlin', from: '22:00', to: '06:00' },
  })

async function rule() {
  const path = await target()
  return created('/alert-rules', {
    name: `Silent ${unique()}`,
    type: 'DeviceOffline',
    evaluationFrequency: '1m',
    condition: { offlineFor: '1h' },
    targets: [{ id: path.split('/').at(-1) }],
    repeatInterval: '4h',
  })
}

async function upstreamReport() {
  const { cpes } = await givenProduct(test.ctx, ['High'])
  const component = { packageName: 'busybox', version: '1.36', cpes }
  const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [component])
  const list = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const [finding] = (await client.post(list, {})).json<{ findings: { id: string }[] }>().findings
  const said = { reportedAt: '2026-01-02T03:04:05.000Z', recipient: 'Upstream', text: 'A flaw' }
  const path = `/vulnerability-findings/${finding?.id}/upstream-reports`
  const made = await client.post(path, said)
  return `/upstream-reports/${made.json<{ id: string }>().id}`
}

async function deviceIssuer() {
  const { workspaceId } = client
  const authority = givenAuthority()
  const { id } = await createDeviceIssuer(test.ctx, {
    workspaceId,
    name: `Factory ${unique()}`,
    certificate: authority.pem,
    proof: authority.issue(`plimsoll-issuer-${workspaceId}`).pem,
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  return `/device-issuers/${id}`
}

const device = () => created('/devices', { id: `gw-${unique()}`, tags: ['beta'] })

/** By operation: makes a resource, and answers its path. */
const REPLACED: Record<string, () => Promise<string>> = {
  updateWorkspaceSettings: () => Promise.resolve('/settings'),
  updateFirmware: () => created('/firmwares', { slug: `fw-${unique()}`, description: 'Main' }),
  updateAlertRule: rule,
  updateNotificationTarget: target,
  updateWebhook: () =>
    created('/webhooks', { name: `Chat ${unique()}`, url: 'https://8.8.8.8/hook' }),
  replaceFirmwareLicenceRules: async () =>
    `${await created('/firmwares', { slug: `fw-${unique()}` })}/licence-rules`,
  replaceOwnerRules: () => Promise.resolve('/owner-rules'),
  replaceLicenceRules: () => Promise.resolve('/licence-rules'),
  replaceFirmwareLines: async () => {
    const path = `${await created('/firmwares', { slug: `fw-${unique()}` })}/lines`
    await client.put(path, { lines: [{ name: '2.x', patterns: ['^2'] }] })
    return path
  },
  updateProductLine: () =>
    created('/product-lines', { name: `Line ${unique()}`, manufacturer: 'Acme', timeZone: 'UTC' }),
  updateCustomer: () => created('/customers', { name: `Customer ${unique()}` }),
  updateAdvisoryPublisher: () => Promise.resolve('/advisory-publisher'),
  updateUpstreamReport: upstreamReport,
  updateTrustedKey: () =>
    created('/trusted-keys', { name: `Key ${unique()}`, key: randomBytes(32).toString('hex') }),
  updateObligationNote: () => Promise.resolve('/obligations/sboms/note'),
  updateDisclosurePolicy: () => Promise.resolve('/disclosure-policy'),
  updateCohortContacts: async () => `/deployment-cohorts/${await givenCohort(client)}/contacts`,
  updateSecurityAdvisory: () => created('/security-advisories', { title: `Flaw ${unique()}` }),
  updateSupplierFeed: () =>
    created('/supplier-feeds', { name: `Chips ${unique()}`, url: `https://8.8.8.8/${unique()}` }),
  updateSsvcSettings: () => Promise.resolve('/ssvc'),
  updatePackageOverride: () =>
    created('/package-overrides', { selector: { name: unique() }, purls: ['pkg:generic/a@1'] }),
  updateSupportStatement: () =>
    created('/support-statements', { name: unique(), endsOn: '2030-01-01', note: 'Contract' }),
  setDesiredDeviceConfiguration: async () => {
    const path = `${await device()}/configuration/desired`
    await client.put(path, { logSeverity: 'Debug' })
    return path
  },
}

/** Keys change none of these: they are tested with people who are signed in (invitations, saved-views). */
const OF_PEOPLE = ['changeRole', 'changeSavedView']

/** Nothing to send back is read at the same path: bytes, a text, a page of devices, a member of a finding, a password, an assignee, a watch, a note. */
const OTHERS = [
  'assignAlertIncident',
  'assignVulnerability',
  'noteAlertIncident',
  'watchVulnerability',
  'changeVulnerabilityComment',
  'uploadFirmwareArtifact',
  'uploadFirmwareRoleArtifact',
  'replaceComponentSourceFiles',
  'setDeploymentCohortDevices',
  'ignoreVulnerabilityFinding',
  'changeMyNotifications',
  'changePassword',
  'putCrashLines',
]

/** Those that only a PATCH changes. */
const CHANGED: Record<string, () => Promise<string>> = {
  changeDeploymentCohort: async () => `/deployment-cohorts/${await givenCohort(client)}`,
  changeDeployment: async () => {
    const { workspaceId } = client
    const of = { workspaceId, slug: `fw-${unique()}`, names: ['1.0'] }
    const { '1.0': firmwareVersionId } = await givenArtifactVersions(test.ctx, of)
    const path = `/deployment-cohorts/${await givenCohort(client)}/deployments`
    return created(path, { name: 'to 1.0', artifacts: [{ firmwareVersionId }] })
  },
  changeDevice: device,
  changeDeviceIssuer: deviceIssuer,
  changeFirmwareVersion: async () => {
    const firmware = await created('/firmwares', { slug: `fw-${unique()}` })
    const version = await client.post(`${firmware}/versions`, { name: '1.0' })
    return `/firmware-versions/${version.json<{ id: string }>().id}`
  },
}

/** Members that its GET answers and nobody writes. */
function readOnlyOf(path: string, hasTime = false): object {
  if (path.endsWith('/owner-rules')) return {}
  if (path.endsWith('/contacts')) return { unwanted: 1 }
  if (/\/(advisory-publisher|disclosure-policy)$/.test(path)) return { pageUrl: 1 }
  if (path.endsWith('/lines')) return { withoutLine: 1 }
  if (path.endsWith('/licence-rules'))
    return path.startsWith('/firmwares') ? { workspaceRules: 1 } : {}
  return { id: 1, ...(hasTime && { updatedAt: null }) }
}

function operationsOf(method: 'put' | 'patch'): string[] {
  const { paths } = JSON.parse(JSON.stringify(test.app.swagger())) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  return Object.values(paths).flatMap((methods) => methods[method]?.operationId ?? [])
}

async function read(path: string) {
  const response = await client.get(path)
  const { updatedAt: _updatedAt, ...resource } = response.json<Record<string, unknown>>()
  return { resource, tag: String(response.headers.etag) }
}

function send(method: 'PUT' | 'PATCH', path: string, payload: object, headers = {}) {
  return test.app.inject({
    method,
    url: `/workspaces/${client.workspaceId}${path}`,
    headers: {
      authorization: `Bearer ${client.apiKey}`,
      'content-type': 'application/json',
      ...headers,
    },
    payload,
  })
}

it('knows every PUT', () => {
  const known = [...Object.keys(REPLACED), ...OF_PEOPLE, ...OTHERS]
  expect(operationsOf('put').toSorted()).toEqual(known.toSorted())
})

describe.each(Object.entries(REPLACED))('%s', (_operation, given) => {
  it('takes what a GET answers, and changes nothing by it', async () => {
    const path = await given()
    const answer = await client.get(path)
    const before = await read(path)

    const put = await client.put(path, answer.json<object>())

    expect([put.statusCode, put.body]).toEqual([put.body === '' ? 204 : 200, put.body])
    expect(await read(path)).toEqual(before)
  })

  it('ignores read-only members whatever they are, and refuses unknown ones', async () => {
    const path = await given()
    const before = await read(path)
    const readOnly = path.endsWith('/desired') ? { version: 'x' } : readOnlyOf(path, true)

    const ignored = await client.put(path, { ...before.resource, ...readOnly })
    const unknown = await client.put(path, { ...before.resource, colour: 'red' })

    expect(ignored.statusCode).toBeLessThan(300)
    expect(unknown.statusCode).toBe(400)
    expect(unknown.json()).toMatchObject({ errors: [{ pointer: '/colour' }] })
    expect(await read(path)).toEqual(before)
  })
})

describe.each(Object.entries({ ...REPLACED, ...CHANGED }))(
  '%s with If-Match',
  (operation, given) => {
    const method = operation in REPLACED ? 'PUT' : 'PATCH'

    it('refuses what was made for another state, and writes nothing', async () => {
      const path = await given()
      const before = await read(path)
      const body = method === 'PUT' ? before.resource : {}

      const refused = await send(method, path, body, { 'if-match': '"another"' })
      const accepted = await send(method, path, body, { 'if-match': `"another", W/${before.tag}` })
      const any = await send(method, path, body, { 'if-match': '*' })

      expect(refused.statusCode).toBe(412)
      expect(refused.json()).toMatchObject({ type: '/problems/changed-meanwhile' })
      expect([accepted.statusCode, any.statusCode].filter((status) => status >= 300)).toEqual([])
      expect(await read(path)).toEqual(before)
    })
  },
)

describe('an entity tag', () => {
  it('changes with what can be written, and not with the rest', async () => {
    const path = await rule()
    const { tag, resource } = await read(path)

    const same = await client.put(path, resource)
    const renamed = await client.put(path, { ...resource, name: 'Renamed' })

    expect(same.headers.etag).toBe(tag)
    expect(renamed.headers.etag).not.toBe(tag)
    expect((await read(path)).tag).toBe(renamed.headers.etag)
  })

  it('lets one of two that read the same state write', async () => {
    const path = await target()
    const { tag, resource } = await read(path)

    const answers = await Promise.all(
      ['a', 'b'].map((name) => send('PUT', path, { ...resource, name }, { 'if-match': tag })),
    )

    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 412]))
  })
})

const PATCHED = Object.entries({ ...REPLACED, ...CHANGED }).filter(
  ([name]) => name !== 'setDesiredDeviceConfiguration',
)
const RENAMED: Record<string, string> = {
  updateCohortContacts: 'contacts',
  updatePackageOverride: 'reason',
  changeDevice: 'description',
  changeDeviceIssuer: 'name',
  replaceFirmwareLicenceRules: 'ownRules',
  replaceFirmwareLines: 'lines',
  replaceLicenceRules: 'rules',
  replaceOwnerRules: 'rules',
  updateAdvisoryPublisher: 'contact',
  updateDisclosurePolicy: 'policy',
  updateUpstreamReport: 'recipient',
  updateObligationNote: 'responsible',
  updateSecurityAdvisory: 'title',
  updateSsvcSettings: 'manyDevices',
}
/** Where not any text will do. */
const LICENCE_RULES = { allow: ['MIT'], deny: [], review: [], failOn: ['unknown'] }
const RENAMED_TO: Record<string, unknown> = {
  updateCohortContacts: ['ann@example.com'],
  updateSsvcSettings: 5,
  replaceFirmwareLicenceRules: LICENCE_RULES,
  replaceFirmwareLines: [],
  replaceLicenceRules: LICENCE_RULES,
  replaceOwnerRules: [],
}

describe.each(PATCHED)('a merge patch of %s', (operation, given) => {
  it('changes the members it names, and leaves the others', async () => {
    const path = await given()
    const { resource } = await read(path)
    const member = RENAMED[operation] ?? 'name'
    const value = RENAMED_TO[operation] ?? 'Renamed'

    const type = { 'content-type': 'application/merge-patch+json' }
    const answer = await send('PATCH', path, { [member]: value }, type)
    const empty = await send('PATCH', path, {})

    expect(answer.statusCode).toBe(200)
    expect((await read(path)).resource).toEqual({ ...resource, [member]: value })
    expect(empty.headers.etag).toBe(answer.headers.etag)
  })

  it('ignores read-only members, and refuses unknown ones', async () => {
    const path = await given()
    const before = await read(path)

    const back = await send('PATCH', path, (await client.get(path)).json<object>())
    const readOnly = await send('PATCH', path, readOnlyOf(path))
    const unknown = await send('PATCH', path, { colour: 'red' })

    const statuses = [back, readOnly, unknown].map(({ statusCode }) => statusCode)
    expect(statuses).toEqual([200, 200, 400])
    expect(await read(path)).toEqual(before)
  })
})

describe('a merge patch', () => {
  it('merges the attributes of a device, deletes by null, and replaces tags', async () => {
    const path = await device()
    await send('PATCH', path, { attributes: { board: 'rev-c', site: 7 } })

    const answer = await send('PATCH', path, {
      tags: ['stable'],
      attributes: { board: null, line: 'A' },
    })

    expect(answer.json()).toMatchObject({ tags: ['stable'], attributes: { site: 7, line: 'A' } })
    expect((await read(path)).resource).toMatchObject({
      tags: ['stable'],
      attributes: { site: 7, line: 'A' },
    })
    expect((await send('PATCH', path, { tags: null })).statusCode).toBe(400)
  })

  it('moves devices where it changes the tag rule of a cohort, and only there', async () => {
    const tag = unique()
    const deviceId = `gw-${unique()}`
    await created('/devices', { id: deviceId, tags: [tag] })
    const path = await created('/deployment-cohorts', { name: tag, tagRule: { any: ['none'] } })
    const cohortOf = async () =>
      (await client.get(`/devices/${deviceId}`)).json<{ cohort: { name: string } | null }>().cohort

    await send('PATCH', path, { name: `${tag} west` })
    const renamed = await cohortOf()
    await send('PATCH', path, { tagRule: { any: null, all: [tag] } })
    const joined = await cohortOf()
    await send('PATCH', path, { tagRule: null })

    expect([renamed, joined?.name, await cohortOf()]).toEqual([null, `${tag} west`, null])
  })

  it('merges objects, replaces lists, and clears by null', async () => {
    const path = await target()
    const patch = { quietHours: { to: '07:00' }, emailAddresses: ['b@example.com'] }

    await send('PATCH', path, patch)
    const merged = await read(path)
    await send('PATCH', path, { quietHours: null })

    expect(merged.resource).toMatchObject({
      quietHours: { timeZone: 'Europe/Berlin', from: '22:00', to: '07:00' },
      emailAddresses: ['b@example.com'],
    })
    expect((await read(path)).resource).toMatchObject({ quietHours: null })
  })

  it.each`
    patch                                        | pointer
    ${{ name: null }}                            | ${'/name'}
    ${{ carryOverAssessments: null }}            | ${'/carryOverAssessments'}
    ${{ remediationTargetDays: { High: null } }} | ${'/remediationTargetDays'}
    ${{ remediationTargetDays: { High: 0 } }}    | ${'/remediationTargetDays/High'}
    ${{ colour: 'red' }}                         | ${'/colour'}
    ${{ name: 'half \ud800' }}                   | ${'/name'}
    ${[]}                                        | ${''}
  `(
    'is refused where its result is not valid: $patch',
    async ({ patch, pointer }: RefusedPatch) => {
      const before = await read('/settings')

      const answer = await send('PATCH', '/settings', patch)

      expect(answer.statusCode).toBe(400)
      expect(answer.json()).toMatchObject({ errors: [{ pointer }] })
      expect(await read('/settings')).toEqual(before)
    },
  )

  it('does not undo that of another at the same time', async () => {
    const patches = [
      { metricRetentionDays: 11 },
      { logRetentionDays: 12 },
      { devicePollingSeconds: 13 },
      { remediationTargetDays: { Low: 14 } },
    ]

    const answers = await Promise.all(patches.map((patch) => send('PATCH', '/settings', patch)))

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    expect((await read('/settings')).resource).toMatchObject({
      metricRetentionDays: 11,
      logRetentionDays: 12,
      devicePollingSeconds: 13,
      remediationTargetDays: { Low: 14 },
    })
  })

  it('is refused where If-Match names another state', async () => {
    const answer = await send('PATCH', '/settings', { name: 'x' }, { 'if-match': '"another"' })

    expect(answer.statusCode).toBe(412)
  })
})

interface RefusedPatch {
  patch: object
  pointer: string
}

it('takes the desired log severity at either place, but not two that differ', async () => {
  const path = `${await device()}/configuration/desired`

  const inside = await client.put(path, { configuration: { logSeverity: 'Error' } })
  const after = await read(path)
  const both = await client.put(path, {
    logSeverity: 'Debug',
    configuration: { logSeverity: 'Error' },
  })

  expect([inside.statusCode, both.statusCode]).toEqual([204, 400])
  expect(after.resource).toMatchObject({ configuration: { logSeverity: 'Error' } })
})
