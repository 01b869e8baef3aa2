import { Type } from 'typebox'
import { FEED_SOURCES } from '../../config/feed-settings.ts'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  Nullable,
  OneOf,
  defineProblems,
  ReasonCount,
  Shape,
  Timestamp,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { MERGE_STEPS } from '../advisories/index.ts'
import { registerSourcesByHandRoutes } from './by-hand/routes.ts'
import { SourceState } from './schemas.ts'
import { SourceImportSchema, SourceRunSchema } from './by-hand/schemas.ts'
import { readKeeping } from './by-hand/service.ts'
import { getSources } from './service.ts'

const SyncProgress = Shape('SyncProgress', {
  part: Type.Optional(Type.String()),
  partsDone: Type.Integer(),
  partsTotal: Type.Optional(Type.Integer()),
  bytes: Type.Optional(Type.Integer({ description: 'Of the file being fetched' })),
  bytesTotal: Type.Optional(Type.Integer()),
  records: Type.Optional(Type.Integer({ description: 'Of the part being imported' })),
  merging: Type.Optional(
    Type.Object(
      {
        step: Type.Enum([...MERGE_STEPS]),
        done: Type.Optional(Type.Integer()),
        total: Type.Optional(Type.Integer()),
        piece: Type.Optional(
          Type.Integer({
            description:
              'The piece whose records are merged while later ones are read, from 1 on; absent once all are read',
          }),
        ),
        seconds: Type.Optional(Type.Integer({ description: 'Since the step began' })),
      },
      {
        description:
          'What is done with the records that were read; Waiting: for the import of another source; done and total count changed records, for Linking, Finishing and Analyzing their steps, for Rating vulnerabilities',
      },
    ),
  ),
})

const SourcePart = Shape('SourcePart', {
  part: Type.String(),
  completedAt: Nullable(Timestamp),
  checkedAt: Nullable(Timestamp),
  recordCount: Type.Integer(),
  skippedCount: Type.Integer(),
  lastError: Nullable(Type.String()),
  notice: Nullable(Type.String()),
})

const VulnerabilitySources = Shape('VulnerabilitySources', {
  sources: Type.Array(
    Shape('VulnerabilitySource', {
      source: OneOf('FeedSource', FEED_SOURCES),
      lastAttemptAt: Nullable(Timestamp),
      lastSuccessAt: Nullable({
        ...Timestamp,
        description: 'When the whole source was last imported; null: never',
      }),
      lastError: Nullable(Type.String()),
      snapshotAt: Nullable({
        ...Timestamp,
        description: 'The time of the data, as the source states it',
      }),
      recordCount: Type.Integer(),
      skippedCount: Type.Integer({ description: 'Records that could not be read' }),
      skippedReasons: Type.Array(ReasonCount),
      notice: Nullable(
        Type.String({ description: 'What an operator should look at although nothing failed' }),
      ),
      ageSeconds: Nullable(Type.Integer({ description: 'Since the last success' })),
      isStale: Type.Boolean({
        description: 'Never imported, or longer ago than the operator allows',
      }),
      state: SourceState,
      nextSyncAt: Nullable({
        ...Timestamp,
        description: 'When it is fetched next; null: at once, or never automatically',
      }),
      phase: Type.Enum(['Idle', 'Fetching', 'Importing']),
      progress: Nullable(SyncProgress),
      parts: Type.Array(SourcePart, {
        description: 'The parts it is fetched in: years, ecosystems or archives',
      }),
      requestedAt: Nullable({
        ...Timestamp,
        description: 'When somebody asked to read it now; null: nobody, or it has begun',
      }),
      lastRun: Nullable(SourceRunSchema),
    }),
    { description: 'All sources, including those that were never imported' },
  ),
  keepsSources: Type.Boolean({
    description:
      'Whether owners and admins of this workspace may read sources now and carry files in; they are shared by all workspaces of the service',
  }),
  imports: Type.Array(SourceImportSchema, {
    description: 'The latest files that people of this workspace carried in',
  }),
})

export function registerFeedRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/vulnerability-sources',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listVulnerabilitySources',
        summary: 'The sources of known vulnerabilities, and how current each one is',
        tags: ['Vulnerabilities'],
        params: WorkspaceParams,
        response: { 200: VulnerabilitySources, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId } }) => {
      const [sources, keeping] = await Promise.all([getSources(ctx), readKeeping(ctx, workspaceId)])
      return { ...sources, ...keeping }
    },
  )

  registerSourcesByHandRoutes(app, ctx)
}
