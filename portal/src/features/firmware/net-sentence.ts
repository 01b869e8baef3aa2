/** The risk that a version takes away or brings, in a sentence. */
import { formatCount, formatCountOf } from '../../format/counts.ts'

interface Counted {
  findingCount: number
  exploitedCount: number
}

export interface NetChange {
  fixed: Counted
  introduced: Counted
  /** They are no change of the version. */
  decidedOtherwise: Counted
}

export function describeNet({ fixed, introduced, decidedOtherwise }: NetChange): string {
  const decided = decidedOtherwise.findingCount
  const beside = decided > 0 ? `; ${formatCount(decided)} decided otherwise` : ''
  if (fixed.findingCount === 0 && introduced.findingCount === 0)
    return `Net: no finding changes${beside}`
  const net = fixed.findingCount - introduced.findingCount
  const direction =
    net === 0
      ? 'as many as before'
      : `${formatCountOf(Math.abs(net), 'finding')} ${net > 0 ? 'fewer' : 'more'}`
  return `Net: ${direction}, ${exploitedText(fixed, introduced)}${beside}`
}

function exploitedText(fixed: Counted, introduced: Counted): string {
  const come = introduced.exploitedCount
  const gone = fixed.exploitedCount
  if (come === 0 && gone === 0) return 'no known exploited one among them'
  return [gone > 0 && `${gone} known exploited fixed`, come > 0 && `${come} known exploited new`]
    .filter(Boolean)
    .join(', ')
}
