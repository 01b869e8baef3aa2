import type { AppContext } from '../../platform/context.ts'
import { subscribeTo, type Subscription } from '../../platform/jobs/queue.ts'
import { ArtifactStored } from '../artifacts/index.ts'
import { TrustedKeysChanged } from '../trusted-keys/index.ts'
import { examineArtifact, examineAwaiting, giveUpExamining } from './service.ts'

export const imageCheckJobs: readonly Subscription<AppContext>[] = [
  subscribeTo(ArtifactStored, examineArtifact, { onExhausted: giveUpExamining }),
  subscribeTo(TrustedKeysChanged, examineAwaiting),
]
