/** What scenes of the story have in common: people, names of things, and the acts that occur again and again. */
import type { KeyObject } from 'node:crypto'
import { GATEWAY, PRODUCTS, type Product } from '../data/products.ts'
import { addDays, addMs, DAY_MS, countDays, HOUR_MS, startOfDay } from '../../formats/instants.ts'
import { writeStorySbom } from './sboms.ts'
import { StoryFleet } from './fleet.ts'
import { createReleaseKey, createStoryImage, stateOrigin } from './images.ts'
import { type Person, type Stage, visit, type Visit } from './stage.ts'

export const CAST = {
  owner: { email: 'mara@harbour.example.com', name: 'Mara Lindqvist', address: '192.0.2.10' },
  security: { email: 'ines@harbour.example.com', name: 'Ines Okafor', address: '192.0.2.21' },
  firmware: { email: 'jonas@harbour.example.com', name: 'Jonas Weber', address: '192.0.2.34' },
  fleet: { email: 'priya@harbour.example.com', name: 'Priya Raman', address: '198.51.100.7' },
} as const satisfies Record<string, Person>

export const REGIONS = ['eu', 'us', 'apac'] as const
type Region = (typeof REGIONS)[number]
/** `all`: of a cohort that spans the regions. */
type Place = Region | 'all'

export const FIRST_DAY = '2025-11-24'
/** The last day of the story, as it is written. It is told so that this day is today. */
export const LAST_DAY = '2026-11-23'

export interface Scene {
  at: Date
  play: (story: Story) => Promise<void>
}

/** Turns days as they are written into instants of the story. */
export class Calendar {
  readonly #shiftMs: number

  constructor(now: Date) {
    const last = countDays(new Date(`${LAST_DAY}T00:00:00Z`))
    this.#shiftMs = (countDays(now) - last) * DAY_MS
  }

  at(day: string, hour = 9): Date {
    return addMs(new Date(`${day}T00:00:00Z`), hour * HOUR_MS + this.#shiftMs)
  }

  /** The day as it is written. */
  dayOf(instant: Date): string {
    return startOfDay(countDays(addMs(instant, -this.#shiftMs)))
      .toISOString()
      .slice(0, 10)
  }
}

export interface Story {
  stage: Stage
  calendar: Calendar
  workspaceId: string
  fleet: StoryFleet
  /** The firmware, by slug. */
  firmwares: Map<string, string>
  /** By slug@name. */
  versions: Map<string, string>
  /** By slug and region, as in `gateway eu`. */
  cohorts: Map<string, string>
  /** By the words of the scene that began them. */
  deployments: Map<string, string>
  /** The last one of each person, by address. */
  visits: Map<string, { since: Date; visit: Visit }>
  /** Made when the first version is released. */
  releaseKey: KeyObject | undefined
}

export function createStory(stage: Stage, calendar: Calendar, workspaceId: string): Story {
  return {
    stage,
    calendar,
    workspaceId,
    fleet: new StoryFleet(stage, workspaceId),
    firmwares: new Map(),
    versions: new Map(),
    cohorts: new Map(),
    deployments: new Map(),
    visits: new Map(),
    releaseKey: undefined,
  }
}

const WORKING_HOURS = 8

/** People sign in once in a working day. */
export async function as(story: Story, person: Person): Promise<Visit> {
  const now = story.stage.ctx.now()
  const last = story.visits.get(person.email)
  if (last && now < addMs(last.since, WORKING_HOURS * HOUR_MS)) return last.visit
  const begun = await visit(story.stage, story.workspaceId, person)
  story.visits.set(person.email, { since: now, visit: begun })
  return begun
}

export function getKnownId(names: ReadonlyMap<string, string>, name: string): string {
  const id = names.get(name)
  if (id === undefined) throw new Error(`The story knows no ${name} yet.`)
  return id
}

interface CreatedResource {
  id: string
}

const PURL = (slug: string, version: string) => `pkg:generic/harbour/${slug}@${version}`

/** A version with its SBOM and its image, as the pipeline of the product brings them. */
export async function release(story: Story, product: Product, name: string): Promise<void> {
  const version = product.versions.find((one) => one.name === name)
  if (!version) throw new Error(`${product.slug} has no version ${name}.`)
  const { slug } = product
  const jonas = await as(story, CAST.firmware)
  const firmwareId = getKnownId(story.firmwares, slug)
  const body = { name, purl: PURL(slug, name) }
  const { id } = await jonas.post<CreatedResource>(`/firmwares/${firmwareId}/versions`, body)
  story.versions.set(`${slug}@${name}`, id)
  const sbom = writeStorySbom(product, version, story.stage.ctx.now())
  await jonas.post(`/firmware-versions/${id}/sboms?fileName=${sbom.fileName}`, sbom.text)
  const image = createStoryImage(product, name)
  const { fileName, content } = image
  await jonas.put(`/firmware-versions/${id}/artifact?fileName=${fileName}`, content)
  await story.stage.settle()
  story.releaseKey ??= await createReleaseKey(await as(story, CAST.security))
  await stateOrigin(jonas, { versionId: id, slug, image, sbom, releaseKey: story.releaseKey })
  story.fleet.knowImage({ slug, version: name, sha256: image.sha256 })
  await story.stage.settle()
}

interface Verdict {
  assessment: 'InTriage' | 'Exploitable' | 'NotAffected' | 'FalsePositive' | 'Resolved'
  justification?: string
  detail: string
  response?: string
}

export interface Decision extends Verdict {
  cve: string
  /** `slug@name`; left out: all that have the finding. */
  versions?: readonly string[]
  /** Also for versions to come. */
  future?: boolean
}

export async function decide(
  story: Story,
  person: Person,
  { cve, versions, future = false, ...verdict }: Decision,
): Promise<void> {
  const visitor = await as(story, person)
  const firmwareVersionIds = versions?.map((name) => getKnownId(story.versions, name))
  const filter = { cveIds: [cve], ...(firmwareVersionIds && { firmwareVersionIds }) }
  const body = { filter, ...verdict, ...(future && { alsoFuture: true }) }
  const { matched } = await visitor.post<{ matched: number }>(
    '/vulnerability-findings/bulk-assess',
    body,
  )
  if (matched === 0) throw new Error(`Nobody has ${cve} when the story decides about it.`)
  await story.stage.settle()
}

interface Phase {
  percent: number
  waitSeconds?: number
  failureThresholdPercent?: number
  comparison?: { windowSeconds: number; metrics: readonly object[]; builtIn: readonly string[] }
}

const DAY_SECONDS = 86_400
const IN_TWO_STEPS: readonly Phase[] = [
  { percent: 20, waitSeconds: DAY_SECONDS - 3_600, failureThresholdPercent: 20 },
  { percent: 100, failureThresholdPercent: 20 },
]

export interface RollOut {
  slug: string
  region: Place
  version: string
  day: string
  /** What the operator says to the release gate. */
  acknowledged?: string
  phases?: readonly Phase[]
  /** The days after the first one on which devices take the update, and the share of offered devices that takes it. */
  rounds?: readonly (readonly [day: number, share: number])[]
  failing?: number
  reason?: string
}

const nameRollOut = ({ slug, region, version }: Pick<RollOut, 'slug' | 'region' | 'version'>) =>
  `${slug} ${version} ${region}`

const ROUNDS = [
  [0, 0.95],
  [1, 0.75],
  [4, 0.85],
] as const
/** Not before the phase of the same hour of the day before has waited. */
const ROUND_HOUR = 14

/** The deployment, and the days on which devices take it. */
export function rollOut(calendar: Calendar, plan: RollOut): Scene[] {
  const { day, rounds = ROUNDS, slug, region } = plan
  const begin: Scene = { at: calendar.at(day, 10), play: (story) => deploy(story, plan) }
  const takes = rounds.map(([after, share]): Scene => {
    const play = async ({ stage, fleet }: Story) => {
      await stage.advance()
      await fleet.update(fleet.of(slug, region === 'all' ? undefined : region), {
        share,
        failing: plan.failing ?? 0.02,
        reason: plan.reason ?? 'verification of the image failed',
        seed: `${nameRollOut(plan)} ${after}`,
      })
      await stage.tick()
    }
    return { at: addDays(calendar.at(day, ROUND_HOUR), after), play }
  })
  return [begin, ...takes]
}

async function deploy(story: Story, plan: RollOut): Promise<void> {
  const { slug, region, version, phases = IN_TWO_STEPS, acknowledged } = plan
  const priya = await as(story, CAST.fleet)
  const cohort = getKnownId(story.cohorts, `${slug} ${region}`)
  const body = {
    name: `${getProduct(slug).name} ${version}`,
    artifacts: [{ firmwareVersionId: getKnownId(story.versions, `${slug}@${version}`) }],
    phases,
    ...(acknowledged !== undefined && { acknowledgement: { reason: acknowledged } }),
  }
  const { id } = await priya.post<CreatedResource>(
    `/deployment-cohorts/${cohort}/deployments`,
    body,
  )
  story.deployments.set(nameRollOut(plan), id)
  await story.stage.settle()
}

/** Pauses, cancels, resumes or takes back a deployment. */
export async function steer(
  story: Story,
  which: Pick<RollOut, 'slug' | 'region' | 'version'>,
  command: 'pause' | 'resume' | 'cancel' | 'rollback',
): Promise<void> {
  const priya = await as(story, CAST.fleet)
  const cohort = getKnownId(story.cohorts, `${which.slug} ${which.region}`)
  const deployment = getKnownId(story.deployments, nameRollOut(which))
  await priya.post(`/deployment-cohorts/${cohort}/deployments/${deployment}/${command}`)
}

function getProduct(slug: string): Product {
  return PRODUCTS.find((one) => one.slug === slug) ?? GATEWAY
}
