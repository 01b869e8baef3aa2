/** Cases through the API: what is proposed, what people state, and who may. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { type Browser, givenMember } from '../../../test/given-people.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { encodeFindingId } from '../../formats/finding-id.ts'
import { proposeCases } from './proposals-service.ts'

let test: TestApp
let client: Client
let people: Record<'engineer' | 'other' | 'admin' | 'viewer', Browser>
let now = new Date('2026-11-03T10:00:00Z')

beforeAll(async () => {
  test = await startTestApp()
  Object.assign(test.ctx, { now: () => now })
  client = await givenClient(test)
  const member = async (role: 'Engineer' | 'Admin' | 'Viewer') =>
    (await givenMember(test, client.workspaceId, role)).browser
  people = {
    engineer: await member('Engineer'),
    other: await member('Engineer'),
    admin: await member('Admin'),
    viewer: await member('Viewer'),
  }
})

interface Shown {
  id: string
  state: string
  title: string
  productLines: { name: string }[]
  clocks: { stage: string; dueAt: string | null; state: string; doneAt: string | null }[]
  versions: { firmwareVersionId: string; deviceCount: number | null }[]
  facts: { id: string; kind: string }[]
  reports: { id: string; text: string }[]
}

const path = (more: string) => `/workspaces/${client.workspaceId}/cases${more}`
const given = async (more: object = {}) =>
  (
    await client.post('/cases', {
      type: 'Vulnerability',
      title: `Case ${crypto.randomUUID().slice(0, 8)}`,
      productLineIds: [],
      ...more,
    })
  ).json<Shown>()
const read = async (id: string) => (await client.get(`/cases/${id}`)).json<Shown>()
const act = (by: Browser, id: string, name: string, body: object) =>
  by.post(path(`/${id}/${name}`), body)
const givenOpen = async (awareAt = '2026-11-02T21:40:00.000Z', more: object = {}) => {
  const { id } = await given(more)
  expect((await act(people.engineer, id, 'awareness', { awareAt })).statusCode).toBe(200)
  return id
}
const report = (stage: string, more: object = {}) => ({
  stage,
  submittedAt: '2026-11-03T09:00:00.000Z',
  text: '1 Type: Vulnerability\n😀 <b>as submitted</b>',
  ...more,
})

async function givenLine(manufacturer = 'Acme', firmwareIds: string[] = []) {
  const name = `Line ${crypto.randomUUID().slice(0, 8)}`
  const body = { name, manufacturer, firmwareIds, timeZone: 'Europe/Berlin' }
  return (await client.post('/product-lines', body)).json<{ id: string; name: string }>()
}

const KEV = { vendorProject: 'Acme', product: 'Shell', ransomware: false, notes: '' }

/** A version on a device, with a vulnerability that CISA lists. */
async function givenExploited(listedOn = '2026-11-01') {
  const { cpes, cveIds } = await givenProduct(test.ctx, ['High'], { isKnownExploit: true })
  const [cveId = ''] = cveIds
  await sql`insert into kev_entries (cve_id, date_added, details) values (${cveId}, ${listedOn}, ${JSON.stringify(KEV)})`.execute(
    test.ctx.db,
  )
  const { workspaceId } = client
  const version = await givenVersion(test.ctx, workspaceId, [{ packageName: 'busybox', cpes }])
  return { ...version, cveId }
}

async function deploy({ firmwareVersionId }: { firmwareVersionId: string }) {
  await sql`
    insert into firmware_version_device_counts (workspace_id, firmware_version_id, connected, seen_hour, devices)
    values (${client.workspaceId}, ${firmwareVersionId}, true, 0, 7)`.execute(test.ctx.db)
}

const sweep = () => proposeCases(test.ctx, new AbortController().signal)
const ofCve = async (cveId: string) =>
  (await client.get(`/cases?cveId=${cveId}`)).json<{ cases: Shown[] }>().cases
const firmwareOf = async ({ firmwareVersionId }: { firmwareVersionId: string }) =>
  (await client.get(`/firmware-versions/${firmwareVersionId}`)).json<{ firmware: { id: string } }>()
    .firmware.id

it('proposes one case for a listed vulnerability once a device runs the version, and starts no clock', async () => {
  const version = await givenExploited()
  await sweep()
  expect(await ofCve(version.cveId)).toEqual([])
  await deploy(version)

  await sweep()
  await sweep()

  const [proposed, ...others] = await ofCve(version.cveId)
  expect(others).toEqual([])
  expect(proposed).toMatchObject({
    state: 'Proposed',
    origin: 'Finding',
    listedOn: '2026-11-01',
    signalAt: now.toISOString(),
    assessBefore: '2026-11-03T14:00:00.000Z',
    clocks: [],
    nextDueAt: null,
    manufacturer: '',
  })
  const detail = await read(proposed?.id ?? '')
  expect(detail.versions).toMatchObject([{ deviceCount: 7 }])
})

it('takes the manufacturer of a line that the firmware comes into later', async () => {
  const version = await givenExploited()
  await deploy(version)
  await sweep()
  const line = await givenLine('Acme', [await firmwareOf(version)])

  await sweep()

  const cases = await ofCve(version.cveId)
  expect(cases).toMatchObject([{ manufacturer: 'Acme', productLines: [{ name: line.name }] }])
  expect((await client.delete(`/product-lines/${line.id}`)).json()).toMatchObject({
    type: '/problems/product-line-has-cases',
  })
})

it('proposes a no where the findings are decided so, and keeps what deleted versions were called', async () => {
  const version = await givenExploited()
  await deploy(version)
  const { rows } = await sql<{ packageId: string }>`
    select package_id from firmware_version_packages where firmware_version_id = ${version.firmwareVersionId}`.execute(
    test.ctx.db,
  )
  const [{ packageId } = { packageId: '' }] = rows
  const findingId = encodeFindingId({
    firmwareVersionId: version.firmwareVersionId,
    packageId,
    vulnerabilityId: version.cveId,
  })
  const verdict = { assessment: 'NotAffected', justification: 'vulnerable_code_not_present' }
  const decided = await client.post(`/vulnerability-findings/${findingId}/assessments`, verdict)
  expect(decided.statusCode).toBe(200)
  await sweep()
  const [{ id } = { id: '' }] = await ofCve(version.cveId)
  expect(await read(id)).toMatchObject({ proposedAnswer: 'No', suggestsDismissal: false })

  await client.delete(`/firmware-versions/${version.firmwareVersionId}`)

  expect((await read(id)).versions).toMatchObject([
    { version: expect.any(String) as string, deviceCount: null },
  ])
})

it('has one case for a vulnerability and manufacturer; drills stand beside it', async () => {
  const { id: line } = await givenLine()
  const cveId = 'CVE-2026-31431'
  const body = { type: 'Vulnerability', title: 'One', cveId, productLineIds: [line] }
  expect((await client.post('/cases', body)).statusCode).toBe(201)

  const again = await client.post('/cases', body)
  expect(again.json()).toMatchObject({ status: 409, type: '/problems/case-exists' })
  expect((await client.post('/cases', { ...body, isDrill: true })).statusCode).toBe(201)
  const { id: other } = await givenLine('Zeta')
  expect((await client.post('/cases', { ...body, productLineIds: [other] })).statusCode).toBe(201)
  const both = await client.post('/cases', { ...body, productLineIds: [line, other] })
  expect(both.json()).toMatchObject({ status: 409, type: '/problems/other-manufacturer' })
})

it('counts from awareness, which may precede the case and is never in the future', async () => {
  const { id } = await given()
  const future = await act(people.engineer, id, 'awareness', { awareAt: '2026-11-03T10:00:01Z' })
  expect(future.statusCode).toBe(400)

  const body = { awareAt: '2026-11-02T21:40:00Z', isEstimate: true }
  const set = await act(people.engineer, id, 'awareness', body)

  expect(set.json()).toMatchObject({
    state: 'Open',
    isAwarenessEstimated: true,
    nextDueAt: '2026-11-03T21:40:00.000Z',
    nextStage: 'EarlyWarning',
  })
  const again = await act(people.other, id, 'awareness', { awareAt: '2026-11-01T00:00:00Z' })
  expect(again.json()).toMatchObject({ status: 409, type: '/problems/fact-recorded' })
})

it('keeps the exact text of a report once, and shows the other person theirs', async () => {
  const id = await givenOpen()
  const body = report('EarlyWarning', { reference: 'SRP-1' })

  const both = await Promise.all([
    act(people.engineer, id, 'reports', body),
    act(people.other, id, 'reports', body),
  ])

  expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409])
  const refused = both.find(({ statusCode }) => statusCode === 409)?.json<{ detail: string }>()
  expect(refused?.detail).toContain('SRP-1')
  const winner = both[0]?.statusCode === 200 ? people.engineer : people.other
  expect((await act(winner, id, 'reports', body)).statusCode).toBe(200)
  const { reports, clocks } = await read(id)
  expect(reports.map(({ text }) => text)).toEqual([body.text])
  expect(clocks.find(({ stage }) => stage === 'EarlyWarning')).toMatchObject({ state: 'Done' })
})

it('takes reports in their order, and not from the future', async () => {
  const id = await givenOpen()
  expect((await act(people.engineer, id, 'reports', report('FinalReport'))).json()).toMatchObject({
    status: 409,
    type: '/problems/report-out-of-order',
  })
  const future = report('EarlyWarning', { submittedAt: '2030-01-01T00:00:00Z' })
  expect((await act(people.engineer, id, 'reports', future)).statusCode).toBe(400)
})

it('has a report due again at its old time when the CSIRT did not accept it', async () => {
  const id = await givenOpen()
  await act(people.engineer, id, 'reports', report('EarlyWarning'))
  const [{ id: reportId } = { id: '' }] = (await read(id)).reports
  const body = { invalidatedAt: '2026-11-03T09:30:00Z', reason: 'Sent to the wrong CSIRT' }

  await act(people.engineer, id, `reports/${reportId}/invalidation`, body)

  const clock = (await read(id)).clocks.find(({ stage }) => stage === 'EarlyWarning')
  expect(clock).toMatchObject({ dueAt: '2026-11-03T21:40:00.000Z', doneAt: null })
  const again = report('EarlyWarning', { text: 'to the right one' })
  expect((await act(people.other, id, 'reports', again)).statusCode).toBe(200)
})

it('corrects a fact by another one, and withdraws awareness that was none', async () => {
  const id = await givenOpen()
  const awareness = async () =>
    (await read(id)).facts.findLast(({ kind }) => kind === 'Awareness')?.id ?? ''
  const first = await awareness()
  const body = { factId: first, instant: '2026-11-02T20:00:00Z', reason: 'The call was at eight' }

  const corrected = await act(people.admin, id, 'corrections', body)
  expect(corrected.json()).toMatchObject({ awareAt: '2026-11-02T20:00:00.000Z' })
  expect((await act(people.admin, id, 'corrections', body)).json()).toMatchObject({
    type: '/problems/not-correctable',
  })
  const withdrawal = { factId: await awareness(), instant: null, reason: 'It was another product' }
  const withdrawn = await act(people.admin, id, 'corrections', withdrawal)
  expect(withdrawn.json()).toMatchObject({ state: 'Proposed', awareAt: null, clocks: [] })
  expect(withdrawn.json<Shown>().facts.filter(({ kind }) => kind === 'Awareness')).toHaveLength(3)
})

it('is closed once users were informed, with a reason where reports are missing, and can be reopened', async () => {
  const id = await givenOpen()
  expect((await act(people.admin, id, 'close', { reason: 'Done' })).json()).toMatchObject({
    type: '/problems/case-not-done',
  })
  const informed = { informedAt: '2026-11-03T09:00:00Z', text: 'Mail to all customers' }
  await act(people.engineer, id, 'users-informed', informed)
  expect((await act(people.admin, id, 'close', {})).json()).toMatchObject({
    type: '/problems/case-not-done',
  })

  const closed = await act(people.admin, id, 'close', { reason: 'Reported by the vendor' })

  expect(closed.json()).toMatchObject({ state: 'Closed', nextDueAt: null })
  expect((await act(people.engineer, id, 'measure', measure)).json()).toMatchObject({
    type: '/problems/case-ended',
  })
  const reopened = await act(people.engineer, id, 'reopen', { reason: 'A new report' })
  expect(reopened.json()).toMatchObject({ state: 'Open' })
})
const measure = { availableAt: '2026-11-03T09:00:00Z', measure: 'Mitigating' }

it('is watched until a next look, before a clock runs', async () => {
  const { id } = await given()
  const body = { nextLookAt: '2026-11-10T09:00:00Z', reason: 'Waits for the vendor' }
  expect((await act(people.engineer, id, 'watch', body)).json()).toMatchObject({
    state: 'Watching',
    nextLookAt: '2026-11-10T09:00:00.000Z',
  })
  expect(
    (await act(people.engineer, id, 'watch', { nextLookAt: '2026-11-01T00:00:00Z' })).statusCode,
  ).toBe(400)
})

it('dismisses older listings as one list, and leaves a case whose clocks run', async () => {
  const version = await givenExploited('2021-12-10')
  await deploy(version)
  await sweep()
  const open = await givenOpen()
  const old = (await client.get('/cases?listedBefore=2026-09-11')).json<{ cases: Shown[] }>().cases
  expect(old.map(({ title }) => title).join()).toContain(version.cveId)

  const caseIds = [...old.map(({ id }) => id), open]
  const body = { caseIds, reason: 'Known before 11 September 2026' }
  const dismissed = await people.admin.post(path('/dismiss'), body)

  expect(dismissed.json()).toEqual({ dismissed: old.length, left: 1 })
  expect((await read(open)).state).toBe('Open')
})

it('says that versions were found after it was dismissed', async () => {
  const version = await givenExploited()
  await deploy(version)
  await sweep()
  const [{ id } = { id: '' }] = await ofCve(version.cveId)
  await act(people.admin, id, 'dismiss', { reason: 'Not exploitable here' })
  now = new Date(now.getTime() + 60_000)
  const { rows } = await sql<{ packageId: string }>`
    select package_id from firmware_version_packages where firmware_version_id = ${version.firmwareVersionId}`.execute(
    test.ctx.db,
  )
  const second = await givenExploited()
  await sql`
    insert into firmware_version_packages (workspace_id, firmware_version_id, package_id, since, cause, component_name)
    values (${client.workspaceId}, ${second.firmwareVersionId}, ${rows[0]?.packageId ?? ''}, ${now}, 'Inventory', 'x')`.execute(
    test.ctx.db,
  )
  await deploy(second)

  await sweep()

  expect(await read(id)).toMatchObject({ state: 'Dismissed', hasNewVersions: true })
})

const ACTS: readonly (readonly [name: string, body: object, scope: 'write' | 'decide'])[] = [
  ['answers', { question: 'WasExploited', answer: 'Unknown' }, 'write'],
  ['measure', measure, 'write'],
  ['report-requests', { dueAt: '2026-12-01T00:00:00Z', text: 'Status' }, 'write'],
  ['reports', report('EarlyWarning'), 'write'],
  ['users-not-informed', { reason: 'Nobody is impacted' }, 'decide'],
  ['close', { reason: 'x' }, 'decide'],
  ['reopen', { reason: 'x' }, 'write'],
  ['dismiss', { reason: 'x' }, 'decide'],
]
it('lets engineers start and record, admins stop as well, and viewers neither', async () => {
  const id = await givenOpen()
  for (const [name, body, scope] of ACTS) {
    expect([name, (await act(people.viewer, id, name, body)).statusCode]).toEqual([name, 403])
    if (scope === 'decide')
      expect([name, (await act(people.engineer, id, name, body)).statusCode]).toEqual([name, 403])
    const by = scope === 'decide' ? people.admin : people.engineer
    expect([name, (await act(by, id, name, body)).statusCode]).toEqual([name, 200])
  }
  const correction = { factId: id, instant: null, reason: 'x' }
  expect((await act(people.engineer, id, 'corrections', correction)).statusCode).toBe(403)
})

const WAITING = 'answers awareness watch measure dismiss versions drafts/EarlyWarning/fields'
/** What is taken in each state; the rest is refused with 409. */
const TAKEN: Readonly<Record<string, string>> = {
  Proposed: WAITING,
  Watching: WAITING,
  Open: 'answers measure report-requests reports users-informed users-not-informed dismiss versions drafts/EarlyWarning/fields',
  Closed: 'reopen',
  Dismissed: 'reopen',
}
const NEXT: Readonly<Record<string, string>> = {
  awareness: 'Open',
  watch: 'Watching',
  dismiss: 'Dismissed',
  'Closed reopen': 'Open',
  'Dismissed reopen': 'Proposed',
}

async function givenIn(state: string): Promise<string> {
  const { id } = await given()
  const steps: Readonly<Record<string, readonly (readonly [string, object])[]>> = {
    Proposed: [],
    Watching: [['watch', { nextLookAt: '2027-01-01T00:00:00Z' }]],
    Open: [['awareness', { awareAt: '2026-11-02T21:40:00Z' }]],
    Closed: [
      ['awareness', { awareAt: '2026-11-02T21:40:00Z' }],
      ['users-not-informed', { reason: 'x' }],
      ['close', { reason: 'x' }],
    ],
    Dismissed: [['dismiss', { reason: 'x' }]],
  }
  for (const [name, body] of steps[state] ?? []) await act(people.admin, id, name, body)
  expect((await read(id)).state).toBe(state)
  return id
}

it.each(Object.keys(TAKEN))(
  'takes in the state %s what belongs there, and refuses the rest',
  async (state) => {
    const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [])
    const all: readonly (readonly [string, object])[] = [
      ...ACTS.map(([name, body]) => [name, body] as const),
      ['awareness', { awareAt: '2026-11-02T21:40:00Z' }],
      ['watch', { nextLookAt: '2027-01-01T00:00:00Z' }],
      ['users-informed', { informedAt: '2026-11-03T09:00:00Z', text: 'Mail' }],
      ['versions', { firmwareVersionIds: [firmwareVersionId] }],
      ['drafts/EarlyWarning/fields', { key: 'title', text: 'x' }],
    ]
    const refusing = await givenIn(state)
    const taken = TAKEN[state]?.split(' ') ?? []
    for (const [name, body] of all) {
      const isTaken = taken.includes(name)
      const id = isTaken ? await givenIn(state) : refusing
      const { statusCode } = await act(people.admin, id, name, body)
      expect([name, statusCode]).toEqual([name, isTaken ? 200 : 409])
      const after = isTaken ? (NEXT[`${state} ${name}`] ?? NEXT[name] ?? state) : state
      expect([name, (await read(id)).state]).toEqual([name, after])
    }
  },
)

it('names versions of an incident by hand, also deleted ones later, and says which name nothing', async () => {
  const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [])
  const { id } = await given({ type: 'Incident', firmwareVersionIds: [firmwareVersionId] })
  const { firmwareVersionId: second } = await givenVersion(test.ctx, client.workspaceId, [])
  const more = await act(people.engineer, id, 'versions', { firmwareVersionIds: [second] })
  await act(people.engineer, id, 'versions', { firmwareVersionIds: [second] })

  const { versions, facts } = more.json<Shown & { versions: { components: unknown[] }[] }>()
  expect(versions.map((one) => one.firmwareVersionId).toSorted()).toEqual(
    [firmwareVersionId, second].toSorted(),
  )
  expect(versions[0]?.components).toEqual([])
  expect(facts.filter(({ kind }) => kind === 'VersionsFound')).toHaveLength(2)
  expect((await read(id)).facts.filter(({ kind }) => kind === 'VersionsFound')).toHaveLength(2)
  await client.delete(`/firmware-versions/${second}`)
  expect((await read(id)).versions.map(({ deviceCount }) => deviceCount)).toContain(null)
  const unknown = await act(people.engineer, id, 'versions', {
    firmwareVersionIds: [crypto.randomUUID()],
  })
  expect(unknown.json()).toMatchObject({
    status: 400,
    errors: [{ pointer: '/firmwareVersionIds/0' }],
  })
})

it('removes a line with a reason, and leaves it out although the case has its firmware', async () => {
  const version = await givenExploited()
  await deploy(version)
  const line = await givenLine('Acme', [await firmwareOf(version)])
  await sweep()
  const [{ id } = { id: '' }] = await ofCve(version.cveId)
  const body = { productLineId: line.id, reason: 'Another console' }

  expect((await act(people.engineer, id, 'product-lines/remove', body)).statusCode).toBe(403)
  const removed = await act(people.admin, id, 'product-lines/remove', body)
  await sweep()

  expect(removed.json()).toMatchObject({ productLines: [] })
  expect(await read(id)).toMatchObject({ productLines: [] })
  expect((await act(people.admin, id, 'product-lines/remove', body)).statusCode).toBe(404)
  const again = { productLineIds: [line.id] }
  expect((await act(people.engineer, id, 'product-lines', again)).json()).toMatchObject({
    productLines: [{ name: line.name }],
  })
})

it('counts a device that runs two of the versions once', async () => {
  const { firmwareVersionId: one } = await givenVersion(test.ctx, client.workspaceId, [])
  const { firmwareVersionId: two } = await givenVersion(test.ctx, client.workspaceId, [])
  await sql`
    insert into firmware_set_device_counts (workspace_id, firmware_version_ids, devices)
    values (${client.workspaceId}, ${[one, two]}::uuid[], 3), (${client.workspaceId}, ${[two]}::uuid[], 4)`.execute(
    test.ctx.db,
  )
  const { id } = await given({ type: 'Incident', firmwareVersionIds: [one, two] })
  expect(await read(id)).toMatchObject({ deviceCount: 7 })
})

it('records the first of two submissions with other texts, and tells the other person of it', async () => {
  const id = await givenOpen()
  const both = await Promise.all([
    act(people.engineer, id, 'reports', report('EarlyWarning', { text: 'one' })),
    act(people.other, id, 'reports', report('EarlyWarning', { text: 'two' })),
  ])
  expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect((await read(id)).reports).toHaveLength(1)
})

it('keeps its order and due times when the clock of the host jumps back', async () => {
  const id = await givenOpen()
  const before = now
  now = new Date(now.getTime() - 5 * 60 * 60_000)
  const future = await act(people.engineer, id, 'reports', report('EarlyWarning'))
  now = before

  expect(future.statusCode).toBe(400)
  const shown = await read(id)
  expect(shown.facts.map(({ kind }) => kind)).toEqual(['Signal', 'Awareness'])
  expect(shown.clocks[0]).toMatchObject({ dueAt: '2026-11-03T21:40:00.000Z' })
  await act(people.admin, id, 'dismiss', { reason: 'Not ours' })
  now = new Date(before.getTime() - 60_000)
  const reopened = await act(people.engineer, id, 'reopen', { reason: 'Ours after all' })
  now = before
  expect(reopened.json<Shown>().facts.at(-1)).toMatchObject({ kind: 'Reopened' })
  expect(await read(id)).toMatchObject({ state: 'Open' })
})

it('is corrected once the clock of the host is right, where one that was ahead took a later awareness', async () => {
  const { id } = await given()
  const right = now
  now = new Date(right.getTime() + 2 * 60 * 60_000)
  await act(people.engineer, id, 'awareness', { awareAt: now.toISOString() })
  now = right
  const fact = (await read(id)).facts.find(({ kind }) => kind === 'Awareness')
  const correction = { factId: fact?.id, reason: 'The clock was ahead' }
  const ahead = { ...correction, instant: new Date(right.getTime() + 60_000).toISOString() }

  expect((await act(people.admin, id, 'corrections', ahead)).statusCode).toBe(400)
  const corrected = { ...correction, instant: right.toISOString() }
  expect((await act(people.admin, id, 'corrections', corrected)).statusCode).toBe(200)

  const due = new Date(right.getTime() + 24 * 60 * 60_000).toISOString()
  expect((await read(id)).clocks[0]).toMatchObject({ stage: 'EarlyWarning', dueAt: due })
})

it('keeps markup, formulas and marks of direction as they were written', async () => {
  const text = '=HYPERLINK("x") <script>1</script> \u202eabc'
  const id = await givenOpen()
  const recorded = await act(people.engineer, id, 'reports', report('EarlyWarning', { text }))
  expect(recorded.json<Shown>().reports[0]?.text).toBe(text)
  const title = await client.post('/cases', {
    type: 'Incident',
    title: 'a\u202eb',
    productLineIds: [],
  })
  expect(title.json()).toMatchObject({ status: 400, errors: [{ pointer: '/title' }] })
})

it('is of its workspace alone', async () => {
  const { id } = await given()
  const stranger = await givenClient(test)
  expect((await stranger.get(`/cases/${id}`)).statusCode).toBe(404)
  const body = { reason: 'x' }
  expect((await stranger.post(`/cases/${id}/dismiss`, body)).statusCode).toBe(404)
  expect((await stranger.get('/cases')).json()).toEqual({
    cases: [],
    hasMore: false,
    counts: { open: 0, late: 0, proposed: 0, watching: 0 },
  })
})

it('counts all cases whatever the filter, and lists those of a type and those that are late', async () => {
  const other = await givenClient(test)
  const make = async (more: object) =>
    (
      await other.post('/cases', {
        type: 'Vulnerability',
        title: 'One',
        productLineIds: [],
        ...more,
      })
    ).json<Shown>().id
  const late = await make({ title: 'Late' })
  const running = await make({ title: 'Running' })
  const incident = await make({ type: 'Incident', title: 'Incident' })
  const drill = await make({ title: 'Drill', isDrill: true })
  await other.post(`/cases/${drill}/awareness`, { awareAt: '2026-10-19T10:00:00.000Z' })
  await other.post(`/cases/${late}/awareness`, { awareAt: '2026-10-20T10:00:00.000Z' })
  await other.post(`/cases/${running}/awareness`, { awareAt: now.toISOString() })
  const counts = { open: 3, late: 2, proposed: 1, watching: 0 }
  const ids = async (query: string) => {
    const answer = (await other.get(`/cases?${query}`)).json<{ cases: Shown[]; counts: object }>()
    expect(answer).toMatchObject({ counts })
    return answer.cases.map(({ id }) => id)
  }

  // A drill is later in the list than what is real, although it was due before.
  expect(await ids('state=Open')).toEqual([late, running, drill])
  expect(await ids('isLate=true&isDrill=false')).toEqual([late])
  expect(await ids('isLate=false&state=Open')).toEqual([running])
  expect(await ids('type=Incident')).toEqual([incident])
  expect(await ids('isDrill=true')).toEqual([drill])
  expect(await ids('isOpen=true&isDrill=false')).toHaveLength(3)
})
