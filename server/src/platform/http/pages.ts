/** Answers with a page that the service writes itself. */
import type { FastifyReply } from 'fastify'
import { policyOfPage } from './security-headers.ts'

/** No other site learns the address of the page, which may hold a token. */
export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policyOfPage(page))
    .header('referrer-policy', 'no-referrer')
    .serializer(String)
    .send(page)
}
