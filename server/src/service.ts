import { parseArgs } from 'node:util'
import { buildApi } from './api.ts'
import { type Config, ConfigError, readConfig, type Role, ROLES } from './config.ts'
import { MESSAGES } from './messages.ts'
import { openContext } from './open-context.ts'
import { AppError } from './platform/errors.ts'
import type { AppContext } from './platform/context.ts'
import { createLog } from './platform/log.ts'
import { buildManagement, type Health } from './platform/management.ts'
import { startWorker } from './worker.ts'

/** Runs until it is told to stop; what is wrong with the start is said in words, without a stack. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    const { roles, config } = readStart(args)
    await serve(config, roles)
  } catch (error) {
    const expected = error instanceof ConfigError || error instanceof AppError
    process.stderr.write(
      `${expected ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
    )
    process.exitCode = 1
  }
}

function readStart(args: readonly string[]): { roles: readonly Role[]; config: Config } {
  const { values } = parseArgs({ args: [...args], options: { roles: { type: 'string' } } })
  const names = values.roles?.split(',').map((name) => name.trim()) ?? [...ROLES]
  const roles = ROLES.filter((role) => names.includes(role))
  const unknown = names.filter((name) => !ROLES.some((role) => role === name))
  if (unknown.length > 0)
    throw new ConfigError(
      `--roles: ${unknown.join(', ')} is no role; there are: ${ROLES.join(', ')}.`,
    )
  return { roles, config: readConfig() }
}

async function serve(config: Config, roles: readonly Role[]): Promise<void> {
  const log = createLog(config.logLevel)
  const stopRequested = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve)
  })
  const onProgress = (text: string) => log.info({ step: text }, 'starting')
  const { ctx, close } = await openContext({
    config,
    log,
    onProgress,
    messages: MESSAGES,
    as: 'service',
  })
  const health: Health = { started: false, stopping: false }
  const closers: (() => Promise<unknown> | void)[] = [close]
  try {
    const management = buildManagement(ctx, health)
    await management.listen({ host: config.managementHost, port: config.managementPort })
    closers.push(() => management.close())
    closers.push(...(await startRoles(ctx, roles)))
    health.started = true
    log.info({ roles, url: config.publicUrl, docs: `${config.publicUrl}/docs` }, 'ready')
    const signal = await stopRequested
    log.info({ signal }, 'stopping')
  } finally {
    health.stopping = true
    for (const closer of closers.toReversed()) await closer()
  }
  log.info('stopped')
  // Idle handles of libraries must not keep a stopped service alive.
  process.exit(0)
}

async function startRoles(ctx: AppContext, roles: readonly Role[]) {
  const closers: (() => Promise<unknown> | void)[] = []
  if (roles.includes('worker')) closers.push(await startWorker(ctx))
  if (roles.includes('api')) {
    const api = await buildApi(ctx)
    await api.listen({ host: ctx.config.host, port: ctx.config.port })
    closers.push(() => api.close())
  }
  return closers
}
