/** The devices of the story: they report through the doors of devices, and take the updates that they are offered. */
import type { DeviceReport } from '../../features/devices/index.ts'
import type {
  DeviceCrash,
  DeviceMessage,
  LogLine,
  MetricPoint,
} from '../../formats/device-messages/model.ts'
import { drawChance } from '../../simulator/chance.ts'
import type { MeasuringDevice } from '../../simulator/options.ts'
import type { Stage } from './stage.ts'

export interface StoryDevice extends MeasuringDevice {
  slug: string
  region: string
  version: string
  boots: number
  /** Whether it was switched off for good. */
  isGone: boolean
  /** The hash of an image that nobody uploaded, which somebody put onto it. */
  deskImage?: string
}

export interface Wave {
  slug: string
  /** Begins the device ids. */
  prefix: string
  region: string
  from: number
  to: number
  version: string
}

export function createStoryDevices({
  slug,
  prefix,
  region,
  from,
  to,
  version,
}: Wave): StoryDevice[] {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const id = `${prefix}-${region}-${String(from + index).padStart(4, '0')}`
    const power = slug === 'sensor-node' ? 'cell' : 'mains'
    return { id, slug, region, version, power, boots: 0, isGone: false }
  })
}

/** The firmware whose devices report crashes. */
export const CRASHING = 'sensor-node'
/** That whose devices tell the hash of their image. */
const PROVING = 'gateway'

const CLIENTS: Readonly<Record<string, string>> = {
  gateway: 'harbour-agent/2.3',
  display: 'harbour-agent/2.1',
  'sensor-node': 'harbour-zephyr/1.4',
}

export class StoryFleet {
  readonly devices: StoryDevice[] = []
  readonly #stage: Stage
  readonly #workspaceId: string
  /** By slug@version. */
  readonly #imageHashes = new Map<string, string>()

  constructor(stage: Stage, workspaceId: string) {
    this.#stage = stage
    this.#workspaceId = workspaceId
  }

  /** Devices of the gateway tell the hash of the image that they run. */
  knowImage({ slug, version, sha256 }: { slug: string; version: string; sha256: string }): void {
    this.#imageHashes.set(`${slug}@${version}`, sha256)
  }

  of(slug: string, region?: string): StoryDevice[] {
    return this.devices.filter(
      (device) =>
        device.slug === slug && !device.isGone && (region ?? device.region) === device.region,
    )
  }

  /** They are switched on for the first time. */
  async arrive(devices: readonly StoryDevice[]): Promise<void> {
    for (const each of devices) this.devices.push(each)
    await this.boot(devices)
  }

  async boot(devices: readonly StoryDevice[]): Promise<void> {
    await this.#report(devices, (device) => this.#boot(device))
  }

  async contact(devices: readonly StoryDevice[]): Promise<void> {
    await this.#report(devices, () => ({ kind: 'contact' }))
  }

  async measure(devices: readonly StoryDevice[], points: (device: StoryDevice) => MetricPoint[]) {
    await this.#report(devices, (device) => ({ kind: 'metrics', points: points(device) }))
  }

  async log(devices: readonly StoryDevice[], lines: (device: StoryDevice) => LogLine[]) {
    await this.#report(devices, (device) => ({ kind: 'logs', lines: lines(device) }))
  }

  /** They restart and tell it then. */
  async crash(devices: readonly StoryDevice[], crashOf: (device: StoryDevice) => DeviceCrash) {
    const crashes = new Map(devices.map((device) => [device, crashOf(device)]))
    await this.boot(devices)
    await this.#report([...crashes.keys()], (device) => {
      const crash = crashes.get(device)
      return { kind: 'crashes', crashes: crash ? [crash] : [], malformedCount: 0, faults: [] }
    })
  }

  /**
   * Those of the devices that are offered an update take it, as far as they are at home this time (`share`). Some of them fail,
   * and come back with what they ran before.
   */
  async update(
    devices: readonly StoryDevice[],
    {
      share,
      failing,
      reason,
      seed,
    }: { share: number; failing: number; reason: string; seed: string },
  ): Promise<void> {
    const ids = devices.map(({ id }) => id)
    const desired = await this.#stage.doors.offerDesired(this.#workspaceId, ids)
    const offers = devices.flatMap((device) => {
      const update = desired.get(device.id)?.update
      if (!update || 'cancel' in update || drawChance(seed, device.id, 'home') >= share) return []
      return { device, update, fails: drawChance(seed, device.id, 'fails') < failing }
    })
    const idOf = new Map(offers.map(({ device, update }) => [device.id, update.updateId]))
    const updateIdOf = ({ id }: StoryDevice) => idOf.get(id) ?? ''
    await this.#report(
      offers.map(({ device }) => device),
      (device) => ({
        kind: 'update',
        update: { updateId: updateIdOf(device), state: 'inProgress', progress: 40 },
      }),
    )
    for (const { device, update, fails } of offers)
      if (!fails) device.version = update.artifacts[0]?.version ?? device.version
    const failed = new Set(offers.flatMap(({ device, fails }) => (fails ? device : [])))
    await this.#report(
      offers.map(({ device }) => device),
      (device) =>
        failed.has(device)
          ? { kind: 'update', update: { updateId: updateIdOf(device), state: 'failed', reason } }
          : this.#boot(device),
    )
  }

  #boot(device: StoryDevice): DeviceMessage {
    const { slug, version, deskImage } = device
    device.boots += 1
    const runId = `${device.id}-${device.boots}`
    const imageHash = deskImage ?? this.#imageHashes.get(`${slug}@${version}`)
    const attributes = {
      boots: device.boots,
      ...(slug === CRASHING && { reportsCrashes: true }),
      ...(slug === PROVING && imageHash !== undefined && { imageHash }),
    }
    return { kind: 'session', session: { runId, firmware: [{ slug, version }], attributes } }
  }

  async #report(
    devices: readonly StoryDevice[],
    messageOf: (device: StoryDevice) => DeviceMessage | { kind: 'contact' },
  ): Promise<void> {
    const { doors, ctx } = this.#stage
    const receivedAt = ctx.now()
    await Promise.all(
      devices.map((device) => {
        const client = CLIENTS[device.slug]
        const report: DeviceReport = {
          workspaceId: this.#workspaceId,
          deviceId: device.id,
          door: 'Http',
          receivedAt,
          message: messageOf(device),
          ...(client !== undefined && { client }),
        }
        return doors.intake.receive(report)
      }),
    )
  }
}
