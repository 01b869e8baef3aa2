/** A tool of the server: what an assistant may ask, and how it is answered. */
import { z } from 'zod'
import type { Session } from '../session.ts'

export interface Tool {
  name: string
  title: string
  description: string
  input: z.ZodObject
  /** @param args not checked yet. */
  answer: (session: Session, args: unknown) => Promise<unknown>
}

type Arguments<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>

export function defineTool<Shape extends z.ZodRawShape>(
  name: string,
  { title, description, input }: { title: string; description: string; input: Shape },
  answer: (session: Session, args: Arguments<Shape>) => Promise<unknown>,
): Tool {
  const schema = z.strictObject(input)
  return {
    name,
    title,
    description,
    input: schema,
    answer: (session, args) => answer(session, schema.parse(args)),
  }
}

type StatedOptions<Options> = { [Name in keyof Options]?: Exclude<Options[Name], undefined> }

/** Leaves out what was not stated; the API takes no undefined. */
export function dropUndefined<Options extends object>(options: Options): StatedOptions<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as StatedOptions<Options>
}

export const VERSION = z
  .string()
  .describe('The firmware version: slug@name, such as gateway@2.4.1, or its id')
export const LIMIT = z
  .int()
  .min(1)
  .max(100)
  .default(20)
  .describe('The largest number of elements to answer')
