/** Tools that change nothing. */
import { z } from 'zod'
import { SEVERITY, ApiProblem } from '../../../api-client/src/index.ts'
import { readCoverage } from '../coverage.ts'
import { readFindings } from '../findings.ts'
import { findFirmware, findStatedVersionId } from '../firmware-version.ts'
import { readJudgements } from '../judgements.ts'
import { asComponent } from '../option-values.ts'
import { DEPLOYMENT, DEPLOYMENTS, findDeployment, listActive } from '../roll-out.ts'
import { findCohortId, notFound } from '../named.ts'
import type { Session } from '../session.ts'
import { LIMIT, dropUndefined, defineTool, VERSION } from './tool.ts'

const CVE = z.string().describe('A CVE id, or an alias such as that of GitHub or OSV')
const COHORT = z.string().describe('Name or id of a cohort')

export const READING_TOOLS = [
  defineTool(
    'search',
    {
      title: 'Search',
      description:
        'Find firmware, versions, components, vulnerabilities, devices, cohorts and rules by a part of their name or id.',
      input: { query: z.string().min(1), limit: LIMIT },
    },
    ({ client, workspaceId }, { query, limit }) =>
      client.get('/workspaces/{workspaceId}/search', {
        params: { workspaceId },
        query: { q: query, limit: String(limit) },
      }),
  ),
  defineTool(
    'list_firmware_versions',
    {
      title: 'Firmware and its versions',
      description:
        'List the firmware of the workspace, or the versions of one firmware, newest first, with their SBOMs and devices.',
      input: { firmware: z.string().optional().describe('Slug or id; without it: all firmware') },
    },
    listFirmwareVersions,
  ),
  defineTool(
    'where_is_vulnerability',
    {
      title: 'Where a vulnerability is',
      description:
        'Say which firmware versions have a vulnerability and how it was decided there, which devices run them, and which versions fix it. Answers also that it is nowhere, and what was looked at.',
      input: { cve: CVE, limit: LIMIT.describe('The largest number of devices to answer') },
    },
    whereIsVulnerability,
  ),
  defineTool(
    'list_findings',
    {
      title: 'Findings of a version',
      description:
        'List the vulnerability findings of a firmware version, by risk: exploited ones first, then by severity, then by EPSS score. `coverage` says of how many components nothing can be told.',
      input: {
        version: VERSION,
        active: z.boolean().default(true).describe('Only those that nobody has closed'),
        severities: z.array(z.enum(SEVERITY)).optional(),
        exploited: z.boolean().optional().describe('CISA or ENISA lists it as exploited'),
        component: z.string().optional().describe('name or name@version, as the SBOM declares it'),
        limit: LIMIT,
      },
    },
    async (session, { version, active, severities, exploited, component, limit }) => {
      const id = await findStatedVersionId(session, version)
      const components = component === undefined ? undefined : [asComponent(component)]
      const activeOnly = active || undefined
      const filter = dropUndefined({ activeOnly, severities, exploited, components })
      const counted = await readFindings(session, id, { sortColumn: 'Risk', filter }, limit)
      return { ...counted, coverage: await readCoverage(session, id) }
    },
  ),
  defineTool(
    'why',
    {
      title: 'Why a component has a vulnerability, or has it not',
      description:
        'Show every record of a vulnerability for a component of a version: by which name it was found, range, ordering, verdict, and what outranks it; and how the component is identified.',
      input: {
        version: VERSION,
        component: z.string().describe('name or name@version, as the SBOM declares it'),
        cve: CVE.optional(),
      },
    },
    async (session, { version, component, cve: cveId }) => {
      const firmwareVersionId = await findStatedVersionId(session, version)
      return { components: await readJudgements(session, { firmwareVersionId, component, cveId }) }
    },
  ),
  defineTool(
    'list_proposals',
    {
      title: 'List proposals',
      description:
        'Proposed decisions by state: what is open, what was taken, changed or refused and why.',
      input: {
        state: z.enum(['Open', 'Taken', 'Changed', 'Refused', 'Replaced']).default('Open'),
      },
    },
    ({ client, workspaceId }, { state }) =>
      client.get('/workspaces/{workspaceId}/decision-proposals', {
        params: { workspaceId },
        query: { state },
      }),
  ),
  defineTool(
    'list_blind_spots',
    {
      title: 'Blind spots',
      description:
        'List versions that devices report and the workspace does not know, and images that are not those of the versions that devices name, with how many devices run them. Nothing is known of their vulnerabilities.',
      input: { limit: LIMIT },
    },
    ({ client, workspaceId }, { limit }) =>
      client.post('/workspaces/{workspaceId}/blind-spots/list', {
        params: { workspaceId },
        body: { limit },
      }),
  ),
  defineTool(
    'list_devices',
    {
      title: 'Devices',
      description:
        'List devices with what they run. The filters narrow it: all of them have to hold.',
      input: {
        cve: CVE.optional().describe('Run a version with an active finding of it'),
        version: VERSION.optional(),
        cohort: COHORT.optional(),
        tags: z.array(z.string()).optional(),
        text: z.string().optional().describe('A part of the id or the description'),
        connected: z.boolean().optional(),
        vulnerable: z.boolean().optional().describe('Run a version with an active finding'),
        limit: LIMIT,
      },
    },
    ({ client, workspaceId }, { cve, version, cohort, tags: allTags, limit, ...rest }) => {
      const cveIds = cve === undefined ? undefined : [cve]
      const firmwareVersionIds = version === undefined ? undefined : [version]
      const cohortIds = cohort === undefined ? undefined : [cohort]
      const filter = dropUndefined({ cveIds, firmwareVersionIds, cohortIds, allTags, ...rest })
      const body = { filter, limit }
      return client.post('/workspaces/{workspaceId}/devices/list', {
        params: { workspaceId },
        body,
      })
    },
  ),
  defineTool(
    'show_device',
    {
      title: 'One device',
      description: 'Show a device: what it runs since when, its cohort, its update under way.',
      input: { device: z.string().describe('Its id') },
    },
    ({ client, workspaceId }, { device: deviceId }) =>
      client.get('/workspaces/{workspaceId}/devices/{deviceId}', {
        params: { workspaceId, deviceId },
      }),
  ),
  defineTool(
    'list_deployments',
    {
      title: 'Deployments',
      description: 'List the active roll-outs of all cohorts, or all of one cohort, newest first.',
      input: { cohort: COHORT.optional(), limit: LIMIT },
    },
    async (session, { cohort, limit }) => {
      if (cohort === undefined) return { deployments: (await listActive(session)).slice(0, limit) }
      const deploymentCohortId = await findCohortId(session, cohort)
      const { client, workspaceId } = session
      const params = { workspaceId, deploymentCohortId }
      return client.get(DEPLOYMENTS, { params, query: { limit } })
    },
  ),
  defineTool(
    'show_deployment',
    {
      title: 'One deployment',
      description: 'Show a roll-out: its state and phase, counts of devices, reasons of failures.',
      input: {
        deployment: z
          .string()
          .optional()
          .describe('Id or name; without it the active one of the cohort'),
        cohort: COHORT.optional(),
      },
    },
    async (session, { deployment, cohort }) =>
      session.client.get(DEPLOYMENT, {
        params: await findDeployment(session, deployment, cohort),
      }),
  ),
  defineTool(
    'list_incidents',
    {
      title: 'Incidents',
      description: 'List incidents of alert rules, newest first.',
      input: {
        open: z.boolean().optional().describe('Only open or only ended ones'),
        limit: LIMIT,
      },
    },
    ({ client, workspaceId }, { open: isOpen, limit }) =>
      client.post('/workspaces/{workspaceId}/alert-incidents/list', {
        params: { workspaceId },
        body: { filter: dropUndefined({ isOpen }), limit },
      }),
  ),
]

async function listFirmwareVersions(
  session: Session,
  { firmware }: { firmware?: string | undefined },
) {
  const { client, workspaceId } = session
  if (firmware === undefined)
    return client.get('/workspaces/{workspaceId}/firmwares', { params: { workspaceId } })
  const found = await findFirmware(session, firmware)
  if (!found) throw notFound('firmware', `slug ${JSON.stringify(firmware)}`)
  const path = '/workspaces/{workspaceId}/firmwares/{firmwareId}/versions'
  return client.get(path, { params: { workspaceId, firmwareId: found.id } })
}

async function whereIsVulnerability(
  session: Session,
  { cve, limit }: { cve: string; limit: number },
) {
  const { client, workspaceId } = session
  const params = { workspaceId, cveId: cve }
  const found = await client.get('/workspaces/{workspaceId}/vulnerabilities/{cveId}', { params })
  // Whoever may see findings may not see devices.
  const devices = await client
    .post('/workspaces/{workspaceId}/devices/list', {
      params: { workspaceId },
      body: { filter: { cveIds: [cve] }, limit },
    })
    .catch((error: unknown) => {
      if (error instanceof ApiProblem && error.problem.status === 403) return undefined
      throw error
    })
  if (!devices) return { ...found, devices: 'The API key may not read devices.' }
  return { ...found, devices: devices.devices, hasMoreDevices: devices.hasMore }
}
