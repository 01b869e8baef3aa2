import type { Page } from 'playwright-core'

/**
 * What is wider than the screen and neither scrolls by itself (a strip of chips, tabs) nor ends in an ellipsis; words
 * that reach over the edge of their button; text in a column of single letters.
 */
export function overflowsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const room = document.documentElement.clientWidth
    const whole = document.documentElement.scrollWidth
    const isKept = (element: Element): boolean => {
      const { overflowX, textOverflow } = getComputedStyle(element)
      if (overflowX === 'auto' || overflowX === 'scroll' || textOverflow === 'ellipsis') return true
      return element.parentElement !== null && isKept(element.parentElement)
    }
    const cut = [...document.querySelectorAll('#page *')].filter((element) => {
      const { right, width } = element.getBoundingClientRect()
      return width > 1 && right > room + 1 && element.checkVisibility() && !isKept(element)
    })
    const first = cut.filter(
      (element) => !cut.some((one) => one !== element && one.contains(element)),
    )
    const isText = (element: Element) =>
      [...element.childNodes].some(
        ({ nodeType, textContent }) => nodeType === 3 && (textContent ?? '').trim().length > 8,
      )
    const buttons = [...document.querySelectorAll('button, a')].filter((element) => {
      const { clientWidth, scrollWidth } = element
      return (
        clientWidth > 1 &&
        scrollWidth > clientWidth + 1 &&
        element.checkVisibility() &&
        !isKept(element)
      )
    })
    const squeezed = [...document.querySelectorAll('#page *')].filter((element) => {
      const { width, height } = element.getBoundingClientRect()
      return width > 1 && width < 32 && height > 60 && isText(element)
    })
    const nameOf = (element: Element) => `${element.tagName} “${element.textContent.slice(0, 40)}”`
    return [
      ...buttons.map((element) => `${nameOf(element)} is wider than its frame`),
      ...squeezed.map((element) => `${nameOf(element)} has a letter a line`),
      ...(whole > room ? [`the page is ${whole} wide`] : []),
      ...first.map((element) => `${nameOf(element)} is cut`),
    ]
  })
}
