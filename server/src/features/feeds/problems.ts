import type { ProblemPages } from '../../platform/errors.ts'
import { PROGRAMS } from '../../platform/programs.ts'

export const feedProblems: ProblemPages = {
  'vulnerability-source-not-found': {
    title: 'No such vulnerability source',
    advice: 'GET …/vulnerability-sources lists them.',
  },
  'sources-kept-elsewhere': {
    title: 'This workspace does not keep the sources',
    advice: `Sources are shared by all workspaces of the service. Its operator reads them, or names the workspace that does: ${PROGRAMS.admin} feeds keeper WORKSPACE.`,
  },
  'source-being-read': {
    title: 'The source is being read',
    advice: 'GET …/vulnerability-sources shows how far it is. Ask again when it has ended.',
  },
  'imports-waiting': {
    title: 'Files are waiting to be imported',
    advice: 'Send the next one when one of them has ended; GET …/vulnerability-sources lists them.',
  },
  'no-feed-recognised': {
    title: 'The file holds no advisories of a known source',
    advice: 'The detail says what was found. Take files as sources publish them, or a bundle.',
  },
}
