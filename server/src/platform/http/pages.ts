/** Answers with a page that the service writes itself. */
import type { FastifyReply } from 'fastify'
import type { App } from './app.ts'
import { formatPagePolicy } from './security-headers.ts'

/** No other site learns the address of the page, which may hold a token. */
export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', formatPagePolicy(page))
    .header('referrer-policy', 'no-referrer')
    .serializer(String)
    .send(page)
}

const FORM_BYTES = 16 * 1024

/** For pages whose forms say all that is needed in their address: bodies are ignored. */
export function ignoreBodies(app: App): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'string', bodyLimit: FORM_BYTES } as const
  app.addContentTypeParser('*', options, (_request, _body, done) => done(null))
}
