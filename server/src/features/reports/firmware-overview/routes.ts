import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import {
  defineProblems,
  Exactly,
  Nullable,
  OneOf,
  Reference,
  Shape,
  Timestamp,
  WorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { VulnerabilityCounts } from '../../findings/index.ts'
import { MarkSchema } from '../../firmware/index.ts'
import { VERSION_GROUPS } from './grouping.ts'
import { readFirmwareOverview } from './service.ts'

const MOST_LISTED = 1000
const GroupSchema = OneOf('VersionGroup', VERSION_GROUPS)

const FirmwareOverviewQuery = Exactly({
  group: Type.Optional(Type.Enum([...VERSION_GROUPS], { default: 'All' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_LISTED,
      default: 12,
      description: 'Versions of each firmware that are listed; the rest is counted',
    }),
  ),
})

const Days = Type.Array(
  Shape('DevicesOfDay', {
    day: Type.String({ format: 'date', examples: ['2026-11-21'] }),
    devices: Type.Integer(),
  }),
  {
    description:
      'Devices at the end of one day a week, 13 weeks, oldest first, and now; days without data are left out. Only versions that are registered were counted',
  },
)

const Version = Shape('VersionInOverview', {
  id: Nullable(Type.String(), { description: 'null: devices report it and nobody registered it' }),
  name: Type.String({ examples: ['4.4.1'] }),
  buildId: Nullable(Type.String(), {
    description: 'That devices report with a version that nobody registered',
  }),
  createdAt: Nullable(Timestamp),
  line: Nullable(Reference, { description: 'Its release line; null: none' }),
  mark: MarkSchema,
  deviceCount: Type.Integer(),
  countsBySeverity: Nullable(VulnerabilityCounts.properties.countsBySeverity, {
    description: 'Active findings; null: not known, as no SBOM of it was read',
  }),
  trend: Days,
  rollouts: Type.Array(
    Type.Object({
      deploymentId: Type.String(),
      deploymentCohortId: Type.String(),
      cohortName: Type.String(),
      state: Type.String({ examples: ['Paused'] }),
      unfinished: Type.Integer({ description: 'Updates of it that wait, run or failed' }),
    }),
    {
      description:
        'Deployments of it that have not reached all their devices; empty without the scope to read them',
    },
  ),
})

const NewestVersion = Shape('NewestVersion', {
  ...Reference.properties,
  createdAt: Timestamp,
  mark: MarkSchema,
})

const FirmwareInOverview = Shape('FirmwareInOverview', {
  id: Nullable(Type.String(), {
    description: 'null: devices report the slug, and nobody registered a firmware with it',
  }),
  slug: Type.String(),
  name: Nullable(Type.String()),
  newest: Nullable(NewestVersion, { description: 'Of all its versions; null: none is registered' }),
  lines: Type.Array(
    Shape('LineInOverview', {
      ...Reference.properties,
      newest: NewestVersion,
      versionCount: Type.Integer(),
      deviceCount: Type.Integer({ description: 'Devices that run a version of it' }),
    }),
    {
      description:
        'Its release lines with versions, each with its newest version; those of the newest versions first. Empty: `newest` is the newest of all',
    },
  ),
  versionCount: Type.Integer({ description: 'All its versions, with those nobody registered' }),
  deviceCount: Type.Integer(),
  devicesByMark: Type.Array(
    Type.Object({ state: MarkSchema.properties.state, devices: Type.Integer() }),
    { description: 'Devices by the mark of the version that they run, worst first' },
  ),
  trend: Days,
  versions: Type.Array(Version, {
    description: 'Of the group, by devices',
  }),
  left: Type.Object(
    {
      versions: Type.Integer(),
      devices: Type.Integer(),
      onNoDevice: Type.Integer({ description: 'Versions on no device' }),
      overloaded: Type.Integer({ description: 'Versions on devices whose mark is Overloaded' }),
    },
    { description: 'Versions of the group that are not listed' },
  ),
})

const FirmwareOverview = Shape('FirmwareOverview', {
  devices: Type.Object({
    total: Type.Integer({ description: 'Registered devices' }),
    silent: Type.Integer({ description: 'Never reported what they run' }),
    overloaded: Type.Integer({ description: 'Run a version whose mark is Overloaded' }),
    unknown: Type.Integer({ description: 'Run a registered version whose mark is Unknown' }),
    unregistered: Type.Integer({ description: 'Run a version that nobody registered' }),
  }),
  versionCounts: Type.Array(Type.Object({ group: GroupSchema, versions: Type.Integer() })),
  firmwares: Type.Array(FirmwareInOverview, {
    description: 'With versions of the group, by devices. In the group All also those without any',
  }),
  unlistedUnregistered: Type.Integer({
    description: 'Versions that nobody registered and that are counted, but not listed',
  }),
})

export function registerFirmwareOverviewRoute(app: App): void {
  app.get(
    '/firmware-overview',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'getFirmwareOverview',
        summary: 'What devices run, by firmware and version',
        tags: ['Vulnerability findings'],
        params: WorkspaceParams,
        querystring: FirmwareOverviewQuery,
        response: { 200: FirmwareOverview, ...defineProblems(400, 404) },
      },
    },
    ({ params: { workspaceId }, query, principal: { scopes }, reading }) =>
      readFirmwareOverview(reading, { workspaceId, scopes, ...query }),
  )
}
