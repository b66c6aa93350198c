import { fold } from '../../src/folding.ts'

/** Whether a name contains a typed text, however both are written: how all lists are narrowed whose entries the page has. */
export const matches = (name: string, typed: string): boolean => fold(name).includes(fold(typed.trim()))

/** Whether two names differ only in how they are written. */
export const isSame = (name: string, typed: string): boolean => fold(name) === fold(typed)
