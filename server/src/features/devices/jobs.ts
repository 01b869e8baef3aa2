import { on, type Subscription } from '../../platform/jobs/queue.ts'
import {
  applyConfigurationChange,
  giveUpConfigurationChange,
} from './configuration-change-service.ts'
import { ConfigurationChangeAsked } from './configuration-schemas.ts'

export const deviceMessages = [ConfigurationChangeAsked]

export const deviceJobs: Subscription[] = [
  on(ConfigurationChangeAsked, applyConfigurationChange, {
    onExhausted: giveUpConfigurationChange,
  }),
]
