/** The release that runs while its fixture is made: its service, its database, and servers of others. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded-postgres.ts'
import {
  type CommandResult,
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from '../service-process.ts'
import { type SmtpTestServer, startSmtpServer } from '../smtp-server.ts'
import { startWebhookServer, type WebhookServer } from '../webhook-server.ts'

export const PUBLIC_URL = 'http://plimsoll.test'

export interface Installation {
  folder: string
  url: string
  mqttPort: number
  mail: SmtpTestServer
  webhooks: WebhookServer
  start: () => Promise<void>
  /** The API without the rest, as `startTestApp` starts it: answers tell whether there are mails and a portal. */
  startApi: () => Promise<void>
  stop: () => Promise<void>
  /** An operator's command, with its answer as JSON. */
  admin: (...args: string[]) => Promise<Record<string, string>>
  /** Has the doctor look for faults. */
  examine: () => Promise<void>
  sql: (text: string) => Promise<Record<string, unknown>[]>
  end: () => Promise<void>
}

export async function startInstallation(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-release-'))
  const database = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    log: () => undefined,
  })
  const [mail, webhooks] = await Promise.all([startSmtpServer(), startWebhookServer()])
  const mqttPort = await freePort()
  const { connectionString } = database
  const environment = { DATABASE_URL: connectionString, PLIMSOLL_PUBLIC_URL: PUBLIC_URL }
  const outside = outsideOf(mail.port, mqttPort)
  const settings: ServiceSettings = {
    dataDir: join(folder, 'data'),
    port: await freePort(),
    managementPort: await freePort(),
    env: environment,
  }
  let service: ServiceProcess | undefined
  const pool = new pg.Pool({ connectionString, max: 1 })
  const stop = async () => {
    if (service) await endProcess(service.child, 'SIGTERM')
  }
  return {
    folder,
    url: `http://127.0.0.1:${settings.port}`,
    mqttPort,
    mail,
    webhooks,
    start: async () => {
      service = await startServiceProcess({ ...settings, env: { ...environment, ...outside } })
    },
    startApi: async () => {
      service = await startServiceProcess({ ...settings, args: ['--roles', 'api'] })
    },
    stop,
    admin: async (...args) => {
      const { stdout } = succeeded(args, await runAdmin(settings, ...args, '--json'))
      return JSON.parse(stdout) as Record<string, string>
    },
    examine: async () => {
      // Once an hour it counts the devices of the day, in a new workspace an hour late.
      await runAdmin(settings, 'doctor', '--repair', '--check', 'daily-devices')
      succeeded(['doctor'], await runAdmin(settings, 'doctor'))
    },
    sql: async (text) => (await pool.query<Record<string, unknown>>(text)).rows,
    end: async () => {
      await stop()
      await pool.end()
      await Promise.all([mail.close(), webhooks.close(), database.stop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Mails, calls of webhooks, devices, and the portal, without which nobody could approve a terminal. */
const outsideOf = (mailPort: number, mqttPort: number) => ({
  PLIMSOLL_MQTT_PORT: String(mqttPort),
  PLIMSOLL_PORTAL: 'on',
  PLIMSOLL_DEVICE_REQUESTS_PER_MINUTE: '0',
  PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
  PLIMSOLL_MAIL_FROM: 'plimsoll@example.com',
  PLIMSOLL_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
})

function succeeded(args: readonly string[], result: CommandResult): CommandResult {
  if (result.code !== 0)
    throw new Error(`admin ${args.join(' ')}: ${result.stderr}${result.stdout}`)
  return result
}

const MOST_WAITED_MS = 300_000

/** Asks until the answer is true. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + MOST_WAITED_MS
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}.`)
    await delay(500)
  }
}
