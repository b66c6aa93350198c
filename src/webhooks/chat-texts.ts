/** What messages to a chat say, in the languages of the page. */
import type { Language } from '../schemas/records.ts'

/** The sentences of one language. Their arguments are already escaped for the tool; `by` and `to` are people, `card` is a link. */
export interface ChatTexts {
  created: (by: string, card: string, column: string) => string
  moved: (by: string, card: string, from: string, to: string) => string
  movedHere: (by: string, card: string, project: string) => string
  finished: (by: string, card: string, column: string) => string
  assigned: (by: string, card: string, to: string) => string
  commented: (by: string, card: string) => string
  due: (by: string, card: string, date: string) => string
  notDue: (by: string, card: string) => string
  /** Several cards in one write. @param cards undefined: more than were counted */
  several: (by: string, cards: number | undefined) => string
  somebody: string
  untitled: string
  /** The label of the button that opens a card. */
  open: string
  test: string
}

const english: ChatTexts = {
  created: (by, card, column) => `${by} created ${card} in ${column}`,
  moved: (by, card, from, to) => `${by} moved ${card} from ${from} to ${to}`,
  movedHere: (by, card, project) => `${by} moved ${card} to the project ${project}`,
  finished: (by, card, column) => `${by} finished ${card} (${column})`,
  assigned: (by, card, to) => `${by} assigned ${card} to ${to}`,
  commented: (by, card) => `${by} commented on ${card}`,
  due: (by, card, date) => `${by} set the due date of ${card} to ${date}`,
  notDue: (by, card) => `${by} removed the due date of ${card}`,
  several: (by, cards) => (cards === undefined ? `${by} changed many cards` : `${by} changed ${cards} cards`),
  somebody: 'Somebody',
  untitled: '(untitled)',
  open: 'Open',
  test: 'This is a test of the webhook: nothing has changed.',
}

const german: ChatTexts = {
  created: (by, card, column) => `${by} hat ${card} in ${column} angelegt`,
  moved: (by, card, from, to) => `${by} hat ${card} von ${from} nach ${to} verschoben`,
  movedHere: (by, card, project) => `${by} hat ${card} in das Projekt ${project} verschoben`,
  finished: (by, card, column) => `${by} hat ${card} abgeschlossen (${column})`,
  assigned: (by, card, to) => `${by} hat ${card} ${to} zugewiesen`,
  commented: (by, card) => `${by} hat ${card} kommentiert`,
  due: (by, card, date) => `${by} hat ${card} auf den ${date} terminiert`,
  notDue: (by, card) => `${by} hat die Fälligkeit von ${card} entfernt`,
  several: (by, cards) =>
    cards === undefined ? `${by} hat viele Karten geändert` : `${by} hat ${cards} Karten geändert`,
  somebody: 'Jemand',
  untitled: '(ohne Titel)',
  open: 'Öffnen',
  test: 'Das ist ein Test des Webhooks: Es hat sich nichts geändert.',
}

const TEXTS: Readonly<Record<Language, ChatTexts>> = { en: english, de: german }

/** What messages say in a stored language: in English for anything else that another program has stored. */
export const chatTexts = (language: string): ChatTexts =>
  Object.hasOwn(TEXTS, language) ? TEXTS[language as Language] : english
