/** Where the portal shows what a command was about. */
import type { AnswerOf } from '../../api-client/src/index.ts'
import { note } from './print.ts'
import type { Session } from './session.ts'

type PortalPages = NonNullable<AnswerOf<'whoAmI'>['portalPages']>

/**
 * Writes the address to stderr, so that stdout holds the answer alone. The command has done its work by then: it does not
 * fail where the address is not to be had, as with a service without a portal.
 */
export async function notePage(
  { whoAmI }: Session,
  page: keyof PortalPages,
  ids: Readonly<Record<string, string>>,
): Promise<void> {
  const known = await whoAmI().catch(() => undefined)
  const template = known?.portalPages?.[page]
  if (template === undefined) return
  const url = template.replaceAll(/\{(\w+)\}/g, (_text, name: string) =>
    encodeURIComponent(ids[name] ?? ''),
  )
  note(`In the portal: ${url}`)
}
