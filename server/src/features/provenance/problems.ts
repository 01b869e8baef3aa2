import type { ProblemPages } from '../../platform/errors.ts'

export const provenanceProblems: ProblemPages = {
  'provenance-statement-not-found': {
    title: 'No such statement about the files of the version',
    advice: 'GET …/provenance-statements lists them.',
  },
  'too-many-provenance-statements': {
    title: 'The firmware version has as many statements as it may have',
    advice: 'Delete one that nobody needs.',
  },
  'statement-too-large': {
    title: 'The statement is larger than is read',
    advice:
      'Send a statement of at most 8 MiB. One that holds a large SBOM can name the SBOM by its hash instead.',
  },
}
