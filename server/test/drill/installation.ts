/** A service with everything in it, as processes of its own, to be hurt. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../../src/config/config.ts'
import { importFeeds } from '../../src/features/advisories/index.ts'
import { issueDeviceKey } from '../../src/features/devices/index.ts'
import { bootstrapWorkspace } from '../../src/features/workspaces/index.ts'
import { MESSAGES } from '../../src/messages.ts'
import { openContext } from '../../src/open-context.ts'
import type { Actor } from '../../src/platform/actor.ts'
import type { AppContext } from '../../src/platform/context.ts'
import { createLog } from '../../src/platform/log.ts'
import {
  endProcess,
  freePort,
  serviceEnvironment,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from '../service-process.ts'
import { type SmtpTestServer, startSmtpServer } from '../smtp-server.ts'

const TESTER: Actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined }

export interface Installation {
  settings: ServiceSettings
  dataDir: string
  /** A small file system that holds the data folder; undefined: none. */
  diskFolder: string | undefined
  service: ServiceProcess
  mail: SmtpTestServer
  /** Kills it, and starts it again. */
  killService: () => Promise<void>
  /** Does something with the database beside the service. */
  beside: <Result>(use: (ctx: AppContext) => Promise<Result>) => Promise<Result>
  end: () => Promise<void>
}

export async function startInstallation(diskFolder?: string): Promise<Installation> {
  const dataDir = mkdtempSync(join(diskFolder ?? tmpdir(), 'plimsoll-drill-'))
  const mail = await startSmtpServer()
  const settings: ServiceSettings = {
    dataDir,
    port: await freePort(),
    managementPort: await freePort(),
    env: {
      PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      PLIMSOLL_MAIL_FROM: 'plimsoll@example.com',
      PLIMSOLL_DEVICE_REQUESTS_PER_MINUTE: '0',
    },
  }
  const installation: Installation = {
    settings,
    dataDir,
    diskFolder,
    service: await startServiceProcess(settings),
    mail,
    killService: async () => {
      await endProcess(installation.service.child, 'SIGKILL')
      installation.service = await startAgain(settings)
    },
    beside: (use) => beside(settings, use),
    end: async () => {
      await endProcess(installation.service.child, 'SIGTERM')
      await mail.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return installation
}

/** An orchestrator starts a service again whose start fails, as with a full disk. */
async function startAgain(settings: ServiceSettings): Promise<ServiceProcess> {
  for (;;)
    try {
      return await startServiceProcess(settings)
    } catch {
      await delay(500)
    }
}

async function beside<Result>(
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

export interface Keys {
  workspaceId: string
  apiKey: string
  deviceKey: string
}

/** A workspace with keys, and knowledge of a flaw. */
export const givenKeys = ({ beside: use }: Installation, advisories: string): Promise<Keys> =>
  use(async (ctx) => {
    const owner = { name: 'Drill', ownerEmail: 'a@example.com', actor: TESTER }
    const { workspaceId, apiKey } = await bootstrapWorkspace(ctx, owner)
    const { deviceKey } = await issueDeviceKey(ctx, { workspaceId, actor: TESTER })
    await ctx.db.updateTable('workspaces').set({ deviceAutoRegistration: true }).execute()
    await importFeeds(ctx, { path: advisories, onProgress: () => undefined })
    return { workspaceId, apiKey, deviceKey }
  })
