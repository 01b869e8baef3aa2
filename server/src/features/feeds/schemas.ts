import { Type } from 'typebox'
import { FEED_SOURCES } from '../../config/feed-settings.ts'
import { Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { SOURCE_STATES } from './source-state.ts'

/** `Stale`: read longer ago than the operator allows. `Off`: neither fetched nor ever read, and answers are whole without it. */
export const SourceState = OneOf('SourceState', SOURCE_STATES)

/** How old what an answer rests on is. */
export const SourceFreshness = Shape('SourceFreshness', {
  source: OneOf('FeedSource', FEED_SOURCES),
  lastCompleteAt: Nullable(Timestamp),
  isStale: Type.Boolean({ description: 'Stale or NeverRead' }),
  state: SourceState,
})
