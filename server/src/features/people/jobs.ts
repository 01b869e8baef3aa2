import type { AppContext } from '../../platform/context.ts'
import { type Message, subscribeTo, type Subscription } from '../../platform/jobs/queue.ts'
import { sendPasswordReset } from './resets/service.ts'
import { PasswordResetRequested, SignInRefused } from './schemas.ts'
import { recordRefusal } from './service.ts'

export const peopleMessages: readonly Message[] = [SignInRefused, PasswordResetRequested]

export const peopleJobs: readonly Subscription<AppContext>[] = [
  subscribeTo(SignInRefused, recordRefusal),
  subscribeTo(PasswordResetRequested, sendPasswordReset),
]
