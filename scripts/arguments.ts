/** Numbers on command lines. */
import { InvalidArgumentError } from 'commander'

/**
 * Creates a parser of a whole number from 1.
 * @param most the largest one
 * @returns a function that throws InvalidArgumentError for any other text
 */
export const wholeNumber =
  (most = 999_999_999) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : 0
    if (value < 1 || value > most)
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`)
    return value
  }

/**
 * Creates a parser of a number above 0.
 * @param most the largest one
 * @returns a function that throws InvalidArgumentError for any other text
 */
export const positive =
  (most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!(value > 0 && value <= most))
      throw new InvalidArgumentError(`It must be a number above 0, at most ${most}.`)
    return value
  }
