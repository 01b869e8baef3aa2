/** Nine things to try in the demo, each with the address that leads to it. */
import type { TourStep } from '../config/config.ts'
import { formatPortalPath } from '../formats/portal-pages.ts'
import { UNDER_WAY } from './next-roll-out.ts'
import { CASE_TITLE } from './story/law-cases.ts'
import { SICK_DEVICE } from './story/readings.ts'
import type { Ask } from './visitor.ts'

interface NamedResource {
  id: string
  name: string
}

/** Its last roll-out crashes, and was stopped by a comparison. */
const JUDGED_COHORT = 'Sensors eu-west'

/** Exploited, and forgotten for older gateways that still run. */
const FORGOTTEN = 'CVE-2026-31431'

/** What the story calls something is looked up, since people may have renamed or deleted it: its step is left out then. */
export async function planTour(ask: Ask, workspaceId: string): Promise<TourStep[]> {
  const [deployment, judged, version, deviceId, caseId] = await Promise.all([
    findDeployment(ask, UNDER_WAY.cohort),
    findDeployment(ask, JUDGED_COHORT),
    findVersion(ask),
    findSickDevice(ask),
    findCase(ask),
  ])
  const overview = formatPortalPath('overview', { workspaceId })
  return [
    {
      title: 'Decide about an exploited vulnerability',
      text: `${FORGOTTEN} was forgotten for older gateways that still run.`,
      path: formatPortalPath('vulnerability', { workspaceId, cveId: FORGOTTEN }),
    },
    ...step(version, (firmwareVersionId) => ({
      title: 'Compare two versions of a firmware',
      text: `What does gateway ${UNDER_WAY.version} fix against the version before?`,
      path: `${formatPortalPath('firmwareVersion', { workspaceId, firmwareVersionId })}?tab=compare`,
    })),
    ...step(deployment, (ids) => ({
      title: 'Watch a roll-out, and take it back',
      text: `It goes to ${UNDER_WAY.cohort} in phases; some devices fail.`,
      path: formatPortalPath('deployment', { workspaceId, ...ids }),
    })),
    ...step(judged, (ids) => ({
      title: 'See why a roll-out stopped itself',
      text: 'Updated sensor nodes crash, and those that wait do not. Taking it back is left to you.',
      path: formatPortalPath('deployment', { workspaceId, ...ids }),
    })),
    ...step(deviceId, (id) => ({
      title: 'Look at a sick device',
      text: `The fan of ${id} stands still: what it measured, and what it wrote into its log.`,
      path: `${formatPortalPath('device', { workspaceId, deviceId: id })}?tab=metrics&range=7d`,
    })),
    {
      title: 'See a rule firing',
      text: 'Within two minutes of the start: one gateway is too hot.',
      path: `${overview}/alerts`,
    },
    {
      title: 'Find what nobody registered',
      text: 'Field engineers run builds that no SBOM describes.',
      path: `${overview}/devices?show=unknown`,
    },
    ...step(caseId, (id) => ({
      title: 'Read a case of the law from its first hour to its end',
      text: 'Early warning, notification, final report; a drill runs beside it.',
      path: `${overview}/cases/${id}`,
    })),
    {
      title: 'Ask what would be',
      text: 'How many devices are exposed if a region gets another version?',
      path: `${overview}/deployments/what-if`,
    },
  ]
}

function step<Found>(found: Found | undefined, of: (found: Found) => TourStep): TourStep[] {
  return found === undefined ? [] : [of(found)]
}

async function findCase(ask: Ask): Promise<string | undefined> {
  const { cases } = await ask<{ cases: { id: string; title: string }[] }>('/cases?state=Closed')
  return cases.find(({ title }) => title === CASE_TITLE)?.id
}

async function findDeployment(ask: Ask, named: string) {
  const { deploymentCohorts } = await ask<{ deploymentCohorts: NamedResource[] }>(
    '/deployment-cohorts',
  )
  const cohort = deploymentCohorts.find(({ name }) => name === named)
  if (!cohort) return undefined
  const { deployments } = await ask<{ deployments: { id: string }[] }>(
    `/deployment-cohorts/${cohort.id}/deployments`,
  )
  const [newest] = deployments
  return newest && { deploymentCohortId: cohort.id, deploymentId: newest.id }
}

async function findVersion(ask: Ask): Promise<string | undefined> {
  const { firmwares } = await ask<{ firmwares: { id: string; slug: string }[] }>('/firmwares')
  const firmware = firmwares.find(({ slug }) => slug === UNDER_WAY.slug)
  if (!firmware) return undefined
  const { firmwareVersions } = await ask<{ firmwareVersions: NamedResource[] }>(
    `/firmwares/${firmware.id}/versions`,
  )
  return firmwareVersions.find(({ name }) => name === UNDER_WAY.version)?.id
}

async function findSickDevice(ask: Ask): Promise<string | undefined> {
  const filter = { text: SICK_DEVICE }
  const { devices } = await ask<{ devices: { id: string }[] }>('/devices/list', {
    limit: 1,
    filter,
  })
  return devices[0]?.id
}
