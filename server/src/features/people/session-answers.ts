/** What the routes of this slice share. */
import { Type } from 'typebox'
import { nameCookie, setCookie, type Visitor } from '../auth/index.ts'

const tags = ['People']
/** Routes of those who are not signed in. */
export const nobody = { tags, security: [] }
/** Routes of whoever is signed in. */
export const mine = { tags, security: [{ session: [] }] }
export const NoContent = Type.Null({ description: 'Done' })

interface VisitorRequest {
  ip: string
  headers: { 'user-agent'?: string | undefined }
  id: string
}

export function readVisitor({ ip, headers, id }: VisitorRequest): Visitor {
  return { address: ip, userAgent: headers['user-agent'], requestId: id }
}

interface Settings {
  config: { publicUrl: string; people: { sessionMs: number } }
}

/** undefined: the browser forgets the session. */
export function formatSessionCookie({ config }: Settings, token: string | undefined): string {
  const { publicUrl, people } = config
  const maxAgeSeconds = token === undefined ? 0 : Math.floor(people.sessionMs / 1000)
  return setCookie(publicUrl, { name: nameCookie(publicUrl), value: token ?? '', maxAgeSeconds })
}

/** Puts the session into the browser; returns the answer. */
export function sendSignedIn<Answer extends object>(
  settings: Settings,
  reply: { header: (name: string, value: string) => unknown },
  { token, ...answer }: Answer & { token: string },
) {
  reply.header('set-cookie', formatSessionCookie(settings, token))
  return answer
}
