/** A simulated device: it boots, reports what it runs, follows what is desired, and sometimes fails. */
import { setTimeout as delay } from 'node:timers/promises'
import { DAY_MS } from '../formats/instants.ts'
import {
  type DesiredConfig,
  type DesiredKey,
  type DesiredUpdate,
  LOG_SEVERITIES,
  type LogSeverity,
} from '../formats/device-messages/model.ts'
import { drawFaults, measureMemoryOf } from './bad-release.ts'
import { drawChance, varyAround, type Outcome, drawOutcome } from './chance.ts'
import { drawCrash } from './crashes.ts'
import { download } from './download.ts'
import { openHttpLink } from './http-link.ts'
import type { Link, LinkSetup } from './link.ts'
import { openMqttLink } from './mqtt-link.ts'
import type { SimulatedDoor, SimulatedStart, SimulationOptions } from './options.ts'
import { OwnKeys } from './own-keys.ts'
import { describeWorries, measureBattery, measureTemperature } from './readings.ts'
import type { Tally } from './tally.ts'

type Offer = Extract<DesiredUpdate, { artifacts: unknown }>

export interface DeviceSetup extends SimulatedStart {
  door: SimulatedDoor
  options: SimulationOptions
  /** Tells the runs of this simulation from those of earlier ones. */
  simulationId: string
  tally: Tally
  signal: AbortSignal
}

export class SimulatedDevice {
  readonly id: string
  readonly firmware: Map<string, string>
  logSeverity: LogSeverity = 'Info'
  isConnected = false
  /** Whether it fell silent in the middle of an update. */
  isSilent = false
  private readonly setup: DeviceSetup
  private link: Link | undefined
  private readonly keys: OwnKeys
  private isFetchingKey = false
  boots = 0
  private runId = ''
  private updatesBegun = 0
  sequence = 0
  private configVersion = 0
  private updating: { updateId: string; end: AbortController } | undefined
  private readonly knownUpdates = new Set<string>()
  private readonly cancelledUpdates = new Set<string>()
  private readonly tasks = new Set<Promise<void>>()

  constructor(setup: DeviceSetup) {
    this.setup = setup
    this.id = setup.id
    this.firmware = new Map(Object.entries(setup.firmware))
    const { ownKeys, deviceKey, onOwnKeys } = setup.options
    this.keys = new OwnKeys(ownKeys.get(setup.id) ?? { present: deviceKey }, (keys) =>
      onOwnKeys(setup.id, keys),
    )
  }

  get isOn(): boolean {
    return this.link !== undefined
  }

  get isUpdating(): boolean {
    return this.updating !== undefined
  }

  async switchOn(): Promise<void> {
    const { tally, simulationId, door } = this.setup
    this.boots += 1
    this.sequence = 0
    this.link = await openLink(door, this.linkSetup())
    this.runId = `${simulationId}-${this.boots}`
    await this.link.send('session', {
      runId: this.runId,
      firmware: [...this.firmware].map(([slug, version]) => ({ slug, version })),
      attributes: { simulated: true, boots: this.boots, reportsCrashes: true },
    })
    tally.sessions += 1
    await this.reportConfiguration()
    await this.log('Info', `booted, run ${this.boots}`)
  }

  async switchOff(): Promise<void> {
    const { link } = this
    this.link = undefined
    await link?.close()
  }

  /** Resolves when all its work has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.tasks)
  }

  /** What it measures, and what worries it. */
  async report(): Promise<void> {
    if (!this.link) return
    this.sequence += 1
    const { setup, sequence, runId } = this
    const now = new Date()
    const percent = measureBattery(setup, now)
    const degrees = measureTemperature(setup, now)
    const megabytes = measureMemoryOf(setup, { now, firmware: this.firmware })
    await this.link.send('metrics', [
      { name: 'battery.percent', value: percent, sequence, runId },
      { name: 'cpu.temperature', value: degrees, sequence, runId },
      { name: 'memory.used', value: megabytes, sequence, runId },
    ])
    setup.tally.metrics += 3
    for (const { severity, message } of describeWorries(setup, now))
      await this.log(severity, message)
    await this.crashByChance()
    await this.misbehave()
  }

  /** As a bad release does. */
  private async misbehave(): Promise<void> {
    const { options, signal } = this.setup
    const { error, isRestarting } = drawFaults(options, this)
    if (error !== undefined) await this.log('Error', error)
    if (!isRestarting || this.isUpdating || signal.aborted) return
    await this.switchOff()
    await this.switchOn()
  }

  /** Not in an update, whose outcome is drawn by itself. */
  private async crashByChance(): Promise<void> {
    const { options, tally, signal } = this.setup
    const words = [options.seed, this.id, this.boots, this.sequence].join(' ')
    const expected = (options.crashRate * options.metricsSeconds * 1_000) / DAY_MS
    const [running] = this.firmware
    if (!running || this.isUpdating || drawChance(words, 'crash') >= expected) return
    const [slug, version] = running
    const crash = { ...drawCrash({ slug, version, words }), runId: this.runId, sequence: 1 }
    await this.switchOff()
    await this.pause(options.rebootSeconds, 'crash', signal)
    // Somebody may have switched it on meanwhile.
    if (signal.aborted || this.isOn) return
    await this.switchOn()
    await this.link?.send('crashes', [crash])
    tally.crashes += 1
  }

  private linkSetup(): LinkSetup {
    const { options, tally, signal } = this.setup
    return {
      options,
      signal,
      deviceId: this.id,
      keys: this.keys,
      onKey: (key) => this.begin(() => this.replaceKey(key)),
      onKeyReplaced: () => {
        tally.keys.replaced += 1
      },
      onConnected: (isConnected) => {
        this.isConnected = isConnected
      },
      onTrouble: (error) => tally.trouble(error),
      onConfig: (config) => this.begin(() => this.apply(config)),
      onUpdate: (update) => this.begin(() => this.hear(update)),
    }
  }

  private begin(work: () => Promise<void>): void {
    const { signal, tally } = this.setup
    const task = work()
      .catch((error: unknown) => {
        if (!signal.aborted) tally.trouble(error)
      })
      .finally(() => this.tasks.delete(task))
    this.tasks.add(task)
  }

  /** Does nothing where it has a next key already, or does not know how. */
  private async replaceKey({ url }: DesiredKey): Promise<void> {
    const { options, tally, signal } = this.setup
    const isUnable = drawChance(options.seed, this.id, 'key') * 100 < options.unablePercent
    if (isUnable || this.isFetchingKey || this.keys.hasNext) return
    this.isFetchingKey = true
    try {
      if (!(await this.keys.fetchNext(url, signal))) return
      tally.keys.fetched += 1
      this.link?.reconnect()
    } finally {
      this.isFetchingKey = false
    }
  }

  private async apply({ version, logSeverity }: DesiredConfig): Promise<void> {
    if (version <= this.configVersion) return
    this.configVersion = version
    this.logSeverity = logSeverity
    await this.reportConfiguration()
    this.setup.tally.configurations += 1
  }

  private async reportConfiguration(): Promise<void> {
    const { logSeverity, configVersion } = this
    const acknowledgedDesiredConfigurationVersion = configVersion
    await this.link?.send('config', {
      logSeverity,
      compiledLogSeverity: 'Debug',
      ...(configVersion > 0 && { acknowledgedDesiredConfigurationVersion }),
    })
  }

  private async log(severity: LogSeverity, message: string): Promise<void> {
    if (LOG_SEVERITIES.indexOf(severity) < LOG_SEVERITIES.indexOf(this.logSeverity)) return
    await this.link?.send('logs', [{ severity, message, runId: this.runId }])
  }

  /** Ignores an update that it has already begun, as after a reconnect. */
  private async hear(update: DesiredUpdate): Promise<void> {
    if ('cancel' in update) return this.cancel(update.updateId)
    if (this.knownUpdates.has(update.updateId)) return
    this.knownUpdates.add(update.updateId)
    const isThere = update.artifacts.every(
      ({ slug, version }) => this.firmware.get(slug) === version,
    )
    // The service learns this at the next contact at the latest.
    if (isThere) return
    this.updating?.end.abort()
    await this.take(update)
  }

  private async cancel(updateId: string): Promise<void> {
    this.knownUpdates.add(updateId)
    if (this.updating?.updateId === updateId) this.updating.end.abort()
    await this.link?.send('update', { updateId, state: 'failed', reason: 'cancelled' })
    // The service repeats itself until it has the answer.
    if (this.cancelledUpdates.has(updateId)) return
    this.cancelledUpdates.add(updateId)
    this.setup.tally.updates.cancelled += 1
  }

  private async take(offer: Offer): Promise<void> {
    const { options, tally } = this.setup
    this.updatesBegun += 1
    tally.updates.offered += 1
    const outcome = drawOutcome(options.outcomes, options.seed, this.id, this.updatesBegun)
    const end = new AbortController()
    this.updating = { updateId: offer.updateId, end }
    try {
      const isInstalled = await this.install(offer, outcome, end.signal)
      if (isInstalled && !end.signal.aborted) await this.reboot(offer, outcome)
    } finally {
      if (this.updating.end === end) this.updating = undefined
    }
  }

  /** @returns whether there is a version to boot. */
  private async install(offer: Offer, outcome: Outcome, ended: AbortSignal): Promise<boolean> {
    const { options, tally } = this.setup
    const signal = AbortSignal.any([this.setup.signal, ended])
    const report = async (progress: number) => {
      if (!signal.aborted)
        await this.link?.send('update', { updateId: offer.updateId, state: 'inProgress', progress })
    }
    await report(0)
    if (outcome === 'silence') {
      this.isSilent = true
      tally.updates.silent += 1
      await this.switchOff()
      return false
    }
    try {
      await this.fetchAll(offer, signal, report)
    } catch (error) {
      if (signal.aborted) return false
      await this.fail(offer, error instanceof Error ? error.message : String(error))
      return false
    }
    await this.pause(options.updateSeconds, 'update', signal)
    if (signal.aborted) return false
    if (outcome === 'failure') {
      await this.fail(offer, 'simulated: the image could not be written')
      return false
    }
    await this.link?.send('update', { updateId: offer.updateId, state: 'succeeded', progress: 100 })
    return true
  }

  private async fetchAll(
    { artifacts }: Offer,
    signal: AbortSignal,
    report: (progress: number) => Promise<void>,
  ): Promise<void> {
    const inOrder = artifacts.toSorted((one, other) => one.order - other.order)
    for (const [index, artifact] of inOrder.entries()) {
      if (this.setup.options.isDownloading) {
        await download(artifact, signal)
        this.setup.tally.updates.downloads += 1
      }
      await report(Math.round((80 * (index + 1)) / inOrder.length))
    }
  }

  private async fail({ updateId }: Offer, reason: string): Promise<void> {
    this.setup.tally.updates.failed += 1
    await this.link?.send('update', { updateId, state: 'failed', reason })
  }

  private async reboot({ artifacts }: Offer, outcome: Outcome): Promise<void> {
    const { options, tally, signal } = this.setup
    await this.switchOff()
    await this.pause(options.rebootSeconds, 'reboot', signal)
    if (signal.aborted) return
    if (outcome === 'success')
      for (const { slug, version } of artifacts) this.firmware.set(slug, version)
    if (outcome === 'success') tally.updates.succeeded += 1
    else tally.updates.fellBack += 1
    await this.switchOn()
  }

  private async pause(seconds: number, why: string, signal: AbortSignal): Promise<void> {
    const { seed } = this.setup.options
    const ms = varyAround(seconds * 1_000, seed, this.id, why, this.updatesBegun)
    await delay(ms, undefined, { signal }).catch(() => undefined)
  }
}

async function openLink(door: SimulatedDoor, setup: LinkSetup): Promise<Link> {
  return door === 'mqtt' ? openMqttLink(setup) : openHttpLink(setup)
}
