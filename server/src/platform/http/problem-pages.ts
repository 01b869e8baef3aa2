/** Every problem type is a page: `type` in an error leads to what it means and what to do. */
import type { App } from './app.ts'
import { ALERT_PROBLEMS } from './alert-problems.ts'
import { FLEET_PROBLEMS, type ProblemPage } from './fleet-problems.ts'
import { AppError } from '../errors.ts'

/** Slug → what happened and what to do. A test holds every slug the code throws against this list. */
export const PROBLEMS: Readonly<Record<string, ProblemPage>> = {
  ...ALERT_PROBLEMS,
  ...FLEET_PROBLEMS,
  'invalid-request': {
    title: 'The request is not valid',
    advice:
      'The field `errors` names each fault with a JSON pointer: correct those and send it again.',
  },
  'malformed-json': {
    title: 'The body is no JSON',
    advice: 'Send a body that a JSON parser accepts.',
  },
  'malformed-request': {
    title: 'This is no HTTP',
    advice: 'The request line or a header breaks HTTP/1.1.',
  },
  'request-timeout': {
    title: 'The request took too long to arrive',
    advice:
      'Headers have a minute, an upload 50 minutes. Compress it (gzip, zstd) or send it in parts.',
  },
  'headers-too-large': { title: 'Headers too large', advice: 'Send fewer or shorter headers.' },
  'invalid-cursor': {
    title: 'The cursor does not belong to this list',
    advice:
      'Pass `nextCursor` back unchanged, with the same sort and filter, or leave it out to start again.',
  },
  'query-too-large': {
    title: 'The query took too long',
    advice:
      'Ask for a shorter time or fewer devices. Metrics in steps of whole hours that begin at a whole hour are read from sums and take a fraction of the time. Operators may raise `PLIMSOLL_TELEMETRY_QUERY_SECONDS`.',
  },
  unauthorized: {
    title: 'No valid API key',
    advice:
      'Send `Authorization: Bearer plm_…`. A key that was revoked or has expired has to be replaced.',
  },
  'device-unauthorized': {
    title: 'No valid device key',
    advice:
      'Send the device key as the door asks for it (docs/guide/device-protocol.md): the workspace, the id of the device and a key of that device or of its fleet have to fit, and the key must not be revoked.',
  },
  'insufficient-scope': {
    title: 'The key may not do this',
    advice:
      'Use a key that holds the scope the detail names; keys cannot be widened after they were made.',
  },
  'route-not-found': { title: 'No such route', advice: 'GET /openapi.json lists all routes.' },
  'workspace-not-found': {
    title: 'No such workspace',
    advice: 'A key reaches its own workspace only.',
  },
  'member-not-found': { title: 'No such member', advice: 'GET …/members lists them.' },
  'firmware-not-found': { title: 'No such firmware', advice: 'GET …/firmwares lists them.' },
  'firmware-version-not-found': {
    title: 'No such firmware version',
    advice: 'GET …/firmwares/{firmwareId}/versions lists them.',
  },
  'sbom-not-found': {
    title: 'No such SBOM',
    advice: 'GET …/firmware-versions/{id}/sboms lists them.',
  },
  'component-not-found': {
    title: 'No such component',
    advice: 'POST …/sboms/{id}/components/list lists them. An SBOM parsed anew may have others.',
  },
  'component-not-matched': {
    title: 'No vulnerabilities are looked up for the component',
    advice: 'Its notMatchedReason tells why; choose the component that stands for the software.',
  },
  'source-files-not-found': {
    title: 'No source files are listed',
    advice: 'PUT a list of those the component was compiled from.',
  },
  'source-files-invalid': {
    title: 'The list of source files cannot be used',
    advice:
      'Send text/plain, one path of a compiled source file a line. A file missed would hide a true finding, so doubtful lists are refused.',
  },
  'finding-not-found': {
    title: 'No such finding',
    advice: 'The id names no finding that ever held in this workspace.',
  },
  'package-override-not-found': {
    title: 'No such override',
    advice: 'GET …/package-overrides lists them.',
  },
  'package-override-exists': {
    title: 'There is an override for the same components',
    advice: 'Replace that one with PUT …/package-overrides/{overrideId}, or select more narrowly.',
  },
  'api-key-not-found': { title: 'No such API key', advice: 'Check the id.' },
  'setup-link-not-found': {
    title: 'The setup link does not work',
    advice: 'Links work once and for seven days. Ask for a new one.',
  },
  'problem-not-found': { title: 'No such problem type', advice: 'Check the address.' },
  'last-owner': {
    title: 'The last owner cannot be removed',
    advice: 'Make another member an owner first.',
  },
  'firmware-slug-taken': { title: 'The slug is taken', advice: 'Slugs are unique in a workspace.' },
  'firmware-version-name-taken': {
    title: 'The version name is taken',
    advice: 'Version names are unique within a firmware.',
  },
  'firmware-version-build-id-taken': {
    title: 'The build id is taken',
    advice: 'Build ids are unique in a workspace: GET the version that has it.',
  },
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
  'storage-full': {
    title: 'There is no space left',
    advice: 'Nothing was kept of the upload. Try again when the operator has made room.',
  },
  'unsupported-media-type': { title: 'Media type not taken', advice: 'Send application/json.' },
  'content-link-invalid': {
    title: 'The link is not valid or has expired',
    advice: 'Ask for a new one with GET …/sboms/{sbomId}/content.',
  },
  'vex-invalid': {
    title: 'This is no VEX document, or one that states nothing',
    advice:
      'Send an OpenVEX 0.2, CycloneDX 1.4 to 1.7 (JSON) or CSAF 2.0 document with statements.',
  },
  'vex-outdated': {
    title: 'A newer version of the document is known',
    advice: 'Import the newest version, or delete the document first.',
  },
  'vex-in-sbom': {
    title: 'The statements stand in an SBOM',
    advice: 'Delete that SBOM, or assess the findings: a newer assessment by a person applies.',
  },
  'vex-nothing-stated': {
    title: 'There is nothing to state',
    advice: 'Assess findings of the firmware version, or import VEX about it, first.',
  },
  'vex-document-not-found': {
    title: 'No such VEX document',
    advice: 'GET …/firmware-versions/{id}/vex-documents lists them.',
  },
  'client-cannot-take': {
    title: 'Devices of the cohort cannot take the deployment',
    advice:
      'The detail names their hawkBit clients and what those take: deploy one artifact at a time, or move the devices to a cohort of their own.',
  },
  'action-not-found': {
    title: 'No such action',
    advice: 'Poll: the answer links to what is open. Ids of actions are those of one device.',
  },
  'action-closed': {
    title: 'The action is over',
    advice: 'It succeeded, failed, was cancelled or tried anew. Poll for what is open.',
  },
  'software-module-not-found': {
    title: 'No such software module',
    advice: 'A device reaches the files of its own update, for as long as it is open.',
  },
  'range-not-satisfiable': {
    title: 'The range lies outside the file',
    advice: 'The header Content-Range names its size.',
  },
  'rate-limited': { title: 'Too many requests', advice: 'Wait as long as `Retry-After` says.' },
  'database-unavailable': {
    title: 'The database is away',
    advice: 'Try again shortly; nothing was written.',
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

export function problemPageRoute(app: App): void {
  app.get('/problems/:slug', { schema: { hide: true } }, (request, reply) => {
    const { slug } = request.params as { slug: string }
    const known = Object.hasOwn(PROBLEMS, slug) ? PROBLEMS[slug] : undefined
    if (!known)
      throw new AppError('notFound', 'problem-not-found', 'There is no such problem type.')
    return reply
      .type('text/html; charset=utf-8')
      .serializer(String)
      .send(
        `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${known.title}</title><style>body{font:1.1rem/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}</style>
<h1>${known.title}</h1><p>${known.advice}</p><p><code>/problems/${slug}</code></p></html>`,
      )
  })
}
