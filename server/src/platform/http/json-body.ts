/** Reads bodies of JSON: in UTF-8, and without two members of one name, of which readers would see different ones. */
import type { FastifyInstance } from 'fastify'
import { findDuplicate } from '../../formats/duplicate-members.ts'
import { AppError } from '../errors.ts'

const TYPES = ['application/json', 'application/merge-patch+json']

export function installJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser(TYPES, { parseAs: 'string' }, (request, body, done) => {
    const charset = readCharset(request.headers['content-type'] ?? '')
    if (!/^(?:utf-?8|us-ascii)$/i.test(charset)) return done(notUtf8(charset))
    const text = String(body)
    void parse(request, text, (error, value: unknown) => {
      const twice = error ? undefined : findDuplicate(text)
      if (twice === undefined) done(error, value)
      else done(createDuplicateRefusal(twice))
    })
  })
}

function readCharset(contentType: string): string {
  return /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1] ?? 'utf-8'
}

function notUtf8(charset: string): AppError {
  const detail = `JSON is sent in UTF-8 (RFC 8259 section 8.1), not in ${JSON.stringify(charset)}.`
  return new AppError('unsupportedMediaType', 'unsupported-media-type', detail)
}

export function createDuplicateRefusal(pointer: string): AppError {
  const detail = 'is there twice; which of the two is meant?'
  return new AppError('invalid', 'invalid-request', `${pointer} ${detail}`, [{ pointer, detail }])
}
