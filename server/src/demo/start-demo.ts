/** Starts the service on a folder of its own. The first start tells a story of a year; each later one opens what is there. */
import { type Config, readConfig, ROLES, type TourStep } from '../config/config.ts'
import { createSignInLink } from '../features/people/index.ts'
import type { AppContext } from '../platform/context.ts'
import { createLog } from '../platform/log.ts'
import { preparePortal } from '../portal/build.ts'
import { findPortFailure, startService } from '../service.ts'
import { startLiveFleet } from './live-fleet.ts'
import { beginNextRollOut } from './next-roll-out.ts'
import { type OpenedStory, openStory } from './story/play.ts'
import { CAST } from './story/story.ts'
import { planTour } from './tour.ts'
import { signInVisitor } from './visitor.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)

export async function startDemo(): Promise<{ stop: () => Promise<void> }> {
  const tour: TourStep[] = []
  const config = { ...(await demoConfig()), tour }
  const log = createLog(config.logLevel)
  say(`Starting Plimsoll in ${config.dataDir}`)
  // The service waits for it, and reports a failure.
  const portal = config.servesPortal ? preparePortal(say).catch(() => undefined) : undefined
  let opened: OpenedStory | undefined
  const beforeRoles = async (ctx: AppContext) => {
    opened = await openStory(ctx, {
      onBegin: (name, isNew) =>
        say(
          isNew ? `Telling a year of ${name}, month by month:` : `Opening ${name} as you left it`,
        ),
      onMonth: (month) => process.stdout.write(`  ${month}`),
    })
    say('\nOpening the doors: portal, API, devices')
    await portal
  }
  const onProgress = stepSayer()
  const service = await startService({ config, roles: ROLES, log, onProgress, beforeRoles })
  try {
    if (!opened) throw new Error('The story was not opened.')
    const { workspaceId } = opened
    const ask = await signInVisitor(service.ctx, { workspaceId, email: CAST.fleet.email })
    await beginNextRollOut(ask)
    const live = await startLiveFleet(service.ctx, { workspaceId, ask })
    for (const each of await planTour(ask, workspaceId)) tour.push(each)
    say(await invitation(service.ctx, opened, tour))
    return {
      stop: async () => {
        await live.stop()
        await service.stop()
      },
    }
  } catch (error) {
    await service.stop()
    throw error
  }
}

/** There are dozens of migrations, which are said once. */
function stepSayer(): (text: string) => void {
  let hasMigrated = false
  return (text) => {
    const isMigration = text.startsWith('migration ')
    if (!isMigration || !hasMigrated) say(isMigration ? 'Creating its tables' : text)
    hasMigrated ||= isMigration
  }
}

const DEFAULTS = {
  PLIMSOLL_DATA_DIR: './data/demo',
  // Keys of a demo are on the screen, so only this machine reaches it.
  PLIMSOLL_HOST: '127.0.0.1',
  PLIMSOLL_FEEDS: 'off',
  // Warnings are for those who run it for others, such as that of npm's PostgreSQL.
  PLIMSOLL_LOG_LEVEL: 'error',
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
  for (let port = from; port < from + 100; port += 1)
    if (!(await findPortFailure(host, port))) return port
  return from
}

async function invitation(
  ctx: AppContext,
  { apiKey }: OpenedStory,
  tour: readonly TourStep[],
): Promise<string> {
  const { publicUrl } = ctx.config
  const link = await createSignInLink(ctx, CAST.owner.email)
  const seconds = Math.round(performance.now() / 1_000)
  return `
Ready after ${seconds} s. Open the portal, signed in as ${CAST.owner.name} (the link works once):

  ${link}

The overview leads through ${tour.length} things to try:

${tour.map(({ title }, index) => `  ${index + 1}. ${title}`).join('\n')}

The API: ${publicUrl}/docs${apiKey === undefined ? '' : `   (key ${apiKey})`}
Ctrl-C stops the service. The next \`npm run demo\` opens what is there; its data is in ${ctx.config.dataDir}.
`
}
