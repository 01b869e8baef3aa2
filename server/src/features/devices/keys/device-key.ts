/** Device keys have the form of API keys. */
import { createKey, isWellFormedKey } from '../../auth/index.ts'

const PREFIX = 'plmd_'

export function createDeviceKeyText(): string {
  return createKey(PREFIX)
}

export function isWellFormedDeviceKey(text: string): boolean {
  return isWellFormedKey(PREFIX, text)
}
