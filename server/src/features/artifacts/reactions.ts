import type { Reaction } from '../../platform/context.ts'
import type { VersionKey } from './store.ts'

declare module '../../platform/context.ts' {
  interface Reactions {
    /** The artifacts of a firmware version are others than before. The version is locked. */
    artifactsChanged: Reaction<VersionKey>
  }
}
