/** Answers with a page that the service writes itself. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type HtmlPart, renderHtml } from '../html.ts'
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

/** A page of a few sentences. */
export function renderPlainPage(title: string, content: HtmlPart): string {
  return String(renderHtml`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>:root{color-scheme:light dark}body{font:1.1rem/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}</style>
<h1>${title}</h1>${content}</html>`)
}

const FORM_BYTES = 16 * 1024

/** For pages whose forms say all that is needed in their address: bodies are ignored. */
export function ignoreBodies(
  app: Pick<FastifyInstance, 'removeAllContentTypeParsers' | 'addContentTypeParser'>,
): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'string', bodyLimit: FORM_BYTES } as const
  app.addContentTypeParser('*', options, (_request, _body, done) => done(null))
}
