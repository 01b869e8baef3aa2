import { Type } from 'typebox'
import { Exactly, Nullable, Shape, Timestamp } from '../../platform/http/schemas.ts'

const ToldAt = Nullable(Timestamp, { description: 'When the last mail was sent; null: none was' })

const isMailConfigured = Type.Boolean({
  description: 'Whether the service has a mail server. Without one nobody is told',
})

export const Watch = Shape('Watch', {
  cveId: Type.String(),
  isWatched: Type.Boolean({
    description: 'Whether you watch it; a key stands for whoever made it',
  }),
  watchedAt: Nullable(Timestamp, { description: 'Since when; null: you do not' }),
  toldAt: ToldAt,
  watcherCount: Type.Integer({ description: 'Members of the workspace that watch it' }),
  isMailConfigured,
})

export const WatchCommand = Exactly(
  { isWatched: Type.Boolean({ description: 'false: no longer' }) },
  { examples: [{ isWatched: true }] },
)

export const WatchedVulnerabilities = Shape('WatchedVulnerabilities', {
  watches: Type.Array(
    Shape('WatchedVulnerability', {
      cveId: Type.String(),
      watchedAt: Timestamp,
      toldAt: ToldAt,
    }),
    { description: 'The newest first' },
  ),
  isMailConfigured,
})
