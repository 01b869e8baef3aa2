import type { ProblemPages } from '../../platform/errors.ts'

export const trustedKeyProblems: ProblemPages = {
  'trusted-key-not-found': {
    title: 'No such trusted key',
    advice: 'GET …/trusted-keys lists them.',
  },
  'trusted-key-exists': {
    title: 'The workspace trusts this key already',
    advice: 'GET …/trusted-keys lists the keys with their fingerprints.',
  },
  'trusted-key-name-taken': {
    title: 'Another trusted key has this name',
    advice: 'Choose another name, or delete the other key first.',
  },
  'too-many-trusted-keys': {
    title: 'The workspace has as many trusted keys as it may have',
    advice: 'Delete those that no image needs any more.',
  },
}
