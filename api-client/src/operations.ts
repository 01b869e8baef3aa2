/** What the generated description says of an operation, in the words a caller needs. */
import type { operations, paths } from './schema.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths that answer a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [NonNullable<paths[P][M]>] extends [never] ? never : P
}[keyof paths]

type Json<Message> = Message extends { content: { 'application/json': infer Value } }
  ? Value
  : never

/** Of an operation that succeeds; undefined where it answers nothing. */
export type Answer<Operation> = Operation extends { responses: infer Responses }
  ? OrUndefined<Json<Responses[keyof Responses & (200 | 201 | 202)]>>
  : never
type OrUndefined<Value> = [Value] extends [never] ? undefined : Value

type Body<Operation> = Operation extends { requestBody?: infer Request }
  ? Json<NonNullable<Request>>
  : never

type Parameters<Operation, In extends 'path' | 'query'> = Operation extends {
  parameters: { [Name in In]?: infer Values }
}
  ? NonNullable<Values>
  : never

type Field<Name extends string, Value> = [Value] extends [never]
  ? { [N in Name]?: undefined }
  : { [N in Name]: Value }

export type Input<Operation> = Field<'params', Parameters<Operation, 'path'>> &
  Field<'body', Body<Operation>> & {
    query?: Parameters<Operation, 'query'> | undefined
    /** What this client read: the service refuses the change (412) where it is no longer so. */
    ifStill?: WithEntityTag
  }

declare const ENTITY_TAG: unique symbol

/** An answer that came with an entity tag. An element of a list has none, nor has a copy of an answer. */
export type WithEntityTag<Value = object> = Value & { readonly [ENTITY_TAG]: true }

/** What a call gives: an `Answer`, and whether it can be a condition of a change. */
export type ReceivedAnswer<Operation> = Operation extends {
  responses: { 200: { headers: { etag?: string } } }
}
  ? WithEntityTag<Answer<Operation>>
  : Answer<Operation>

/** Where what is changed has an entity tag, it has to be read first. */
export type StillInput<Operation> = Operation extends { parameters: { header?: infer Headers } }
  ? [NonNullable<Headers>] extends [never]
    ? unknown
    : 'if-match' extends keyof NonNullable<Headers>
      ? { ifStill: WithEntityTag }
      : unknown
  : unknown

export type OperationAt<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>

/** Of an answer that is one list. */
export type ElementOf<List> = List extends { [name: string]: readonly (infer Element)[] }
  ? Element
  : never

/** By operationId. */
export type AnswerOf<Id extends keyof operations> = Answer<operations[Id]>
export type BodyOf<Id extends keyof operations> = Body<operations[Id]>
