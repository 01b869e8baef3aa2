/**
 * The keys of the portal: one listener, and one owner at a time. A text field owns what is typed in it, an open dialog all else,
 * and the page what is left. While a dialog is on its way nobody owns them: what is typed then is dropped.
 */
import { useEffect, useEffectEvent } from 'react'

/**
 * A key as the browser names it (`j`, `Escape`), or `mod+` and a key: Control, on Apple's keyboards Command. An act that answers
 * false was not meant.
 */
export type KeyAct = readonly [key: string, act: () => unknown]

interface Owned {
  act: (key: string) => boolean
  /** The form that the keys are for; `undefined`: the page. */
  within: { current: HTMLElement | null } | undefined
}

const owned = new Set<Owned>()
let holdCount = 0

/** Since the last key or click that leads somewhere: nothing, letters that were keys, or others, which are words. */
let typed: 'nothing' | 'keys' | 'words' = 'nothing'

const LEADING = /^(Tab|Arrow|Enter|Escape)/
const MODALS = '[aria-modal="true"], dialog[open]'
const FIELDS =
  'textarea, select, [contenteditable="true"], input:not([type="radio"], [type="checkbox"])'

function onKeyDown(event: KeyboardEvent): void {
  handleKey(event)
  if (LEADING.test(event.key)) typed = 'nothing'
}

function handleKey(event: KeyboardEvent): void {
  const key = readKey(event)
  if (key === undefined) return
  const target = event.target instanceof Element ? event.target : document.body
  if (holdCount > 0) event.preventDefault()
  else if (key.startsWith('mod+') || !target.matches(FIELDS)) pressKey(key, target, event)
}

/** Undefined for what is the browser's own: copy, reload, find. */
function readKey({ key, isComposing, altKey, ctrlKey, metaKey }: KeyboardEvent) {
  if (isComposing || altKey) return undefined
  if (!ctrlKey && !metaKey) return key
  return key.toLowerCase() === 'k' ? 'mod+k' : undefined
}

function pressKey(key: string, target: Element, event: KeyboardEvent): void {
  const isHandled = act(key)
  // Enter also presses the button that has the focus.
  if ((isHandled && key !== 'Enter') || isStrayPress(key, target)) event.preventDefault()
  if (key.length === 1 && typed !== 'words') typed = isHandled ? 'keys' : 'words'
}

function act(key: string): boolean {
  const modal = [...document.querySelectorAll(MODALS)].at(-1)
  for (const { within, act: tryKey } of [...owned].toReversed()) {
    const isOwner = modal === undefined || modal.contains(within?.current ?? null)
    if (isOwner && tryKey(key)) return true
  }
  return false
}

/** Words that are typed past a field must not press what happens to have the focus: a button that sends a form. */
function isStrayPress(key: string, target: Element): boolean {
  if (!target.matches('button[type="submit"]')) return false
  return key === 'Enter' ? typed === 'words' : key === ' ' && typed !== 'nothing'
}

document.addEventListener('keydown', onKeyDown)
document.addEventListener('pointerdown', () => {
  typed = 'nothing'
})

/** Keys of the page, or of the form `within`, as long as it is shown. Among equal keys those that came last act. */
export function useKeys(keys: readonly KeyAct[], within?: Owned['within']): void {
  const tryKey = useEffectEvent((key: string) => {
    const found = keys.find(([name]) => name === key)
    return found !== undefined && found[1]() !== false
  })
  useEffect(() => {
    const mine = { act: tryKey, within }
    owned.add(mine)
    return () => void owned.delete(mine)
  }, [within])
}

/** In place of a dialog whose script is on its way: keys are neither for the page below nor for what comes. */
export function HeldKeys(): null {
  useEffect(() => {
    holdCount += 1
    return () => {
      holdCount -= 1
    }
  }, [])
  return null
}
