import type { StoredKeys } from './own-keys.ts'

export type SimulatedDoor = 'mqtt' | 'http'

export interface MeasuringDevice {
  id: string
  /** `mains`: its battery bridges failures of the mains. The default is a primary cell that lasts for about two years. */
  power?: 'mains' | 'cell' | undefined
  /** Its fan stands still since then. */
  fanFailedAt?: Date | undefined
}

export interface SimulatedStart extends MeasuringDevice {
  /** Versions by slug. */
  firmware: Readonly<Record<string, string>>
}

/** Weights of the outcomes of an update. */
export interface OutcomeWeights {
  success: number
  /** The device reports a failure. */
  failure: number
  /** The device installs, boots, and comes back with the old version. */
  fallback: number
  /** The device begins the update and falls silent. */
  silence: number
}

export interface SimulationOptions {
  workspaceId: string
  deviceKey: string
  /** Keys of single devices by their ids, which they replace when asked; others use `deviceKey`. */
  ownKeys: ReadonlyMap<string, StoredKeys>
  /** A device has other keys from now on. */
  onOwnKeys: (deviceId: string, keys: StoredKeys) => void
  /** Of devices with a key of their own, those that do not know how to replace it. */
  unablePercent: number
  devices: number
  /** So many of them are sick from the start: hot, and with errors in their logs. */
  sick: number
  /** Devices by name, with what each runs first. Empty: `devices` numbered ones with `firmware`. */
  fleet: readonly SimulatedStart[]
  /** The beginning of the device ids. */
  prefix: string
  /** `mixed`: every second device uses the other door. */
  door: SimulatedDoor | 'mixed'
  encoding: 'json' | 'cbor'
  /** URL of the HTTP API: `http://localhost:8080`. */
  url: string
  /** `mqtt://localhost:1883`. */
  mqttUrl: string
  /** The first version of every device, by slug. */
  firmware: Readonly<Record<string, string>>
  /** Devices switched on per second. */
  rate: number
  outcomes: OutcomeWeights
  /** false: artifacts count as downloaded. */
  isDownloading: boolean
  /** 0: none. */
  metricsSeconds: number
  /** Crashes of each device in a day, drawn when it measures. 0: none. */
  crashRate: number
  /** How often devices at the HTTP door ask. */
  pollSeconds: number
  updateSeconds: number
  rebootSeconds: number
  /** Devices that run this version use a fifth more memory, log errors and restart; undefined: none does. */
  badRelease: string | undefined
  /** The same seed gives every device the same outcomes. */
  seed: string
}

/** Options without default. */
export type RequiredOption = 'workspaceId' | 'deviceKey' | 'firmware'

export const DEFAULTS: Omit<SimulationOptions, RequiredOption> = {
  ownKeys: new Map(),
  onOwnKeys: () => undefined,
  unablePercent: 0,
  devices: 100,
  sick: 0,
  fleet: [],
  prefix: 'sim-',
  door: 'mqtt',
  encoding: 'json',
  url: 'http://localhost:8080',
  mqttUrl: 'mqtt://localhost:1883',
  rate: 50,
  outcomes: { success: 90, failure: 5, fallback: 3, silence: 2 },
  isDownloading: true,
  metricsSeconds: 60,
  crashRate: 0,
  pollSeconds: 10,
  updateSeconds: 5,
  rebootSeconds: 2,
  badRelease: undefined,
  seed: '1',
}
