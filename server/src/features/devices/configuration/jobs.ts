import type { AppContext } from '../../../platform/context.ts'
import { on, type Subscription } from '../../../platform/jobs/queue.ts'
import { applyConfigurationChange, giveUpConfigurationChange } from './changes-service.ts'
import { ConfigurationChangeAsked } from './schemas.ts'

export const deviceMessages = [ConfigurationChangeAsked]

export const deviceJobs: Subscription<AppContext>[] = [
  on(ConfigurationChangeAsked, applyConfigurationChange, {
    onExhausted: giveUpConfigurationChange,
  }),
]
