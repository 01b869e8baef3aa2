export type SimulatedDoor = 'mqtt' | 'http'

/** How often an update ends in which way, as weights. */
export interface OutcomeWeights {
  success: number
  /** The device says that it failed. */
  failure: number
  /** It installs, boots, and comes back with what it ran before. */
  fallback: number
  /** It takes the update and is never heard of again. */
  silence: number
}

export interface SimulationOptions {
  workspaceId: string
  deviceKey: string
  devices: number
  /** What their ids begin with. */
  prefix: string
  /** `mixed`: every other device takes the other door. */
  door: SimulatedDoor | 'mixed'
  encoding: 'json' | 'cbor'
  /** Of the HTTP API: `http://localhost:8080`. */
  url: string
  /** `mqtt://localhost:1883`. */
  mqttUrl: string
  /** What every device runs at first, version by slug. */
  firmware: Readonly<Record<string, string>>
  /** Devices switched on a second. */
  rate: number
  outcomes: OutcomeWeights
  /** false: artifacts are taken as downloaded. */
  isDownloading: boolean
  /** 0: none. */
  metricsSeconds: number
  /** How often devices at the HTTP door ask. */
  pollSeconds: number
  updateSeconds: number
  rebootSeconds: number
  /** The same seed, the same fate for every device. */
  seed: string
}

/** What has no default. */
export type Needed = 'workspaceId' | 'deviceKey' | 'firmware'

export const DEFAULTS: Omit<SimulationOptions, Needed> = {
  devices: 100,
  prefix: 'sim-',
  door: 'mqtt',
  encoding: 'json',
  url: 'http://localhost:8080',
  mqttUrl: 'mqtt://localhost:1883',
  rate: 50,
  outcomes: { success: 90, failure: 5, fallback: 3, silence: 2 },
  isDownloading: true,
  metricsSeconds: 60,
  pollSeconds: 10,
  updateSeconds: 5,
  rebootSeconds: 2,
  seed: '1',
}
