/** What the form of a customer holds, and what is sent of it. */
import type { BodyOf, Customer } from '@plimsoll/api-client'

export interface CustomerValues {
  name: string
  tag: string
  cohortIds: string[]
  /** One a line: an address, or a name and the address in angle brackets. */
  contacts: string
  note: string
}

export const NO_CUSTOMER: CustomerValues = {
  name: '',
  tag: '',
  cohortIds: [],
  contacts: '',
  note: '',
}

export function readCustomer(customer: Customer | undefined): CustomerValues {
  if (!customer) return NO_CUSTOMER
  const { name, tag, cohortIds, contacts, note } = customer
  return {
    name,
    tag: tag ?? '',
    cohortIds: [...cohortIds],
    contacts: contacts
      .map((one) => (one.name === null ? one.email : `${one.name} <${one.email}>`))
      .join('\n'),
    note: note ?? '',
  }
}

type CustomerBody = Required<BodyOf<'createCustomer'>>

export function writeCustomer(values: CustomerValues): CustomerBody {
  const lines = values.contacts.split('\n').map((line) => line.trim())
  return {
    name: values.name.trim(),
    tag: values.tag.trim() || null,
    cohortIds: values.cohortIds,
    contacts: lines.filter((line) => line !== '').map(readContact),
    note: values.note.trim() || null,
  }
}

function readContact(line: string): CustomerBody['contacts'][number] {
  const [, name = '', email] = /^(.*)<([^<>]+)>$/.exec(line) ?? []
  if (email === undefined) return { email: line, name: null }
  return { email: email.trim(), name: name.trim() || null }
}
