/**
 * How later versions are rid of a vulnerability, as what follows their names. `component`: their component of the same name. They hold
 * a fix only where a source names one: a source that is silent of them does not say that anything was mended.
 */
export function describeRid(
  versions: readonly { component: object | null }[],
  isFixNamed: boolean,
): string {
  const isOne = versions.length === 1
  if (versions.every(({ component }) => component === null))
    return `${isOne ? 'is' : 'are'} without the component`
  if (isFixNamed) return `${isOne ? 'holds' : 'hold'} the fix`
  return `no longer ${isOne ? 'has' : 'have'} it`
}
