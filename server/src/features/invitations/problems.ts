import type { ProblemPages } from '../../platform/errors.ts'

export const invitationProblems: ProblemPages = {
  'invitation-not-found': {
    title: 'No such open invitation',
    advice: 'It was accepted or revoked, or never existed. GET …/invitations lists the open ones.',
  },
  'already-member': { title: 'The person is a member already', advice: 'Change the role instead.' },
  'already-invited': {
    title: 'There is an open invitation already',
    advice: 'Send it again, or revoke it first.',
  },
}
