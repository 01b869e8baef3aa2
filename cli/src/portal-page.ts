/** Where the portal shows what a command was about. */
import type { WhoAmI } from '../../api-client/src/index.ts'
import { note } from './print.ts'
import type { Session } from './session.ts'

export type PortalPage = keyof NonNullable<WhoAmI['portalPages']>
type Ids = Readonly<Record<string, string>>

/**
 * Writes the address to stderr, so that stdout holds the answer alone. The command has done its work by then: it does not
 * fail where the address is not to be had, as with a service without a portal.
 */
export async function notePage(session: Session, page: PortalPage, ids: Ids): Promise<void> {
  const url = await findPageUrl(session, page, ids).catch(() => undefined)
  if (url !== undefined) note(`In the portal: ${url}`)
}

/** @returns undefined where the service has no portal. */
export async function findPageUrl(
  { whoAmI }: Session,
  page: PortalPage,
  ids: Ids,
): Promise<string | undefined> {
  const { portalPages } = await whoAmI()
  return portalPages?.[page]?.replaceAll(/\{(\w+)\}/g, (_text, name: string) =>
    encodeURIComponent(ids[name] ?? ''),
  )
}
