/** Says what a list of compiled files would tell about a component with very many findings, mostly a kernel. */
import type { SourceFileHint } from '../../api-client/src/index.ts'
import { note, formatCount } from './print.ts'
import { sanitise } from './printable.ts'
import type { Session } from './session.ts'

/** From this number on, the service may have such a hint. */
const MANY_FINDINGS = 1_000

export async function noteSourceFileHints(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
  findingCount: number,
): Promise<void> {
  if (findingCount < MANY_FINDINGS) return
  const path =
    '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/vulnerability-findings/summary'
  const { sourceFileHints } = await client.get(path, { params: { workspaceId, firmwareVersionId } })
  for (const hint of sourceFileHints) note(sanitise(describeHint(hint)))
}

function describeHint(hint: SourceFileHint): string {
  const { componentName, componentVersion, findingCount, comparableFindingCount } = hint
  const component =
    componentVersion === null ? componentName : `${componentName} ${componentVersion}`
  return (
    `Hint: ${formatCount(findingCount, 'finding is', 'findings are')} of ${component}. A list of the files that its build compiled can take away ` +
    `up to ${comparableFindingCount} of them: plimsoll components source-files --help`
  )
}
