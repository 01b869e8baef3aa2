/** Opens the service's context in this process, on the embedded database in a folder that stays. */
import { join } from 'node:path'
import { readConfig } from '../server/src/config/config.ts'
import { MESSAGES } from '../server/src/messages.ts'
import { openContext } from '../server/src/open-context.ts'
import { createLog } from '../server/src/platform/log.ts'

export function openBenchContext(folder: string) {
  return openContext({
    config: readConfig({ PLIMSOLL_DATA_DIR: join(folder, 'data') }),
    log: createLog('warn'),
    onProgress: () => undefined,
    messages: MESSAGES,
    as: 'service',
  })
}
