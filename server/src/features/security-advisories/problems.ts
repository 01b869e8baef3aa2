import type { ProblemPages } from '../../platform/errors.ts'

export const securityAdvisoryProblems: ProblemPages = {
  'security-advisory-not-found': {
    title: 'No such advisory',
    advice:
      'GET …/security-advisories lists them. Drafts have an id only, published ones a tracking id, too.',
  },
  'publisher-not-found': {
    title: 'Nothing is published here',
    advice:
      'Check the address, and ask the manufacturer. Owners and admins make advisories public: PATCH …/advisory-publisher.',
  },
  'revision-not-found': {
    title: 'The advisory has no such revision',
    advice: 'GET …/security-advisories/{id} answers its revisions.',
  },
  'contact-not-unsubscribed': {
    title: 'The address did not ask for no more mails',
    advice: 'There is nothing to change: it gets mails where it is a contact.',
  },
  'advisory-says-nothing': {
    title: 'There is nothing to tell',
    advice: 'Name other versions, or begin an advisory by hand.',
  },
  'advisory-too-large': {
    title: 'That is too much for one advisory',
    advice: 'Name the vulnerabilities that matter to users (cveIds), or make several advisories.',
  },
  'advisory-incomplete': {
    title: 'The advisory cannot be published yet',
    advice: '`missing` of the advisory lists what users would look for in vain.',
  },
  'advisory-held': {
    title: 'Publishing waits',
    advice: 'Somebody gave a date and a reason. Clear both if they hold no more.',
  },
  'advisory-unchanged': {
    title: 'The advisory is published as it is',
    advice: 'Change it first: each publication is a new revision.',
  },
  'advisory-published': {
    title: 'The advisory was published',
    advice: 'What was published is kept for ever. Withdraw it: that is a revision of its own.',
  },
  'advisory-not-published': {
    title: 'The advisory was never published',
    advice: 'There is nothing to withdraw. A draft can be deleted.',
  },
  'advisory-already-withdrawn': {
    title: 'The advisory is withdrawn',
    advice: 'Publish it again if it holds after all.',
  },
  'too-many-recipients': {
    title: 'So many contacts are not told by mail',
    advice: 'Publish with `tellContacts` false, and tell them otherwise.',
  },
  'too-many-advisories': {
    title: 'The workspace has as many advisories as it may have',
    advice: 'Delete drafts that you do not need.',
  },
}
