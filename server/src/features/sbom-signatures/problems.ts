import type { ProblemPages } from '../../platform/errors.ts'

export const sbomSignatureProblems: ProblemPages = {
  'sbom-signature-not-found': {
    title: 'No such signature beside the SBOM',
    advice: 'GET …/sbom-signatures of the firmware version lists them.',
  },
  'too-many-sbom-signatures': {
    title: 'The SBOM has as many signatures beside it as it may have',
    advice: 'Delete one that nobody needs.',
  },
}
