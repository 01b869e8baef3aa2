/** Routes that read their body as it arrives, in a scope of their own. */
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import type { App } from './app.ts'
import { compileValidator } from './validation.ts'

/** Requests of this scope have no body parser, so that routes read the stream. */
export function leaveBodiesUnread(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

const validatorCompiler: FastifySchemaCompiler<TSchema> = (part) =>
  // The schema describes the body, but there is no parsed value to check.
  part.httpPart === 'body' ? () => true : compileValidator(part)

/** The options of such a route besides its schema. The size is limited while the stream is read. */
export const STREAMED = { validatorCompiler, bodyLimit: Number.MAX_SAFE_INTEGER }
