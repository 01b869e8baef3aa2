import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenDevice, logs, storeTelemetry } from '../../../../test/given-telemetry.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import { LOG_SEVERITIES } from '../../../formats/device-messages/model.ts'
import { findLastLine, listLines, type LogPosition } from './store.ts'
import { markLinesNew, planSearch, readLogHours } from './stretches-service.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
})

const BEGIN = Date.now() - 86_400_000
const after = (seconds: number) => new Date(BEGIN + seconds * 1_000)
/** Some of them are an hour. */
const afterSteps = (steps: number) => after(steps * 700)

/** When all hours are over. */
const inADay = () => ({ ...test.ctx, now: () => new Date(Date.now() + 86_400_000) })

interface Page {
  lines: { deviceId: string; message: string; severity: string; time: string }[]
  hasMore: boolean
  nextCursor?: string
}

async function listed(own: Client, body: object): Promise<Page> {
  const response = await own.post('/device-logs/list', body)
  expect(response.statusCode).toBe(200)
  return response.json<Page>()
}

async function listedAll(own: Client, body: object) {
  const pages: Page[] = []
  for (let cursor: string | undefined; ;) {
    const page = await listed(own, { ...body, ...(cursor !== undefined && { cursor }) })
    pages.push(page)
    cursor = page.nextCursor
    if (!page.hasMore) return { lines: pages.flatMap(({ lines }) => lines), pages: pages.length }
  }
}

const Line = fc.record({
  device: fc.nat({ max: 2 }),
  severity: fc.constantFrom(...LOG_SEVERITIES),
  word: fc.constantFrom('Watchdog', 'boot', 'net'),
  step: fc.nat({ max: 20 }),
})

it('lists what the filter asks for, newest first, each line once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Line, { minLength: 1, maxLength: 40 }),
      fc.record({
        devices: fc.option(fc.subarray([0, 1, 2]), { nil: undefined }),
        severities: fc.option(fc.subarray([...LOG_SEVERITIES]), { nil: undefined }),
        words: fc.option(fc.subarray(['WATCH', 'oo', 'boot 1', 'no such']), { nil: undefined }),
        from: fc.option(fc.nat({ max: 20 }), { nil: undefined }),
        to: fc.option(fc.nat({ max: 20 }), { nil: undefined }),
      }),
      fc.record({
        limit: fc.integer({ min: 1, max: 7 }),
        // Those before are read into stretches of so many lines.
        late: fc.nat({ max: 40 }),
        lineCount: fc.integer({ min: 1, max: 4 }),
      }),
      async (given, asked, { limit, late, lineCount }) => {
        const own = await givenClient(test)
        const devices = await Promise.all(
          [1, 2, 3].map(() => givenDevice(test.ctx, own.workspaceId)),
        )
        const idOf = (device: number) => devices[device]?.deviceId ?? ''
        const all = given.map((line, index) => ({ ...line, message: `${line.word} ${index}` }))
        const reports = all.map(({ device, severity, message, step }) =>
          logs({ workspaceId: own.workspaceId, deviceId: idOf(device) }, [
            { severity, message, timestamp: afterSteps(step) },
          ]),
        )
        await storeTelemetry(test.ctx, ...reports.slice(0, late))
        await readLogHours(inADay(), lineCount)
        await storeTelemetry(test.ctx, ...reports.slice(late))
        const { devices: some, severities, words, from, to } = asked
        const filter = {
          ...(some && { deviceIds: some.map(idOf) }),
          ...(severities && { severities }),
          ...(words && { message: words.map((contains) => ({ contains })) }),
          ...(from !== undefined && { from: afterSteps(from).toISOString() }),
          ...(to !== undefined && { to: afterSteps(to).toISOString() }),
        }

        const { lines } = await listedAll(own, { limit, filter })

        const expected = all.filter(
          ({ device, severity, message, step }) =>
            (some?.includes(device) ?? true) &&
            (severities?.includes(severity) ?? true) &&
            (words?.some((word) => message.toLowerCase().includes(word.toLowerCase())) ?? true) &&
            step >= (from ?? 0) &&
            step < (to ?? 1_000),
        )
        const newest = expected.toReversed().toSorted((a, b) => b.step - a.step)
        expect(lines.map(({ message }) => message)).toEqual(newest.map(({ message }) => message))
      },
    ),
    { numRuns: propertyRuns(50) },
  )
})

it('looks at fifty thousand lines a page, and goes on from there', async () => {
  const own = await givenClient(test)
  const devices = [
    await givenDevice(test.ctx, own.workspaceId),
    await givenDevice(test.ctx, own.workspaceId),
  ]
  for (const { workspaceId, deviceId } of devices)
    await sql`
      insert into device_logs (workspace_id, id, time, device_id, severity, message, labels)
      select ${workspaceId}, gen_random_uuid(), ${after(0)}::timestamptz + number * interval '1 ms', ${deviceId},
        'Info', case when number % 35000 = 7 then 'found' else 'noise' end, '{}'
      from generate_series(1, 60000) as number`.execute(test.ctx.db)
  const message = [{ contains: 'found' }]

  const whole = await listedAll(own, { filter: { message } })
  const apart = await listedAll(own, {
    filter: { message, deviceIds: devices.map(({ deviceId }) => deviceId) },
  })
  const one = await listedAll(own, { filter: { message, deviceIds: [devices[0]?.deviceId] } })

  expect([whole.lines.length, whole.pages]).toEqual([4, 3])
  expect(apart.lines.length).toBe(4)
  expect([one.lines.length, one.pages]).toEqual([2, 2])
  const times = apart.lines.map(({ time }) => time)
  expect(times).toEqual(times.toSorted().toReversed())
})

async function lockWaits(): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
    test.ctx.db,
  )
  return rows.length
}

it('finds lines that are stored while their hour is read', async () => {
  const device = await givenDevice(test.ctx, client.workspaceId)
  const report = (message: string) =>
    logs(device, [{ severity: 'Info', message, timestamp: after(-86_400) }])
  await storeTelemetry(test.ctx, report('first of its hour'))

  let reading: Promise<void> | undefined
  await test.ctx.db.transaction().execute(async (tx) => {
    await sql`
      insert into device_logs (workspace_id, id, time, device_id, severity, message, labels)
      values (${client.workspaceId}, gen_random_uuid(), ${after(-86_400)}, ${device.deviceId}, 'Info', 'second of it', '{}')`.execute(
      tx,
    )
    const at = { workspaceId: client.workspaceId, now: new Date() }
    await markLinesNew(tx, at, [after(-86_400)])
    reading = readLogHours(inADay())
    await expect.poll(lockWaits).toBeGreaterThan(0)
  })
  await reading
  await storeTelemetry(test.ctx, report('third of it'))

  const find = async (contains: string) =>
    (await listed(client, { filter: { message: [{ contains }] } })).lines.length
  expect([await find('first of'), await find('second of'), await find('third of')]).toEqual([
    1, 1, 1,
  ])
})

it('skips stretches without the text, however many there are', async () => {
  const own = await givenClient(test)
  const device = await givenDevice(test.ctx, own.workspaceId)
  const message = (step: number) => (step % 7 === 3 ? 'valve stuck' : `pressure ${step}`)
  const steps = Array.from({ length: 60 }, (_, step) => step)
  await storeTelemetry(
    test.ctx,
    ...steps.map((step) =>
      logs(device, [{ severity: 'Info', message: message(step), timestamp: afterSteps(step) }]),
    ),
  )
  await readLogHours(inADay(), 2)
  const query = { workspaceId: own.workspaceId, message: [{ contains: 'Valve' }] }

  const found: string[] = []
  let examined = 0
  for (let position: LogPosition | undefined; ;) {
    const asked = { ...query, from: undefined, to: undefined, after: position }
    const { ranges, end } = await planSearch(test.ctx.db, asked, 4)
    for (const { before, since } of ranges) {
      const part = { ...asked, after: before }
      const last = await findLastLine(test.ctx.db, part, { since, most: 1_000 })
      examined += last?.count ?? 0
      const rows = last && (await listLines(test.ctx.db, part, { horizon: last, limit: 1_000 }))
      found.push(...(rows ?? []).map((row) => row.time.toISOString()))
    }
    if (!end) break
    position = end
  }

  const expected = steps.filter((step) => message(step) === 'valve stuck').toReversed()
  expect(found).toEqual(expected.map((step) => afterSteps(step).toISOString()))
  expect(examined).toBeLessThan(25)
})

it('goes back a hundred days a page, as far as lines are kept', async () => {
  const own = await givenClient(test)
  const device = await givenDevice(test.ctx, own.workspaceId)
  const store = (days: number) =>
    storeTelemetry(
      test.ctx,
      logs(device, [{ severity: 'Info', message: `${days}` }], after(-days * 86_400)),
    )
  for (const days of [0, 99, 150, 340]) await store(days)
  const keep = (logRetentionDays: number) =>
    test.ctx.db
      .updateTable('workspaces')
      .set({ logRetentionDays })
      .where('id', '=', own.workspaceId)
      .execute()

  await keep(365)
  const all = await listedAll(own, {})
  const some = await listedAll(own, { filter: { from: after(-160 * 86_400).toISOString() } })
  await keep(50)
  const recent = await listedAll(own, {})

  const messages = ({ lines }: typeof all) => lines.map(({ message }) => message)
  expect([messages(all), all.pages]).toEqual([['0', '99', '150', '340'], 4])
  expect([messages(some), some.pages]).toEqual([['0', '99', '150'], 2])
  expect(recent.pages).toBe(1)
})

it('shows labels, and what the clock said where it was not believed', async () => {
  const own = await givenClient(test)
  const device = await givenDevice(test.ctx, own.workspaceId)
  const receivedAt = new Date()
  const said = { severity: 'Error' as const, message: 'x', labels: { module: 'net' } }
  await storeTelemetry(
    test.ctx,
    logs(
      device,
      [
        { ...said, timestamp: new Date(0) },
        { severity: 'Debug', message: 'y' },
      ],
      receivedAt,
    ),
  )

  const { lines } = await listed(own, { filter: { labels: { module: 'net' } } })

  expect(lines).toMatchObject([
    {
      ...said,
      time: receivedAt.toISOString(),
      deviceTime: '1970-01-01T00:00:00.000Z',
      runId: null,
    },
  ])
})

it('shows neither lines of deleted devices nor those of other workspaces', async () => {
  const [mine, theirs] = [await givenClient(test), await givenClient(test)]
  const line = [{ severity: 'Info' as const, message: 'x' }]
  const [gone, kept] = [
    await givenDevice(test.ctx, mine.workspaceId),
    await givenDevice(test.ctx, mine.workspaceId),
  ]
  await storeTelemetry(test.ctx, logs(gone, line), logs(kept, line))
  await test.ctx.db.deleteFrom('devices').where('id', '=', gone.deviceId).execute()

  expect((await listed(mine, {})).lines).toMatchObject([{ deviceId: kept.deviceId }])
  expect((await listed(theirs, {})).lines).toEqual([])
  const filter = { deviceIds: [kept.deviceId] }
  expect((await theirs.post('/device-logs/list', { filter })).statusCode).toBe(400)
})

it.each([
  [{ filter: { from: '2026-12-31T23:59:60Z' } }, '/filter/from'],
  [{ filter: { severities: ['Fatal'] } }, '/filter/severities/0'],
  [{ limit: 0 }, '/limit'],
  [{ cursor: 'x' }, '/cursor'],
])('refuses %j', async (body, pointer) => {
  const response = await client.post('/device-logs/list', body)

  expect(response.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
})
