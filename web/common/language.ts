/** The language of the page: the one chosen in this browser, or the first of the browser's that there are texts in. */
import { store, stored } from './stored.ts'

/** The languages with texts: their own names, and the direction of their writing. */
export const LANGUAGES = {
  en: { name: 'English', dir: 'ltr' },
  de: { name: 'Deutsch', dir: 'ltr' },
} as const
export type Language = keyof typeof LANGUAGES

const KEY = 'phaseboard:language'

const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag)
/** The language of a tag: `de` of `de-AT`. */
const partOf = (tag: string) => tag.toLowerCase().split('-')[0] ?? ''

/**
 * The language for a reader.
 * @param chosen by the reader; empty for none
 * @param wanted the reader's languages, the best first, as in `Accept-Language`
 */
export function languageFor(chosen: string, wanted: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen
  return wanted.map(partOf).find(isLanguage) ?? 'en'
}

/** The locale of dates and numbers: the reader's region, if it has the language. @param wanted the reader's languages */
export function localeFor(language: Language, chosen: string, wanted: readonly string[]): string {
  const own = wanted.find((tag) => partOf(tag) === language)
  // Without texts in any of their languages, readers still get dates as they know them.
  return own ?? (chosen === '' ? (wanted[0] ?? language) : language)
}

const WANTED: readonly string[] = globalThis.navigator?.languages ?? []

/** The chosen language; empty for the browser's. */
export const chosenLanguage = (): string => stored(KEY).value

export const language: Language = languageFor(stored(KEY).peek(), WANTED)
/** The locale of dates, numbers and plurals. */
export const locale: string = localeFor(language, stored(KEY).peek(), WANTED)

/** Chooses a language, for the next load of the page. @param tag empty for the browser's */
export const chooseLanguage = (tag: string): void => store(KEY, tag)

/** Sets the language and direction of the document. */
export function showLanguage(): void {
  const { documentElement } = document
  documentElement.lang = language
  documentElement.dir = LANGUAGES[language].dir
}
