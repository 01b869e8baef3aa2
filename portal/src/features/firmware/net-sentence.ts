/** The risk that a version takes away or brings, in a sentence. */
import { formatCount, formatCountOf } from '../../format/counts.ts'

type Findings = readonly { isKnownCisaExploit: boolean }[]

export interface NetChange {
  fixed: Findings
  introduced: Findings
  /** They are no change of the version. */
  decidedOtherwise: Findings
}

export function describeNet({ fixed, introduced, decidedOtherwise }: NetChange): string {
  const decided = decidedOtherwise.length
  const beside = decided > 0 ? `; ${formatCount(decided)} decided otherwise` : ''
  if (fixed.length === 0 && introduced.length === 0) return `Net: no finding changes${beside}`
  const net = fixed.length - introduced.length
  const direction =
    net === 0
      ? 'as many as before'
      : `${formatCountOf(Math.abs(net), 'finding')} ${net > 0 ? 'fewer' : 'more'}`
  return `Net: ${direction}, ${exploitedText(fixed, introduced)}${beside}`
}

function exploitedText(fixed: Findings, introduced: Findings): string {
  const count = (findings: Findings) =>
    findings.filter(({ isKnownCisaExploit }) => isKnownCisaExploit).length
  const come = count(introduced)
  const gone = count(fixed)
  if (come === 0 && gone === 0) return 'no known exploited one among them'
  return [gone > 0 && `${gone} known exploited fixed`, come > 0 && `${come} known exploited new`]
    .filter(Boolean)
    .join(', ')
}
