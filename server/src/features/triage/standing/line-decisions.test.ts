/** Decisions that hold for a release line, through the API and against a naive model. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenMatchedSbom, givenProduct } from '../../../../test/given-findings.ts'
import type { GivenComponent } from '../../../../test/given-inventory.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import { addMs, MINUTE_MS } from '../../../formats/instants.ts'

let test: TestApp
let client: Client
let now = new Date()

beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => now
  client = await givenClient(test)
})

const pass = () => {
  now = addMs(now, MINUTE_MS)
}

interface Firmware {
  id: string
  slug: string
  cveId: string
  component: GivenComponent[]
  /** Of 2.x and 3.x. */
  lineIds: string[]
}

async function givenLines(): Promise<Firmware> {
  const { cpes, cveIds } = await givenProduct(test.ctx, ['High'])
  const slug = `fw-${crypto.randomUUID()}`
  const { id } = (await client.post('/firmwares', { slug })).json<{ id: string }>()
  const lines = [
    { name: '2.x', patterns: ['^2'] },
    { name: '3.x', patterns: ['^3'] },
  ]
  const put = await client.put(`/firmwares/${id}/lines`, { lines })
  const lineIds = put.json<{ lines: { id: string }[] }>().lines.map((line) => line.id)
  const component = [{ packageName: 'tool', cpes }]
  return { id, slug, cveId: cveIds[0] ?? '', component, lineIds }
}

async function addVersion({ id, component }: Firmware, name: string): Promise<string> {
  pass()
  const added = await client.post(`/firmwares/${id}/versions`, { name })
  const { id: firmwareVersionId } = added.json<{ id: string }>()
  await givenMatchedSbom(
    test.ctx,
    { workspaceId: client.workspaceId, firmwareVersionId },
    component,
  )
  return firmwareVersionId
}

interface Finding {
  id: string
  assessment: string
  ignored: boolean
}

async function findingIn(firmwareVersionId: string, asOf?: Date): Promise<Finding | undefined> {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const body = asOf ? { asOf: asOf.toISOString() } : {}
  return (await client.post(path, body)).json<{ findings: Finding[] }>().findings[0]
}

const assessmentIn = async (firmwareVersionId: string) =>
  (await findingIn(firmwareVersionId))?.assessment

function decide(filter: object, assessment: string, more: object = { alsoFuture: true }) {
  pass()
  return client.post('/vulnerability-findings/bulk-assess', { filter, assessment, ...more })
}

const undo = async (decisionBatchId: string) => {
  pass()
  return client.post(`/decision-batches/${decisionBatchId}/undo`, {})
}

describe('a decision for a release line', () => {
  it('holds for its versions, now and to come, and for no version of another line', async () => {
    const firmware = await givenLines()
    const { cveId, lineIds, slug } = firmware
    const two = await addVersion(firmware, '2.0')
    const filter = { cveIds: [cveId], lineIds: [`${slug}@2.x`] }

    const preview = await decide(filter, 'NotAffected', { alsoFuture: true, dryRun: true })
    const done = await decide(filter, 'NotAffected')
    const three = await addVersion(firmware, '3.0')
    const later = await addVersion(firmware, '2.1')

    expect(preview.json()).toMatchObject({ matched: 1, changed: 1 })
    expect(done.json()).toMatchObject({ matched: 1, changed: 1 })
    expect(await Promise.all([two, three, later].map(assessmentIn))).toEqual([
      'NotAffected',
      'NotAssessed',
      'NotAffected',
    ])
    const found = await findingIn(later)
    const detail = await client.get(`/vulnerability-findings/${found?.id ?? ''}`)
    expect(detail.json()).toMatchObject({
      line: { id: lineIds[0], name: '2.x' },
      decidedLine: { id: lineIds[0], name: '2.x' },
      timeline: expect.arrayContaining([
        expect.objectContaining({ type: 'Assessment', line: { id: lineIds[0], name: '2.x' } }),
      ]) as unknown,
    })
    const standing = await client.get('/standing-decisions')
    expect(standing.json()).toMatchObject({
      standingDecisions: [
        { vulnerabilityId: cveId, line: { id: lineIds[0], name: '2.x', firmware: { slug } } },
      ],
    })
  })

  it('is of more weight than an older one that the first version of the line takes over', async () => {
    const firmware = await givenLines()
    const { cveId, lineIds } = firmware
    const two = await addVersion(firmware, '2.0')
    const found = await findingIn(two)
    pass()
    await client.post(`/vulnerability-findings/${found?.id ?? ''}/assessments`, {
      assessment: 'NotAffected',
    })
    await decide({ cveIds: [cveId], lineIds: [lineIds[1]] }, 'Exploitable')

    const three = await addVersion(firmware, '3.0')

    expect(await Promise.all([two, three].map(assessmentIn))).toEqual([
      'NotAffected',
      'Exploitable',
    ])
  })

  it('may ignore findings of the line alone', async () => {
    const firmware = await givenLines()
    const { cveId, lineIds } = firmware
    await addVersion(firmware, '2.0')
    pass()
    const filter = { cveIds: [cveId], lineIds: [lineIds[0]] }
    const body = { filter, ignored: true, alsoFuture: true }
    await client.post('/vulnerability-findings/bulk-ignore', body)

    const three = await findingIn(await addVersion(firmware, '3.0'))
    const two = await findingIn(await addVersion(firmware, '2.1'))

    expect([two?.ignored, three?.ignored]).toEqual([true, false])
  })

  it('ends with its line, which a preview of the lines says; what it decided stays', async () => {
    const firmware = await givenLines()
    const { id, cveId, lineIds } = firmware
    const two = await addVersion(firmware, '2.0')
    await decide({ cveIds: [cveId], lineIds: [lineIds[0]] }, 'NotAffected')
    const lines = [{ name: '3.x', patterns: ['^3'] }]

    const preview = await client.post(`/firmwares/${id}/lines/preview`, { lines })
    await client.put(`/firmwares/${id}/lines`, { lines })
    const later = await addVersion(firmware, '2.1')

    expect(preview.json()).toMatchObject({ endedDecisionCount: 1 })
    const standing = (await client.get('/standing-decisions')).json<{
      standingDecisions: { vulnerabilityId: string }[]
    }>()
    expect(standing.standingDecisions.filter((one) => one.vulnerabilityId === cveId)).toEqual([])
    expect(await Promise.all([two, later].map(assessmentIn))).toEqual([
      'NotAffected',
      'NotAssessed',
    ])
  })

  it('is refused for a line that there is not, and for two', async () => {
    const { cveId, lineIds } = await givenLines()

    const none = await decide({ cveIds: [cveId], lineIds: [crypto.randomUUID()] }, 'NotAffected')
    const two = await decide({ cveIds: [cveId], lineIds }, 'NotAffected')

    expect(none.json()).toMatchObject({ status: 400, errors: [{ pointer: '/filter/lineIds/0' }] })
    expect(two.json()).toMatchObject({ status: 400, errors: [{ pointer: '/filter' }] })
  })

  it('gives back the decision that it took the place of when it is taken back', async () => {
    const firmware = await givenLines()
    const filter = { cveIds: [firmware.cveId], lineIds: [firmware.lineIds[0]] }
    const two = await addVersion(firmware, '2.0')
    await decide(filter, 'NotAffected')
    const second = await decide(filter, 'FalsePositive')
    await undo(second.json<{ decisionBatchId: string }>().decisionBatchId)

    const later = await addVersion(firmware, '2.1')

    expect(await Promise.all([two, later].map(assessmentIn))).toEqual([
      'NotAffected',
      'NotAffected',
    ])
  })

  it('is seen and ended by no other workspace', async () => {
    const { cveId, lineIds } = await givenLines()
    const stranger = await givenClient(test)
    await decide({ cveIds: [cveId], lineIds: [lineIds[0]] }, 'NotAffected')
    const { standingDecisions } = (await client.get('/standing-decisions')).json<{
      standingDecisions: { id: string }[]
    }>()
    const path = `/standing-decisions/${standingDecisions[0]?.id ?? ''}`

    const foreign = await stranger.delete(path)
    const own = await client.delete(path)

    expect([foreign.statusCode, own.statusCode]).toEqual([404, 204])
  })
})

const VERDICTS = ['NotAffected', 'Exploitable', 'FalsePositive'] as const
type Verdict = (typeof VERDICTS)[number]

interface Decided {
  verdict: Verdict
  /** The line that it holds for. */
  line: string | null
  at: number
}

type Command =
  | { do: 'upload'; line: string }
  | { do: 'one'; at: number; verdict: Verdict }
  | { do: 'line'; line: string; verdict: Verdict; isFuture: boolean }
  | { do: 'all'; verdict: Verdict; isFuture: boolean }
  | { do: 'undo' }

/** What the guide says, as a person would work it out with lists. */
class Model {
  readonly versions: { line: string; decided: Decided | undefined }[] = []
  private standing = new Map<string, Decided>()
  private readonly batches: {
    standing: Map<string, Decided>
    before: Map<number, Decided | undefined>
  }[] = []
  private clock = 0

  run(command: Command): void {
    this.clock += 1
    if (command.do === 'upload') this.upload(command.line)
    else if (command.do === 'undo') this.undo()
    else this.decide(command)
  }

  private upload(line: string): void {
    const earlier = this.versions.findLast((one) => one.line === line) ?? this.versions.at(-1)
    const former = earlier?.decided
    const carried = former && (former.line === null || former.line === line) ? former : undefined
    const own = this.standing.get(line)
    const isNewer = own !== undefined && carried?.line !== line && (carried?.at ?? 0) <= own.at
    const standing = [own, this.standing.get('all')]
      .filter((one) => one !== undefined)
      .toSorted((a, b) => b.at - a.at)
    const decided = carried ? (isNewer ? own : carried) : standing[0]
    this.versions.push({ line, decided })
  }

  private decide(command: Exclude<Command, { do: 'upload' | 'undo' }>): void {
    const isMeant = (line: string, place: number) =>
      command.do === 'all' ||
      (command.do === 'line' ? line === command.line : place === command.at % this.versions.length)
    const isFuture = command.do !== 'one' && command.isFuture
    const line = command.do === 'line' && isFuture ? command.line : null
    const decided = { verdict: command.verdict, line, at: this.clock }
    const before = new Map<number, Decided | undefined>()
    const standing = new Map(this.standing)
    this.versions.forEach((version, place) => {
      const old = version.decided
      if (!isMeant(version.line, place)) return
      if (command.do !== 'one' && old?.verdict === decided.verdict && old.line === line) return
      before.set(place, old)
      version.decided = decided
    })
    if (isFuture) this.standing.set(line ?? 'all', decided)
    if (before.size > 0 || isFuture) this.batches.push({ standing, before })
  }

  private undo(): void {
    const batch = this.batches.pop()
    if (!batch) return
    this.standing = batch.standing
    for (const [place, decided] of batch.before) {
      const version = this.versions[place]
      if (version) version.decided = decided
    }
  }
}

const verdict = fc.constantFrom(...VERDICTS)
const line = fc.constantFrom('2', '3')
const isFuture = fc.boolean()
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('upload' as const),
      line: fc.constantFrom('2', '3', 'other'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('one' as const), at: fc.nat(9), verdict }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('line' as const), line, verdict, isFuture }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('all' as const), verdict, isFuture }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undo' as const) }) },
)

it('agrees with a naive model over random decisions, versions and undos, now and in the past', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 12 }), async (commands) => {
      const firmware = await givenLines()
      const model = new Model()
      const ids: string[] = []
      const made: string[] = []
      const past: { at: Date; verdicts: (string | undefined)[] }[] = []
      const { cveId, lineIds } = firmware
      const keep = (answer: Awaited<ReturnType<typeof decide>>) => {
        const { decisionBatchId } = answer.json<{ decisionBatchId?: string }>()
        if (decisionBatchId !== undefined) made.push(decisionBatchId)
      }
      for (const one of commands) {
        if (one.do === 'one' && ids.length === 0) continue
        model.run(one)
        if (one.do === 'upload') ids.push(await addVersion(firmware, `${one.line}.${ids.length}`))
        else if (one.do === 'undo') {
          const last = made.pop()
          if (last !== undefined) await undo(last)
        } else if (one.do === 'one') {
          const found = await findingIn(ids[one.at % ids.length] ?? '')
          keep(await decideOnce({ findingIds: [found?.id] }, one.verdict))
        } else {
          const lines = one.do === 'line' ? { lineIds: [lineIds[one.line === '2' ? 0 : 1]] } : {}
          const filter = { cveIds: [cveId], ...lines }
          keep(await decide(filter, one.verdict, { alsoFuture: one.isFuture }))
        }
        pass()
        past.push({ at: now, verdicts: model.versions.map(({ decided }) => decided?.verdict) })
        const listed = await Promise.all(ids.map(assessmentIn))
        expect(listed).toEqual(past.at(-1)?.verdicts.map((said) => said ?? 'NotAssessed'))
      }
      pass()
      for (const { at, verdicts } of past) {
        const then = await Promise.all(ids.slice(0, verdicts.length).map((id) => findingIn(id, at)))
        expect(then.map((found) => found?.assessment)).toEqual(
          verdicts.map((said) => said ?? 'NotAssessed'),
        )
      }
    }),
    { numRuns: propertyRuns(60, 12) },
  )
})

function decideOnce(selection: object, assessment: string) {
  pass()
  return client.post('/vulnerability-findings/bulk-assess', { ...selection, assessment })
}
