/** The year of Harbour Instruments. Days are written as they were, and told so that the last one is today. */
import { addMs, MINUTE_MS } from '../../formats/instants.ts'
import { drawChance } from '../../simulator/chance.ts'
import { PRODUCTS } from '../data/products.ts'
import { DECISIONS } from './decisions.ts'
import type { StoryDevice } from './fleet.ts'
import { arrive, PLACES } from './deliveries.ts'
import { tellCrashes } from './crashes.ts'
import { showCustomers } from './customers.ts'
import { DESK_IMAGE } from './images.ts'
import { reportWeaknesses } from './disclosures.ts'
import { reportByLaw } from './law-cases.ts'
import { readTheYear } from './readings.ts'
import { ROLL_OUTS } from './roll-outs.ts'
import { openLink, type Person } from './stage.ts'
import { statePromises, stateContracts, stateLicences, stateUrgency } from './upkeep.ts'
import {
  as,
  type Calendar,
  CAST,
  decide,
  FIRST_DAY,
  getKnownId,
  REGIONS,
  release,
  rollOut,
  type Scene,
  steer,
  type Story,
} from './story.ts'

export function plot(calendar: Calendar, now: Date): Scene[] {
  const on: On = (day, hour, play) => ({ at: calendar.at(day, hour), play })
  const ago: Ago = (minutes, play) => ({ at: addMs(now, -minutes * MINUTE_MS), play })
  return [
    on(FIRST_DAY, 7, settleIn),
    ...PRODUCTS.flatMap((product) =>
      product.versions.map(({ name, built }) =>
        on(built, 9, (story) => release(story, product, name)),
      ),
    ),
    ...acts(on),
    ...DECISIONS.map(({ day, hour, by, ...decision }) =>
      on(day, hour, (story) => decide(story, CAST[by], decision)),
    ),
    ...ROLL_OUTS.flatMap((plan) => rollOut(calendar, plan)),
    ...readTheYear(calendar, addMs(now, -30 * MINUTE_MS)),
    ...tellCrashes(calendar),
    ...reportByLaw({ on, ago }),
    ...reportWeaknesses(on),
    ...showCustomers(on),
    ...today(ago),
  ]
}

type On = (day: string, hour: number, play: Scene['play']) => Scene
type Ago = (minutes: number, play: Scene['play']) => Scene

/** What happened besides releases, decisions and roll-outs. */
function acts(on: On): Scene[] {
  const failed = { slug: 'gateway', region: 'eu', version: '4.3.0' } as const
  const overtaken = { slug: 'gateway', region: 'apac', version: '4.2.0' } as const
  const full = { slug: 'gateway', region: 'apac', version: '4.4.0' } as const
  const halted = { slug: 'sensor-node', region: 'apac', version: '2.1.0' } as const
  return [
    on(FIRST_DAY, 13, (story) => arrive(story, { from: 0, to: 0.6 })),
    on('2025-11-26', 9, watch),
    on('2026-02-04', 9, blockReleases),
    on('2026-02-04', 10, stateUrgency),
    on('2026-02-05', 9, statePromises),
    on('2026-02-25', 9, (story) => arrive(story, { from: 0.6, to: 0.8 })),
    on('2026-05-01', 11, (story) => steer(story, overtaken, 'cancel')),
    on('2026-06-15', 9, (story) => arrive(story, { from: 0.8, to: 0.9 })),
    on('2026-06-25', 15, (story) => steer(story, failed, 'rollback')),
    on('2026-06-26', 14, goBack),
    on('2026-07-07', 11, supplierStatement),
    on('2026-07-20', 10, ignoreListings),
    on('2026-08-24', 9, (story) => arrive(story, { from: 0.9, to: 1 })),
    on('2026-10-12', 10, retireVersions),
    on('2026-11-02', 10, fieldBuilds),
    on('2026-11-04', 10, putDeskImage),
    on('2026-11-18', 13, (story) => steer(story, full, 'resume')),
    on('2026-11-11', 9, (story) => steer(story, halted, 'pause')),
    on('2026-11-20', 9, stateLicences),
    on('2026-11-20', 11, stateContracts),
    on('2026-11-22', 16, fallSilent),
  ]
}

/** The third phase of the roll-out under way begins; its last ones begin some minutes after the start. */
function today(ago: Ago): Scene[] {
  return [
    ago(52, async ({ stage, fleet }) => {
      await stage.tick()
      const reason = 'verification of the image failed'
      const half = { share: 0.5, failing: 0.04, reason, seed: 'today' }
      await fleet.update(fleet.of('gateway', 'eu'), half)
      await stage.tick()
    }),
    ago(20, (story) => story.fleet.contact(story.fleet.devices.filter(({ isGone }) => !isGone))),
    ago(10, watchTemperature),
  ]
}

async function blockReleases(story: Story): Promise<void> {
  const ines = await as(story, CAST.security)
  await ines.patch('/settings', { releaseGate: 'Block' })
}

async function goBack({ stage, fleet }: Story): Promise<void> {
  const all = { share: 1, failing: 0, reason: '', seed: 'back' }
  await fleet.update(fleet.of('gateway', 'eu'), all)
  await stage.tick()
}

async function settleIn(story: Story): Promise<void> {
  const mara = await as(story, CAST.owner)
  const invited = [
    [CAST.security, 'Admin'],
    [CAST.firmware, 'Engineer'],
    [CAST.fleet, 'Engineer'],
  ] as const
  for (const [person, role] of invited) {
    const { link } = await mara.post<{ link: string }>('/invitations', {
      email: person.email,
      role,
      send: false,
    })
    await openLink(story.stage, new URL(link), person, crypto.randomUUID())
  }
  await mara.patch('/settings', {
    releaseGate: 'Warn',
    deviceAutoRegistration: true,
    remediationTargetDays: { Critical: 14, High: 30, Medium: 90, Low: 180 },
  })
  await foundProducts(story)
  await foundCohorts(story)
  await foundTeams(story)
}

/** Whose findings are: those of the system, and those of what talks to the network. */
async function foundTeams(story: Story): Promise<void> {
  const mara = await as(story, CAST.owner)
  const members = await mara.get<{ subjectId: string; email: string }[]>('/members')
  const idsOf = (...people: readonly Person[]) =>
    people.flatMap(({ email }) =>
      members.filter((one) => one.email === email).map(({ subjectId }) => subjectId),
    )
  await mara.put('/owner-rules', {
    teams: [
      { name: 'System', memberIds: idsOf(CAST.firmware) },
      { name: 'Network', memberIds: idsOf(CAST.security, CAST.fleet) },
    ],
    rules: [
      { components: ['linux*', 'u-boot*', 'busybox*', 'glibc*', 'systemd*'], team: 'System' },
      { components: ['openssl*', 'curl*', 'libcurl*', 'mosquitto*', 'dropbear*'], team: 'Network' },
      { components: ['inetutils*', 'wpa*', 'dnsmasq*', 'mbedtls*'], team: 'Network' },
    ],
  })
}

async function foundProducts(story: Story): Promise<void> {
  const jonas = await as(story, CAST.firmware)
  for (const { slug, name, description } of PRODUCTS) {
    const { id } = await jonas.post<{ id: string }>('/firmwares', { slug, name, description })
    story.firmwares.set(slug, id)
  }
}

const PLURALS = { gateway: 'Gateways', 'sensor-node': 'Sensors' } as const

async function foundCohorts(story: Story): Promise<void> {
  const priya = await as(story, CAST.fleet)
  const found = async (name: string, cohort: { name: string; tagRule: object }) => {
    const { id } = await priya.post<{ id: string }>('/deployment-cohorts', cohort)
    story.cohorts.set(name, id)
  }
  for (const slug of ['gateway', 'sensor-node'] as const)
    for (const region of REGIONS)
      await found(`${slug} ${region}`, {
        name: `${PLURALS[slug]} ${PLACES[region]}`,
        tagRule: { all: [slug, PLACES[region]] },
      })
  await found('display all', { name: 'Displays', tagRule: { all: ['display'] } })
}

const RULES = [
  {
    name: 'New critical or exploited vulnerability in the field',
    type: 'NewVulnerabilityFinding',
    evaluationFrequency: '5m',
    condition: { severities: ['Critical'], knownCisaExploit: true, onlyWhereDevicesRun: true },
  },
  {
    name: 'Roll-out fails',
    type: 'DeploymentFailureRate',
    evaluationFrequency: '5m',
    condition: { thresholdPercent: 20, minimumFinished: 5 },
  },
  {
    name: 'Gateway silent for three days',
    type: 'DeviceOffline',
    evaluationFrequency: '1h',
    condition: { tags: ['gateway'], offlineFor: '3d' },
  },
] as const

async function watch(story: Story): Promise<void> {
  const priya = await as(story, CAST.fleet)
  for (const rule of RULES.slice(0, 2)) await priya.post('/alert-rules', rule)
}

/** What the modem's maker says about its part of the gateway. */
async function supplierStatement(story: Story): Promise<void> {
  const jonas = await as(story, CAST.firmware)
  const at = story.stage.ctx.now().toISOString()
  await jonas.post(`/firmware-versions/${getKnownId(story.versions, 'gateway@4.3.1')}/vex`, {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://nordic-modems.example.com/vex/2026-07',
    author: 'Nordic Modems, product security',
    timestamp: at,
    version: 1,
    statements: [
      {
        vulnerability: { name: 'CVE-2025-60876' },
        products: [{ '@id': 'pkg:generic/harbour/gateway@4.3.1' }],
        status: 'not_affected',
        justification: 'vulnerable_code_not_in_execute_path',
        impact_statement: 'The update scripts fetch by curl; wget of BusyBox is not called.',
      },
    ],
  })
  await story.stage.settle()
}

/** Nobody lists archives on a device. */
async function ignoreListings(story: Story): Promise<void> {
  const ines = await as(story, CAST.security)
  await ines.post('/vulnerability-findings/bulk-ignore', {
    filter: { cveIds: ['CVE-2025-46394'] },
    ignored: true,
    alsoFuture: true,
  })
}

/** Versions that are not shipped any more, and that no device runs, are nobody's work. */
async function retireVersions(story: Story): Promise<void> {
  const jonas = await as(story, CAST.firmware)
  const running = new Set(story.fleet.devices.map(({ slug, version }) => `${slug}@${version}`))
  const retired = [...story.versions.keys()].filter((name) => !running.has(name))
  const firmwareVersionIds = retired.map((name) => getKnownId(story.versions, name))
  const filter = { firmwareVersionIds, activeOnly: true }
  await jonas.post('/vulnerability-findings/bulk-ignore', { filter, ignored: true })
}

/** Field engineers run builds that nobody has registered. */
async function fieldBuilds({ fleet }: Story): Promise<void> {
  const some = fleet.of('gateway', 'us').slice(-7)
  for (const device of some) device.version = '4.4.1-field3'
  await fleet.boot(some)
}

/** One tells the name of a release, and runs something else. */
async function putDeskImage({ fleet }: Story): Promise<void> {
  const some = fleet.of('gateway', 'us').slice(3, 4)
  for (const device of some) device.deskImage = DESK_IMAGE
  await fleet.boot(some)
}

/** Some devices are off since then. */
async function fallSilent(story: Story): Promise<void> {
  const isOff = ({ id }: StoryDevice) => drawChance(id, 'off') < 0.04
  for (const device of story.fleet.devices) device.isGone ||= isOff(device)
  const priya = await as(story, CAST.fleet)
  await priya.post('/alert-rules', RULES[2])
}

/** It is firing two minutes after the start: a gateway has no fan any more. */
async function watchTemperature(story: Story): Promise<void> {
  const priya = await as(story, CAST.fleet)
  await priya.post('/alert-rules', {
    name: 'Gateway is too hot',
    type: 'MetricFixedThreshold',
    evaluationFrequency: '1m',
    condition: {
      metric: 'cpu.temperature',
      aggregation: 'Maximum',
      operator: 'GreaterThan',
      threshold: 65,
      window: '2m',
      // Ends while the demo is stopped, so that it begins anew at the next start.
      onNoData: 'Resolve',
    },
  })
}
