/** Asks the service why components have a vulnerability, or have it not. */
import { formatCount } from './print.ts'
import type { ComponentJudgements } from '../../api-client/src/index.ts'
import { usageError } from './failure.ts'
import { UUID } from './named.ts'
import { asComponent } from './option-values.ts'
import type { Session } from './session.ts'

interface Question {
  firmwareVersionId: string
  /** `name`, `name@version`, or an id. */
  component: string
  /** Without it, the answer says only how the component is identified. */
  cveId?: string | undefined
}

/** One answer for each distinct declaration of the component. */
export async function readJudgements(
  session: Session,
  question: Question,
): Promise<ComponentJudgements[]> {
  const { firmwareVersionId, component, cveId } = question
  const { client, workspaceId } = session
  const path =
    '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/components/{componentId}/judgements'
  const answers: ComponentJudgements[] = []
  for (const componentId of await findComponentIds(session, firmwareVersionId, component))
    answers.push(
      await client.get(path, {
        params: { workspaceId, firmwareVersionId, componentId },
        query: cveId === undefined ? {} : { cveId },
      }),
    )
  return answers
}

const MOST_COMPONENTS = 5

/** One id for each distinct declaration: equal declarations have the same answer. */
async function findComponentIds(
  session: Session,
  firmwareVersionId: string,
  component: string,
): Promise<string[]> {
  if (UUID.test(component)) return [component]
  const found = await listComponents(session, firmwareVersionId, {
    components: [asComponent(component)],
  })
  const declared = new Map(
    found.map(({ id, packageName, version, vendor, purl, cpes }) => [
      JSON.stringify([packageName, version, vendor, purl, cpes]),
      id,
    ]),
  )
  if (declared.size > MOST_COMPONENTS)
    throw usageError(
      `${formatCount(declared.size, 'different component is', 'different components are')} called ${component}: add @version, or give an id of components list --sbom … --json.`,
    )
  if (declared.size > 0) return [...declared.values()]
  const { packageName } = asComponent(component)
  const like = await listComponents(session, firmwareVersionId, {
    name: [{ contains: packageName }],
  })
  const names = [...new Set(like.map((one) => formatDeclaredName(one)))].slice(0, MOST_COMPONENTS)
  const hint = names.length > 0 ? ` Similar: ${names.join(', ')}.` : ''
  throw usageError(`The firmware version has no component ${component}.${hint}`)
}

async function listComponents(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
  filter: {
    components?: { packageName: string; version?: string }[]
    name?: { contains: string }[]
  },
) {
  const body = { limit: 100, filter: { ...filter, firmwareVersionIds: [firmwareVersionId] } }
  const path = '/workspaces/{workspaceId}/components/list'
  return (await client.post(path, { params: { workspaceId }, body })).components
}

/** `name@version`, as the component declares them. */
export function formatDeclaredName({
  packageName,
  version,
}: {
  packageName: string
  version: string | null
}): string {
  return version === null ? packageName : `${packageName}@${version}`
}
