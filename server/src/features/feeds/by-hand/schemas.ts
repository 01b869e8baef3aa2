import { Type } from 'typebox'
import { FEED_SOURCES } from '../../../config/feed-settings.ts'
import { defineMessage } from '../../../platform/jobs/queue.ts'
import {
  Nullable,
  OneOf,
  ReasonCount,
  Shape,
  Timestamp,
  defineWorkspaceParams,
} from '../../../platform/http/schemas.ts'

/** Somebody wants a source to be read now. */
export const SyncAsked = defineMessage(
  'feeds.sync-asked',
  Type.Object({ source: OneOf('FeedSource', FEED_SOURCES) }),
)
/** A file of advisories is stored and waits to be imported. */
export const ImportAsked = defineMessage(
  'feeds.import-asked',
  Type.Object({
    workspaceId: Type.String(),
    importId: Type.String(),
    complete: Type.Optional(Type.Array(Type.String())),
  }),
)

export const SourceParams = defineWorkspaceParams('source')
export const ImportQuery = Type.Object({
  fileName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The name of the file, for a raw body',
    }),
  ),
  complete: Type.Optional(
    Type.String({
      maxLength: 1000,
      examples: ['npm,Debian'],
      description:
        'Ecosystems of OSV of which the file holds all records, parted by commas: what these records do not name is then judged as not affected',
    }),
  ),
})
export const ImportBody = Type.Unknown({ description: 'The file, or multipart/form-data with it' })

const Counts = {
  added: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  withdrawn: Type.Integer(),
  skipped: Type.Integer({ description: 'Records that could not be read' }),
}

export const SourceRunSchema = Shape(
  'SourceRun',
  {
    kind: Type.Enum(['Sync', 'Import'], {
      description: 'Import: of a file that somebody carried in',
    }),
    beganAt: Timestamp,
    endedAt: Timestamp,
    error: Nullable(Type.String()),
    ...Counts,
  },
  { description: 'What the last run did' },
)

const Reasons = Type.Array(ReasonCount)

export const SourceImportSchema = Shape('SourceImport', {
  id: Type.String(),
  fileName: Type.String(),
  sizeBytes: Type.Integer(),
  state: Type.Enum(['Waiting', 'Importing', 'Succeeded', 'Failed']),
  progress: Nullable(Type.String({ description: 'What is done at the moment' })),
  error: Nullable(Type.String()),
  sources: Type.Array(
    Type.Object({
      source: OneOf('FeedSource', FEED_SOURCES),
      ...Counts,
      skippedReasons: Reasons,
      error: Nullable(Type.String({ description: 'Why nothing of the source was imported' })),
      notice: Nullable(Type.String()),
    }),
    { description: 'What the file held; empty until it is imported' },
  ),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  endedAt: Nullable(Timestamp),
})

export const SyncAccepted = Shape('SyncAccepted', {
  source: OneOf('FeedSource', FEED_SOURCES),
  requestedAt: Timestamp,
})
