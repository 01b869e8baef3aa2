import { Type } from 'typebox'
import { Replacing } from '../../platform/http/read-only.ts'
import { Exactly, Name, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'

/** The pages of the portal that have views. */
const VIEWED_LISTS = [
  'findings',
  'accepted-risks',
  'version-findings',
  'version-components',
  'firmware',
  'devices',
  'deployments',
  'deployment-devices',
  'incidents',
  'deliveries',
  'audit-log',
] as const
export type ViewedList = (typeof VIEWED_LISTS)[number]

const ViewedListSchema = OneOf('ViewedList', VIEWED_LISTS)

const MOST_CHARACTERS = 2_000
const written = {
  name: Name,
  search: Type.String({
    maxLength: MOST_CHARACTERS,
    pattern: '^(?:\\?.*)?$',
    description: 'The search of the page’s address, with its question mark, or nothing',
    examples: ['?severity=High&assignee=nobody'],
  }),
  isShared: Type.Boolean({ description: 'Whether other members have it, too' }),
}

export const SaveViewCommand = Exactly(
  { list: ViewedListSchema, ...written },
  {
    examples: [
      {
        list: 'findings',
        name: 'Nobody’s, High or worse',
        search: '?severity=High&assignee=nobody',
        isShared: true,
      },
    ],
  },
)

export const SavedView = Shape('SavedView', {
  id: Type.String(),
  list: ViewedListSchema,
  ...written,
  isYours: Type.Boolean(),
  ownerName: Nullable(Type.String(), { description: 'null: no member any more' }),
  updatedAt: Timestamp,
})

export const ChangeViewCommand = Replacing(
  Exactly(written, {
    examples: [{ name: 'High or worse', search: '?severity=High', isShared: false }],
  }),
  SavedView,
)

export const SavedViews = Shape('SavedViews', { savedViews: Type.Array(SavedView) })

export const ListViewsQuery = Exactly({ list: Type.Optional(ViewedListSchema) })
