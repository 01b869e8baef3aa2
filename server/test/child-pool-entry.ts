import { setTimeout as delay } from 'node:timers/promises'
import { serveTasks } from '../src/platform/child-pool.ts'

interface Task {
  count?: number
  clocks?: number
  pid?: boolean
  wait?: number
  hog?: boolean
  spin?: boolean
  exit?: number
  fail?: boolean
}

serveTasks(async function* (input) {
  const task = input as Task
  for (let index = 0; index < (task.count ?? 0); index += 1) yield index
  for (let index = 0; index < (task.clocks ?? 0); index += 1) yield Date.now()
  if (task.wait !== undefined) await delay(task.wait)
  if (task.pid) yield process.pid
  if (task.exit !== undefined) process.exit(task.exit)
  if (task.fail) throw new Error('a bug')
  const kept: string[][] = []
  while (task.hog) kept.push(Array.from({ length: 10_000 }, () => Math.random().toString()))
  let turns = 0
  while (task.spin) turns += 1
})
