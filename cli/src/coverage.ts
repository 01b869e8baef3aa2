/** How much of a firmware version could be judged: a version without findings may be one of which nothing is known. */
import { InvalidArgumentError } from 'commander'
import type { Coverage } from '../../api-client/src/index.ts'
import { formatCount } from './print.ts'
import type { Session } from './session.ts'

export async function readCoverage(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
): Promise<Coverage> {
  const path = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/coverage'
  return client.get(path, { params: { workspaceId, firmwareVersionId } })
}

/** The most components of which nothing can be told. */
export interface NotJudgedLimit {
  count: number
  isPercent: boolean
}

/** Reads `10` or `25%`. */
export function parseNotJudgedLimit(text: string): NotJudgedLimit {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? []
  const count = Number(digits)
  const isPercent = percent === '%'
  if (digits === undefined || (isPercent ? count > 100 : !Number.isInteger(count)))
    throw new InvalidArgumentError('Write a number of components, or a share such as 25%.')
  return { count, isPercent }
}

/**
 * Components that are not in the firmware count neither way. Build systems state a CPE for each recipe, also for those that never
 * had a vulnerability: beside judged components, a CPE that no record knows is told, and does not count.
 */
export function isOverLimit(
  { judgedCount, notJudgedCount, unknownCount }: Coverage,
  { count, isPercent }: NotJudgedLimit,
): boolean {
  const most = isPercent ? ((judgedCount + notJudgedCount) * count) / 100 : count
  return notJudgedCount - (judgedCount > 0 ? unknownCount : 0) > most
}

/** undefined: everything was looked up. */
export function describeNotMatchedYet({ notMatchedYet }: Coverage): string | undefined {
  // A service of an earlier release does not tell.
  if (!notMatchedYet) return undefined
  const { sbomCount, packageCount } = notMatchedYet
  if (sbomCount + packageCount === 0) return undefined
  const waiting = [
    ...(sbomCount > 0 ? [formatCount(sbomCount, 'SBOM')] : []),
    ...(packageCount > 0 ? [formatCount(packageCount, 'package')] : []),
  ].join(' and ')
  return `Not matched yet: ${waiting}. Findings are missing until then; sbom list says why it takes long.`
}

/** undefined: everything was judged. */
export function describeNotJudged(coverage: Coverage): string | undefined {
  const { judgedCount, notJudgedCount, reasons } = coverage
  if (notJudgedCount === 0) return undefined
  const named = reasons
    .filter(({ isExcluded }) => !isExcluded)
    .map(({ reason, count }) => `${reason} (${count})`)
    .join(', ')
  const all = formatCount(judgedCount + notJudgedCount, 'component')
  return `Nothing can be told of ${notJudgedCount} of ${all}: ${named}.`
}

/** undefined: records know every CPE. */
export function describeUnknown({ unknownCount }: Coverage): string | undefined {
  if (unknownCount === 0) return undefined
  const have = unknownCount === 1 ? 'has' : 'have'
  return `${unknownCount} of them ${have} a CPE that no record knows: right if the product has no vulnerability, wrong if records call it otherwise.`
}

/** undefined: every record that names a component was compared with it. */
export function describeUndecided({ undecided }: Coverage): string | undefined {
  const { componentCount, recordCount } = undecided
  if (recordCount === 0) return undefined
  const records = formatCount(recordCount, 'record')
  const components = formatCount(componentCount, 'component')
  return `${records} could not be compared with ${components} they name; findings why says why.`
}
