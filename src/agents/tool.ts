/** The type of tools. */
import { type TObject, type TProperties, Type } from '@sinclair/typebox'
import type { Service, Written } from './service.ts'

/** Hints for clients that decide whether an agent may call a tool. */
export interface Hints {
  readOnlyHint: boolean
  /** Whether it may delete or overwrite existing data. */
  destructiveHint: boolean
  /** Whether repeating it with the same arguments changes nothing. */
  idempotentHint: boolean
}

export interface Tool {
  name: string
  title: string
  /** When to use it, and what it returns. */
  description: string
  hints: Hints
  /** Its arguments, with the keywords of the service's validators. */
  input: TObject
  output: TObject
  /**
   * Runs the tool.
   * @param args checked by `input`
   * @returns a value of the schema `output`
   * @throws ApiError
   */
  // biome-ignore lint/suspicious/noExplicitAny: `input` has checked them; its type is not known before the routes are
  run: (args: any, service: Service) => Promise<object>
}

export const READS: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
/** Adds a record with each call. */
export const ADDS: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
/** Sets a state; idempotent. */
export const SETS: Hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: true }

/** Sets a state, and may add a record with each call. */
export const SETS_AND_ADDS: Hints = { ...SETS, idempotentHint: false }

/** The position of a write in the sequence of changes. */
export const WRITTEN: TProperties = {
  seq: Type.Optional(
    Type.Integer({ description: 'The last change of this call, for undoing it; absent: nothing changed' }),
  ),
  replayed: Type.Optional(
    Type.Boolean({
      description: 'Done before, by a call with the same idempotencyKey: nothing was done now',
    }),
  ),
}

/** The fields of {@link WRITTEN}. */
export const writtenOf = ({ seq, isReplay }: Written): { seq?: number; replayed?: true } => ({
  ...(seq !== undefined && { seq }),
  ...(isReplay && { replayed: true as const }),
})

/** The result of a write whose responses are too large to be parsed. */
export const unreadOf = (written: Written): object => ({
  ...writtenOf(written),
  notes: ['Done. The result is too large to be shown here: read it separately'],
})
