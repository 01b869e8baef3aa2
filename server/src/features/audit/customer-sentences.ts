/** Sentences of the audit log about customers, their links, and standing addresses. */
import { formatCountOf } from '../../formats/counts.ts'
import { type ActTeller, tellAs } from './kinds.ts'
import { type Facts, listChanged, nameThe, readText, write } from './telling.ts'

const ofCustomer = tellAs('Customer')
const theCustomer = (it: Facts) => nameThe(it, 'customer')
const theAddress = (it: Facts) => nameThe(it, 'standing-address')
const theLink = ({ before, after }: Facts) =>
  readText(after['linkName'] ?? before['linkName'], 'a link')
const uses = ({ after }: Facts) =>
  formatCountOf(typeof after['uses'] === 'number' ? after['uses'] : 1, 'request')

export const CUSTOMER_SENTENCES = {
  'customer.create': ofCustomer((it) => write`created the customer ${theCustomer(it)}`),
  'customer.delete': ofCustomer((it) => write`deleted the customer ${theCustomer(it)}`),
  'customer.update': ofCustomer(
    (it) => write`changed ${listChanged(it)} of the customer ${theCustomer(it)}`,
  ),
  'customer.view': ofCustomer(
    (it) =>
      write`answered ${uses(it)} of the customer ${theCustomer(it)} by the link ${theLink(it)}`,
  ),
  'customer-link.create': ofCustomer(
    (it) =>
      write`made the link ${theLink(it)} for the customer ${theCustomer(it)}, until ${readText(it.after['endsAt'], 'an unknown day')}`,
  ),
  'customer-link.revoke': ofCustomer(
    (it) => write`revoked the link ${theLink(it)} of the customer ${theCustomer(it)}`,
  ),
  'standing-address.create': ofCustomer((it) =>
    it.after['isPublic'] === true
      ? write`made the standing address ${theAddress(it)} for everybody`
      : write`made the standing address ${theAddress(it)} with a link`,
  ),
  'standing-address.read': ofCustomer(
    (it) => write`answered ${uses(it)} at the standing address ${theAddress(it)}`,
  ),
  'standing-address.revoke': ofCustomer(
    (it) => write`revoked the standing address ${theAddress(it)}`,
  ),
} satisfies Record<string, ActTeller>
