/** A person of the story at the doors of the running service. */
import { createSignInLink } from '../features/people/index.ts'
import type { AppContext } from '../platform/context.ts'

/** Asks of the workspace; with a body it posts. */
export type Ask = <Answer>(path: string, body?: object) => Promise<Answer>

export async function visitorOf(
  ctx: AppContext,
  { workspaceId, email }: { workspaceId: string; email: string },
): Promise<Ask> {
  const { publicUrl } = ctx.config
  const token = new URL(await createSignInLink(ctx, email)).hash.slice(1)
  const headers = { 'content-type': 'application/json', origin: publicUrl }
  const signedIn = await fetch(`${publicUrl}/auth/links/accept`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ token }),
  })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return async <Answer>(path: string, body?: object) => {
    const answer = await fetch(`${publicUrl}/workspaces/${workspaceId}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...headers, cookie },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Answer
  }
}
