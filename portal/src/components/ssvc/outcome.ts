/** Words for outcomes of SSVC. */

interface Decided {
  ssvcOutcome?: string | null
  ssvcLeastOutcome?: string | null
}

/** “Act”, or “Track to Act” where something is not known; undefined: nothing was decided. */
export function describeOutcome({
  ssvcOutcome: most,
  ssvcLeastOutcome: least,
}: Decided): string | undefined {
  if (most === undefined || most === null) return undefined
  return least === undefined || least === null || most === least ? most : `${least} to ${most}`
}

/** `isMost`: no outcome is more urgent. */
export function formatOutcome(outcome: string, isMost: boolean): string {
  return isMost ? outcome : `${outcome} or more urgent`
}
