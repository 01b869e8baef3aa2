import type { Page } from 'playwright-core'

/** What is wider than the screen and neither scrolls by itself (a strip of chips, tabs) nor ends in an ellipsis. */
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
    return [
      ...(whole > room ? [`the page is ${whole} wide`] : []),
      ...first.map((element) => `${element.tagName} “${element.textContent.slice(0, 40)}” is cut`),
    ]
  })
}
