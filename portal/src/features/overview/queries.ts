import type { AnswerOf } from '@plimsoll/api-client'

export type Overview = AnswerOf<'getOverview'>
export type Need = Overview['needsYou'][number]
