/** Plays the story from its first day to now. */
import { addDays, addMs, MINUTE_MS } from '../../formats/instants.ts'
import { bootstrapWorkspace, listWorkspacesNamed } from '../../features/workspaces/index.ts'
import { maintainTelemetry } from '../../features/telemetry/index.ts'
import { ConfigError } from '../../config/config-error.ts'
import type { AppContext } from '../../platform/context.ts'
import { importNews, listNewsDays } from './feeds.ts'
import { plot } from './plot.ts'
import { openStage } from './stage.ts'
import {
  as,
  Calendar,
  CAST,
  FIRST_DAY,
  LAST_DAY,
  createStory,
  type Scene,
  type Story,
} from './story.ts'

const WORKSPACE = 'Harbour Instruments'
/** Its name until the story is told. */
const UNFINISHED = `${WORKSPACE} (being set up)`

export interface OpenedStory {
  workspaceId: string
  /** Present at the first start alone: keys are shown once. */
  apiKey?: string
}

interface Listeners {
  /** Tests may tell the beginning alone: the day after the last one, as it is written. */
  until?: string
  /** Gets the name of the workspace, and whether its story is told now. */
  onBegin: (workspace: string, isNew: boolean) => void
  /** Gets the months of the story, as in `2026-03`, as they are told. */
  onMonth: (month: string) => void
}

/** Tells the story, unless it was told before. */
export async function openStory(ctx: AppContext, telling: Listeners): Promise<OpenedStory> {
  const [told] = await listWorkspacesNamed(ctx.db, WORKSPACE)
  if (told !== undefined) {
    telling.onBegin(WORKSPACE, false)
    return { workspaceId: told }
  }
  const [unfinished] = await listWorkspacesNamed(ctx.db, UNFINISHED)
  if (unfinished !== undefined)
    throw new ConfigError(
      `An earlier start was interrupted. Delete the folder ${ctx.config.dataDir}, and start the demo again.`,
    )
  telling.onBegin(WORKSPACE, true)
  return tellStory(ctx, telling)
}

async function tellStory(real: AppContext, { onMonth, until }: Listeners): Promise<OpenedStory> {
  const now = real.now()
  const calendar = new Calendar(now)
  const stage = await openStage(real, calendar.at(FIRST_DAY, 7))
  try {
    const actor = {
      type: 'Operator',
      id: undefined,
      email: undefined,
      requestId: undefined,
    } as const
    const input = { name: UNFINISHED, ownerEmail: CAST.owner.email, actor, keepsSources: true }
    const { workspaceId, apiKey } = await bootstrapWorkspace(stage.ctx, input)
    const story = createStory(stage, calendar, workspaceId)
    const scenes = [...news(story), ...plot(calendar, now)]
    const last = until === undefined ? now : calendar.at(until, 0)
    await playAll(story, scenes, { until: last, onMonth })
    const mara = await as(story, CAST.owner)
    await mara.patch('/settings', { name: WORKSPACE })
    return { workspaceId, apiKey }
  } finally {
    await stage.close()
  }
}

const NEWS_HOUR = 6

function news({ calendar }: Story): Scene[] {
  let sinceDay = ''
  const days = [
    FIRST_DAY,
    ...listNewsDays().filter((day) => day > FIRST_DAY && day < LAST_DAY),
    LAST_DAY,
  ]
  return days.map((day) => {
    const from = sinceDay
    sinceDay = day
    const play = async ({ stage }: Story) => {
      const { ctx, staging } = stage
      await importNews(ctx, { staging, sinceDay: from, day, isLast: day === LAST_DAY })
      await stage.settle()
      await stage.tick()
    }
    return { at: calendar.at(day, day === LAST_DAY ? 0 : NEWS_HOUR), play }
  })
}

interface PlayOptions {
  until: Date
  onMonth: (month: string) => void
}

async function playAll(
  story: Story,
  scenes: Scene[],
  { until, onMonth }: PlayOptions,
): Promise<void> {
  const { stage, calendar } = story
  const waiting = scenes.toSorted((one, other) => one.at.getTime() - other.at.getTime())
  let month = ''
  for (let day = calendar.at(FIRST_DAY, 0); day < until; day = addDays(day, 1)) {
    const name = day.toISOString().slice(0, 7)
    if (name !== month) onMonth((month = name))
    const end = addDays(day, 1)
    while (waiting[0] && waiting[0].at < end && waiting[0].at <= until) {
      const scene = waiting.shift()
      if (!scene) break
      stage.goTo(scene.at)
      await scene.play(story)
    }
    if (addDays(end, 3) > until) await maintainTelemetry(stage.ctx)
    stage.goTo(addMs(end, -MINUTE_MS) < until ? addMs(end, -MINUTE_MS) : until)
    await stage.endDay()
  }
}
