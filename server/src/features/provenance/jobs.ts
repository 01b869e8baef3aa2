import type { AppContext } from '../../platform/context.ts'
import { subscribeTo, type Subscription } from '../../platform/jobs/queue.ts'
import { StatementKeysChanged } from '../trusted-keys/index.ts'
import { checkAwaiting } from './service.ts'

export const provenanceJobs: readonly Subscription<AppContext>[] = [
  subscribeTo(StatementKeysChanged, checkAwaiting),
]
