/** Compares what was accepted during a drill with what is there afterwards. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { DrillInstallation } from './installation.ts'
import { flawedPart, SHARED_PART } from './knowledge.ts'
import { type AcceptedWork, call, isBroken, numberOf, versionOf, type World } from './load.ts'
import { tell, until } from './progress.ts'
import {
  countOvertaken,
  faultsOfOrder,
  inWords,
  isUncertain,
  type SentRequest,
  valuesThatMayHold,
} from './requests.ts'

/** Undefined: it is not answered right now. */
async function tryRead<Body>(world: World, method: string, path: string, body?: object) {
  const answer = await call<Body>(world, method, path, body)
  return answer?.status === 200 ? answer.body : undefined
}

async function read<Body>(world: World, method: string, path: string, body?: object) {
  const answer = await call<Body>(world, method, path, body)
  if (answer?.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer.body
}

/**
 * Nothing waits any longer for another attempt, or for the claim of a process that was killed (three minutes for a mail):
 * time is moved instead.
 */
export async function hurry({ execute }: DrillInstallation): Promise<void> {
  await execute(`
    update notifications set due_at = least(due_at, now()), claimed_until = null
    where state = 'Pending' and (attempts > 0 or claimed_until is not null)`)
  await execute(`
    update pgboss.job set start_after = now()
    where state in ('created', 'retry') and start_after > now()`)
}

interface ListedSbom {
  id: string
  parsingState: string
  vulnerabilitiesParsedAt: string | null
}

const isOpen = ({ parsingState, vulnerabilitiesParsedAt }: ListedSbom) =>
  parsingState === 'InProgress' || (parsingState === 'Succeeded' && !vulnerabilitiesParsedAt)

/** Waits until no SBOM has anything left to be done. */
export async function settledSboms(world: World): Promise<ListedSbom[]> {
  let all: ListedSbom[] = []
  await until('SBOMs that are parsed and matched', async () => {
    all = []
    for (const id of world.firmwareVersionIds) {
      const path = `/firmware-versions/${id}/sboms`
      const listed = await tryRead<{ sboms: ListedSbom[] }>(world, 'GET', path)
      if (!listed) return 'no answer'
      all.push(...listed.sboms)
    }
    const open = all.filter(isOpen).length
    return open === 0 ? undefined : `${open} of ${all.length} are not`
  })
  return all
}

export function expectSboms(sboms: readonly ListedSbom[], accepted: AcceptedWork): void {
  expect(sboms.map(({ id }) => id).toSorted()).toEqual([...accepted.sboms.keys()].toSorted())
  const failed = sboms.filter(({ parsingState }) => parsingState === 'Failed')
  const broken = [...accepted.sboms].filter(([, index]) => isBroken(index))
  expect(failed.map(({ id }) => id).toSorted()).toEqual(broken.map(([id]) => id).toSorted())
}

/** The last build of the version that moves counts alone, those before are kept beside it, and checks have left nothing. */
export async function expectLastBuild(world: World, { builds }: AcceptedWork): Promise<void> {
  const path = `/firmware-versions/${world.movingVersionId}`
  let current: ListedSbom[] = []
  await until('the last build alone', async () => {
    const listed = await tryRead<{ sboms: ListedSbom[] }>(world, 'GET', `${path}/sboms`)
    current = listed?.sboms ?? []
    return current.length === 1 && !current.some(isOpen) ? undefined : `${current.length} count`
  })
  const { sboms } = await read<{ sboms: { id: string }[] }>(world, 'GET', `${path}/replaced-sboms`)
  const { firmwares } = await read<{ firmwares: { slug: string }[] }>(world, 'GET', '/firmwares')
  expect(builds.length).toBeGreaterThan(1)
  expect(current.map(({ id }) => id)).toEqual(builds.slice(-1))
  expect(sboms.map(({ id }) => id).toSorted()).toEqual(builds.slice(0, -1).toSorted())
  expect(firmwares.map(({ slug }) => slug)).toEqual(['drill'])
}

interface DecidedFinding {
  assessment: string
  timeline: {
    source?: string
    timestamp: string
    assessment?: { assessment: string; detail: string | null }
  }[]
}

/** Each accepted decision is in the timeline of its finding, in order, and the last one holds. */
export async function expectDecisions(world: World, { decisions }: AcceptedWork): Promise<void> {
  expect(decisions.size).toBeGreaterThan(0)
  let overtaken = 0
  for (const [id, sent] of decisions) {
    const finding = await read<DecidedFinding>(world, 'GET', `/vulnerability-findings/${id}`)
    overtaken += countOvertaken(sent, appliedIn(finding))
    const faults = faultsOfDecisions(sent, finding)
    const { timeline } = finding
    if (faults.length > 0)
      throw new Error(
        [`finding ${id}`, ...faults, ...sent.map(inWords), JSON.stringify(timeline)].join('\n'),
      )
  }
  const all = [...decisions.values()].flat()
  const uncertain = all.filter(isUncertain).length
  tell(`${all.length} decisions, ${uncertain} without a certain answer, ${overtaken} overtaken`)
}

/** A decision that was carried over from another version has the words of that one. */
const appliedIn = ({ timeline }: DecidedFinding): number[] =>
  timeline.flatMap(({ source, assessment }) =>
    source === 'ApiKey' ? (numberOf(assessment?.detail ?? '') ?? []) : [],
  )

function faultsOfDecisions(sent: readonly SentRequest<string>[], decided: DecidedFinding) {
  const { assessment, timeline } = decided
  const last = timeline.findLast((entry) => entry.assessment)?.assessment?.assessment
  return [
    ...faultsOfOrder(sent, appliedIn(decided)),
    ...((last ?? 'NotAssessed') === assessment
      ? []
      : [`${assessment} holds, and the timeline ends with ${last ?? 'nothing'}`]),
  ]
}

export async function expectDeployments(
  world: World,
  { deployments }: AcceptedWork,
): Promise<void> {
  expect(deployments.size).toBeGreaterThan(0)
  const path = `/deployment-cohorts/${world.cohortId}/deployments?limit=1000`
  const listed = await read<{ deployments: { id: string }[] }>(world, 'GET', path)
  const there = new Set(listed.deployments.map(({ id }) => id))
  expect([...deployments].filter((id) => !there.has(id))).toEqual([])
}

/** Sent again and again until they were acknowledged, and stored once. */
export async function expectPoints(world: World, { points }: AcceptedWork): Promise<void> {
  const counted = await read<{ series: { points: { value: number }[] }[] }>(
    world,
    'POST',
    '/metrics/query',
    {
      metric: 'temperature',
      aggregation: 'Count',
      from: new Date(Date.now() - 12 * 3_600_000).toISOString(),
      to: new Date(Date.now() + 3_600_000).toISOString(),
    },
  )
  expect(counted.series[0]?.points.reduce((sum, { value }) => sum + value, 0)).toBe(points)
}

interface ListedRule {
  id: string
  condition: { threshold: number }
}

/** Rules are there as they were last, and each made rule was evaluated. */
export async function expectRules(world: World, { rules }: AcceptedWork): Promise<void> {
  expect(rules.size).toBeGreaterThan(0)
  const listed = await read<ListedRule[]>(world, 'GET', '/alert-rules')
  const thresholds = new Map(listed.map(({ id, condition }) => [id, condition.threshold]))
  for (const [id, sent] of rules) {
    const held = thresholds.get(id)
    if (!valuesThatMayHold(sent).some((value) => value === held))
      throw new Error([`rule ${id} has ${held ?? 'gone'}`, ...sent.map(inWords)].join('\n'))
  }
}

/** Of each version, the flaws of the parts that its SBOMs declare. */
function expectedFindings(world: World, { sboms, flaws }: AcceptedWork): string[] {
  const parts = new Set(
    [...sboms.values()].flatMap((index) => {
      const version = versionOf(world, index)
      const names = isBroken(index) ? [] : [SHARED_PART, flawedPart(index)]
      return names.map((name) => `${version} ${name}`)
    }),
  )
  return world.firmwareVersionIds.flatMap((version) =>
    flaws
      .filter(({ packageName }) => parts.has(`${version} ${packageName}`))
      .map(({ cveId, packageName }) => `${version} ${packageName} ${cveId}`),
  )
}

interface ListedFinding {
  cveId: string
  componentName: string
  isKnownCisaExploit: boolean
}

/** Waits until all sources are fetched, and then compares findings with what was uploaded and published. */
export async function expectFindings(world: World, accepted: AcceptedWork): Promise<void> {
  const expected = expectedFindings(world, accepted).toSorted()
  const exploited = new Set(
    accepted.flaws.filter((flaw) => flaw.isExploited).map(({ cveId }) => cveId),
  )
  let found: string[] = []
  await until('findings of what was published', async () => {
    found = []
    for (const version of world.firmwareVersionIds) {
      const path = `/firmware-versions/${version}/vulnerability-findings/list`
      const page = await tryRead<{ findings: ListedFinding[] }>(world, 'POST', path, {
        limit: 1000,
      })
      if (!page) return 'no answer'
      for (const { cveId, componentName, isKnownCisaExploit } of page.findings)
        if (isKnownCisaExploit === exploited.has(cveId))
          found.push(`${version} ${componentName} ${cveId}`)
    }
    // More than expected never becomes right.
    return found.length >= expected.length ? undefined : `${found.length} of ${expected.length}`
  })
  expect(found.toSorted()).toEqual(expected)
}

interface SentNotification {
  id: string
  state: string
  address: string | null
  messageId: string | null
}

const listNotifications = ({ beside }: DrillInstallation) =>
  beside(
    async ({ db }) =>
      (
        await sql<SentNotification>`
          select id, state, address, message_id from notifications order by id`.execute(db)
      ).rows,
  )

/** Each notification arrived; a mail or call that is sent twice is the same message. */
export async function expectDelivered(
  installation: DrillInstallation,
  { addresses, rules }: AcceptedWork,
): Promise<void> {
  let all: SentNotification[] = []
  await until('notifications', async () => {
    await hurry(installation)
    all = await listNotifications(installation)
    const pending = all.filter(({ state }) => state === 'Pending').length
    // A rule fires when it is evaluated next, which a busy machine may do only after the load.
    if (rules.size > 0 && !all.some(({ address }) => address === null))
      return 'no rule has called the webhook yet'
    return pending === 0 ? undefined : `${pending} of ${all.length} wait`
  })
  expect(all.filter(({ state }) => state !== 'Delivered')).toEqual([])
  expect([...addresses].filter((address) => !all.some((one) => one.address === address))).toEqual(
    [],
  )
  const { mail, webhooks } = installation
  const mailed = all.flatMap(({ address, messageId }) =>
    address === null ? [] : [`${address} <${messageId ?? ''}@example.com>`],
  )
  const took = mail.mails.map(({ to, headers }) => `${to.join()} ${headers['message-id'] ?? ''}`)
  expect(distinct(took)).toEqual(distinct(mailed))
  const called = all.flatMap(({ id, address }) => (address === null ? [id] : []))
  const taken = webhooks.requests.map(({ headers }) => String(headers['webhook-id']))
  expect(distinct(taken)).toEqual(distinct(called))
  expect(called.length).toBeGreaterThan(0)
}

const distinct = (values: readonly string[]) => [...new Set(values)].toSorted()

/** Each stored file of an SBOM has its row; the sweep at the start deletes those of interrupted uploads. */
export async function expectFiles(
  installation: DrillInstallation,
  accepted: AcceptedWork,
): Promise<void> {
  const ids = [...accepted.sboms.keys(), ...accepted.builds].toSorted()
  await until('stored files', async () => {
    const stored = await installation.beside(async ({ blobs }) => {
      const keys: string[] = []
      for await (const { key } of blobs.list('sboms/')) keys.push(key.split('/').at(-1) ?? '')
      return keys.toSorted()
    })
    return stored.join() === ids.join() ? undefined : `${stored.length} of ${ids.length} SBOMs`
  })
}
