import type { ProblemPages } from '../../platform/errors.ts'

export const workspaceProblems: ProblemPages = {
  'workspace-not-found': {
    title: 'No such workspace',
    advice: 'A key gives access to its own workspace only.',
  },
  'workspace-name-taken': {
    title: 'The name is taken',
    advice: 'Choose another name, or use the workspace that has it.',
  },
  'too-many-event-streams': {
    title: 'Too many streams of events',
    advice: 'Close a stream before opening another; pages of one browser can share one.',
  },
  'member-not-found': { title: 'No such member', advice: 'GET …/members lists them.' },
  'last-owner': {
    title: 'The last owner cannot be removed or lowered',
    advice: 'Make another member an owner first.',
  },
  'owner-needed': {
    title: 'This needs an owner',
    advice: 'Only owners make, lower and remove owners. GET …/members lists them.',
  },
}
