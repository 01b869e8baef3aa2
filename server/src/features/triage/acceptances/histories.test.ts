/** Acceptances over random histories, against a model that keeps everything in lists and compares all with all. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  cpeOf,
  givenRunning,
  givenVersion,
  type GivenVersion,
} from '../../../../test/given-findings.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { givenMember } from '../../../../test/given-people.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import { addDays, addMs, DAY_MS, MINUTE_MS } from '../../../formats/instants.ts'
import { newId } from '../../../platform/ids.ts'
import { matchChangedPackages } from '../../matching/index.ts'
import { checkAcceptances, endDueAcceptances } from './ends-service.ts'

const FINDINGS = 3

/** No record says in which later version it is fixed. */
const UNFIXED = { lastAffected: '1.5' }

interface Terms {
  days: number | null
  owner: number | null
  knownExploited: boolean
  epssAbove: number | null
  devicesAbove: number | null
  fixAvailable: boolean
}

type Deciding =
  | { do: 'accept'; at: number; terms: Terms }
  | { do: 'ignore' | 'unignore' | 'end'; at: number }
  | { do: 'renew'; at: number; days: number }
  | { do: 'handOver'; at: number; owner: number }

type Learning =
  | { do: 'exploited'; at: number }
  | { do: 'fix'; at: number }
  | { do: 'epss'; at: number; score: number }

type Command =
  | Deciding
  | Learning
  | { do: 'devices'; count: number }
  | { do: 'pass'; days: number }
  | { do: 'undo'; back: number }

const at = fc.nat({ max: FINDINGS - 1 })
const owner = fc.nat({ max: 1 })
const days = fc.integer({ min: 1, max: 20 })
const score = fc.constantFrom(0.1, 0.3, 0.5, 0.7)
const terms = fc.record<Terms>({
  days: fc.option(days),
  owner: fc.option(owner),
  knownExploited: fc.boolean(),
  epssAbove: fc.option(score),
  devicesAbove: fc.option(fc.nat({ max: 4 })),
  fixAvailable: fc.boolean(),
})
const decided = fc.constantFrom('ignore', 'unignore', 'end')
const learnt = fc.constantFrom('exploited', 'fix')
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('accept' as const), at, terms }) },
  { weight: 3, arbitrary: fc.record({ do: decided, at }) },
  { weight: 2, arbitrary: fc.record({ do: learnt, at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('renew' as const), at, days }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('handOver' as const), at, owner }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('epss' as const), at, score }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('devices' as const), count: fc.nat({ max: 5 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), days }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('undo' as const), back: fc.nat({ max: 3 }) }),
  },
)

interface Said {
  owner: string | null
  until: string | null
  conditions: Omit<Terms, 'days' | 'owner'>
  ended: string[] | null
}

interface State {
  ignored: boolean
  acceptance: Said | null
}

/** What a finding was before an entry of its history, and which command made the entry. */
interface Entry {
  batch: string | null
  before: State
}

interface World {
  exploited: boolean[]
  fixed: boolean[]
  epss: (number | null)[]
  devices: number
}

/** What would have ended it, by comparing all that it says with all that is so. */
function listCauses(said: Said, index: number, { world, now }: { world: World; now: Date }) {
  const { knownExploited, epssAbove, devicesAbove, fixAvailable } = said.conditions
  const epss = world.epss[index] ?? null
  return [
    ...(said.until !== null && new Date(said.until) <= now ? ['Time'] : []),
    ...(knownExploited && world.exploited[index] === true ? ['KnownExploited'] : []),
    ...(epssAbove !== null && epss !== null && epss > epssAbove ? ['EpssAbove'] : []),
    ...(devicesAbove !== null && world.devices > devicesAbove ? ['DevicesAbove'] : []),
    ...(fixAvailable && world.fixed[index] === true ? ['FixAvailable'] : []),
  ]
}

class Model {
  readonly world: World = {
    exploited: Array<boolean>(FINDINGS).fill(false),
    fixed: Array<boolean>(FINDINGS).fill(false),
    epss: Array<number | null>(FINDINGS).fill(null),
    devices: 0,
  }
  readonly states: State[] = Array.from({ length: FINDINGS }, () => ({
    ignored: false,
    acceptance: null,
  }))
  private readonly history: Entry[][] = Array.from({ length: FINDINGS }, () => [])

  decide(index: number, to: State, { batch, now }: { batch: string | null; now: Date }): void {
    const before = this.states[index] as State
    this.history[index]?.push({ batch, before })
    this.states[index] = this.withEnd(index, to, now)
  }

  /** Of what holds by `now`. */
  settle(now: Date): void {
    for (const [index, state] of this.states.entries()) {
      const ended = this.withEnd(index, state, now)
      if (ended !== state) {
        this.history[index]?.push({ batch: null, before: state })
        this.states[index] = ended
      }
    }
  }

  undo(batch: string): void {
    for (const [index, entries] of this.history.entries()) {
      const last = entries.at(-1)
      if (last?.batch !== batch) continue
      entries.pop()
      this.states[index] = last.before
    }
  }

  private withEnd(index: number, state: State, now: Date): State {
    const { ignored, acceptance } = state
    if (!ignored || !acceptance) return state
    const causes = listCauses(acceptance, index, { world: this.world, now })
    return causes.length === 0
      ? state
      : { ignored: false, acceptance: { ...acceptance, ended: causes } }
  }
}

let test: TestApp
let now = new Date()

interface Given {
  client: Client
  version: GivenVersion
  product: string
  cveIds: string[]
  findingIds: string[]
  owners: string[]
}

/** Flaws without a fix of one component in one version. */
async function givenFindings(): Promise<Given> {
  const client = await givenClient(test)
  const product = `history-${newId()}`
  const cveIds = Array.from({ length: FINDINGS }, (_, index) => `CVE-2031-${product}-${index}`)
  for (const id of cveIds)
    await givenAdvisory(test.ctx.db, {
      id,
      severity: 'High',
      affected: [affectedIn(`cpe:acme:${product}`, [UNFIXED])],
    })
  const version = await givenVersion(test.ctx, client.workspaceId, [
    { packageName: product, cpes: [cpeOf(product, '1.0')] },
  ])
  const path = `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/list`
  const answer = await client.post(path, { sortColumn: 'CveId', ascending: true })
  const { findings } = answer.json<{ findings: { id: string }[] }>()
  const members = [await givenMember(test, client.workspaceId)]
  members.push(await givenMember(test, client.workspaceId))
  const owners = members.map(({ id }) => id)
  return { client, version, product, cveIds, findingIds: findings.map(({ id }) => id), owners }
}

/** The service, and the model beside it. */
class Run {
  readonly model = new Model()
  readonly batches: string[] = []
  readonly past: { at: Date; ignored: boolean[] }[] = []
  readonly given: Given
  endCount = 0

  constructor(given: Given) {
    this.given = given
  }

  async do(one: Command): Promise<void> {
    now = addMs(now, MINUTE_MS)
    await this.act(one)
    this.model.settle(now)
    await endDueAcceptances(test.ctx)
    await checkAcceptances(test.ctx, this.given.client)
    await this.compare()
    this.past.push({ at: now, ignored: this.model.states.map(({ ignored }) => ignored) })
  }

  private async act(one: Command): Promise<void> {
    if (one.do === 'pass') now = addMs(now, one.days * DAY_MS)
    else if (one.do === 'devices') {
      this.model.world.devices = one.count
      await givenRunning(test.ctx, one.count, this.given.version)
    } else if (one.do === 'undo') await this.undo(one.back)
    else if (one.do === 'exploited' || one.do === 'fix' || one.do === 'epss') await this.learn(one)
    else await this.decide(one)
  }

  private async learn(one: Learning): Promise<void> {
    const { world } = this.model
    const { product, cveIds } = this.given
    const id = cveIds[one.at] ?? ''
    if (one.do === 'epss') {
      world.epss[one.at] = one.score
      await sql`
        insert into epss_scores (cve_id, score, percentile) values (${id}, ${one.score}, 0.5)
        on conflict (cve_id) do update set score = excluded.score`.execute(test.ctx.db)
      return
    }
    if (one.do === 'exploited') world.exploited[one.at] = true
    else world.fixed[one.at] = true
    const range = world.fixed[one.at] === true ? { fixed: '2.0' } : UNFIXED
    const affected = [affectedIn(`cpe:acme:${product}`, [range])]
    const revision = await givenAdvisory(test.ctx.db, { id, severity: 'High', affected })
    await sql`
      update vulnerabilities set is_known_exploit = ${world.exploited[one.at] === true}
      where id = ${id}`.execute(test.ctx.db)
    await matchChangedPackages(test.ctx, { revision })
  }

  private async decide(one: Deciding): Promise<void> {
    const { client, findingIds, owners } = this.given
    const findingId = findingIds[one.at] ?? ''
    const to = this.plan(one)
    const bulk = { findingIds: [findingId] }
    const many = (path: string, body: object) => client.post(path, { ...bulk, ...body })
    const ignoring = '/vulnerability-findings/bulk-ignore'
    const answer = await {
      accept: () =>
        many(ignoring, {
          ignored: true,
          acceptance: one.do === 'accept' ? this.state(one.terms) : {},
        }),
      ignore: () => many(ignoring, { ignored: true }),
      unignore: () => many(ignoring, { ignored: false }),
      end: () => many('/acceptances/end', {}),
      renew: () => many('/acceptances/renew', { until: inDays(one.do === 'renew' ? one.days : 1) }),
      handOver: () =>
        many('/acceptances/hand-over', {
          ownerId: owners[one.do === 'handOver' ? one.owner : 0],
        }),
    }[one.do]()
    const { decisionBatchId: batch } = answer.json<{ decisionBatchId?: string }>()
    expect([answer.statusCode, batch !== undefined]).toEqual([200, to !== undefined])
    if (batch === undefined || !to) return
    this.batches.push(batch)
    this.model.decide(one.at, to, { batch, now })
  }

  private state({ days: length, owner: index, ...conditions }: Terms) {
    return {
      ownerId: index === null ? null : (this.given.owners[index] ?? null),
      until: length === null ? null : inDays(length),
      conditions,
    }
  }

  /** What a command makes of a finding; undefined: it changes nothing. */
  private plan(one: Deciding): State | undefined {
    const { ignored, acceptance } = this.model.states[one.at] as State
    const { owners } = this.given
    if (one.do === 'accept') {
      const { ownerId, until, conditions } = this.state(one.terms)
      return { ignored: true, acceptance: { owner: ownerId, until, conditions, ended: null } }
    }
    if (one.do === 'ignore') return ignored ? undefined : { ignored: true, acceptance: null }
    if (one.do === 'renew')
      return acceptance
        ? { ignored: true, acceptance: { ...acceptance, until: inDays(one.days), ended: null } }
        : undefined
    if (one.do === 'handOver') {
      const next = owners[one.owner] ?? null
      const isChanged = ignored && acceptance && acceptance.owner !== next
      return isChanged ? { ignored, acceptance: { ...acceptance, owner: next } } : undefined
    }
    if (!ignored || (one.do === 'end' && !acceptance)) return undefined
    return { ignored: false, acceptance: acceptance && { ...acceptance, ended: ['Person'] } }
  }

  private async undo(back: number): Promise<void> {
    const [batch] = this.batches.splice(-1 - back, 1)
    if (batch === undefined) return
    const answer = await this.given.client.post(`/decision-batches/${batch}/undo`, {})
    expect(answer.statusCode).toBe(200)
    this.model.undo(batch)
    // What comes back and is met by now ends in the same transaction.
    this.model.settle(now)
    expect(await this.readStates()).toEqual(this.model.states)
  }

  async readStates(): Promise<State[]> {
    const states: State[] = []
    for (const findingId of this.given.findingIds) {
      const answer = await this.given.client.get(`/vulnerability-findings/${findingId}`)
      const { ignored, acceptance, isActive } = answer.json<{
        ignored: boolean
        isActive: boolean
        acceptance:
          | (Omit<Said, 'owner' | 'ended'> & {
              owner: { id: string } | null
              ended: { causes: string[] } | null
            })
          | null
      }>()
      expect(isActive).toBe(!ignored)
      states.push({
        ignored,
        acceptance: acceptance && {
          owner: acceptance.owner?.id ?? null,
          until: acceptance.until,
          conditions: acceptance.conditions,
          ended: acceptance.ended?.causes ?? null,
        },
      })
    }
    return states
  }

  private async compare(): Promise<void> {
    const { client, version } = this.given
    const { states } = this.model
    expect(await this.readStates()).toEqual(states)
    const path = `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/summary`
    const { totalActiveIssues } = (await client.get(path)).json<{ totalActiveIssues: number }>()
    expect(totalActiveIssues).toBe(states.filter(({ ignored }) => !ignored).length)
    const { counts } = (await client.post('/acceptances/list', {})).json<{
      counts: { open: number; endingSoon: number; ended: number }
    }>()
    const ended = states.filter(({ ignored, acceptance }) => !ignored && acceptance?.ended)
    const open = states.filter(({ ignored, acceptance }) => ignored && acceptance)
    expect([counts.open + counts.endingSoon, counts.ended]).toEqual([open.length, ended.length])
    this.endCount += ended.length
  }

  /** Each moment says later what it said then. */
  async comparePast(): Promise<void> {
    const { client, findingIds } = this.given
    for (const { at: then, ignored } of this.past.filter((_, index) => index % 3 === 0)) {
      const asOf = addMs(then, 1000).toISOString()
      for (const [index, findingId] of findingIds.entries()) {
        const answer = await client.get(`/vulnerability-findings/${findingId}?asOf=${asOf}`)
        expect(answer.json()).toMatchObject({ ignored: ignored[index] })
      }
    }
  }
}

const inDays = (count: number) => addDays(now, count).toISOString()

it('holds and ends as a model says that compares all with all, whatever happens in which order', async () => {
  test = await startTestApp()
  const started = new Date()
  test.ctx.now = () => now
  let endCount = 0
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 20 }), async (commands) => {
      now = started
      const run = new Run(await givenFindings())
      for (const one of commands) await run.do(one)
      now = addMs(now, MINUTE_MS)
      await run.comparePast()
      endCount += run.endCount
    }),
    { numRuns: propertyRuns(40, 6), endOnFailure: true },
  )
  expect(endCount).toBeGreaterThan(0)
}, 600_000)
