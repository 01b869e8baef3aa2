/** A service with everything in it and a worker beside it, as processes of their own, to be hurt. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { readConfig } from '../../src/config/config.ts'
import { issueDeviceKey } from '../../src/features/devices/index.ts'
import { bootstrapWorkspace } from '../../src/features/workspaces/index.ts'
import { MESSAGES } from '../../src/messages.ts'
import { openContext } from '../../src/open-context.ts'
import type { Actor } from '../../src/platform/actor.ts'
import type { AppContext } from '../../src/platform/context.ts'
import { formatConnectionString, findSocketFolder } from '../../src/platform/db/embedded-folder.ts'
import { createLog } from '../../src/platform/log.ts'
import { type FeedServer, startFeedServer } from '../feed-server.ts'
import { hasS3Server, type S3Server, startS3Server } from '../s3-server.ts'
import {
  endProcess,
  freePort,
  serviceEnvironment,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from '../service-process.ts'
import { type SmtpTestServer, startSmtpServer } from '../smtp-server.ts'
import { startWebhookServer, type WebhookServer } from '../webhook-server.ts'
import { type Gate, startGate } from './gate.ts'
import type { ServiceRun } from './requests.ts'

export const TESTER: Actor = {
  type: 'Operator',
  id: undefined,
  email: undefined,
  requestId: undefined,
}

/** What load is put on and what is judged afterwards, of however many processes it consists. */
export interface DrillInstallation {
  /** Where requests go. */
  service: { url: string }
  /** The process of the service that requests go to now. */
  run: ServiceRun
  mail: SmtpTestServer
  webhooks: WebhookServer
  feeds: FeedServer
  /** The ways to other servers. `s3` is undefined where files are in a folder. */
  gates: { feeds: Gate; webhooks: Gate; s3: Gate | undefined }
  /** Does something with the database beside the service. */
  beside: <Result>(use: (ctx: AppContext) => Promise<Result>) => Promise<Result>
  /** Runs SQL. False: the database did not answer. */
  execute: (text: string) => Promise<boolean>
  end: () => Promise<void>
}

export interface Installation extends DrillInstallation {
  settings: ServiceSettings
  dataDir: string
  /** A small file system that holds the data folder; undefined: none. */
  diskFolder: string | undefined
  /** All roles, with the embedded database. */
  service: ServiceProcess
  /** Takes jobs and schedules from the same database. */
  worker: ServiceProcess
  /** Kills it, and starts it again. */
  killService: () => Promise<void>
  killWorker: () => Promise<void>
}

/** The servers that are not ours, each behind a gate. */
export async function startOthers(diskFolder: string | undefined) {
  const [mail, webhooks, feeds] = await Promise.all([
    startSmtpServer(),
    startWebhookServer(),
    startFeedServer(),
  ])
  // A full disk is to be met by our own files.
  const s3 = hasS3Server && diskFolder === undefined ? await startS3Server() : undefined
  const gates = {
    feeds: await startGate(Number(new URL(feeds.url).port)),
    webhooks: await startGate(webhooks.port),
    s3: s3 && (await startGate(Number(new URL(s3.config.endpoint ?? '').port))),
  }
  const end = async () => {
    for (const gate of Object.values(gates)) await gate?.close()
    await Promise.all([mail.close(), webhooks.close(), feeds.close(), s3?.stop()])
  }
  return { mail, webhooks, feeds, s3, gates, end }
}

type Others = Awaited<ReturnType<typeof startOthers>>

export const environmentOf = ({ mail, gates, s3 }: Others): Record<string, string> => ({
  PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
  PLIMSOLL_MAIL_FROM: 'plimsoll@example.com',
  PLIMSOLL_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  PLIMSOLL_DEVICE_REQUESTS_PER_MINUTE: '0',
  PLIMSOLL_FEEDS: 'on',
  PLIMSOLL_FEEDS_SOURCES: 'osv,kev',
  PLIMSOLL_FEED_OSV_URL: `http://127.0.0.1:${gates.feeds.port}/osv`,
  PLIMSOLL_FEED_OSV_ECOSYSTEMS: 'npm',
  PLIMSOLL_FEED_OSV_INTERVAL_MINUTES: '1',
  PLIMSOLL_FEED_KEV_URL: `http://127.0.0.1:${gates.feeds.port}/kev.json`,
  PLIMSOLL_FEED_KEV_INTERVAL_MINUTES: '1',
  PLIMSOLL_HTTP_IDLE_SECONDS: '5',
  ...(gates.s3 && s3 && s3Environment(s3, gates.s3)),
})

const s3Environment = ({ config }: S3Server, { port }: Gate) => ({
  PLIMSOLL_S3_BUCKET: config.bucket,
  PLIMSOLL_S3_ENDPOINT: `http://127.0.0.1:${port}`,
  PLIMSOLL_S3_ACCESS_KEY_ID: config.accessKeyId,
  PLIMSOLL_S3_SECRET_ACCESS_KEY: config.secretAccessKey,
})

/** `publish` puts onto the feed server what is known from the beginning. `more` are further settings. */
export async function startInstallation(
  diskFolder: string | undefined,
  publish: (feeds: FeedServer) => void,
  more: Record<string, string> = {},
): Promise<Installation> {
  const dataDir = mkdtempSync(join(diskFolder ?? tmpdir(), 'plimsoll-drill-'))
  const others = await startOthers(diskFolder)
  publish(others.feeds)
  const settings = await givenSettings(dataDir, { ...environmentOf(others), ...more })
  let run: ServiceRun = { pid: undefined, startedAt: new Date() }
  const onSpawn = ({ pid }: ChildProcess) => {
    run = { pid, startedAt: new Date() }
  }
  const service = await startServiceProcess(settings, onSpawn)
  const besides = await settingsBeside(settings)
  const installation: Installation = {
    ...others,
    settings,
    dataDir,
    diskFolder,
    service,
    get run() {
      return run
    },
    worker: await startServiceProcess(besides),
    killService: async () => {
      await endProcess(installation.service.child, 'SIGKILL')
      installation.service = await startAgain(settings, onSpawn)
      linkSocket(dataDir)
    },
    killWorker: async () => {
      await endProcess(installation.worker.child, 'SIGKILL')
      installation.worker = await startAgain(besides)
    },
    beside: (use) => beside(besides, use),
    execute: (text) => execute(besides, text),
    end: async () => {
      await endProcess(installation.worker.child, 'SIGTERM')
      await endProcess(installation.service.child, 'SIGTERM')
      await others.end()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return installation
}

async function givenSettings(
  dataDir: string,
  env: Record<string, string>,
): Promise<ServiceSettings> {
  return { dataDir, port: await freePort(), managementPort: await freePort(), env }
}

/** For a process on the database of the service. Its socket has another folder after each start, so a link names it. */
async function settingsBeside({ dataDir, env }: ServiceSettings): Promise<ServiceSettings> {
  linkSocket(dataDir)
  const host = join(dataDir, 'socket')
  const url = formatConnectionString({ host, database: 'plimsoll', user: 'plimsoll' })
  const settings = await givenSettings(dataDir, { ...env, DATABASE_URL: url })
  return { ...settings, args: ['--roles', 'worker'] }
}

function linkSocket(dataDir: string): void {
  const folder = findSocketFolder(join(dataDir, 'postgres'))
  if (folder === undefined) throw new Error('The database has no socket.')
  rmSync(join(dataDir, 'socket'), { force: true })
  symlinkSync(folder, join(dataDir, 'socket'))
}

/** An orchestrator starts a service again whose start fails, as with a full disk. */
export async function startAgain(
  settings: ServiceSettings,
  onSpawn?: (child: ChildProcess) => void,
): Promise<ServiceProcess> {
  for (;;)
    try {
      return await startServiceProcess(settings, onSpawn)
    } catch {
      await delay(500)
    }
}

export async function beside<Result>(
  settings: ServiceSettings,
  use: (ctx: AppContext) => Promise<Result>,
): Promise<Result> {
  const { ctx, close } = await openContext({
    config: readConfig(serviceEnvironment(settings)),
    log: createLog('silent'),
    onProgress: () => undefined,
    messages: MESSAGES,
    as: 'command',
  })
  try {
    return await use(ctx)
  } finally {
    await close()
  }
}

export async function execute({ env }: ServiceSettings, text: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: env?.['DATABASE_URL'],
    connectionTimeoutMillis: 2_000,
    query_timeout: 5_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(text)
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

export interface Keys {
  workspaceId: string
  apiKey: string
  deviceKey: string
}

/** A workspace with keys. */
export const givenKeys = ({ beside: use }: Pick<DrillInstallation, 'beside'>): Promise<Keys> =>
  use(async (ctx) => {
    const owner = { name: 'Drill', ownerEmail: 'a@example.com', actor: TESTER }
    const { workspaceId, apiKey } = await bootstrapWorkspace(ctx, owner)
    const { deviceKey } = await issueDeviceKey(ctx, { workspaceId, actor: TESTER })
    await ctx.db.updateTable('workspaces').set({ deviceAutoRegistration: true }).execute()
    return { workspaceId, apiKey, deviceKey }
  })
