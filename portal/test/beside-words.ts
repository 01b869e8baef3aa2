import type { Page } from 'playwright-core'

const MARKS = {
  Clear: 'Clear',
  ToDecide: 'To decide',
  Overloaded: 'Overloaded',
  Unknown: 'Unknown',
}
const SEVERITIES = ['Critical', 'High', 'Medium', 'Low', 'None', 'Unknown']

/** What says something by colour or shape alone: marks, severities, flames, dots and parts of bars without their words. */
export function wordlessOf(page: Page): Promise<string[]> {
  return page.evaluate(
    ([marks, severities]) => {
      const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true })
      const listShown = (selector: string) =>
        [...document.querySelectorAll(selector)].filter(isShown)
      /** The classes of CSS modules are `_name_hash_line`. */
      const hasClass = (element: Element, name: string) =>
        [...element.classList].some((one) => one.startsWith(`_${name}_`))
      const nameOf = (element: Element) =>
        `${element.tagName} in “${element.parentElement?.textContent.trim().slice(0, 60) ?? ''}”`
      /** The least thing around it that people read at once. */
      const UNIT = 'a, button, li, tr, [role=row], [role=img], dd, p, header, section'
      const says = (element: Element, word: string) =>
        new RegExp(word, 'i').test(element.closest(UNIT)?.textContent ?? '')
      const signs = listShown('[class*=_sign_]').flatMap((sign) => {
        const [, word] = Object.entries(marks).find(([state]) => hasClass(sign, state)) ?? []
        return word === undefined || says(sign, word)
          ? []
          : [`mark without “${word}”: ${nameOf(sign)}`]
      })
      const badges = listShown('[class*=_badge_]').flatMap((badge) => {
        const severity = severities.find((one) => hasClass(badge, one))
        if (severity === undefined) return []
        const letter = severity === 'Unknown' ? '?' : severity.charAt(0)
        const wanted = `${letter}${severity}`
        const isRead =
          badge.textContent === wanted && badge.firstElementChild?.textContent === letter
        return isRead ? [] : [`severity without letter and word: ${nameOf(badge)}`]
      })
      const flames = listShown('.tabler-icon-flame-filled')
        .filter((flame) => !says(flame, 'exploited'))
        .map((flame) => `flame without “exploited”: ${nameOf(flame)}`)
      const bars = listShown('[class*=_bar_][role=img]').flatMap((bar) => {
        const parts = [...bar.querySelectorAll('i')].filter(isShown).length
        const named = (bar.getAttribute('aria-label') ?? '').match(/\d[\d,.]*/g)?.length ?? 0
        return named >= parts ? [] : [`a bar of ${parts} parts names ${named}: ${nameOf(bar)}`]
      })
      /** Its parts, as long as their share of what its words count: nought has no part. */
      const lengths = listShown('[class*=_bar_][role=img]').flatMap((bar) => {
        const counts = (bar.getAttribute('aria-label') ?? '')
          .match(/\d[\d,.]*/g)
          ?.map((count) => Number(count.replaceAll(/\D/g, '')))
          .filter((count) => count > 0)
        const parts = [...bar.querySelectorAll('i')].filter(isShown)
        if (counts?.length !== parts.length) return []
        const widths = parts.map((part) => part.getBoundingClientRect().width)
        const isLonger = (one: number, other: number) =>
          (counts[one] ?? 0) > (counts[other] ?? 0) && (widths[one] ?? 0) < (widths[other] ?? 0)
        const places = [...counts.keys()]
        const isFalse = places.some((one) => places.some((other) => isLonger(one, other)))
        return isFalse ? [`parts are not as long as their numbers: ${nameOf(bar)}`] : []
      })
      const isWordless = (element: Element) =>
        !/\p{L}{2}/u.test(element.closest(UNIT)?.textContent ?? '')
      const dots = listShown('#page :not([role=img]) > i, #page [class*=_point_]')
        .filter(isWordless)
        .map((dot) => `nothing is said beside ${nameOf(dot)}`)
      return [...signs, ...badges, ...flames, ...bars, ...lengths, ...dots]
    },
    [MARKS, SEVERITIES] as const,
  )
}

/** Names in which the word of a mark runs into the next one: "OverloadedGateway". */
export async function gluedOf(page: Page): Promise<string[]> {
  const glued = new RegExp(`"[^"]*(${Object.values(MARKS).join('|')})(?=[A-Z])[^"]*"`, 'g')
  const names = (await page.locator('#page').ariaSnapshot()).match(glued) ?? []
  return [...new Set(names)].map((name) => `${name} is read as one word`)
}

/** What moves, or would, although the reader asked for less. */
export function motionsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isLong = (times: string) =>
      times
        .split(', ')
        .some((time) => Number.parseFloat(time) * (time.endsWith('ms') ? 1 : 1000) > 1)
    const styled = [...document.querySelectorAll('body *')].flatMap((element) =>
      ['', '::before', '::after'].flatMap((part) => {
        const style = getComputedStyle(element, part)
        const moves =
          (style.animationName !== 'none' && isLong(style.animationDuration)) ||
          (style.transitionProperty !== 'none' && isLong(style.transitionDuration)) ||
          style.scrollBehavior === 'smooth'
        return moves
          ? [`${element.tagName}${part} ${element.getAttribute('class') ?? ''} moves`]
          : []
      }),
    )
    const running = document.getAnimations().filter(({ effect }) => {
      const { duration = 0 } = effect?.getTiming() ?? {}
      return Number(duration) > 1
    })
    return [...new Set([...styled, ...running.map(({ id }) => `animation ${id} runs`)])]
  })
}
