import type { Overview } from '@plimsoll/api-client'

export type Need = Overview['needsYou'][number]
