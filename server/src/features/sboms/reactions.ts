import type { SbomStatement } from '../../formats/sboms/model.ts'
import type { Reaction } from '../../platform/context.ts'

/** SBOMs of a firmware version came, went or were read again. */
export interface InventoryChange {
  workspaceId: string
  firmwareVersionId: string
  /** `SbomParsed`, `SbomDeleted`, `OverrideChanged` or `RulesChanged`, as timelines of findings show it. */
  cause: string
  /** More documents of the same upload follow, which may say what others said before. */
  hasMore?: boolean
  /** The document that was read, with the VEX statements that stand in it. */
  parsed?: { sbomId: string; statements: readonly SbomStatement[] }
}

declare module '../../platform/context.ts' {
  interface Reactions {
    /** The firmware version is locked. */
    inventoryChanged: Reaction<InventoryChange>
  }
}
