import type { AppContext } from '../../platform/context.ts'
import { subscribeTo, type Subscription } from '../../platform/jobs/queue.ts'
import { SbomStored } from '../sboms/index.ts'
import { SbomKeysChanged } from '../trusted-keys/index.ts'
import { examineAwaiting, examineSignatures, giveUpExamining } from './service.ts'

export const sbomSignatureJobs: readonly Subscription<AppContext>[] = [
  subscribeTo(SbomStored, examineSignatures, { onExhausted: giveUpExamining }),
  subscribeTo(SbomKeysChanged, examineAwaiting),
]
