// Runs in the page before its own scripts: what the browser itself measures of paints, interactions and frames.
globalThis.probe = {
  /** Milliseconds from the navigation to the largest paint so far. */
  lcp: 0,
  /** Milliseconds from each key or click to the next paint, those of 16 and more. */
  interactions: [],
  /** Milliseconds between frames, those of 17 and more. */
  frames: [],
  /** Milliseconds of scripts that held the page for 50 and more. */
  tasks: [],

  /** From a click on a link of the rail until the page shows `selector` anew and has painted it. */
  paintedAfterClick(link, selector) {
    const links = [...document.querySelectorAll('nav a')]
    const target = links.find((one) => one.textContent.trim().startsWith(link))
    return probe.paintedAfter(target, selector)
  },

  /** The same for anything that a selector names. */
  paintedAfterClickOn: (target, selector) =>
    probe.paintedAfter(document.querySelector(target), selector),

  async paintedAfter(target, selector) {
    const frame = () => new Promise((done) => requestAnimationFrame(done))
    const before = document.querySelector(selector)
    const startedAt = performance.now()
    target.click()
    for (let now = before; now === null || now === before; now = document.querySelector(selector))
      await frame()
    await frame()
    return performance.now() - startedAt
  },

  /** The number of the last row that is in the page, from 1. */
  lastRow() {
    const last = [...document.querySelectorAll('[aria-posinset], [aria-rowindex]')].at(-1)
    return Number(last?.getAttribute('aria-posinset') ?? last?.getAttribute('aria-rowindex') ?? 0)
  },
}

const observe = (settings, onEntry) =>
  new PerformanceObserver((list) => list.getEntries().forEach(onEntry)).observe({
    buffered: true,
    ...settings,
  })
observe({ type: 'largest-contentful-paint' }, ({ startTime }) => {
  probe.lcp = startTime
})
observe({ type: 'longtask' }, ({ duration }) => {
  probe.tasks.push(duration)
})
observe({ type: 'event', durationThreshold: 16 }, ({ interactionId, duration }) => {
  if (interactionId > 0) probe.interactions.push(duration)
})
let last = performance.now()
const onFrame = (now) => {
  if (now - last > 17) probe.frames.push(now - last)
  last = now
  requestAnimationFrame(onFrame)
}
requestAnimationFrame(onFrame)
