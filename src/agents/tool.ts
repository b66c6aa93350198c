/** What a tool is. */
import { type TObject, type TProperties, Type } from '@sinclair/typebox'
import type { Service, Written } from './service.ts'

/** Hints for whoever decides whether an agent may call a tool. */
export interface Hints {
  readOnlyHint: boolean
  /** Whether it may take away or overwrite what is there. */
  destructiveHint: boolean
  /** Whether a repetition with the same arguments changes nothing more. */
  idempotentHint: boolean
}

/** A tool. */
export interface Tool {
  name: string
  title: string
  /** When to use it, and what it returns. */
  description: string
  hints: Hints
  /** Its arguments, with the keywords that the service's validators know. */
  input: TObject
  output: TObject
  /**
   * Does it.
   * @param args checked by `input`
   * @returns what `output` describes
   * @throws ApiError
   */
  // biome-ignore lint/suspicious/noExplicitAny: `input` has checked them; its type is not known before the routes are
  run: (args: any, service: Service) => Promise<object>
}

export const READS: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
/** Adds something, each time. */
export const ADDS: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
/** Puts something into a state, whatever it was. */
export const SETS: Hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: true }

/** Puts something into a state, and may add something, each time. */
export const SETS_AND_ADDS: Hints = { ...SETS, idempotentHint: false }

/** Where a write stands in the sequence of changes. */
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

/** What is returned of a write whose answers are too large to be read. */
export const unreadOf = (written: Written): object => ({
  ...writtenOf(written),
  notes: ['Done. What it made is too large to be shown here: read it by itself'],
})
