import type { ProblemPages } from '../../platform/errors.ts'

export const sbomProblems: ProblemPages = {
  'sbom-not-found': {
    title: 'No such SBOM',
    advice: 'GET …/firmware-versions/{id}/sboms lists them.',
  },
  'too-many-sboms-wait': {
    title: 'Too many SBOMs wait to be parsed',
    advice:
      'The workspace has as many, or as many bytes, as may wait at once. Go on when `Retry-After` says; nothing was stored.',
  },
  'content-link-invalid': {
    title: 'The link is not valid or has expired',
    advice: 'Request a new link with GET …/sboms/{sbomId}/content.',
  },
  'component-not-found': {
    title: 'No such component',
    advice:
      'POST …/sboms/{id}/components/list lists them. An SBOM that was parsed again may have other components.',
  },
  'component-not-matched': {
    title: 'The component is not matched with vulnerabilities',
    advice: 'Its notMatchedReason says why. Choose the component of the software itself.',
  },
  'source-files-not-found': {
    title: 'The component has no list of source files',
    advice: 'PUT a list of the files the component was compiled from.',
  },
  'source-files-invalid': {
    title: 'The list of source files cannot be used',
    advice:
      'Send text/plain, one path of a compiled source file per line. A doubtful list is refused, since a missing file would hide a true finding.',
  },
  'package-override-not-found': {
    title: 'No such override',
    advice: 'GET …/package-overrides lists them.',
  },
  'package-override-exists': {
    title: 'Another override has the same selector',
    advice:
      'Replace that override with PUT …/package-overrides/{overrideId}, or use another selector.',
  },
}
