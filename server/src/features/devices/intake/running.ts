/** The state of a device after a report: what it runs, its presence and its attributes. */
import type {
  Alternation,
  Alternations,
  DeviceState,
  NamedVersion,
  RunningFirmware,
} from './store.ts'
import { DAY_MS } from '../../../formats/instants.ts'
import { isImageAttribute, readImageHash } from '../../../formats/provenance/image-hash.ts'
import type { ConnectionEvent, DeviceReport } from '../reactions.ts'

/** Finds firmware versions by the names and build ids that devices report. */
export class VersionNames {
  private readonly byName = new Map<string, NamedVersion>()
  private readonly byBuildId = new Map<string, NamedVersion>()

  constructor(versions: readonly NamedVersion[]) {
    for (const version of versions) {
      this.byName.set(JSON.stringify([version.slug, version.name]), version)
      if (version.buildId !== null) this.byBuildId.set(version.buildId, version)
    }
  }

  named(slug: string, version: string): RunningFirmware {
    const known = this.byName.get(JSON.stringify([slug, version]))
    return {
      slug,
      version,
      buildId: null,
      firmwareVersionId: known?.id ?? null,
      confirmed: true,
      imageHash: null,
    }
  }

  /** An unknown build has neither slug nor version. */
  built(buildId: string): RunningFirmware {
    const known = this.byBuildId.get(buildId)
    return {
      slug: known?.slug ?? '',
      version: known?.name ?? '',
      buildId,
      firmwareVersionId: known?.id ?? null,
      confirmed: true,
      imageHash: null,
    }
  }
}

const REMEMBERED_RUNS = 16
const MOST_ATTRIBUTES = 200

/** Whether a session arrives late: the device has begun another run since. */
export function isReplay(state: DeviceState, { message }: DeviceReport): boolean {
  return message.kind === 'session' && state.runIds.slice(1).includes(message.session.runId)
}

export function stateAfter(state: DeviceState, report: DeviceReport): DeviceState {
  const { receivedAt, message, door, client } = report
  const seen = {
    ...state,
    door,
    client: client ?? (door === state.door ? state.client : null),
    firstSeenAt: state.firstSeenAt ?? receivedAt,
    lastSeenAt: later(state.lastSeenAt, receivedAt),
  }
  return withMessage(seen, message, receivedAt)
}

function withMessage(
  seen: DeviceState,
  message: DeviceReport['message'],
  receivedAt: DeviceReport['receivedAt'],
): DeviceState {
  switch (message.kind) {
    case 'connected':
    case 'disconnected':
      return connectionAfter(seen, message)
    case 'session':
      return sessionAfter(seen, message, receivedAt)
    case 'running':
      return {
        ...seen,
        attributes: mergeAttributes(
          withoutAttributes(seen.attributes, message.attributesGone),
          message.attributes,
        ),
        reportedAt: message.firmware.length > 0 ? receivedAt : seen.reportedAt,
      }
    case 'config':
    case 'metrics':
    case 'logs':
    case 'crashes':
    case 'update':
    case 'contact':
      return seen
  }
}

function sessionAfter(
  seen: DeviceState,
  { session }: Extract<DeviceReport['message'], { kind: 'session' }>,
  receivedAt: DeviceReport['receivedAt'],
): DeviceState {
  const { runId, attributes, firmware, buildId } = session
  const statesFirmware = firmware !== undefined || buildId !== undefined
  return {
    ...seen,
    runIds: [runId, ...seen.runIds.filter((one) => one !== runId)].slice(0, REMEMBERED_RUNS),
    attributes: mergeAttributes(seen.attributes, attributes),
    reportedAt: statesFirmware ? receivedAt : seen.reportedAt,
  }
}

function connectionAfter(state: DeviceState, event: ConnectionEvent): DeviceState {
  if (event.kind === 'connected') {
    const { connectionId, gatewayId } = event
    return { ...state, connected: true, connectionId, gatewayId }
  }
  if (event.kind === 'disconnected' && event.connectionId === state.connectionId)
    return { ...state, connected: false, connectionId: null, gatewayId: null }
  return state
}

function later(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other
}

function withoutAttributes(
  known: Record<string, unknown>,
  gone: readonly string[] | undefined,
): Record<string, unknown> {
  if (gone === undefined || gone.length === 0) return known
  return Object.fromEntries(Object.entries(known).filter(([name]) => !gone.includes(name)))
}

function mergeAttributes(
  known: Record<string, unknown>,
  reported: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  if (reported === undefined) return known
  return Object.fromEntries(Object.entries({ ...known, ...reported }).slice(0, MOST_ATTRIBUTES))
}

/** A session states everything that runs. hawkBit states only what it concerns. */
export function updateRunning(
  running: readonly RunningFirmware[],
  { message }: DeviceReport,
  names: VersionNames,
): readonly RunningFirmware[] {
  if (message.kind === 'session') {
    const { firmware, buildId } = message.session
    if (firmware !== undefined)
      return bySlug(firmware.map((one) => names.named(one.slug, one.version)))
    if (buildId !== undefined) return [names.built(buildId)]
  }
  if (message.kind === 'running') {
    const confirmed = !message.unconfirmed
    const stated = message.firmware.map((one) => ({
      ...names.named(one.slug, one.version),
      confirmed,
    }))
    return bySlug([...running, ...stated])
  }
  return running
}

function bySlug(firmwares: readonly RunningFirmware[]): RunningFirmware[] {
  return [...new Map(firmwares.map((firmware) => [firmware.slug, firmware])).values()]
}

export function isSameFirmware(one: RunningFirmware, other: RunningFirmware): boolean {
  return (
    one.version === other.version &&
    one.buildId === other.buildId &&
    one.firmwareVersionId === other.firmwareVersionId &&
    one.confirmed === other.confirmed &&
    one.imageHash === other.imageHash
  )
}

/** What runs, with the hashes that the attributes state. */
export function withImageHashes(
  running: readonly RunningFirmware[],
  attributes: Readonly<Record<string, unknown>>,
): readonly RunningFirmware[] {
  const isAlone = running.length === 1
  return running.map((one) => ({
    ...one,
    imageHash: readImageHash(attributes, { slug: one.slug, isAlone }),
  }))
}

/** A hash that was reported of another version says nothing about the one that runs now, unless the report repeats it. */
export function forgetImageHashes(
  attributes: Record<string, unknown>,
  [before, after]: readonly [readonly RunningFirmware[], readonly RunningFirmware[]],
  { message }: DeviceReport,
): Record<string, unknown> {
  if (!Object.keys(attributes).some(isImageAttribute)) return attributes
  const replaced = before.filter(({ slug, version, buildId }) =>
    after.some((one) => one.slug === slug && (one.version !== version || one.buildId !== buildId)),
  )
  if (replaced.length === 0) return attributes
  const told = Object.keys(listStatedAttributes(message) ?? {})
  const outdated = ['imageHash', ...replaced.map(({ slug }) => `imageHash.${slug}`)]
  return withoutAttributes(
    attributes,
    outdated.filter((name) => !told.includes(name)),
  )
}

function listStatedAttributes(message: DeviceReport['message']) {
  if (message.kind === 'session') return message.session.attributes
  return message.kind === 'running' ? message.attributes : undefined
}

/** Attributes that tell one piece of hardware from another. */
const OF_HARDWARE =
  /serial|imei|(?:machine|hardware|hw)[-_. ]?id|uuid|eui|(?:^|[^a-z])mac(?:$|[^a-z]|addr)/i
const FIRMWARE = 'firmware '
const REMEMBERED_MS = 7 * DAY_MS

/**
 * Keeps what a report changed of the hardware's attributes and of the versions that run. Two devices with one id report in turn, so
 * their values go to and fro; one device's change once.
 */
export function updateAlternations(
  known: Alternations,
  [before, after]: readonly [ReportedValues, ReportedValues],
  at: Date,
): Alternations {
  // Most reports state neither: metrics, logs, a connection.
  if (before.attributes === after.attributes && before.running === after.running) return known
  const [old, now] = [indexValues(before), indexValues(after)]
  const changed = [...now].flatMap(([name, value]): [string, Alternation][] => {
    const last = old.get(name)
    if (last === undefined || last === value) return []
    const entry = known[name]
    const returns = entry?.before === value ? entry.returns + 1 : 0
    return [[name, { before: last, returns, at: at.toISOString() }]]
  })
  if (changed.length === 0) return known
  const recent = Object.entries(known).filter(
    ([, entry]) => at.getTime() - Date.parse(entry.at) < REMEMBERED_MS,
  )
  return Object.fromEntries([...recent, ...changed])
}

/** The version that a hawkBit client reports while nothing says of which firmware it is. */
export function findUnnamedVersion({
  door,
  attributes,
  running,
  versionAttribute,
}: Pick<ReportedValues, 'attributes'> & {
  door: string | null
  running: readonly unknown[]
  /** The workspace's setting. */
  versionAttribute: string | null
}): { attribute: string; version: string } | undefined {
  const attribute = versionAttribute ?? 'version'
  const version = Object.hasOwn(attributes, attribute) ? String(attributes[attribute]).trim() : ''
  return door === 'Ddi' && running.length === 0 && version !== ''
    ? { attribute, version }
    : undefined
}

interface ReportedValues {
  attributes: Record<string, unknown>
  running: readonly Pick<RunningFirmware, 'slug' | 'version' | 'buildId'>[]
}

function indexValues({ attributes, running }: ReportedValues): Map<string, string> {
  const ofHardware = Object.entries(attributes).filter(([name]) => OF_HARDWARE.test(name))
  return new Map([
    ...ofHardware.map(([name, value]): [string, string] => [name, String(value)]),
    ...running.map(({ slug, version, buildId }): [string, string] => [
      FIRMWARE + slug,
      version || (buildId ?? ''),
    ]),
  ])
}

/** A person who rolls back, and forth again, alternates versions as well. */
const RETURNS_OF_VERSIONS = 3

/** The value that alternates most, if any does; undefined: nothing says that two devices report under the id. */
export function findAlternation(
  alternations: Alternations,
  { attributes, running, lastSeenAt }: ReportedValues & { lastSeenAt: Date | null },
): { name: string; values: string[]; returns: number; lastAt: string } | undefined {
  const now = indexValues({ attributes, running })
  const [most] = Object.entries(alternations)
    .filter(
      ([name, { returns }]) => returns >= (name.startsWith(FIRMWARE) ? RETURNS_OF_VERSIONS : 1),
    )
    .filter(([, { at }]) => (lastSeenAt?.getTime() ?? 0) - Date.parse(at) < REMEMBERED_MS)
    .toSorted(([, a], [, b]) => b.returns - a.returns)
  if (!most) return undefined
  const [name, { before, returns, at }] = most
  return { name, values: [before, now.get(name) ?? ''], returns, lastAt: at }
}
