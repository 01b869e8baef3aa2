import type { ProblemPages } from '../../platform/errors.ts'

export const sbomProblems: ProblemPages = {
  'sbom-not-found': {
    title: 'No such SBOM',
    advice: 'GET …/firmware-versions/{id}/sboms lists them.',
  },
  'content-link-invalid': {
    title: 'The link is not valid or has expired',
    advice: 'Ask for a new one with GET …/sboms/{sbomId}/content.',
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
  'package-override-not-found': {
    title: 'No such override',
    advice: 'GET …/package-overrides lists them.',
  },
  'package-override-exists': {
    title: 'There is an override for the same components',
    advice: 'Replace that one with PUT …/package-overrides/{overrideId}, or select more narrowly.',
  },
}
