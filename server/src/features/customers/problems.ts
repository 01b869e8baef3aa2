import type { ProblemPages } from '../../platform/errors.ts'

export const customerProblems: ProblemPages = {
  'customer-not-found': {
    title: 'No such customer',
    advice: 'GET …/customers lists them.',
  },
  'customer-name-taken': {
    title: 'A customer has this name',
    advice: 'Choose another name, or change that customer.',
  },
  'too-many-customers': {
    title: 'The workspace has as many customers as it may have',
    advice: 'Delete some that you do not need.',
  },
  'customer-link-not-found': {
    title: 'No such link of the customer',
    advice: 'GET …/customers/{customerId}/links lists them.',
  },
  'standing-address-not-found': {
    title: 'No such standing address',
    advice: 'GET …/standing-addresses lists them.',
  },
  'too-many-links': {
    title: 'There are as many links or addresses as there may be',
    advice: 'Revoke those that nobody needs.',
  },
  'shared-link-not-found': {
    title: 'The link does not work',
    advice:
      'It has ended, was revoked, or never existed: all are answered alike. Ask whoever gave it to you for a new one.',
  },
  'not-among-your-devices': {
    title: 'No device of yours runs this version',
    advice: 'Versions can be read as long as a device that is yours runs them.',
  },
  'document-not-there': {
    title: 'There is no such document at the moment',
    advice: 'The detail says why. The address stays, and answers as soon as there is one.',
  },
}
