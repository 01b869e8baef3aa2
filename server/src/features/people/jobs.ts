import type { AppContext } from '../../platform/context.ts'
import { type Message, on, type Subscription } from '../../platform/jobs/queue.ts'
import { SignInRefused } from './schemas.ts'
import { recordRefusal } from './service.ts'

export const peopleMessages: readonly Message[] = [SignInRefused]

export const peopleJobs: readonly Subscription<AppContext>[] = [on(SignInRefused, recordRefusal)]
