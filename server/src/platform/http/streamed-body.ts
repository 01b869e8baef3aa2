/** Routes that read their body as it arrives, in a scope of their own. */
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import type { App } from './app.ts'
import { compileValidator } from './validation.ts'

/** No body parser stands between the requests of this scope and the stream. */
export function leaveBodiesUnread(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

const validatorCompiler: FastifySchemaCompiler<TSchema> = (part) =>
  // The body is described, but no parser made a value of it that could be checked.
  part.httpPart === 'body' ? () => true : compileValidator(part)

/** What such a route has besides its schema; the stream is measured as it is read. */
export const STREAMED = { validatorCompiler, bodyLimit: Number.MAX_SAFE_INTEGER }
