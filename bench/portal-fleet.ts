/**
 * Measures the fleet half of the portal in a real browser (docs/design/budgets.md), on a folder of its own that it fills the first time:
 * `node bench/portal-fleet.ts FOLDER [devices] [metric points] [live seconds] [reports a second]`. The devices list, a device with all
 * points on one chart, a roll-out to all devices, and two pages that stay open while devices report. Needs Chromium.
 * A live hour: `node bench/portal-fleet.ts FOLDER 100000 1000000 3600`.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { type Complaints, openBrowser, openPage } from '../portal/test/browser.ts'
import { createSignInLink } from '../server/src/features/people/index.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { countArgument, declareFolder, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import type { Order } from './gateway-devices.ts'
import {
  BUDGETS,
  measureHeap,
  measureScrolling,
  openContext,
  printReport,
  type ProbedWindow,
  readProbe,
  report,
  waitUntilShown,
  signIn,
  type State,
  visitCold,
} from './portal-browser.ts'
import { nameDevice, METRIC, OWNER, prepareFleet, SLUG, VERSIONS } from './portal-fleet-data.ts'
import { computePercentile } from './portfolio-folder.ts'
import { findMax } from '../server/src/formats/extremes.ts'

const VISITS = 7
const SCROLL_SECONDS = 60
/** Devices that report while a page is open. */
const REPORTING = 1_000
const SAMPLE_SECONDS = 5
/** Every tenth report says what the device runs, which changes lists and counts. */
const SESSIONS = { every: 10, slug: SLUG, versions: VERSIONS }
/** A line has room for so many points; more of them would be thinned out by the browser. */
const MOST_POINTS = 1_000
/** Milliseconds that a script may hold a page which is open: longer, and typing stutters. */
const LONGEST_TASK = 100

const { folder, devices, points, seconds, perSecond } = readBenchArguments({
  folder: declareFolder(),
  devices: countArgument(100_000),
  points: countArgument(1_000_000),
  seconds: countArgument(60),
  perSecond: countArgument(1_000),
})
const complaints: Complaints = { list: [] }

async function prepare() {
  const { ctx, close } = await openBenchContext(folder)
  try {
    const fleet = await prepareFleet(ctx, folder, { devices, points })
    const link = await createSignInLink(ctx, OWNER)
    return { fleet, token: link.replace(/^.*#(?:token=)?/, '') }
  } finally {
    await close()
  }
}

const { fleet, token } = await prepare()
console.log(`${fleet.devices} devices, ${fleet.points} points on one chart`)
const port = await freePort()
const mqttPort = await freePort()
const url = `http://localhost:${port}`
const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port,
  managementPort: await freePort(),
  env: {
    PLIMSOLL_PORTAL: 'on',
    PLIMSOLL_PUBLIC_URL: url,
    PLIMSOLL_MQTT_PORT: String(mqttPort),
    PLIMSOLL_MQTT_MESSAGES_PER_MINUTE: '0',
    PLIMSOLL_MQTT_LOGINS_PER_SECOND: '0',
  },
})
const at = (path: string) => `${url}/w/${fleet.workspaceId}${path}`

const ROW = 'main [role=rowgroup] [role=row]'
const PAGES = {
  'devices list': { path: '/devices', shows: ROW },
  'device page with its chart': {
    path: `/devices/${nameDevice(0)}?tab=metrics&range=30d&metric=${METRIC}`,
    shows: 'main figure svg[role=img] path',
  },
  'deployment page': { path: `/deployments/${fleet.cohortId}/${fleet.deploymentId}`, shows: ROW },
}

async function measureCold(browser: Browser, state: State): Promise<void> {
  for (const [name, { path, shows }] of Object.entries(PAGES)) {
    const times: number[] = []
    for (let visit = 0; visit < VISITS; visit += 1)
      times.push((await visitCold(browser, state, { address: at(path), shows })).lcp)
    report(`${name}: largest paint, cold, worst of ${VISITS}`, findMax(times), 'ms', BUDGETS.cold)
  }
}

/** From a click on a link to the page until it is painted with its answer. */
async function measureFromWithin(page: Page): Promise<void> {
  const click = (target: string, shows: string) =>
    page.evaluate(
      ([clicked, selector]) =>
        (globalThis as unknown as ProbedWindow).probe.paintedAfterClickOn(clicked, selector),
      [target, shows] as const,
    )
  const times: Record<string, number[]> = { devices: [], device: [], deployment: [] }
  for (let visit = 0; visit < VISITS; visit += 1) {
    await page.goto(at('/deployments'))
    const roll = `main a[href$="${fleet.deploymentId}"]`
    await waitUntilShown(page, roll)
    times['deployment']?.push(await click(roll, ROW))
    times['devices']?.push(await click('nav a[href$="/devices"]', ROW))
    await page.goto(at(`/devices?text=${nameDevice(0)}`))
    await waitUntilShown(page, ROW)
    times['device']?.push(await click(ROW, 'main [role=tablist]'))
  }
  for (const [name, some] of Object.entries(times))
    report(`${name}: painted from within, p95`, computePercentile(some, 0.95), 'ms', BUDGETS.within)
}

/** The service makes as many points as a line has room for, however many there are. */
async function measureChart(page: Page): Promise<void> {
  const { path, shows } = PAGES['device page with its chart']
  const startedAt = performance.now()
  const answered = page.waitForResponse((response) => response.url().endsWith('/metrics/query'))
  await page.goto(at(path))
  const answer = await answered
  const { series } = (await answer.json()) as { series: { points: object[] }[] }
  await waitUntilShown(page, shows)
  const drawn = series.reduce((sum, one) => sum + one.points.length, 0)
  const { requestStart, responseEnd } = answer.request().timing()
  report(
    `chart of ${fleet.points} points: points sent to the browser`,
    drawn,
    'points',
    MOST_POINTS,
  )
  report('chart: answer of the service', responseEnd - requestStart, 'ms')
  report('chart: from the address to the line', performance.now() - startedAt, 'ms')
}

async function order(child: ChildProcess, what: Order): Promise<void> {
  const done = once(child, 'message')
  child.send(what)
  await done
}

/** A page stays open while devices report. */
async function measureLive(page: Page, name: keyof typeof PAGES, child: ChildProcess) {
  const { path, shows } = PAGES[name]
  let answers = 0
  page.on('response', () => (answers += 1))
  await page.goto(at(path))
  await waitUntilShown(page, shows)
  await page.waitForTimeout(2_000)
  const before = await measureHeap(page)
  const { tasks: earlier } = await readProbe(page)
  answers = 0
  const heaps: number[] = []
  const publishing = order(child, { do: 'publish', perSecond, seconds, sessions: SESSIONS })
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    await page.waitForTimeout(SAMPLE_SECONDS * 1000)
    // Before the sample, as its collection of garbage holds the page too.
    heaps.push(await measureHeap(page))
  }
  await publishing
  const tasks: number[] = (await readProbe(page)).tasks.slice(earlier.length)
  const what = `${name}, ${perSecond} reports a second for ${seconds} s`
  report(`${what}: longest task of ${tasks.length}`, findMax(tasks, 0), 'ms', LONGEST_TASK)
  report(`${what}: requests a minute`, (answers / seconds) * 60, 'requests')
  report(
    `${what}: memory added, at the end`,
    (heaps.at(-1) ?? before) - before,
    'MiB',
    BUDGETS.memory,
  )
  report(`${what}: memory added, at most`, findMax(heaps, before) - before, 'MiB', BUDGETS.memory)
  console.log(`  MiB every ${SAMPLE_SECONDS} s: ${heaps.map((heap) => heap.toFixed(0)).join(' ')}`)
}

const browser = await openBrowser()
const child = fork(new URL('gateway-devices.ts', import.meta.url))
try {
  const state = await signIn(browser, { url, token })
  await measureCold(browser, state)
  const context = await openContext(browser, state)
  const page = await openPage(context, url, complaints)
  await measureFromWithin(page)
  await measureChart(page)
  await measureScrolling(page, {
    address: at('/devices'),
    what: 'devices',
    seconds: SCROLL_SECONDS,
  })
  const { workspaceId, deviceKey } = fleet
  const count = Math.min(REPORTING, fleet.devices)
  await order(child, {
    do: 'connect',
    fleet: { port: mqttPort, workspaceId, deviceKey, first: 0, count },
  })
  for (const name of ['devices list', 'deployment page'] as const)
    await measureLive(page, name, child)
  report('errors in the console, refused by the policy, other hosts', complaints.list.length, '', 0)
} finally {
  printReport()
  child.kill()
  await browser.close()
  await endProcess(service.child, 'SIGTERM')
}
