/** The risk that a version takes away or brings, in a sentence. */
import { formatCountOf } from '../../format/counts.ts'

interface FindingCounts {
  countsBySeverity: readonly { count: number }[]
  findings: readonly { isKnownCisaExploit: boolean }[]
}

export function describeNet({
  fixed,
  introduced,
}: {
  fixed: FindingCounts
  introduced: FindingCounts
}): string {
  const gone = countIn(fixed)
  const come = countIn(introduced)
  const net = gone - come
  if (gone === 0 && come === 0) return 'Net: no finding changes'
  const direction =
    net === 0
      ? 'as many as before'
      : `${formatCountOf(Math.abs(net), 'finding')} ${net > 0 ? 'fewer' : 'more'}`
  return `Net: ${direction}, ${exploitedText(fixed, introduced)}`
}

function countIn({ countsBySeverity }: FindingCounts): number {
  return countsBySeverity.reduce((sum, { count }) => sum + count, 0)
}

function exploitedText(fixed: FindingCounts, introduced: FindingCounts): string {
  const count = ({ findings }: FindingCounts) =>
    findings.filter(({ isKnownCisaExploit }) => isKnownCisaExploit).length
  const come = count(introduced)
  const gone = count(fixed)
  if (come === 0 && gone === 0) return 'no known exploited one among them'
  return [gone > 0 && `${gone} known exploited fixed`, come > 0 && `${come} known exploited new`]
    .filter(Boolean)
    .join(', ')
}
