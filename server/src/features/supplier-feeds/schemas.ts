import { Type } from 'typebox'
import { defineMessage } from '../../platform/jobs/queue.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import { Exactly, Name, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { SourceState } from '../feeds/index.ts'

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    "The supplier's provider-metadata.json, ROLIE feed or folder with changes.csv; of a host such as `psirt.example.com`, its provider metadata is looked for",
})

const command = { name: Name, url: Url }
const example = { name: 'Example Silicon', url: 'psirt.example.com' }

export const CreateSupplierFeedCommand = Exactly(command, { examples: [example] })

const Count = (description: string) => Type.Integer({ description })

export const SupplierFeed = Shape('SupplierFeed', {
  id: Type.String(),
  ...command,
  state: SourceState,
  /** In words, so that nobody reads silence as safety. */
  standing: Type.String({
    description: 'How far what the supplier says is known, in a sentence',
    examples: ['Read to its end 3 hours ago: 118 documents, 2 of them refused.'],
  }),
  isBeingRead: Type.Boolean(),
  nextReadAt: Nullable(Timestamp, { description: 'null: this service reads no feeds' }),
  checkedAt: Nullable(Timestamp, { description: 'When the list was last asked for; null: never' }),
  completedAt: Nullable(Timestamp, {
    description: 'When all that the list has was last known here; null: never',
  }),
  error: Nullable(Type.String(), { description: 'Why the last reading failed' }),
  notice: Nullable(Type.String(), { description: 'What to know of the last reading' }),
  documents: Shape('SupplierDocumentCounts', {
    listed: Nullable(Type.Integer(), { description: 'In the list; null: it was never read' }),
    read: Count('Fetched, and in force'),
    refused: Count('Whose last fetch failed, or that cannot be used'),
    withdrawn: Count('That the supplier has taken back'),
    notFetched: Count(
      'Listed, and never fetched: they wait, or are more than a workspace may have',
    ),
  }),
  effects: Shape('SupplierFeedEffects', {
    statementCount: Count('Statements about firmware versions of the workspace'),
    firmwareVersionCount: Count('Firmware versions that they are about'),
    decidedCount: Count('Findings that one of them decides'),
    affectedWithoutFindingCount: Count(
      'Of these the supplier says that a component is affected, and no source of the service knows it: they make no finding and count nowhere',
    ),
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const UpdateSupplierFeedCommand = Replacing(
  Exactly(command, { examples: [example] }),
  SupplierFeed,
)

export const SupplierFeedList = Shape('SupplierFeedList', {
  supplierFeeds: Type.Array(SupplierFeed, { description: 'By name' }),
})

export const SupplierDocumentList = Shape('SupplierDocumentList', {
  documents: Type.Array(
    Shape('SupplierDocument', {
      url: Type.String(),
      title: Nullable(Type.String()),
      state: OneOf('SupplierDocumentState', ['Read', 'Withdrawn', 'Refused']),
      error: Nullable(Type.String(), {
        description: 'Why the last fetch failed, or why it cannot be used',
      }),
      listedAt: Timestamp,
      triedAt: Timestamp,
      readAt: Nullable(Timestamp, {
        description: 'When what is in force was fetched; null: nothing is',
      }),
    }),
    { description: 'Those with a fault first, then the newest; 1,000 at most' },
  ),
})

export const SupplierAffectedList = Shape('SupplierAffectedList', {
  statements: Type.Array(
    Shape('SupplierAffected', {
      vulnerability: Type.String({ description: 'The id that the supplier uses' }),
      component: Nullable(Type.String(), { description: 'null: the firmware version itself' }),
      componentVersion: Nullable(Type.String()),
      firmwareVersionId: Type.String(),
      firmwareVersionName: Type.String(),
      firmwareName: Type.String(),
      detail: Nullable(Type.String(), { description: "The supplier's words" }),
      document: Nullable(Type.String(), { description: 'The id of the document' }),
      statedAt: Timestamp,
    }),
    { description: 'By vulnerability, the newest first; 1,000 at most' },
  ),
})

/** Documents of suppliers' feeds are to be applied to a firmware version. */
export const SupplierDocumentsRead = defineMessage(
  'supplier-feeds.documents-read',
  Type.Object({
    workspaceId: Type.String(),
    firmwareVersionId: Type.String(),
    /** Left out: all of the workspace. */
    documentIds: Type.Optional(Type.Array(Type.String())),
  }),
)

/** A supplier took documents back, or its list lacks them: what they alone decided in a firmware version is open again. */
export const SupplierDocumentsWithdrawn = defineMessage(
  'supplier-feeds.documents-withdrawn',
  Type.Object({
    workspaceId: Type.String(),
    firmwareVersionId: Type.String(),
    feedId: Type.String(),
    feedName: Type.String(),
    documents: Type.Array(
      Type.Object({
        documentId: Nullable(Type.String()),
        author: Nullable(Type.String()),
      }),
    ),
    /** Of documents that were revised: what they say no longer, pair by pair. Absent: documents that were taken back. */
    dropped: Type.Optional(
      Type.Object({
        vexDocumentIds: Type.Array(Type.String()),
        vulnerabilityIds: Type.Array(Type.String()),
      }),
    ),
  }),
)
