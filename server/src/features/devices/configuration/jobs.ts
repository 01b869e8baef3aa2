import type { AppContext } from '../../../platform/context.ts'
import { subscribeTo, type Subscription } from '../../../platform/jobs/queue.ts'
import { applyConfigurationChange, giveUpConfigurationChange } from './changes-service.ts'
import { ConfigurationChangeAsked } from './schemas.ts'

export const deviceMessages = [ConfigurationChangeAsked]

export const deviceJobs: Subscription<AppContext>[] = [
  subscribeTo(ConfigurationChangeAsked, applyConfigurationChange, {
    onExhausted: giveUpConfigurationChange,
  }),
]
