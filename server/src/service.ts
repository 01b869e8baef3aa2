/** Starts and stops the service: its roles on one context. */
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Server as TlsServer } from 'node:tls'
import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { buildApi } from './api.ts'
import { reportBackupHealth } from './backup/health.ts'
import { claimFiles } from './claim-files.ts'
import { type Config, readConfig, type Role, ROLES } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { applyEnvironmentFile } from './config/environment-file.ts'
import { openDoors } from './device-doors.ts'
import { describeFailure, describePortFailure } from './describe-failure.ts'
import { startRefusalRecords } from './features/audit/index.ts'
import { reportSourceHealth } from './features/feeds/index.ts'
import { reportAlertHealth } from './features/alert-evaluation/index.ts'
import type { DeviceDoors } from './features/devices/index.ts'
import { reportMailHealth } from './features/mails/index.ts'
import { reportNotificationHealth } from './features/notifications/index.ts'
import { reportMatchingHealth } from './features/matching/index.ts'
import { reportSbomHealth } from './features/sboms/index.ts'
import { reportQuotaHealth } from './features/quotas/index.ts'
import { reportWorkspaceCounts } from './features/reports/index.ts'
import { reportCrashHealth } from './features/crashes/index.ts'
import { reportTelemetryHealth } from './features/telemetry/index.ts'
import { startGateway } from './gateway.ts'
import { MESSAGES } from './messages.ts'
import { startBeats } from './nodes/beats.ts'
import { openContext, type OpenedContext } from './open-context.ts'
import { reportStoreHealth } from './platform/blobs/store-health.ts'
import { watchCertificate } from './platform/certificate.ts'
import type { AppContext } from './platform/context.ts'
import { reportClockHealth } from './clock/checks-service.ts'
import { reportNodeHealth } from './platform/db/node-health.ts'
import { reportReplicaHealth } from './platform/db/replica-health.ts'
import { measureAttempts } from './platform/jobs/job-metrics.ts'
import { createLog } from './platform/log.ts'
import { watchMemory } from './platform/memory-release.ts'
import { buildManagement, type Extra, type Health } from './platform/management.ts'
import { PROGRAMS } from './platform/programs.ts'
import { startTracing } from './platform/tracing/tracing.ts'
import { preparePortal } from './portal/build.ts'
import { VERSION } from './version.ts'
import { startWorker } from './worker.ts'

/** Runs until a signal stops it. A failed start prints its reason without a stack. */
export async function run(args: readonly string[]): Promise<void> {
  await reportFailure(async () => {
    const values = readArguments(args)
    if (values.help === true) {
      process.stdout.write(`${USAGE}\n`)
      return
    }
    applyEnvironmentFile()
    const { roles, config } = readStart(values)
    const log = createLog(config.logLevel)
    const onProgress = (text: string) => log.info({ step: text }, 'starting')
    await runUntilStopped(() => startService({ config, roles, log, onProgress }), log)
  })
}

/** Prints a failure, without a stack where a person can act on it, and sets the exit code. */
export async function reportFailure(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`)
    process.exitCode = 1
  }
}

/** Ctrl-C of an npm script arrives twice, so a repeated signal is ignored. */
export async function runUntilStopped(
  start: () => Promise<{ stop: () => Promise<void> }>,
  log: Logger,
): Promise<void> {
  const requested = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve)
  })
  const { stop } = await start()
  log.info({ signal: await requested }, 'stopping')
  await stop()
  log.info('stopped')
  // Idle handles of libraries would keep the stopped process alive.
  process.exit(0)
}

const USAGE = `Usage: ${PROGRAMS.server} [--roles ${ROLES.join(',')}]
Settings are environment variables; docs/guide/operations.md lists them.`

function readStart(values: { roles?: string }): { roles: readonly Role[]; config: Config } {
  const names = values.roles?.split(',').map((name) => name.trim()) ?? [...ROLES]
  const unknown = names.filter((name) => !ROLES.some((role) => role === name))
  if (unknown.length > 0)
    throw new ConfigError(
      `--roles: ${unknown.join(', ')} is not a role. The roles are: ${ROLES.join(', ')}.`,
    )
  return { roles: ROLES.filter((role) => names.includes(role)), config: readConfig() }
}

function readArguments(args: readonly string[]): { roles?: string; help?: boolean } {
  const options = { roles: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new ConfigError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
  }
}

export interface StartService {
  config: Config
  roles: readonly Role[]
  log: Logger
  /** Gets the steps that take time, for a person to read. */
  onProgress: (text: string) => void
  /** Runs on the opened context, before the roles do. */
  beforeRoles?: (ctx: AppContext) => Promise<void>
}

export async function startService(options: StartService) {
  const { config, roles, log, onProgress, beforeRoles } = options
  await refuseUnusablePorts(config, roles)
  const endTraces = config.tracing && (await startTracing(config.tracing, VERSION))
  const opened = await openContext({
    config,
    log,
    onProgress,
    messages: MESSAGES,
    as: 'service',
  })
  const { ctx, contextFor, pools, queue, close } = opened
  const health: Health = { started: false, stopping: false }
  const closers: (() => Promise<unknown> | void)[] = [() => endTraces?.(), close, watchMemory()]
  const closeAll = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }
  try {
    await claimFiles(ctx)
    await beforeRoles?.(ctx)
    const metrics = new Registry()
    const management = buildManagement(
      { pools, queue },
      health,
      listExtras(opened, metrics),
      metrics,
    )
    closers.push(() => management.close())
    await management.listen({ host: config.managementHost, port: config.managementPort })
    queue.watch(measureAttempts(metrics))
    if (roles.includes('worker')) closers.push(await startWorker(ctx, queue))
    const atDoors = contextFor('devices')
    const doors = openDoors(atDoors)
    closers.push(doors.intake.close)
    if (roles.includes('gateway'))
      closers.push((await startGateway(atDoors, { doors, metrics })).stop)
    if (isHttp(roles)) {
      const servesPortal = roles.includes('api') && config.servesPortal
      const portal = servesPortal ? await portalOrNone(log, onProgress) : undefined
      const atApi = contextFor('api')
      closers.push(startRefusalRecords(atApi))
      closers.push(await startHttp(atApi, { roles, atDoors, doors, portal, metrics }))
    }
    closers.push(await startBeats(contextFor('health'), roles))
  } catch (error) {
    await closeAll()
    throw error
  }
  const stop = async () => {
    health.stopping = true
    await delay(config.drainSeconds * 1_000)
    await closeAll()
  }
  health.started = true
  for (const { code, detail } of config.warnings) log.warn({ code }, detail)
  log.info({ roles, url: config.publicUrl, docs: `${config.publicUrl}/docs` }, 'ready')
  return { ctx, stop }
}

/** What the management port tells beside itself. */
export function listExtras(
  { ctx, contextFor, replica }: Pick<OpenedContext, 'ctx' | 'contextFor' | 'replica'>,
  metrics: Registry,
): Extra[] {
  const watching = contextFor('health')
  return [
    warningsHealth(ctx.config.warnings),
    reportSourceHealth(watching),
    reportAlertHealth(watching),
    reportNotificationHealth(watching),
    reportTelemetryHealth(watching),
    reportCrashHealth(watching),
    reportMatchingHealth(watching),
    reportSbomHealth(watching),
    reportClockHealth(watching),
    reportQuotaHealth(watching),
    reportMailHealth(watching),
    reportWorkspaceCounts(watching),
    reportBackupHealth(watching),
    reportReplicaHealth(replica, metrics),
    reportNodeHealth(watching),
    reportStoreHealth(watching, Date.now),
  ]
}

/** Devices and pipelines need the service more than people need the portal. */
async function portalOrNone(log: Logger, onProgress: (text: string) => void) {
  try {
    return await preparePortal(onProgress)
  } catch (error) {
    log.error(error, 'the portal could not be built; the service runs without it')
    return undefined
  }
}

/** How long requests in flight may take to end. With the 20 s of jobs it stays below the usual 30 s. */
const STOP_PATIENCE_MS = 8_000

function warningsHealth(warnings: Config['warnings']): Extra {
  return { detail: 'warnings', describe: () => Promise.resolve(warnings), gauges: [] }
}

/** The API and the devices' doors share a port. */
function isHttp(roles: readonly Role[]): boolean {
  return roles.includes('api') || roles.includes('gateway')
}

async function startHttp(
  ctx: AppContext,
  how: {
    roles: readonly Role[]
    atDoors: AppContext
    doors: DeviceDoors
    portal: string | undefined
    metrics: Registry
  },
): Promise<() => Promise<void>> {
  const api = await buildApi(ctx, how)
  const { host, port, tls } = ctx.config
  const watch =
    tls && api.server instanceof TlsServer ? watchCertificate(tls, api.server, ctx.log) : undefined
  await api.listen({ host, port })
  return async () => {
    await watch?.stop()
    // A slow client must not hold up the end: orchestrators kill a process that does not stop.
    const cut = setTimeout(() => api.server.closeAllConnections(), STOP_PATIENCE_MS)
    await api.close()
    clearTimeout(cut)
  }
}

/** Checked before the database is made, which takes time at the first start. */
async function refuseUnusablePorts(config: Config, roles: readonly Role[]): Promise<void> {
  if (isHttp(roles)) await refusePort('PLIMSOLL_PORT', config.host, config.port)
  if (roles.includes('gateway')) await refuseUnusableMqttPorts(config)
  await refusePort('PLIMSOLL_MANAGEMENT_PORT', config.managementHost, config.managementPort)
}

async function refuseUnusableMqttPorts({ mqtt }: Config): Promise<void> {
  if (mqtt.broker) return
  const { host, port, tls } = mqtt
  if (port !== undefined) await refusePort('PLIMSOLL_MQTT_PORT', host, port)
  if (tls) await refusePort('PLIMSOLL_MQTT_TLS_PORT', host, tls.port)
}

async function refusePort(name: string, host: string, port: number): Promise<void> {
  const failure = await findPortFailure(host, port)
  if (failure) throw new ConfigError(`${name}: ${describePortFailure(failure, port)}`)
}

/** undefined: the port is free, and this process may use it. */
export function findPortFailure(host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen({ host, port }, () => probe.close(() => resolve(undefined)))
  })
}
