/** Starts the service on a folder of its own, fills it through the public interfaces, and shows the result. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Config, readConfig, ROLES } from '../config/config.ts'
import { importFeeds } from '../features/advisories/index.ts'
import { createSignInLink } from '../features/people/index.ts'
import { bootstrapWorkspace } from '../features/workspaces/index.ts'
import type { Actor } from '../platform/actor.ts'
import type { AppContext } from '../platform/context.ts'
import { createLog } from '../platform/log.ts'
import { isPortFree, startService } from '../service.ts'
import { type DemoFleet, startDemoFleet } from './demo-fleet.ts'
import { DEMO_RULE } from './demo-rule.ts'
import { type DemoFinding, findingsTable } from './findings-table.ts'

const DATA = resolve(import.meta.dirname, 'data')
const SBOM = 'gateway.cdx.json'
const OWNER = 'owner@example.com'
const say = (text: string) => process.stdout.write(`${text}\n`)

export async function startDemo(): Promise<{ stop: () => Promise<void> }> {
  const config = await demoConfig()
  const log = createLog(config.logLevel)
  say(`Starting Plimsoll on its embedded database in ${config.dataDir} …`)
  const onProgress = (text: string) => say(`  ${text}`)
  const service = await startService({ config, roles: ROLES, log, onProgress })
  try {
    const { simulation } = await tour(service.ctx)
    return {
      stop: async () => {
        await simulation.stop()
        await service.stop()
      },
    }
  } catch (error) {
    await service.stop()
    throw error
  }
}

const DEFAULTS = {
  PLIMSOLL_DATA_DIR: './data/demo',
  // Keys of a demo are on the screen, so only this machine reaches it.
  PLIMSOLL_HOST: '127.0.0.1',
  PLIMSOLL_FEEDS: 'off',
  PLIMSOLL_LOG_LEVEL: 'warn',
}

/** The usual settings with other defaults, and with free ports where the usual ones are taken. */
async function demoConfig(): Promise<Config> {
  const config = readConfig(undefined, DEFAULTS)
  const port = await firstFree(config.host, config.port)
  const managementPort = await firstFree(config.managementHost, config.managementPort)
  const isDefaultUrl = config.publicUrl === `http://localhost:${config.port}`
  const publicUrl = isDefaultUrl ? `http://localhost:${port}` : config.publicUrl
  const mqttPort = await firstFree(config.mqtt.host, config.mqtt.port ?? 1883)
  const mqtt = { ...config.mqtt, port: mqttPort }
  return { ...config, port, managementPort, publicUrl, mqtt }
}

async function firstFree(host: string, from: number): Promise<number> {
  for (let port = from; port < from + 100; port += 1) if (await isPortFree(host, port)) return port
  return from
}

async function tour(ctx: AppContext): Promise<DemoFleet> {
  say('Importing a few advisories (CVE List, OSV, KEV, EPSS) …')
  await importFeeds(ctx, { path: join(DATA, 'feeds'), onProgress: () => undefined })
  const name = `Demo ${new Date().toISOString().slice(0, 16).replace('T', ' ')}`
  const actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const
  const input = { name, ownerEmail: OWNER, actor }
  const { workspaceId, apiKey } = await bootstrapWorkspace(ctx, input)
  const api = client(ctx.config.publicUrl, workspaceId, apiKey)
  const versionId = await uploadGateway(api)
  const sbom = await parsed(api, versionId)
  say(`Parsed ${SBOM}: ${sbom.componentCount} components.`)
  const { findings } = await api<{ findings: DemoFinding[] }>(
    'POST',
    `/firmware-versions/${versionId}/vulnerability-findings/list`,
    {},
  )
  say(`\nFindings of acme-gateway 2.4.1, worst first:\n\n${findingsTable(findings)}\n`)
  const fleet = await switchOnFleet(ctx, api, { workspaceId, actor })
  const { publicUrl } = ctx.config
  await api('POST', '/alert-rules', DEMO_RULE)
  say(
    `An alert rule, "${DEMO_RULE.name}", fires within two minutes. To see it then (docs/guide/alerts.md):\n`,
  )
  say(`  PLIMSOLL_URL=${publicUrl} PLIMSOLL_API_KEY=${apiKey} \\`)
  say('    npm run --silent plimsoll -- incident list\n')
  say(`Interactive API documentation: ${publicUrl}/docs   (authorise with the key ${apiKey})`)
  say('\nThe components of this firmware version, each with its paths to the root:\n')
  say(`  curl -s -H 'Authorization: Bearer ${apiKey}' \\`)
  say(`    ${publicUrl}/workspaces/${workspaceId}/firmware-versions/${versionId}/sbom-components\n`)
  say('More simulated devices (docs/guide/simulator.md):\n')
  say(`  npm run simulate -- --workspace ${workspaceId} --url ${publicUrl} \\`)
  say(`    --mqtt mqtt://localhost:${ctx.config.mqtt.port} --device-key ${fleet.deviceKey} \\`)
  say('    --firmware acme-gateway=2.4.1 --devices 200\n')
  say(
    `The portal, signed in as ${OWNER} (the link works once):\n\n  ${await createSignInLink(ctx, OWNER)}\n`,
  )
  say('Ctrl-C stops the service; its data stays in the folder above.')
  return fleet
}

async function switchOnFleet(
  ctx: AppContext,
  api: Api,
  whose: { workspaceId: string; actor: Actor },
): Promise<DemoFleet> {
  const settings = await api<Record<string, unknown>>('GET', '/settings')
  await api('PUT', '/settings', { ...settings, deviceAutoRegistration: true })
  const fleet = await startDemoFleet(ctx, whose)
  const [version] = await api<VulnerableVersion[]>('GET', '/vulnerable-firmware-versions')
  const { affectedDeviceCount = 0, affectedDevices } = version?.vulnerabilitySummary ?? {}
  say(
    `Simulated devices that report acme-gateway 2.4.1, and so have these findings: ${affectedDeviceCount}, ` +
      `${affectedDevices?.runningNow ?? 0} of them are connected now.\n`,
  )
  return fleet
}

interface VulnerableVersion {
  vulnerabilitySummary: { affectedDeviceCount: number; affectedDevices: { runningNow: number } }
}

type Api = <Answer>(method: string, path: string, body?: object | Buffer) => Promise<Answer>

function client(publicUrl: string, workspaceId: string, apiKey: string): Api {
  return async <Answer>(method: string, path: string, body?: object | Buffer): Promise<Answer> => {
    const isFile = Buffer.isBuffer(body)
    const response = await fetch(`${publicUrl}/workspaces/${workspaceId}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
    })
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Answer
  }
}

async function uploadGateway(api: Api): Promise<string> {
  const firmware = await api<{ id: string }>('POST', '/firmwares', {
    slug: 'acme-gateway',
    name: 'Acme gateway',
  })
  const version = await api<{ id: string }>('POST', `/firmwares/${firmware.id}/versions`, {
    name: '2.4.1',
  })
  say(`Uploading the SBOM of a Linux gateway (${SBOM}) …`)
  const bytes = await readFile(join(DATA, SBOM))
  await api('POST', `/firmware-versions/${version.id}/sboms?fileName=${SBOM}`, bytes)
  return version.id
}

interface DemoSbom {
  parsingState: string
  parsingError: string | null
  componentCount: number
  vulnerabilitiesParsedAt: string | null
}

async function parsed(api: Api, versionId: string): Promise<DemoSbom> {
  for (;;) {
    const { sboms } = await api<{ sboms: DemoSbom[] }>(
      'GET',
      `/firmware-versions/${versionId}/sboms`,
    )
    const [sbom] = sboms
    if (sbom?.parsingState === 'Failed')
      throw new Error(sbom.parsingError ?? 'the SBOM could not be parsed')
    if (sbom?.vulnerabilitiesParsedAt) return sbom
    await delay(100)
  }
}
