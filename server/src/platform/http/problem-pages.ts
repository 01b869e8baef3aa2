/** Every problem type has a page. The member `type` of an error links to it. */
import { AppError, type ProblemPages } from '../errors.ts'
import { renderHtml } from '../html.ts'
import type { App } from './app.ts'
import { renderPlainPage, sendPage } from './pages.ts'

/** The problem types of HTTP itself and of what the service runs on. */
export const HTTP_PROBLEMS: ProblemPages = {
  'invalid-request': {
    title: 'The request is not valid',
    advice:
      'The field `errors` names each fault with a JSON pointer: correct those and send it again.',
  },
  'malformed-json': {
    title: 'The body is not JSON',
    advice: 'Send a body that a JSON parser accepts.',
  },
  'malformed-request': {
    title: 'The request is not HTTP',
    advice: 'The request line or a header breaks HTTP/1.1.',
  },
  'request-timeout': {
    title: 'The request took too long to arrive',
    advice:
      'Headers, and a body without a valid key, have 30 seconds (PLIMSOLL_REQUEST_SECONDS); an upload has 50 minutes. Compress it (gzip, zstd) or send it in parts.',
  },
  'client-certificate-malformed': {
    title: 'The header of the proxy holds no certificate',
    advice:
      'Configure the proxy as docs/guide/device-certificates.md says: PEM with %-escapes or DER in base64, of one certificate, and no header where the client showed none.',
  },
  'headers-too-large': {
    title: 'Headers too large',
    advice: 'Send fewer or shorter headers; an address counts among them. 16 KiB in all.',
  },
  'invalid-cursor': {
    title: 'The cursor does not belong to this list',
    advice:
      'Pass `nextCursor` back unchanged, with the same sort and filter, or leave it out to start again.',
  },
  'changed-meanwhile': {
    title: 'Somebody else changed it',
    advice:
      'The header `If-Match` holds the `ETag` of a state that is past: read it again, and repeat your change.',
  },
  'route-not-found': { title: 'No such route', advice: 'GET /openapi.json lists all routes.' },
  'problem-not-found': { title: 'No such problem type', advice: 'Check the address.' },
  'upload-invalid': {
    title: 'The upload cannot be read',
    advice:
      'Send multipart/form-data with one or more file parts, or one document as the raw body with ?fileName=.',
  },
  'upload-too-large': { title: 'The upload is too large', advice: 'The detail names the limit.' },
  'body-too-large': { title: 'The body is too large', advice: 'Send a smaller body.' },
  'file-too-large': {
    title: 'The file is too large',
    advice: 'The detail names how many bytes a file may have.',
  },
  'blob-not-found': {
    title: 'The stored file is missing',
    advice:
      'It was deleted a moment ago, or the file store lost it: the operator finds the request in the log.',
  },
  'calculation-ended': {
    title: 'The calculation ended early',
    advice:
      'It needed more memory or time than it may have, or the operator ended its process. Ask for less, such as one cohort, or try again later.',
  },
  'storage-full': {
    title: 'There is no space left',
    advice: 'Nothing was kept of the upload. Try again when the operator has made room.',
  },
  'unsupported-media-type': { title: 'Media type not taken', advice: 'Send application/json.' },
  'range-not-satisfiable': {
    title: 'The range lies outside the file',
    advice: 'The header Content-Range names its size.',
  },
  'rate-limited': { title: 'Too many requests', advice: 'Wait as long as `Retry-After` says.' },
  'too-many-unknown-keys': {
    title: 'Too many keys that are not valid',
    advice:
      'Something at your address sends keys that nobody has. Keys that were accepted before still are; try a new one when `Retry-After` says.',
  },
  'database-unavailable': {
    title: 'The database is away',
    advice: 'Try again shortly; nothing was written.',
  },
  'took-too-long': {
    title: 'The database did not finish in time',
    advice: 'Ask for less, or try again later; nothing was written.',
  },
  'too-many-at-once': {
    title: 'Too many requests at once',
    advice: 'Send fewer at a time, or try again when `Retry-After` says; nothing was written.',
  },
  busy: {
    title: 'The service is busy',
    advice: 'Try again when `Retry-After` says; nothing was written.',
  },
  'client-left': {
    title: 'The client closed the connection',
    advice: 'Nobody sees this answer; the log of the service names it.',
  },
  overtaken: {
    title: 'Another change held what this one needs',
    advice: 'Try again shortly; nothing was written.',
  },
  'storage-unavailable': {
    title: 'The file store is away',
    advice: 'Try again shortly; nothing was kept of the upload.',
  },
  'shutting-down': {
    title: 'The service is stopping',
    advice: 'Try again shortly, or another node.',
  },
  'internal-error': {
    title: 'A fault on our side',
    advice: 'The service log names the cause under the request id of the detail.',
  },
}

/** A page of the portal: its path, and what people read. */
export interface PortalLink {
  path: string
  text: string
}

/** `links`: by slug; none where there is no portal. */
export function registerProblemPageRoute(
  app: App,
  pages: ProblemPages,
  links?: ReadonlyMap<string, PortalLink>,
): void {
  app.get('/problems/:slug', { schema: { hide: true } }, (request, reply) => {
    const { slug } = request.params as { slug: string }
    const known = Object.hasOwn(pages, slug) ? pages[slug] : undefined
    if (!known)
      throw new AppError('notFound', 'problem-not-found', 'There is no such problem type.')
    const link = links?.get(slug)
    return sendPage(
      reply,
      renderPlainPage(
        known.title,
        renderHtml`<p>${known.advice}</p>${link && renderHtml`<p>In the portal: <a href="${link.path}">${link.text}</a></p>`}<p><code>/problems/${slug}</code></p>`,
      ),
    )
  })
}
