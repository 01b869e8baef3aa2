/** What is said of notifications themselves: that they arrive, and whether they may. */
import type { Notice } from './notice.ts'

export interface Asking {
  workspaceName: string
  /** Of the target or the webhook. */
  name: string
  /** Who asked; undefined: not known. */
  askedBy: string | undefined
  at: string
}

const NOTHING_ELSE = { items: [], moreItems: 0, path: null, data: {} } as const

function factsOf({ workspaceName, name, askedBy }: Asking): Notice['facts'] {
  const facts = [
    { name: 'Workspace', value: workspaceName },
    { name: 'Target', value: name },
  ]
  return askedBy === undefined ? facts : [...facts, { name: 'Asked for by', value: askedBy }]
}

export function testNotice(asking: Asking): Notice {
  const { workspaceName, name, at } = asking
  return {
    event: 'Test',
    workspaceName,
    title: `Test of ${name}`,
    text: 'This is a test. Alerts of rules that name this target arrive the same way.',
    facts: factsOf(asking),
    at,
    ...NOTHING_ELSE,
  }
}

export function confirmationNotice(asking: Asking): Notice {
  const { workspaceName, at } = asking
  return {
    event: 'Test',
    workspaceName,
    title: `Do you want alerts of ${workspaceName}?`,
    text: `Somebody of the workspace ${workspaceName} wants its alerts to reach this address. Nothing is sent to it before you confirm.`,
    facts: factsOf(asking),
    at,
    ...NOTHING_ELSE,
  }
}
