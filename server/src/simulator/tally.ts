/** Counts of what the devices did. */
export interface SimulationCounts {
  devices: number
  started: number
  connected: number
  sessions: number
  metrics: number
  crashes: number
  configurations: number
  updates: {
    offered: number
    downloads: number
    succeeded: number
    failed: number
    fellBack: number
    silent: number
    cancelled: number
  }
  keys: { fetched: number; replaced: number }
  /** Devices by `slug=version`. */
  running: Record<string, number>
  troubles: number
  lastTrouble: string | null
}

export class Tally {
  started = 0
  sessions = 0
  metrics = 0
  crashes = 0
  configurations = 0
  readonly updates: SimulationCounts['updates'] = {
    offered: 0,
    downloads: 0,
    succeeded: 0,
    failed: 0,
    fellBack: 0,
    silent: 0,
    cancelled: 0,
  }
  readonly keys: SimulationCounts['keys'] = { fetched: 0, replaced: 0 }
  troubles = 0
  lastTrouble: string | null = null

  trouble(error: unknown): void {
    this.troubles += 1
    this.lastTrouble = error instanceof Error ? error.message || error.name : String(error)
    // A refused connection to several addresses has its reasons in `errors`.
    if (error instanceof AggregateError) this.lastTrouble = String(error.errors[0])
    if (error instanceof Error && error.cause instanceof Error)
      this.lastTrouble = `${this.lastTrouble}: ${error.cause.message}`
  }
}
