import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import {
  Exactly,
  Nullable,
  OneOf,
  defineProblems,
  Shape,
  Timestamp,
  WorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { WORST } from '../../devices/index.ts'
import { readExposure } from './service.ts'

const Day = Type.String({ format: 'date', examples: ['2026-11-21'] })

/** Devices that report a known firmware version. */
export const exposure = {
  deviceCount: Type.Integer({
    description:
      'All devices, also those that report no version that is known here, which are NotJudged; of one firmware: those that report a known version of it',
  }),
  exploited: Type.Integer({
    description: 'Those of them that run known-exploited active findings',
  }),
  byWorst: Type.Array(
    Shape('WorstSeverityCount', { worst: OneOf('WorstSeverity', WORST), devices: Type.Integer() }),
    {
      description:
        'Each device once, by the worst severity of the active findings of all that it runs, worst first. NotJudged: no findings, and of a version that it runs nothing is known. Clean: no active finding',
    },
  ),
}

const Exposure = Shape('Exposure', {
  since: { ...Day, description: 'The first day of which anything is stored' },
  days: Type.Array(
    Type.Object({
      day: Day,
      ...exposure,
      affected: Nullable(Type.Integer(), {
        description: 'Devices that ran an active finding of cveId; null without cveId',
      }),
    }),
    {
      description:
        'Oldest first; each day (UTC) as it ended, today as it is now. Days that were not counted are left out',
    },
  ),
  releases: Type.Array(
    Type.Object({
      at: Timestamp,
      firmwareVersionId: Type.String(),
      firmwareId: Type.String(),
      firmwareName: Type.String(),
      version: Type.String(),
    }),
    { description: 'Firmware versions created in these days, the newest 200, oldest first' },
  ),
  rollouts: Type.Array(
    Type.Object({
      deploymentId: Type.String(),
      deploymentCohortId: Type.String(),
      cohortName: Type.String(),
      firmwareVersionId: Nullable(Type.String()),
      firmwareName: Nullable(Type.String()),
      firmwareVersionName: Nullable(Type.String({ description: 'Of its main artifact' })),
      startedAt: Timestamp,
      endedAt: Nullable(Timestamp),
      finishedAt: Nullable(Timestamp, {
        description:
          'When the last of its devices had it or had failed; null: some wait, or it was taken from some',
      }),
      state: Type.String({ examples: ['Running'] }),
      isRollback: Type.Boolean(),
    }),
    { description: 'Deployments that began in these days, the newest 200, oldest first' },
  ),
})

export function registerExposureRoute(app: App): void {
  app.get(
    '/exposure',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'getExposure',
        summary: 'Count devices by day and by the worst finding of what they run',
        description: 'With releases and deployments of the same days, to see what a fix changed.',
        tags: ['Vulnerability findings'],
        params: WorkspaceParams,
        querystring: Exactly({
          days: Type.Optional(
            Type.String({ pattern: '^[1-9]\\d{0,2}$', description: 'Number of days; default 90' }),
          ),
          firmwareId: Type.Optional(
            Type.String({ description: 'Only devices that run a version of this firmware' }),
          ),
          cveId: Type.Optional(
            Type.String({
              maxLength: 200,
              description: 'Also count the devices with this vulnerability, named by id or alias',
            }),
          ),
        }),
        response: { 200: Exposure, ...defineProblems(400, 404) },
      },
    },
    ({ params, query: { days, ...query }, reading }) =>
      readExposure(reading, {
        ...params,
        ...query,
        ...(days !== undefined && { days: Number(days) }),
      }),
  )
}
