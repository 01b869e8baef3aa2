/** A person of the story at the doors of the running service. */
import { createSignInLink } from '../features/people/index.ts'
import type { AppContext } from '../platform/context.ts'

/** Asks of the workspace; with a body it posts, unless told otherwise. Bytes are sent as they are. */
export type Ask = <Answer>(path: string, body?: object, method?: 'PUT') => Promise<Answer>

const JSON_BODY = { 'content-type': 'application/json' }
const BYTES = { 'content-type': 'application/octet-stream' }

export async function signInVisitor(
  ctx: AppContext,
  { workspaceId, email }: { workspaceId: string; email: string },
): Promise<Ask> {
  const { publicUrl } = ctx.config
  const token = new URL(await createSignInLink(ctx, email)).hash.slice(1)
  const origin = publicUrl
  const signedIn = await fetch(`${publicUrl}/auth/links/accept`, {
    method: 'POST',
    headers: { ...JSON_BODY, origin },
    body: JSON.stringify({ token }),
  })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return async <Answer>(path: string, body?: object, method?: 'PUT') => {
    const bytes = body instanceof Uint8Array ? new Uint8Array(body) : undefined
    const answer = await fetch(`${publicUrl}/workspaces/${workspaceId}${path}`, {
      method: method ?? (body ? 'POST' : 'GET'),
      headers: { ...(bytes ? BYTES : JSON_BODY), origin, cookie },
      ...(body && { body: bytes ?? JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Answer
  }
}
