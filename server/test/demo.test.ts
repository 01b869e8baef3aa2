/** The story of the demo, told once on a database of its own and read through the REST API: all of it in the deep tests. */
import { beforeAll, describe, expect, it } from 'vitest'
import { openStory } from '../src/demo/story/play.ts'
import { CAST } from '../src/demo/story/story.ts'
import { SICK_DEVICE } from '../src/demo/story/readings.ts'
import { addDays, countDays, DAY_SECONDS, startOfDay } from '../src/formats/instants.ts'
import { planTour } from '../src/demo/tour.ts'
import { startTestApp, type TestApp } from './app.ts'
import { refreshKept } from './given-findings.ts'
import { isDeep } from './property-runs.ts'

let test: TestApp
let workspaceId: string
let apiKey: string

const quiet = { onBegin: () => undefined, onMonth: () => undefined }
/** The displays have taken their first update by then. */
const BEGINNING = '2025-12-08'

beforeAll(async () => {
  test = await startTestApp()
  const opened = await openStory(test.ctx, isDeep ? quiet : { ...quiet, until: BEGINNING })
  workspaceId = opened.workspaceId
  apiKey = opened.apiKey ?? ''
}, 600_000)

async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const response = await test.app.inject({
    method: body ? 'POST' : 'GET',
    url: `/workspaces/${workspaceId}${path}`,
    headers: { authorization: `Bearer ${apiKey}` },
    ...(body && { payload: body }),
  })
  expect(response.statusCode).toBe(200)
  return response.json()
}

interface Exposure {
  days: { day: string; deviceCount: number; exploited: number; byWorst: object[] }[]
  releases: object[]
  rollouts: object[]
}

describe.skipIf(isDeep)('at its beginning', () => {
  it('has days with a shape, decisions, a roll-out and people', async () => {
    const { days, rollouts } = await ask<Exposure>('/exposure?days=365')
    const { findings } = await ask<{ findings: object[] }>('/vulnerability-findings/list', {
      filter: { assessments: ['Exploitable', 'NotAffected'], activeOnly: false },
    })
    const audit = await ask<{ entries: { actorEmail: string | null }[] }>('/audit-log?limit=500')

    const exploited = days.filter(({ deviceCount }) => deviceCount > 0).map((day) => day.exploited)
    expect(exploited.length).toBeGreaterThan(10)
    // The first update of the displays holds the fix.
    expect(exploited.at(-1)).toBeLessThan(exploited[0] ?? 0)
    expect(rollouts).toHaveLength(1)
    expect(findings.length).toBeGreaterThan(5)
    const actors = new Set(audit.entries.map(({ actorEmail }) => actorEmail))
    for (const { email } of Object.values(CAST)) expect(actors).toContain(email)
  })
})

describe.skipIf(isDeep)('what it says of urgency', () => {
  it('is certain where a record has the inputs of SSVC', async () => {
    await refreshKept(test.ctx, { workspaceId })
    const list = await ask<{ findings: { cveId: string; ssvcLeastOutcome: string }[] }>(
      '/vulnerability-findings/list',
      { filter: { ssvcOutcomes: ['Track'] } },
    )

    expect(list.findings.map(({ cveId }) => cveId)).toContain('CVE-2025-6965')
    expect(new Set(list.findings.map((one) => one.ssvcLeastOutcome))).toEqual(new Set(['Track']))
  })
})

describe.skipIf(isDeep)('what it says of support', () => {
  it('has components that are out of support, and kernels that end before what buyers were promised', async () => {
    interface Row {
      packageName: string
      supportedAs: string | null
    }
    const list = (filter: object) =>
      ask<{ components: Row[] }>('/components/list', { filter }).then(({ components }) =>
        components.map(({ supportedAs }) => supportedAs),
      )

    expect(new Set(await list({ supportStates: ['Ended'] }))).toEqual(new Set(['OpenSSL 3.4']))
    expect(await list({ supportStates: ['Ending'], supportEndsBefore: '2031-12-31' })).toContain(
      'Linux kernel 6.6',
    )
  })
})

describe.skipIf(isDeep)('its tour', () => {
  it('leaves out what is not there yet', async () => {
    const steps = await planTour(ask, workspaceId)

    const paths = steps.map(({ path }) => path)
    expect(paths).toContain(`/w/${workspaceId}/vulnerabilities/CVE-2026-31431`)
    expect(paths.every((path) => path.startsWith(`/w/${workspaceId}/`))).toBe(true)
    expect(paths.join()).not.toContain('tab=compare')
  })
})

describe.runIf(isDeep)('told to its end', () => {
  it('has a tour of nine steps, with a roll-out and a version', async () => {
    const steps = await planTour(ask, workspaceId)

    expect(steps).toHaveLength(9)
    expect(steps[1]?.path).toMatch(/\/versions\/[0-9a-f-]{36}\?tab=compare$/)
    for (const index of [2, 3])
      expect(steps[index]?.path).toMatch(/\/deployments\/[0-9a-f-]{36}\/[0-9a-f-]{36}$/)
  })

  it('has a day for each day of the year, with a shape', async () => {
    const { days, releases, rollouts } = await ask<Exposure>('/exposure?days=365')

    const exploited = days.map((day) => day.exploited)
    expect(days).toHaveLength(365)
    expect(days.at(-1)?.day).toBe(test.ctx.now().toISOString().slice(0, 10))
    expect(days.at(-1)?.deviceCount).toBeGreaterThan(days[0]?.deviceCount ?? 0)
    expect(Math.max(...exploited)).toBeGreaterThan(200)
    expect(exploited.filter((count, at) => count !== exploited[at - 1]).length).toBeGreaterThan(10)
    expect(new Set(days.map(({ byWorst }) => JSON.stringify(byWorst))).size).toBeGreaterThan(40)
    expect(releases.length).toBeGreaterThanOrEqual(15)
    expect(rollouts.length).toBeGreaterThanOrEqual(20)
  })

  it.each([
    { filter: { assessments: ['NotAssessed'], knownCisaExploit: false } },
    { filter: { knownCisaExploit: true } },
    { filter: { assessments: ['InTriage'] } },
    { filter: { assessments: ['Exploitable'] } },
    { filter: { assessments: ['NotAffected'], activeOnly: false } },
    { filter: { assessments: ['Resolved'], activeOnly: false } },
    { filter: { ignored: true, activeOnly: false } },
    { filter: { overdue: true } },
  ])('has findings of $filter', async ({ filter }) => {
    const { findings } = await ask<{ findings: object[] }>('/vulnerability-findings/list', {
      filter,
    })

    expect(findings.length).toBeGreaterThan(0)
  })

  it('has a version that brings what ends soon, and leaves a denied licence that older versions hold', async () => {
    const { firmwares } = await ask<{ firmwares: { id: string; slug: string }[] }>('/firmwares')
    const gateway = firmwares.find(({ slug }) => slug === 'gateway')
    const { firmwareVersions } = await ask<{ firmwareVersions: { id: string; name: string }[] }>(
      `/firmwares/${gateway?.id}/versions`,
    )
    const idOf = (name: string) => firmwareVersions.find((one) => one.name === name)?.id
    const compared = await ask<{
      support: { brought: object; left: object }
      licences: { brought: { denied: number }; left: { denied: number } }
    }>(`/firmware-versions/${idOf('4.5.0')}/diff-counts?base=${idOf('4.4.0')}`)
    const support = await ask<{ endsBeforePromiseCount: number }>(
      `/firmware-versions/${idOf('4.5.0')}/support`,
    )
    const rules = await ask<{ type: string; hasFiringAlert: boolean }[]>('/alert-rules')

    expect(compared.licences).toMatchObject({ brought: { denied: 0 }, left: { denied: 1 } })
    expect(JSON.stringify(compared.support.brought)).toContain('1')
    expect(JSON.stringify(support)).toContain('"endsBeforePromise":true')
    const firing = rules.filter(({ hasFiringAlert }) => hasFiringAlert).map(({ type }) => type)
    expect(firing).toEqual(expect.arrayContaining(['LicenceDenied', 'ComponentSupportEnding']))
  })

  it('has one case with its whole life, a drill, a report from outside that joined it and was answered, one to upstream, and two customers', async () => {
    const { cases } = await ask<{ cases: { id: string; state: string; isDrill: boolean }[] }>(
      '/cases',
    )
    const { reports } = await ask<{ reports: object[] }>('/disclosure-reports')
    const { upstreamReports } = await ask<{ upstreamReports: object[] }>('/upstream-reports')
    const { customers } = await ask<{ customers: object[] }>('/customers')

    const whole = cases.find(({ state }) => state === 'Closed')
    expect(cases.filter(({ isDrill }) => isDrill)).toMatchObject([{ state: 'Open' }])
    expect(reports).toMatchObject([
      { state: 'Accepted', caseId: whole?.id, credit: 'Aino Kvarn', hasUnanswered: false },
    ])
    expect(upstreamReports).toMatchObject([
      { cveId: 'CVE-2026-1678', firmwareName: 'Harbour sensor node' },
    ])
    expect(customers).toHaveLength(2)
  })

  it('has a product whose support is over while its devices run', async () => {
    const { needsYou } = await ask<{ needsYou: { kind: string; detail: string | null }[] }>(
      '/overview',
    )
    const rules = await ask<{ type: string; hasFiringAlert: boolean }[]>('/alert-rules')

    expect(needsYou).toContainEqual(
      expect.objectContaining({ kind: 'PastSupport', detail: 'Harbour Display' }),
    )
    expect(rules).toContainEqual(
      expect.objectContaining({ type: 'SupportEnding', hasFiringAlert: true }),
    )
  })

  interface Deployments {
    deployments: {
      state: string
      comparisons: { state: string; reason: string | null }[]
      rollbackOfId: string | null
      createdAt: string
      isActive: boolean
    }[]
  }

  it('has roll-outs in each state, one of them taken back, one under way since yesterday', async () => {
    const { deploymentCohorts } = await ask<{ deploymentCohorts: { id: string }[] }>(
      '/deployment-cohorts',
    )

    const pages = await Promise.all(
      deploymentCohorts.map(({ id }) => ask<Deployments>(`/deployment-cohorts/${id}/deployments`)),
    )

    const all = pages.flatMap(({ deployments }) => deployments)
    const states = new Set(all.map(({ state }) => state))
    expect(states).toEqual(new Set(['Running', 'Paused', 'Stopped', 'Superseded', 'Cancelled']))
    expect(all.filter(({ rollbackOfId }) => rollbackOfId !== null)).toHaveLength(1)
    const yesterday = test.ctx.now().getTime() - 2 * 86_400_000
    expect(
      all.filter(({ isActive, createdAt }) => isActive && Date.parse(createdAt) > yesterday),
    ).toHaveLength(1)
  })

  it('has a release that crashes, which a comparison stopped', async () => {
    const { deploymentCohorts } = await ask<{
      deploymentCohorts: { id: string; activeDeploymentId: string | null }[]
    }>('/deployment-cohorts')
    const pages = await Promise.all(
      deploymentCohorts.map(({ id }) => ask<Deployments>(`/deployment-cohorts/${id}/deployments`)),
    )

    const judged = pages
      .flatMap(({ deployments }) => deployments)
      .filter(
        ({ isActive, comparisons }) =>
          isActive && comparisons.some(({ state }) => state === 'Worse'),
      )
    expect(judged).toMatchObject([{ state: 'Stopped' }])
    expect(judged[0]?.comparisons[0]?.reason).toMatch(/crash/i)
  })

  it('has images that are proved up to their devices, that are stated, and that nobody says anything of', async () => {
    const { firmwares } = await ask<{ firmwares: { id: string; slug: string }[] }>('/firmwares')
    const chainOf = async (slug: string, name: string) => {
      const firmware = firmwares.find((one) => one.slug === slug)
      const { firmwareVersions } = await ask<{ firmwareVersions: { id: string; name: string }[] }>(
        `/firmwares/${firmware?.id}/versions`,
      )
      const version = firmwareVersions.find((one) => one.name === name)
      const { links } = await ask<{ links: { step: string; state: string }[] }>(
        `/firmware-versions/${version?.id}/chain`,
      )
      return links.map(({ step, state }) => `${step} ${state}`)
    }

    expect(await chainOf('gateway', '4.5.0')).toEqual([
      'SbomToImage Proved',
      'ImageToDevices Proved',
    ])
    expect(await chainOf('sensor-node', '2.1.0')).toEqual([
      'SbomToImage Stated',
      'ImageToDevices Stated',
    ])
    expect(await chainOf('display', '5.4.0')).toEqual([
      'SbomToImage Missing',
      'ImageToDevices Stated',
    ])
  })

  it('has a year of readings, and a sick device whose log says what is wrong', async () => {
    const now = test.ctx.now()
    const { series } = await ask<{ series: { points: object[] }[] }>('/metrics/query', {
      metric: 'cpu.temperature',
      deviceIds: [SICK_DEVICE, 'sn-us-0003'],
      from: addDays(startOfDay(countDays(now)), -360).toISOString(),
      to: startOfDay(countDays(now)).toISOString(),
      stepSeconds: DAY_SECONDS,
      aggregation: 'Average',
      groupBy: 'Device',
    })
    const { lines } = await ask<{ lines: { deviceId: string }[] }>('/device-logs/list', {
      filter: { severities: ['Error'] },
    })

    expect(series).toHaveLength(2)
    for (const { points } of series) expect(points.length).toBeGreaterThan(340)
    expect(lines.length).toBeGreaterThan(20)
    expect(new Set(lines.map(({ deviceId }) => deviceId))).toEqual(new Set([SICK_DEVICE]))
  })

  it('has decisions that last, blind spots, incidents, and what people did in the audit log', async () => {
    const { standingDecisions } = await ask<{ standingDecisions: object[] }>('/standing-decisions')
    const { blindSpotDevices, connected } = await ask<Record<string, number>>('/device-summary')
    const { incidents } = await ask<{ incidents: { endedAt: string | null }[] }>(
      '/alert-incidents/list',
      {},
    )
    const audit = await ask<{ entries: { actorEmail: string | null }[] }>('/audit-log?limit=500')

    expect(standingDecisions.length).toBeGreaterThan(5)
    // Seven run a build of the field, and one an image that nobody uploaded.
    expect(blindSpotDevices).toBe(8)
    expect(connected).toBe(0)
    expect(incidents.some(({ endedAt }) => endedAt !== null)).toBe(true)
    const actors = new Set(audit.entries.map(({ actorEmail }) => actorEmail))
    for (const { email } of Object.values(CAST)) expect(actors).toContain(email)
  })
})

it('opens what is there when it starts again', async () => {
  const again = await openStory(test.ctx, quiet)

  expect(again).toEqual({ workspaceId })
})
