/** Runs before each test file. */
import { afterAll } from 'vitest'
import { closeAll } from './end-of-file.ts'

afterAll(closeAll)
