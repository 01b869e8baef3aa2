import { Type } from 'typebox'
import { SeveritySchema } from '../../advisories/index.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  Exactly,
  Nullable,
  OneOf,
  defineProblems,
  Saying,
  Shape,
  WorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { FEED_SOURCES } from '../../../config/feed-settings.ts'
import { BlindSpotKinds } from '../../devices/index.ts'
import { VulnerabilityCounts, WorkspaceFindingFilterSchema } from '../../findings/index.ts'
import { MarkSchema } from '../../firmware/index.ts'
import { exposure } from '../exposure/routes.ts'
import { NEED_KINDS } from './needs.ts'
import { readOverview } from './service.ts'
import { SourceFreshness } from '../../feeds/index.ts'

const Day = Type.String({ format: 'date', examples: ['2026-11-21'] })
const Source = OneOf('FeedSource', FEED_SOURCES)

const OverviewQuery = Exactly({
  newSince: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'What was detected at this instant or later is new. Default: 24 hours ago',
    }),
  ),
})

const Need = Shape('OverviewNeed', {
  kind: Type.Enum([...NEED_KINDS]),
  count: Type.Integer(),
  devices: Nullable(Type.Integer()),
  severity: Nullable(SeveritySchema),
  text: Type.String({ examples: ['2 known exploited, on 1,204 devices'] }),
  detail: Nullable(Type.String()),
  target: Type.Object(
    {
      findingFilter: Type.Optional(
        Saying(WorkspaceFindingFilterSchema, {
          description: 'Of POST …/vulnerabilities/list, whose totalCount is the count',
        }),
      ),
      deploymentCohortId: Type.Optional(Type.String()),
      deploymentId: Type.Optional(Type.String()),
      firmwareVersionId: Type.Optional(Type.String()),
      sbomId: Type.Optional(Type.String()),
      alertIncidentId: Type.Optional(Type.String()),
      source: Type.Optional(Source),
      deviceFilter: Type.Optional(
        Type.Object({ blindSpotKinds: BlindSpotKinds }, { description: 'Of POST …/devices/list' }),
      ),
    },
    { description: 'What to open' },
  ),
})

const Overview = Shape('Overview', {
  devices: Type.Object({
    total: Type.Integer({ description: 'Registered devices' }),
    ...exposure,
    exploitedWeekAgo: Nullable(Type.Object({ day: Day, exploited: Type.Integer() }), {
      description: 'The newest stored day of 7 to 10 days ago; null: none is stored',
    }),
    withUnknownFirmware: Type.Integer({
      description: 'Devices that report a version that no firmware version is',
    }),
    withOtherImage: Type.Integer({
      description: 'Devices that report the hash of an image that is not that of their version',
    }),
  }),
  waiting: Type.Object(
    {
      findings: Type.Integer({ description: 'Vulnerabilities with findings without a decision' }),
      findingsIsLowerBound: Type.Boolean(),
      proposals: Type.Integer({ description: 'Proposed decisions that nobody has decided' }),
      deployments: Nullable(Type.Integer(), { description: 'Active, stopped or paused' }),
      alerts: Nullable(Type.Integer(), { description: 'Incidents that have not ended' }),
      devices: Nullable(Type.Integer(), {
        description: 'With a blind spot: withUnknownFirmware and withOtherImage, each device once',
      }),
    },
    { description: 'What waits for people, by kind; null: not known without the scope to read it' },
  ),
  needsYou: Type.Array(Need, {
    description:
      'Worst first. Deployments, alerts, SBOMs and devices are left out without the scope to read them',
  }),
  firmwareVersions: Type.Array(
    Type.Object({
      firmwareVersion: Type.Object({
        id: Type.String(),
        name: Type.String(),
        firmware: Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String() }),
      }),
      mark: MarkSchema,
      deviceCount: Type.Integer(),
      exploited: Type.Integer({ description: 'Known-exploited active findings' }),
      countsBySeverity: VulnerabilityCounts.properties.countsBySeverity,
      trend: Type.Array(Type.Object({ day: Day, devices: Type.Integer() }), {
        description:
          'Devices at the end of one day a week, 13 weeks, oldest first, and now; days without data are left out',
      }),
    }),
    {
      description:
        'The ten with the most risk: run by devices, known-exploited, critical without a decision, by devices',
    },
  ),
  firmwareVersionCount: Type.Integer(),
  setup: Type.Object(
    {
      hasSources: Type.Boolean(),
      hasFirmware: Type.Boolean(),
      hasSbom: Type.Boolean(),
      hasDevice: Type.Boolean(),
      hasDecision: Type.Boolean(),
      hasDeployment: Type.Boolean(),
    },
    { description: 'What was done once, for a list of first steps' },
  ),
  sources: Type.Array(SourceFreshness),
})

export function registerOverviewRoute(app: App): void {
  app.get(
    '/overview',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'getOverview',
        summary: 'How a workspace stands, and what it needs people for',
        tags: ['Vulnerability findings'],
        params: WorkspaceParams,
        querystring: OverviewQuery,
        response: { 200: Overview, ...defineProblems(400, 404) },
      },
    },
    ({ params: { workspaceId }, query, principal: { scopes }, reading }) =>
      readOverview(reading, { workspaceId, scopes, ...query }),
  )
}
